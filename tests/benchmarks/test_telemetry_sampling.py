"""The sampler beside a run: five looks a second, slow questions less often, one line before and one after."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import psutil
import pynvml
import pytest

from benchmarks.telemetry import samples, trace
from benchmarks.telemetry.driver import Driver
from benchmarks.telemetry.foreign import Census
from benchmarks.telemetry.sampler import Sampler, open_devices
from benchmarks.telemetry.watch import FILE_NAME, Watch
from tests.benchmarks.fakenvml import UUID, FakeNvml, Gpu, a100

DEADLINE_S = 30
ABSENT_PID = 2**22 + 7  # Above the largest process number of Linux.


def process_on(pid: int) -> Any:
    return SimpleNamespace(pid=pid, usedGpuMemory=2**30)


def sample(gpu: Gpu, **more: int | None) -> samples.GpuSample:
    driver = Driver(FakeNvml(gpu))
    return samples.gpu_sample(driver, driver.devices()[0], more=more)


class Clock:
    """Time that passes only when somebody looks, a fifth of a second each."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def sampled(nvml: FakeNvml, turns: int, parent: int | None = None) -> tuple[list[Any], Sampler]:
    """The lines that a sampler writes in so many turns."""
    driver = Driver(nvml)
    file = io.BytesIO()
    sampler = Sampler(driver, driver.devices(), parent or os.getpid(), file)
    sampler.begin(0.2)
    for turn in range(turns):
        sampler.look(turn * 0.2)
        sampler._turn += 1
    sampler.finish(turns * 0.2)
    return [orjson.loads(line) for line in file.getvalue().splitlines()], sampler


def test_a_busy_gpu_is_read_with_its_units() -> None:
    found = sample(a100())
    assert (found.utilisation_ratio, found.memory_utilisation_ratio) == (0.97, 0.72)
    assert (found.clock_mhz, found.memory_clock_mhz) == (1410, 1593)
    assert (found.power_w, found.power_average_w) == (320.0, 305.0)
    assert (found.temperature_c, found.memory_temperature_c, found.p_state) == (61, 66, 0)
    assert (found.event_reasons, found.memory_used_bytes) == (0, 2048 * 2**20)


def test_without_the_field_of_the_instant_the_usual_power_is_taken() -> None:
    gpu = a100()
    gpu.fields = {}
    found = sample(gpu)
    assert (found.power_w, found.power_average_w, found.memory_temperature_c) == (310.0, None, None)


def test_an_older_binding_answers_by_the_older_names() -> None:
    gpu = a100(nvmlDeviceGetTemperatureV=None, nvmlDeviceGetCurrentClocksEventReasons=None)
    gpu.answers |= {"nvmlDeviceGetTemperature": {(0,): 58}, "nvmlDeviceGetCurrentClocksThrottleReasons": 4}
    found = sample(gpu)
    assert (found.temperature_c, found.event_reasons) == (58, 4)


def test_what_a_card_does_not_tell_is_none_and_never_zero() -> None:
    found = sample(Gpu({"nvmlDeviceGetUUID": "GPU-1"}))
    assert set(vars_of(found).values()) == {None}


def vars_of(found: samples.GpuSample) -> dict[str, Any]:
    return {name: getattr(found, name) for name in samples.GPU_FIELDS}


def test_the_link_carries_kilobytes_that_are_kept_as_bytes() -> None:
    driver = Driver(FakeNvml(a100()))
    assert samples.pcie(driver, driver.devices()[0]) == {
        "pcie_sent_bytes_per_s": 1_200_000,
        "pcie_received_bytes_per_s": 3_400_000,
    }


def test_the_host_tells_its_load_and_its_memory() -> None:
    found = samples.host_sample(with_clock=False)
    assert found.memory_used_bytes > 2**20
    assert found.utilisation_ratio is not None and 0 <= found.utilisation_ratio <= 1
    assert found.clock_mhz is None


@pytest.mark.parametrize("told", [None, SimpleNamespace(current=0.0), OSError(), NotImplementedError()])
def test_a_host_that_does_not_tell_its_clock_has_none(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer() -> Any:
        if isinstance(told, Exception):
            raise told
        return told

    monkeypatch.setattr(psutil, "cpu_freq", answer)
    assert samples.host_clock_mhz() is None


def test_the_first_and_the_last_line_hold_the_states() -> None:
    lines, _ = sampled(FakeNvml(a100(), a100(1)), 1)
    assert (lines[0]["type"], lines[-1]["type"]) == ("start", "end")
    assert [state["uuid"] for state in lines[0]["gpus"]] == [UUID.format(0), UUID.format(1)]
    assert lines[0]["driver"]["cuda_version"] == "13.2"
    assert len(lines[-1]["gpus"]) == 2


def test_slow_questions_are_asked_once_a_second_and_the_link_in_turns() -> None:
    """Ten looks at two GPUs: each tells its link's throughput in every other look, its width in every fifth."""
    lines, _ = sampled(FakeNvml(a100(), a100(1)), 10)
    names = ("at_s", *lines[0]["gpu_fields"])
    for place, first in ((0, 0), (1, 1)):
        rows = [dict(zip(names, line[1:], strict=True)) for line in lines[1:-1] if line[0] == place]
        assert len(rows) == 10
        told = [turn for turn, row in enumerate(rows) if row["pcie_sent_bytes_per_s"] is not None]
        assert told == list(range(first, 10, 2))
        assert [turn for turn, row in enumerate(rows) if row["link_width"] is not None] == [0, 5]
        assert all(row["clock_mhz"] == 1410 for row in rows)


def test_looks_come_five_times_a_second_whatever_one_of_them_costs() -> None:
    """The clock jumps by 0.15 s while a look is taken: the pause shrinks to 0.05 s."""
    clock, pauses = Clock(), list[float]()
    driver = Driver(FakeNvml(a100()))
    sampler = Sampler(driver, driver.devices(), os.getpid(), io.BytesIO())

    def wait(seconds: float) -> bool:
        pauses.append(round(seconds, 6))
        clock.now += seconds
        return len(pauses) == 4

    def look(at_s: float) -> None:
        clock.now += 0.15

    sampler.over = SimpleNamespace(wait=wait)  # type: ignore[assignment]
    sampler.look = look  # type: ignore[method-assign]
    sampler.run(0.2, clock)
    assert pauses == [0.05, 0.05, 0.05, 0.05]


def test_whoever_is_on_the_gpu_before_the_run_is_foreign() -> None:
    lines, _ = sampled(FakeNvml(a100(nvmlDeviceGetComputeRunningProcesses=[process_on(ABSENT_PID)])), 1)
    assert lines[-1]["foreign"] == {UUID.format(0): [ABSENT_PID]}


def test_the_processes_of_the_run_are_its_own_and_others_that_live_here_are_foreign() -> None:
    own, stranger = os.getpid(), os.getppid()
    census = Census(own)
    census.begin([])
    assert census.look([own]) == 0
    assert census.look([own, stranger]) == 1
    census.end([own])
    assert census.foreign == {stranger}


def test_a_child_of_the_run_is_its_own_even_after_it_died() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    census = Census(os.getpid())
    assert census.look([child.pid]) == 0
    child.communicate(b"\n", timeout=DEADLINE_S)
    census.end([child.pid])
    assert census.foreign == set()


def test_a_number_of_another_namespace_cannot_be_told_from_our_engine() -> None:
    census = Census(os.getpid())
    assert census.look([ABSENT_PID]) == 0
    census.end([ABSENT_PID])
    assert (census.foreign, census.untold) == (set(), {ABSENT_PID})
    census.end([ABSENT_PID + 1])
    assert census.foreign == {ABSENT_PID + 1}


def test_the_family_of_a_dead_process_is_itself() -> None:
    census = Census(ABSENT_PID)
    assert census.look([]) == 0
    assert census.own == {ABSENT_PID}


def test_a_gpu_that_lists_no_processes_leaves_the_question_open() -> None:
    lines, _ = sampled(FakeNvml(a100(nvmlDeviceGetComputeRunningProcesses=None)), 1)
    names = ("at_s", *lines[0]["gpu_fields"])
    gpu = next(dict(zip(names, line[1:], strict=True)) for line in lines[1:-1] if line[0] == 0)
    assert gpu["foreign_count"] is None
    assert lines[-1]["foreign"] == {UUID.format(0): []}


def test_failing_questions_are_named_at_the_end() -> None:
    lost = pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
    lines, _ = sampled(FakeNvml(a100(nvmlDeviceGetClockInfo=lost)), 1)
    assert list(lines[-1]["problems"]) == ["nvmlDeviceGetClockInfo"]


def test_without_gpus_asked_for_no_driver_is_opened() -> None:
    assert open_devices([]) == (None, [])


def test_the_sampler_looks_five_times_a_second_for_real_and_ends_with_its_last_line(tmp_path: Path) -> None:
    with Watch(tmp_path) as watch:
        wait_for_lines(tmp_path / FILE_NAME, 12)
        child = watch._child
    assert child is not None and child.returncode == 0
    found = trace.load(tmp_path / FILE_NAME)
    assert found is not None
    times = [look["at_s"] for look in found.samples[samples.HOST]]
    assert len(times) >= 11
    # The busiest machine delays a look; it does not thin them out.
    assert times[-1] - times[0] <= 0.2 * len(times) + 0.5
    assert (tmp_path / FILE_NAME).read_bytes().splitlines()[-1].startswith(b'{"type":"end"')


def wait_for_lines(path: Path, count: int) -> None:
    until = time.monotonic() + DEADLINE_S
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_sampler_dies_with_the_process_that_carries_the_run_out(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from benchmarks.telemetry.watch import Watch\n"
        "watch = Watch(Path(sys.argv[1])).__enter__(); print(watch._child.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    sampler = psutil.Process(int(parent.stdout.readline()))
    wait_for_lines(tmp_path / FILE_NAME, 2)
    parent.send_signal(signal.SIGKILL)
    parent.wait(DEADLINE_S)
    assert psutil.wait_procs([sampler], timeout=DEADLINE_S)[1] == []


def test_a_sampler_that_cannot_write_leaves_the_run_alone(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    with Watch(tmp_path / "taken") as watch:
        assert watch._child is None
