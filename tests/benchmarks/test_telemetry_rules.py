"""From the sampler's file to seconds, flags and rows; what the hardware does not tell accuses nobody."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks import hardwarerecord, planning, services
from benchmarks.models import BenchmarkRun, RunGpu, TelemetrySecond
from benchmarks.telemetry import rules, samples, states, trace
from benchmarks.telemetry.driver import Driver
from benchmarks.telemetry.trace import Trace
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs
from tests.benchmarks.fakenvml import UUID, FakeNvml, a100

GPU = UUID.format(0)
RATE = 5


def state(**answers: Any) -> dict[str, Any]:
    driver = Driver(FakeNvml(a100(**answers)))
    return states.gpu_state(driver, driver.devices()[0])


def look(at_s: float, **values: Any) -> Mapping[str, Any]:
    return dict.fromkeys(samples.GPU_FIELDS) | {"at_s": at_s} | values


def looks(count: int, **values: Any) -> list[Mapping[str, Any]]:
    return [look(number / RATE, **values) for number in range(count)]


def traced(found: list[Mapping[str, Any]], **values: Any) -> Trace:
    known: dict[str, Any] = {"before": [state()], "after": [state()], "samples": {0: found}}
    return Trace(**(known | values))


def raised(found: Trace) -> list[str]:
    return [name for name, up in rules.flags(found).items() if up]


def test_a_second_holds_means_the_most_memory_and_every_reason() -> None:
    group = [
        look(3.0, power_w=300.0, temperature_c=60, memory_used_bytes=10, p_state=0, event_reasons=0),
        look(3.2, power_w=320.0, temperature_c=61, memory_used_bytes=30, p_state=2, event_reasons=4),
        look(3.4, power_w=None, temperature_c=62, memory_used_bytes=20, p_state=0, event_reasons=1),
        look(4.0, power_w=100.0),
    ]
    first, second = trace.seconds(group)
    assert first == {
        "second": 3,
        "samples_count": 3,
        "power_w": 310.0,
        "temperature_c": 61.0,
        "memory_used_bytes": 30,
        "p_state": 2,
        "event_reasons": 5,
        "throttled_count": 1,
    }
    assert second == {"second": 4, "samples_count": 1, "power_w": 100.0}


@pytest.mark.parametrize(
    ("bit", "throttles"),
    [*((bit, True) for bit in (4, 8, 32, 64, 128, 512, 1024)), *((bit, False) for bit in (1, 2, 16, 256))],
)
def test_power_and_heat_throttle_and_chosen_clocks_do_not(bit: int, throttles: bool) -> None:
    assert trace.throttled_ratio(looks(4, event_reasons=bit)) == (1.0 if throttles else 0.0)


def test_five_percent_of_the_samples_are_borne_and_more_are_not() -> None:
    """100 samples: five under a power cap, then six."""
    five = looks(5, event_reasons=4) + looks(95, event_reasons=0)
    six = looks(6, event_reasons=4) + looks(94, event_reasons=0)
    assert raised(traced(five)) == []
    assert raised(traced(six)) == ["flag_throttled"]


def test_samples_without_an_answer_are_not_counted_as_free() -> None:
    """Six of 94 known ones are above 5 %, although six of 200 looks are not."""
    found = looks(6, event_reasons=8) + looks(94, event_reasons=0) + looks(100)
    assert raised(traced(found)) == ["flag_throttled"]
    assert trace.throttled_ratio(looks(10)) is None
    assert raised(traced(looks(10))) == []


def test_a_process_before_the_run_a_newcomer_during_it_and_one_found_at_the_end_are_foreign() -> None:
    before = state() | {"processes": [{"pid": 7, "memory_bytes": 1}]}
    for found in (
        traced(looks(5), before=[before]),
        traced([*looks(5), look(1.0, foreign_count=1)]),
        traced(looks(5), foreign={GPU: [99]}),
    ):
        assert raised(found) == ["flag_foreign_process"]
    assert raised(traced(looks(5, foreign_count=0), foreign={GPU: []})) == []


def test_only_a_new_uncorrected_error_or_a_bad_row_counts() -> None:
    old = state(nvmlDeviceGetTotalEccErrors={(0, 0): 9, (1, 0): 3})
    new = state(nvmlDeviceGetTotalEccErrors={(0, 0): 9, (1, 0): 4})
    assert raised(traced(looks(2), before=[old], after=[old])) == []
    assert raised(traced(looks(2), before=[old], after=[new])) == ["flag_ecc_errors"]
    for rows in ((0, 1, 1, 0), (0, 1, 0, 1)):
        pending = state(nvmlDeviceGetRemappedRows=rows)
        assert raised(traced(looks(2), after=[pending])) == ["flag_ecc_errors"]


def test_memory_without_ecc_accuses_nobody() -> None:
    plain = state(nvmlDeviceGetTotalEccErrors=None, nvmlDeviceGetRemappedRows=None)
    assert raised(traced(looks(2), before=[plain], after=[plain])) == []


def test_a_link_that_rises_under_load_is_good_and_one_that_stays_low_is_not() -> None:
    rising = [look(0, link_gen=1, link_width=16), look(1, link_gen=4, link_width=16)]
    assert raised(traced(rising)) == []
    assert raised(traced([look(0, link_gen=3, link_width=16)])) == ["flag_link_down_trained"]
    assert raised(traced([look(0, link_gen=4, link_width=8)])) == ["flag_link_down_trained"]
    assert raised(traced([look(0)])) == []


def test_one_bad_gpu_of_two_is_enough() -> None:
    found = traced(looks(5, event_reasons=0), before=[state(), state()], after=[state(), state()])
    found.samples[1] = looks(5, event_reasons=64)
    assert raised(found) == ["flag_throttled"]


def test_the_host_is_never_judged() -> None:
    host = [{"at_s": 0.0, "utilisation_ratio": 1.0, "memory_used_bytes": 1, "load_1m": 9.0, "clock_mhz": 800.0}]
    assert raised(Trace(samples={samples.HOST: host})) == []


def test_energy_is_the_difference_of_the_counter_in_joules() -> None:
    """5 kJ before, 41 kJ after: 36 kJ. A counter that started anew tells nothing."""
    after = state(nvmlDeviceGetTotalEnergyConsumption=41_000_000)
    assert rules.energy_j(traced([], after=[after]), 0) == 36_000.0
    assert rules.energy_j(traced([], after=[]), 0) is None
    assert rules.energy_j(traced([], after=[state(nvmlDeviceGetTotalEnergyConsumption=None)]), 0) is None
    assert rules.energy_j(traced([], after=[state(nvmlDeviceGetTotalEnergyConsumption=1)]), 0) is None


def written(folder: Path, *, power_cap: int = 0, ended: bool = True, seconds: int = 2) -> Path:
    """The file that a sampler leaves of one GPU and the host."""
    first = {"type": "start", "host_fields": samples.HOST_FIELDS, "gpu_fields": samples.GPU_FIELDS}
    lines: list[Any] = [first | {"gpus": [state()], "driver": {"driver_version": "580.65.06"}}]
    for turn in range(seconds * RATE):
        lines.append([samples.HOST, turn / RATE, 0.5, 1000, 1.5, None])
        values = look(0, power_w=200.0 + 100 * (turn // RATE), event_reasons=4 if turn < power_cap else 0)
        lines.append([0, turn / RATE, *[values[name] for name in samples.GPU_FIELDS]])
    if ended:
        after = state(nvmlDeviceGetTotalEnergyConsumption=5_500_000)
        lines.append({"type": "end", "gpus": [after], "foreign": {GPU: []}, "problems": {}})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "telemetry.jsonl"
    path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    return path


def test_a_file_is_read_back_and_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, ended=False)
    path.write_bytes(path.read_bytes() + b"[0,2.0,0.9")
    found = trace.load(path)
    assert found is not None
    assert (len(found.samples[0]), len(found.samples[samples.HOST]), found.after) == (10, 10, [])
    assert trace.load(tmp_path / "absent") is None
    (tmp_path / "empty").write_bytes(b'{"type":"sta')
    assert trace.load(tmp_path / "empty") is None


def measured(**values: Any) -> BenchmarkRun:
    """A running run that has the GPU of the file for itself."""
    hosts.worker("gpu.titan@here", ("gpu.titan",), GPU)
    run = runs.queued(queue="gpu.titan", gpus_count=1)
    assert services.claim(run.pk, "gpu.titan@here")
    written(planning.run_folder(run), **values)
    return run


@pytest.mark.django_db
def test_seconds_states_and_energy_are_stored_with_the_run() -> None:
    run = measured()
    assert hardwarerecord.record(run)
    rows = TelemetrySecond.objects.filter(run=run, device=GPU).values_list("second", "samples_count", "power_w")
    assert list(rows) == [(0, 5, 200.0), (1, 5, 300.0)]
    host = TelemetrySecond.objects.get(run=run, device="", second=1)
    assert (host.utilisation_ratio, host.load_1m, host.clock_mhz, host.power_w) == (0.5, 1.5, None, None)
    gpu = RunGpu.objects.get(run=run)
    assert (gpu.energy_j, gpu.throttled_ratio) == (500.0, 0.0)
    assert gpu.state_at_start["vbios_version"] == "92.00.45.00.03" and gpu.state_at_end["energy_mj"] == 5_500_000
    assert gpu.state_at_start["driver_version"] == "580.65.06"
    run.refresh_from_db()
    assert len(run.telemetry_sha256) == 64 and not run.flag_throttled


@pytest.mark.django_db
def test_a_trace_is_stored_once_and_its_flags_go_up() -> None:
    run = measured(power_cap=3)
    assert hardwarerecord.record(run)
    assert not hardwarerecord.record(run)
    run.refresh_from_db()
    assert run.flag_throttled and not run.flag_foreign_process
    assert TelemetrySecond.objects.get(run=run, device=GPU, second=0).throttled_count == 3
    assert RunGpu.objects.get(run=run).throttled_ratio == 0.3


@pytest.mark.django_db
def test_a_sampler_that_was_killed_leaves_the_end_unknown() -> None:
    run = measured(ended=False)
    assert hardwarerecord.record(run)
    gpu = RunGpu.objects.get(run=run)
    assert (gpu.state_at_end, gpu.energy_j) == (None, None)


@pytest.mark.django_db
def test_a_run_without_a_trace_has_no_rows_and_no_flags() -> None:
    run = runs.running(code="2031-0001")
    assert not hardwarerecord.record(run)
    run.refresh_from_db()
    assert (run.telemetry_sha256, run.flag_throttled) == ("", False)
