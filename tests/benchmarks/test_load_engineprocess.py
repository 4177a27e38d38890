"""The engine's keeper with children that misbehave: each way of failing has a code, and nobody is left behind."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from benchmarks.load import process, records
from benchmarks.load.client import Client
from benchmarks.load.engineprocess import EngineError, EngineProcess

LINE = '{"address": "http://127.0.0.1:9", "engine": "e", "version": "1", "threads_count": 1, "keeps_connections": true}'
SAYS_LINE = f"import time; print('{LINE}', flush=True); time.sleep(60)"


def keeper(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch, **values: float) -> EngineProcess:
    """A keeper whose child is the given Python code."""
    plan = records.Plan("model", str(folder), (1,), 1, 1, 1, 1, 1, **values)  # type: ignore[arg-type]
    engine = EngineProcess(plan, process.Cores((), (), shared=True))
    monkeypatch.setattr(EngineProcess, "_command", lambda self: [sys.executable, "-c", code])
    return engine


def pid_of(engine: EngineProcess) -> int:
    assert engine._child is not None
    return engine._child.pid


def attempt(engine: EngineProcess, act: Callable[[EngineProcess], Awaitable[None]]) -> int:
    """Do something with the keeper and end it; the id of its child."""

    async def go() -> int:
        try:
            await act(engine)
        finally:
            await engine.end()
            await engine.end()
        return pid_of(engine)

    return asyncio.run(go())


def failure(engine: EngineProcess, act: Callable[[EngineProcess], Awaitable[None]]) -> EngineError:
    with pytest.raises(EngineError) as caught:
        attempt(engine, act)
    assert not psutil.pid_exists(pid_of(engine))
    return caught.value


async def start(engine: EngineProcess) -> None:
    await engine.start(asyncio.Event())


def test_the_first_line_says_where_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = keeper(tmp_path, SAYS_LINE, monkeypatch)
    pid = attempt(engine, start)
    assert (engine.address, engine.name, engine.keeps_connections) == ("http://127.0.0.1:9", "e", True)
    assert not psutil.pid_exists(pid)


def test_a_child_that_leaves_at_once_is_reported_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = keeper(tmp_path, "import sys; sys.exit('cannot load the model')", monkeypatch)
    found = failure(engine, start)
    assert (found.code, found.detail) == ("engine_start", "cannot load the model")


def test_a_silent_child_meets_its_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = keeper(tmp_path, "import time; time.sleep(60)", monkeypatch, start_deadline_s=0.3)
    started = time.monotonic()
    assert failure(engine, start).code == "engine_deadline"
    assert time.monotonic() - started < 5


def test_a_stop_while_it_starts_does_not_wait_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(engine: EngineProcess) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.2, stop.set)
        await engine.start(stop)

    engine = keeper(tmp_path, "import time; time.sleep(60)", monkeypatch)
    started = time.monotonic()
    assert failure(engine, stopped).code == "stopped"
    assert time.monotonic() - started < 5


def test_a_child_that_listens_but_never_answers_meets_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait(engine: EngineProcess) -> None:
        await start(engine)
        async with Client(engine.endpoint, timeout_s=1) as client:
            await engine.wait_healthy(client, asyncio.Event())

    assert failure(keeper(tmp_path, SAYS_LINE, monkeypatch, start_deadline_s=1.0), wait).code == "engine_deadline"


def test_a_child_that_dies_later_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def outlive(engine: EngineProcess) -> None:
        await start(engine)
        engine.check()
        child = engine._child
        assert child is not None
        child.kill()
        await child.wait()
        engine.check()

    assert failure(keeper(tmp_path, SAYS_LINE, monkeypatch), outlive).code == "engine_died"


def test_a_long_log_is_cut_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = keeper(tmp_path, "", monkeypatch)
    assert engine.log_tail() == ""
    engine.plan.engine_log_path.write_text("x" * 5000 + "the end")
    assert len(engine.log_tail()) == 400
    assert engine.log_tail().endswith("the end")


def test_the_command_carries_the_plan(tmp_path: Path) -> None:
    plan = records.Plan("/m.gguf", str(tmp_path), (1, 8, 4), 1, 128, 64, 1, 300)
    command = EngineProcess(plan, process.Cores((0, 1), (2,), shared=False))._command()
    assert command[1:3] == ["-m", "benchmarks.load.engine"]
    assert {"--model=/m.gguf", "--slots=8", "--cores=0,1", "--context=208"} <= set(command)
