"""A var/ with a real Celery worker, for tests in which nothing is simulated.

Processes are looked up by their parents and ended by their ids; every wait has a deadline. The database is read as a
file, the way a second process sees it.
"""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import psycopg

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 120
LEFT_DEADLINE_S = 45


class Site:
    """A var/ of its own, commands that work in it, and one worker. The database is a file in it or `database`."""

    def __init__(self, var: Path, broker: str = "", settings: str = "tests.settings", database: str = "") -> None:
        self.var = var
        self.database = database
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            **({"DATABASE_URL": database} if database else {}),
            "VMCLOUD_TEST_VAR": str(var),
            "VMCLOUD_VAR": str(var),
            "DJANGO_SETTINGS_MODULE": settings,
            "CELERY_BROKER_URL": broker,
        }
        self.worker: subprocess.Popen[bytes] | None = None
        self.log_path = var / "worker.log"

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def python(self, code: str) -> str:
        """Run statements inside the product; the last line that they print."""
        names = "from benchmarks import publishing, services, tasks; from benchmarks.models import BenchmarkRun"
        return self.manage("shell", "--no-imports", "--command", f"{names}\n{code}").splitlines()[-1]

    def start_worker(self, *options: str, **environment: str) -> None:
        """A worker with `options` of Celery's command and more `environment`, up to its being ready."""
        command = [sys.executable, "-m", "celery", "-A", "vmcloud", "worker", "-P", "prefork", "-c", "1", "-l", "INFO"]
        self.launch([*command, *options], **environment)

    def serve(self, queue: str) -> None:
        """A worker by the documented command, on `queue` alone; only the installation is taken for done."""
        self.launch(["make", "-o", "base", "worker", f"QUEUE={queue}", f"PY={sys.executable}"])

    def launch(self, command: list[str], **environment: str) -> None:
        path = self.log_path
        begun = path.stat().st_size if path.exists() else 0
        with path.open("ab") as log:
            self.worker = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment | environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.wait(lambda: b" ready." in path.read_bytes()[begun:], "the worker is ready")

    def start_run(self, times: int = 1, **config: Any) -> str:
        """Queue a run, delivered `times` times; its code."""
        return self.python(
            f"run = services.create_run(services.RunConfig(**{config!r}), None)\n"
            f"for _ in range({times}): tasks.submit(run)\n"
            "print(run.code)"
        )

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if self.database:
            with psycopg.connect(self.database) as server:
                return server.execute(query.replace("?", "%s"), values).fetchall()
        with sqlite3.connect(self.var / "db.sqlite3", timeout=10) as connection:
            return connection.execute(query, values).fetchall()

    def status(self, code: str) -> str:
        return str(self.read("SELECT status FROM benchmarks_benchmarkrun WHERE code = ?", code)[0][0])

    def wait(self, ready: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + DEADLINE_S
        while not ready():
            assert time.monotonic() < until, f"{what}: not within {DEADLINE_S} s\n{self.log()}"
            time.sleep(0.1)

    def wait_for_end(self, code: str) -> str:
        self.wait(lambda: self.status(code) not in {"queued", "running"}, f"{code} ends")
        return self.status(code)

    def wait_for_answers(self, code: str) -> psutil.Process:
        """Until the run measures; its engine process."""
        query = "SELECT phase FROM benchmarks_benchmarkrun WHERE code = ?"
        self.wait(lambda: self.read(query, code) == [("measuring",)], f"{code} measures")
        return next(child for child in self.family() if "benchmarks.load.engine" in " ".join(child.cmdline()))

    def family(self) -> list[psutil.Process]:
        assert self.worker is not None
        return psutil.Process(self.worker.pid).children(recursive=True)

    def log(self) -> str:
        path = self.log_path
        return path.read_text(errors="replace")[-3000:] if path.exists() else ""

    def end(self) -> None:
        """End the worker and whatever it started, by their ids."""
        if self.worker is None or self.worker.poll() is not None:
            return
        family = self.family()
        if self.worker.args[0] == "make":  # type: ignore[index]
            psutil.Process(self.worker.pid).children()[0].kill()
        self.worker.kill()
        self.worker.wait(timeout=LEFT_DEADLINE_S)
        for process in psutil.wait_procs(family, timeout=LEFT_DEADLINE_S)[1]:
            process.kill()

    def stop(self) -> None:
        """Tell the worker to stop, and wait until it has; make hands the signal on."""
        assert self.worker is not None
        self.worker.terminate()
        self.worker.wait(timeout=LEFT_DEADLINE_S)
