"""The product as it is served at scale: gunicorn with two processes on PostgreSQL, with times in the access log."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts import services

ROOT = Path(__file__).resolve().parent.parent
START_DEADLINE_S = 60


@dataclass(frozen=True)
class Served:
    """Where the product answers, and where gunicorn writes `path microseconds` for each request."""

    url: str
    log: Path

    def server_times_ms(self, path: str, since: int = 0) -> list[float]:
        """Server times of the requests to `path` after the first `since` lines of the log."""
        rows = (line.split() for line in self.log.read_text().splitlines()[since:])
        return [int(microseconds) / 1000 for asked, microseconds in rows if asked == path]

    def lines(self) -> int:
        return len(self.log.read_text().splitlines())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while True:
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=5)
        except (urllib.error.URLError, OSError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


@contextmanager
def serve() -> Iterator[Served]:
    """Start everything in a folder of its own, stop it afterwards."""
    with tempfile.TemporaryDirectory() as folder, services.Postgres() as database:
        port, log = free_port(), Path(folder) / "access.log"
        environment = {
            **os.environ, "DJANGO_SETTINGS_MODULE": "bench.settings", "DATABASE_URL": database.url, "PORT": str(port),
            "VMCLOUD_VAR": folder, "WEB_CONCURRENCY": "2", "LOG_LEVEL": "WARNING", "PYTHONPATH": str(ROOT),
        }  # fmt: skip
        for command in ("migrate -v0", "seed -v0", "collectstatic --no-input -v0"):
            subprocess.run([sys.executable, "manage.py", *command.split()], cwd=ROOT, env=environment, check=True)
        logged = ["--access-logfile", str(log), "--access-logformat", "%(U)s %(D)s"]
        web = subprocess.Popen([sys.executable, "-m", "gunicorn", "vmcloud.wsgi", *logged], cwd=ROOT, env=environment)
        try:
            wait_for(f"http://127.0.0.1:{port}", web)
            yield Served(f"http://127.0.0.1:{port}", log)
        finally:
            web.terminate()
            web.wait(20)
