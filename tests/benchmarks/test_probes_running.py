"""A probe's run from its claim to its end: rows, flags, digest, and every way to end, by a Python without torch."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from benchmarks import patience, probeprocess, probing, services
from benchmarks.models import BenchmarkRun, ProbeJob, ProbeReading, RunGpu
from benchmarks.probes.options import Sheet
from calculator import sheets
from tests.benchmarks import fakeprobe
from tests.benchmarks.probefactory import probe_run

pytestmark = pytest.mark.django_db(transaction=False)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    settings.GPU_PYTHON = ""
    monkeypatch.setattr(probeprocess, "POLL_S", 0.02)
    monkeypatch.setattr(probeprocess, "STOP_GRACE_S", 0.5)
    return tmp_path


@pytest.fixture
def sheets_there(db: None) -> None:
    call_command("seed", verbosity=0)
    sheets.forget()


def carried_out(run: BenchmarkRun) -> BenchmarkRun:
    services.execute(run.pk, "celery@here")
    run.refresh_from_db()
    return run


def test_a_probe_is_carried_out_and_its_figures_are_kept(place: Path, settings: Any) -> None:
    lines = [
        fakeprobe.start(),
        fakeprobe.reading(),
        fakeprobe.reading(metric="gemm_fp8", value=None, refusal="complete", flags=["sustained", "plausible"]),
        fakeprobe.end(),
    ]
    settings.GPU_PYTHON = fakeprobe.python(place, *lines)
    run = carried_out(probe_run())
    assert (run.status, run.error_code) == ("succeeded", "")
    first, second = run.readings.all()
    assert (first.metric, first.value, first.gpu_uuid, first.samples_count) == ("gemm_bf16", 250e12, "GPU-1", 6800)
    assert (second.refusal, second.flags) == ("complete", "sustained,plausible")
    job = ProbeJob.objects.get(run=run)
    assert (job.torch_version, job.cuda_version, job.method_version, job.on_cpu) == ("2.13.0", "12.8", 1, False)
    written = (place / "var" / "runs" / run.code / "probe.jsonl").read_bytes()
    assert job.lines_sha256 == hashlib.sha256(written).hexdigest()


def test_without_gpu_python_the_run_says_so(place: Path) -> None:
    run = carried_out(probe_run())
    assert (run.status, run.error_code) == ("failed", "no_gpu_python")


def test_a_probe_that_fails_keeps_its_reason_and_its_log(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(
        place, fakeprobe.start(), fakeprobe.end("failed", "out of memory"), then="sys.stderr.write('trace')"
    )
    run = carried_out(probe_run())
    assert (run.status, run.error_code, run.error_detail) == ("failed", "probe_failed", "out of memory\ntrace")


def test_a_probe_that_dies_keeps_what_it_had_measured(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(
        place, fakeprobe.start(), fakeprobe.reading(), then="os.kill(os.getpid(), signal.SIGKILL)"
    )
    run = carried_out(probe_run())
    assert (run.status, run.error_code, run.flag_partial) == ("failed", "probe_lost", True)
    assert run.readings.count() == 1


def test_a_probe_without_a_figure_has_not_succeeded(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.end())
    assert carried_out(probe_run()).error_code == "no_reading"


def test_figures_wait_while_the_database_is_away(place: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two writes of a figure fail: it is stored once, when the database is back."""
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(), fakeprobe.end())
    stored, tries = probing.record_reading, []

    def away_twice(*values: Any) -> None:
        tries.append(1)
        if len(tries) <= 2:
            raise OperationalError("server closed the connection")
        stored(*values)

    monkeypatch.setattr(probing, "record_reading", away_twice)
    monkeypatch.setattr(patience, "gone", lambda error: None)
    monkeypatch.setattr(patience, "PAUSE_S", 0.01)
    run = carried_out(probe_run())
    assert (run.status, run.readings.count(), len(tries)) == ("succeeded", 1, 3)


def test_lines_of_another_schema_fail_the_run(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(place, '{"kind": "start", "schema": 99}')
    run = carried_out(probe_run())
    assert (run.status, run.error_code) == ("failed", "probe_unreadable")


def test_a_cancelled_probe_ends_as_cancelled_with_what_it_had(
    place: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(), then="time.sleep(100)")
    run = probe_run()
    seen = services.heartbeat

    def cancelled(pk: int) -> bool:
        if ProbeReading.objects.filter(run=pk).exists():
            services.request_cancel(pk)
        return seen(pk)

    monkeypatch.setattr(services, "heartbeat", cancelled)
    carried_out(run)
    assert (run.status, run.readings.count()) == ("cancelled", 1)


def test_a_probe_past_its_time_fails_and_says_why(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), then="time.sleep(100)")
    run = carried_out(probe_run(soft_limit_s=1))
    assert (run.status, run.error_code, run.error_detail) == ("failed", "too_long", "1 s")


def test_a_probe_at_its_hard_limit_fails_and_says_why(
    place: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is deaf to the stop at its soft limit, and would have a longer grace than the hard limit leaves."""
    monkeypatch.setattr(probeprocess, "STOP_GRACE_S", 30.0)
    deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(100)"
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(), then=deaf)
    run = carried_out(probe_run(soft_limit_s=4, hard_limit_s=5))
    assert (run.status, run.error_code, run.readings.count()) == ("failed", "hard_limit", 1)


def test_a_database_that_leaves_right_after_the_claim_is_waited_for(
    place: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PAUSE_S", 0.01)
    monkeypatch.setattr(patience.connection, "close", lambda: None)
    read, away = probing.order_of, iter((True, True))

    def order_of(*args: Any) -> probeprocess.Order:
        if next(away, False):
            raise OperationalError("the server closed the connection")
        return read(*args)

    monkeypatch.setattr(probing, "order_of", order_of)
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(), fakeprobe.end())
    assert carried_out(probe_run()).status == "succeeded"


@pytest.mark.parametrize(
    ("guard", "flag"),
    [
        ("not_throttled", "flag_throttled"),
        ("no_foreign_process", "flag_foreign_process"),
        ("no_ecc_errors", "flag_ecc_errors"),
        ("link_trained", "flag_link_down_trained"),
    ],
)
def test_a_guard_that_failed_marks_the_run(place: Path, settings: Any, guard: str, flag: str) -> None:
    settings.GPU_PYTHON = fakeprobe.python(
        place, fakeprobe.start(), fakeprobe.guard(guard, "failed"), fakeprobe.reading(), fakeprobe.end()
    )
    assert getattr(carried_out(probe_run()), flag) is True


def test_a_guard_that_cannot_tell_marks_nothing(place: Path, settings: Any) -> None:
    told = [fakeprobe.guard("not_throttled", "unknown"), fakeprobe.guard("sustained", "failed")]
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), *told, fakeprobe.reading(), fakeprobe.end())
    run = carried_out(probe_run())
    assert (run.flag_throttled, run.flag_foreign_process) == (False, False)


def test_a_second_message_carries_nothing_out_twice(place: Path, settings: Any) -> None:
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(), fakeprobe.end())
    run = carried_out(probe_run())
    services.execute(run.pk, "celery@here")
    assert run.readings.count() == 1


def test_l42_the_catalogue_refuses_what_the_probe_let_pass(place: Path, settings: Any, sheets_there: None) -> None:
    """A probe that was told no sheet reads 1,200 TFLOP/s; the run's GPU is an H100 SXM with 989."""
    settings.GPU_PYTHON = fakeprobe.python(place, fakeprobe.start(), fakeprobe.reading(value=1200e12), fakeprobe.end())
    run = probe_run()
    held(run, "NVIDIA H100 80GB HBM3")
    found = carried_out(run).readings.get()
    assert (found.refusal, found.sheet_value) == ("plausible", 989e12)
    assert found.sheet_ratio == pytest.approx(1.2133, abs=1e-4)


def held(run: BenchmarkRun, name: str) -> None:
    RunGpu.objects.create(run=run, uuid="GPU-1", index=0, name=name, reserved_at=timezone.now())


def test_the_data_sheet_is_that_of_the_gpu_that_the_run_has(sheets_there: None) -> None:
    run = probe_run(sku_code="GPU-PRO")
    held(run, "NVIDIA A100-SXM4-80GB")
    assert probing.sheet_of(run).name == "A100-SXM-80GB"


def test_without_a_gpu_named_the_data_sheet_is_the_skus(sheets_there: None) -> None:
    """GPU-PRO is an RTX 4090: 165.2 TFLOP/s in 16 bits, 1,008 GB/s, PCIe 4 at 32 GB/s one way."""
    found = probing.sheet_of(probe_run(sku_code="gpu-pro"))
    assert (found.name, found.bf16_flop_per_s, found.bytes_per_s) == ("RTX 4090", 165.2e12, 1008e9)
    assert found.link_bytes_per_s == 32e9 and not found.reducing_switch


def test_the_processor_has_no_data_sheet(sheets_there: None) -> None:
    assert probing.sheet_of(probe_run()) == Sheet()


def test_on_switches_that_add_the_algorithms_bandwidth_is_held_against_the_wire(sheets_there: None) -> None:
    """An H100's NVSwitch adds: a bus bandwidth of 480 GB/s is true on 450, an algorithm's of 480 is not."""
    h100 = sheets.gpu("H100-SXM-80GB")
    assert h100 is not None
    sheet = probing.sheet_from(h100, 8)
    assert sheet.reducing_switch and sheet.link_bytes_per_s == 450e9
    from benchmarks.probes import lines

    def told(metric: str) -> str:
        text = fakeprobe.reading(metric=metric, value=480e9, unit="B/s", dtype="fp32")
        return probing.judged(lines.read([text]).readings[0], sheet).refusal

    assert (told("allreduce_bus"), told("allreduce_alg")) == ("", "plausible")


def test_the_settings_become_the_probes_command_line(place: Path, sheets_there: None) -> None:
    run = probe_run(sku_code="GPU-PRO", settings={"seconds": 2.0, "dtypes": "bf16,fp8", "recompute": True})
    order = probing.order_of(run, ("GPU-1",), probing.sheet_of(run))
    assert order.arguments[:4] == ("--device=cuda", "--seconds=2.0", "--dtypes=bf16,fp8", "--recompute")
    assert '"bf16_flop_per_s": 165200000000000.0' in order.arguments[-1]
    assert order.gpus == ("GPU-1",) and order.limit_s == 3600
