"""A server that is measured over the network: its address, its route, its key, and whether it may be asked at all.

Only the name of the environment variable that holds the key is ever written down. That name must begin with
BENCHMARK_KEY_, so that a run cannot send any other secret of this process to a server of its choice.
"""

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

ROUTES: Mapping[str, str] = {"completions": "/completions", "chat": "/chat/completions"}
LENGTH_FIELDS = ("max_tokens", "max_completion_tokens")
KEY_PREFIX = "BENCHMARK_KEY_"
KEY_NAME = re.compile(rf"{KEY_PREFIX}[A-Z0-9_]{{1,40}}")
METADATA = frozenset(
    ipaddress.ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192")
)
METADATA_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "instance-data"})
PRIVATE_ENDS = (".localhost", ".local", ".localdomain", ".internal", ".lan", ".home.arpa")
# Networks of IPv6 whose last 32 bits are an IPv4 address: translated (NAT64), and "compatible", which is long given up.
CARRIERS = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
UNSPECIFIED_OR_LOOPBACK = 1  # The highest of ::/96 that are IPv6 addresses of their own.
HOST_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
AMBIGUOUS = frozenset("ßς\u200c\u200d")
"""Letters that the two standards of international names spell in different ways."""
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TargetError(ValueError):
    """A target that may not be measured; `code` says why, `detail` which part of it."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Target:
    """An OpenAI-compatible server. `base_url` ends where the route begins, usually in /v1.

    `ignore_eos`: whether the server knows this extension (vLLM, SGLang, llama.cpp) and answers in full length.
    `allowed` are the hosts and networks that may be private.
    """

    base_url: str
    route: str
    model: str
    key_variable: str = ""
    ignore_eos: bool = True
    length_field: str = "max_tokens"
    rate_limit_per_s: float | None = None
    attempts_max: int = 5
    allowed: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return self.base_url + ROUTES[self.route]


def base_url(text: str) -> str:
    """The address without its route, checked for form; TargetError with code url_….

    >>> base_url("https://api.example.com/v1/chat/completions/")
    'https://api.example.com/v1'
    >>> base_url("http://10.0.0.5:8000")
    'http://10.0.0.5:8000/v1'
    >>> base_url("https://Exämple.com./v1"), base_url("http://0x7f.1:80")
    ('https://xn--exmple-cua.com/v1', 'http://127.0.0.1:80/v1')
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise TargetError("url_unreadable") from error
    if parts.scheme not in ("http", "https"):
        raise TargetError("url_scheme", parts.scheme)
    if not parts.hostname or port == 0:
        raise TargetError("url_unreadable")
    if parts.username is not None or parts.password is not None:
        raise TargetError("url_credentials")
    if parts.query or parts.fragment:
        raise TargetError("url_query")
    path = parts.path.rstrip("/")
    for route in ("/chat/completions", "/completions"):
        path = path.removesuffix(route)
    return urlunsplit((parts.scheme, place(canonical(parts.hostname), port), path or "/v1", "", ""))


def place(host: str, port: int | None) -> str:
    """Host and port as a URL writes them."""
    written = f"[{host}]" if ":" in host else host
    return written if port is None else f"{written}:{port}"


def canonical(host: str) -> str:
    """The one spelling of a host by which it is judged, shown and asked; TargetError for what is none.

    Names lose their last dot and are written in ASCII; an IPv4 address in any of the ways that a resolver reads (127.1,
    0x7f000001, octal) becomes its four numbers.
    """
    if ":" in host:
        return canonical_v6(host)
    try:
        name = host.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise TargetError("url_unreadable", host) from error
    if not HOST_NAME.fullmatch(name) or AMBIGUOUS & set(host):
        raise TargetError("url_unreadable", host)
    if not NUMBER.fullmatch(name.rpartition(".")[2]):
        return name
    try:
        return socket.inet_ntoa(socket.inet_aton(name))
    except OSError as error:
        raise TargetError("url_unreadable", host) from error


def canonical_v6(host: str) -> str:
    """An address of IPv6 in its shortest form; one with a zone belongs to a link of one machine and is none."""
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError as error:
        raise TargetError("url_unreadable", host) from error
    if address.scope_id is not None:
        raise TargetError("url_unreadable", host)
    return str(address)


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be asked beyond the public internet: host names and networks that an administrator lists."""

    names: frozenset[str]
    networks: tuple[Network, ...]

    def check_host(self, host: str) -> None:
        """TargetError when a canonical host is refused as it stands; names are looked up only on connecting."""
        if host in METADATA_NAMES and host not in self.names:
            raise TargetError("address_metadata", host)
        if (address := literal(host)) is not None:
            self.check_address(address, host)
        elif ("." not in host and host not in self.names) or host.endswith(PRIVATE_ENDS):
            self._check_name(host)

    def _check_name(self, host: str) -> None:
        if host not in self.names:
            raise TargetError("address_private", host)

    def check_address(self, address: Address, host: str = "") -> None:
        """TargetError for an address outside the public internet, unless its host or its network is listed.

        The address of a cloud's metadata service is refused unless it is listed by itself.
        """
        real = embedded(address)
        if real in METADATA and not any(network.num_addresses == 1 and real in network for network in self.networks):
            raise TargetError("address_metadata", str(real))
        if real.is_global and not real.is_multicast:
            return
        if host not in self.names and not any(real in network for network in self.networks):
            raise TargetError("address_private", str(real))


def embedded(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one that stands for it, else the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in CARRIERS) and int(address) > UNSPECIFIED_OR_LOOPBACK:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def policy(allowed: tuple[str, ...]) -> Policy:
    """From the setting's list: each entry is a host name, an address or a network (10.0.0.0/8)."""
    names, networks = set(), []
    for entry in allowed:
        try:
            networks.append(ipaddress.ip_network(entry, strict=False))
        except ValueError:
            names.add(entry.lower().removesuffix("."))
        else:
            names |= {entry} if literal(entry) else set()
    return Policy(frozenset(names), tuple(networks))


def checked(target: Target) -> Target:
    """The target with its address brought into form; TargetError when any part of it is refused."""
    url = base_url(target.base_url)
    policy(target.allowed).check_host(urlsplit(url).hostname or "")
    if target.route not in ROUTES:
        raise TargetError("route", target.route)
    if target.key_variable and not KEY_NAME.fullmatch(target.key_variable):
        raise TargetError("key_name", target.key_variable)
    if target.length_field not in LENGTH_FIELDS:
        raise TargetError("length_field", target.length_field)
    return Target(**{name: getattr(target, name) for name in Target.__slots__} | {"base_url": url})


def key(target: Target, environment: Mapping[str, str]) -> str:
    """The bearer key, from the environment and from nowhere else; TargetError when it is asked for and not there."""
    if not target.key_variable:
        return ""
    if not KEY_NAME.fullmatch(target.key_variable):
        raise TargetError("key_name", target.key_variable)
    found = environment.get(target.key_variable, "").strip()
    if not found or not found.isascii() or not found.isprintable() or " " in found:
        raise TargetError("key_missing", target.key_variable)
    return found


def masked(text: str, secret: str) -> str:
    """A text that came from outside, without the key in it."""
    return text.replace(secret, "•••") if secret else text
