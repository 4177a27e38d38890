"""Where requests go and how: the engine of this machine, or a server over the network."""

import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from benchmarks.load import targets
from benchmarks.load.targets import Target, TargetError

Info = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]
Connect = Callable[[Info], socket.socket]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address that answers, one that may be asked for nothing, and what the server is like.

    `keep_connections` False is for a server that closes after each stream without saying so: a kept connection would
    be found dead by the next request. The key is not part of what is shown of this object.
    """

    url: str
    probe_url: str
    metrics_url: str = ""
    keep_connections: bool = True
    attempts_max: int = 1
    policy: targets.Policy | None = None
    secret: str = field(default="", repr=False)

    @property
    def session_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    @property
    def request_headers(self) -> dict[str, str]:
        """Of the requests that are measured: a kept connection is only closed after these."""
        close = {} if self.keep_connections else {"Connection": "close"}
        return {"Content-Type": "application/json"} | close

    def connect(self) -> Connect | None:
        """Opens sockets to allowed addresses only, whatever the name has resolved to; None where all are allowed."""
        policy, host = self.policy, urlsplit(self.url).hostname or ""
        if policy is None:
            return None

        def opened(info: Info) -> socket.socket:
            try:
                policy.check_address(ipaddress.ip_address(str(info[4][0]).partition("%")[0]), host)
            except TargetError as error:
                raise PermissionError(f"{host} leads to an address that may not be measured") from error
            return socket.socket(info[0], info[1], info[2])

        return opened


def local(address: str, *, keep_connections: bool = True) -> Endpoint:
    """The engine started for the run."""
    return Endpoint(f"{address}/v1/completions", f"{address}/health", f"{address}/metrics", keep_connections)


def remote(target: Target, secret: str) -> Endpoint:
    """A checked target. Its list of models is a question that costs the server nothing."""
    return Endpoint(
        target.url,
        f"{target.base_url}/models",
        f"{target.base_url.removesuffix('/v1')}/metrics",
        attempts_max=target.attempts_max,
        policy=targets.policy(target.allowed),
        secret=secret,
    )
