"""The probe's child process: a group of its own, stopped on demand and in time, killed with all it started."""

import os
import time
from pathlib import Path

import psutil
import pytest

from benchmarks import probeprocess
from benchmarks.probeprocess import NoPythonError, Order, ProbeProcess
from benchmarks.probes.lines import LineError
from tests.benchmarks import fakeprobe

FOR_EVER = "time.sleep(100)"
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready', flush=True)\ntime.sleep(100)"


def order(python: str, folder: Path, **values: object) -> Order:
    return Order(python, "gemm", (), folder / "run", **values)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probeprocess, "POLL_S", 0.02)
    monkeypatch.setattr(probeprocess, "STOP_GRACE_S", 0.5)


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_records_are_read_as_they_are_written(tmp_path: Path) -> None:
    python = fakeprobe.python(tmp_path, fakeprobe.start(), "a word between", fakeprobe.reading(), fakeprobe.end())
    with ProbeProcess(order(python, tmp_path)) as probe:
        found = [record["kind"] for record in probe.records() if record]
    assert found == ["start", "reading", "end"]
    assert probe.exit_code == 0


def test_the_command_names_the_probe_its_parent_and_its_settings(tmp_path: Path) -> None:
    asked = Order("/gpu/python", "membw", ("--seconds=2",), tmp_path)
    assert asked.command == [
        "/gpu/python",
        "-m",
        "benchmarks.probes.membw",
        f"--parent={os.getpid()}",
        "--seconds=2",
    ]


@pytest.mark.parametrize(("gpus", "seen"), [((), ""), (("GPU-1", "GPU-2"), "GPU-1,GPU-2")])
def test_the_child_sees_the_gpus_of_its_run_and_no_other(tmp_path: Path, gpus: tuple[str, ...], seen: str) -> None:
    python = fakeprobe.python(tmp_path, then="print(os.environ['CUDA_VISIBLE_DEVICES'], file=sys.stderr)")
    with ProbeProcess(order(python, tmp_path, gpus=gpus)) as probe:
        list(probe.records())
    assert probe.log_end() == seen


def test_the_child_gets_neither_database_nor_queue_nor_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "BENCHMARK_KEY_X"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/cuda")
    python = fakeprobe.python(tmp_path, then="print(sorted(os.environ.items()), file=sys.stderr)")
    with ProbeProcess(order(python, tmp_path)) as probe:
        list(probe.records())
    assert "a secret" not in probe.log_end() and "('LD_LIBRARY_PATH', '/cuda')" in probe.log_end()


def test_without_gpu_python_nothing_is_started(tmp_path: Path) -> None:
    with pytest.raises(NoPythonError, match="GPU_PYTHON"), ProbeProcess(order("", tmp_path)):
        raise AssertionError("unreachable")


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoPythonError, match="no-such-python"), ProbeProcess(order("/no-such-python", tmp_path)):
        raise AssertionError("unreachable")


def test_a_stop_lets_the_probe_end_with_what_it_has(tmp_path: Path) -> None:
    last = fakeprobe.end("cancelled").replace("'", "\\'")
    polite = f"signal.signal(signal.SIGTERM, lambda *_: (print('{last}', flush=True), os._exit(0)))\n{FOR_EVER}"
    python = fakeprobe.python(
        tmp_path,
        then="signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        + polite.replace(FOR_EVER, f"print('{fakeprobe.start()}', flush=True)\n{FOR_EVER}"),
    )
    kinds = []
    with ProbeProcess(order(python, tmp_path)) as probe:
        for record in probe.records():
            if record:
                kinds.append(record["kind"])
                probe.stop()
    assert kinds == ["start", "end"]


def test_a_probe_that_does_not_listen_is_killed_after_the_grace(tmp_path: Path) -> None:
    python = fakeprobe.python(
        tmp_path, then=DEAF.replace("print('ready', flush=True)", f"print('{fakeprobe.start()}', flush=True)")
    )
    began = time.monotonic()
    with ProbeProcess(order(python, tmp_path)) as probe:
        for record in probe.records():
            if record:
                probe.stop()
    assert probe.exit_code == -9
    assert time.monotonic() - began < 10


def test_past_its_time_the_probe_is_stopped(tmp_path: Path) -> None:
    """Its time is over as soon as it has begun, however long this machine takes to start it."""
    python = fakeprobe.python(tmp_path, fakeprobe.start(), then=FOR_EVER)
    kinds = []
    with ProbeProcess(order(python, tmp_path, limit_s=60.0)) as probe:
        for record in probe.records():
            if record:
                kinds.append(record["kind"])
                assert not probe.overdue
                probe._ends_at = time.monotonic()
    assert (kinds, probe.overdue, probe.exit_code) == (["start"], True, -15)


def test_at_the_hard_limit_it_is_killed_although_nobody_reads_it(tmp_path: Path) -> None:
    """Whoever follows it hangs, as in a database that answers nothing: neither its time nor a stop is looked at."""
    python = fakeprobe.python(tmp_path, fakeprobe.start(), then=DEAF)
    with ProbeProcess(order(python, tmp_path, hard_s=1.0)) as probe:
        until = time.monotonic() + 20
        while probe.exit_code is None and time.monotonic() < until:
            time.sleep(0.02)
        assert (probe.killed, probe.exit_code) == (True, -9)


def test_a_probe_that_ended_in_time_was_not_killed(tmp_path: Path) -> None:
    python = fakeprobe.python(tmp_path, fakeprobe.start(), fakeprobe.end())
    with ProbeProcess(order(python, tmp_path, hard_s=60.0)) as probe:
        list(probe.records())
    assert not probe.killed and probe._killer.finished.is_set()


def test_leaving_the_block_leaves_no_process_behind(tmp_path: Path) -> None:
    """The probe has started ranks of its own, which do not listen either."""
    started = "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])"
    told = "print(json.dumps({'kind': 'pid', 'schema': 1, 'pid': other.pid}), flush=True)"
    child = "\n".join(["import subprocess", started, told, DEAF])
    python = fakeprobe.python(tmp_path, then=child)
    with ProbeProcess(order(python, tmp_path)) as probe:
        pid = next(int(str(record["pid"])) for record in probe.records() if record)
        parent = probe._child.pid  # type: ignore[union-attr]
    deadline = time.monotonic() + 5
    while not (gone(pid) and gone(parent)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert gone(parent) and gone(pid)


def test_what_was_written_before_a_kill_stays_readable(tmp_path: Path) -> None:
    python = fakeprobe.python(
        tmp_path, fakeprobe.start(), fakeprobe.reading(), then="os.kill(os.getpid(), signal.SIGKILL)"
    )
    with ProbeProcess(order(python, tmp_path)) as probe:
        assert [record["kind"] for record in probe.records() if record] == ["start", "reading"]
    assert probe.exit_code == -9
    assert probe.lines_path.read_text().count("\n") == 2


def test_a_line_of_another_schema_is_an_error(tmp_path: Path) -> None:
    python = fakeprobe.python(tmp_path, '{"kind": "start", "schema": 99}')
    with pytest.raises(LineError), ProbeProcess(order(python, tmp_path)) as probe:
        list(probe.records())


def test_the_log_is_kept_and_its_end_can_be_told(tmp_path: Path) -> None:
    python = fakeprobe.python(tmp_path, then="sys.stderr.write('x' * 9000 + 'no memory')", exit_code=1)
    with ProbeProcess(order(python, tmp_path)) as probe:
        list(probe.records())
    assert probe.log_end().endswith("no memory") and len(probe.log_end()) == probeprocess.LOG_BYTES
