"""`make run`: the port it takes, and that nothing it started outlives it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from scripts import run
from tests.platform import processes


def test_the_first_free_port_from_8000_on_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "is_free", lambda port: port not in {8000, 8001})
    assert run.choose_port("") == 8002


def test_a_port_asked_for_is_used_or_refused_never_replaced() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(run.NoPortError, match=f"Port {port} is taken"):
            run.choose_port(str(port))
    assert run.choose_port(str(port)) == port


@pytest.mark.parametrize("text", ["0", "65536", "-1", "80a", "８０", "8000.0"])
def test_what_is_no_port_is_one_sentence(text: str) -> None:
    with pytest.raises(run.NoPortError, match="PORT must be a number from 1 to 65535"):
        run.choose_port(text)


def test_no_free_port_at_all_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "is_free", lambda port: False)
    with pytest.raises(run.NoPortError, match="8000 to 8099 are taken"):
        run.choose_port("")


STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"


def test_a_process_that_ignores_the_request_is_ended_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "INSIST_DEADLINE_S", 0.5)
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"up\n"
    run.stop([psutil.Process(child.pid)])
    assert not psutil.pid_exists(child.pid)
    child.stdout.close()


# A worker that starts a measurement in a session of its own, as the real one does, and writes down its number.
WORKER = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], start_new_session=True)
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(120)
"""
LAUNCHER = """
import sys
from pathlib import Path
from scripts import run
run.ROOT = Path(sys.argv[1])
run.STOP_DEADLINE_S = 1
sys.exit(run.serve(8000))
"""


def wait_for(path: Path) -> str:
    """The text of a file that another process writes."""
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path.name} was not written"
        time.sleep(0.05)
    return path.read_text()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything_also_what_the_worker_started(how: signal.Signals, tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "worker.py").write_text(WORKER)
    (folder / "Procfile").write_text('worker: "$PYTHON" worker.py "pid file"\n')
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(folder)], cwd=processes.ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    grandchild = int(wait_for(folder / "pid file"))
    assert psutil.pid_exists(grandchild)
    launcher.send_signal(how)
    output, _ = launcher.communicate(timeout=60)
    assert launcher.returncode == 0, output.decode()
    assert not psutil.pid_exists(grandchild)


def test_a_process_that_dies_ends_the_others_and_is_reported(tmp_path: Path) -> None:
    (tmp_path / "Procfile").write_text('web: "$PYTHON" -c "import sys; sys.exit(3)"\nworker: sleep 120\n')
    done = processes.run("-c", LAUNCHER, str(tmp_path), timeout_s=40)
    assert done.returncode == 3
    assert "web stopped (rc=3)" in done.stdout


def test_what_cannot_start_is_one_sentence_and_starts_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    done = processes.run("-m", "scripts.run", DATABASE_URL="mysql://x", VMCLOUD_VAR=str(tmp_path), PORT=port)
    assert done.returncode == 1
    assert done.stderr.strip().startswith("VMCloud cannot start. DATABASE_URL must start with postgresql://")
    assert "started (pid" not in done.stdout


def test_the_procfile_names_web_and_worker_and_quotes_its_python() -> None:
    lines = dict(line.split(": ", 1) for line in (processes.ROOT / "Procfile").read_text().splitlines())
    assert set(lines) == {"web", "worker", "prices"}
    assert all(command.startswith('"$PYTHON" -m ') for command in lines.values())
