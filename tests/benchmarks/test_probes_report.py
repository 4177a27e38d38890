"""From times to readings: the median is the value, guards decide whether it stands, and every step is written."""

import io
import json

import pytest

from benchmarks.probes import guards, lines
from benchmarks.probes.measuring import Measured
from benchmarks.probes.options import Options
from benchmarks.probes.report import Figure, Report, Subject

GPU = Subject("GPU-1", "NVIDIA H100 80GB HBM3", on_cpu=False)
WARM = guards.steady([1.0, 1.0, 1.0])
PEAK = 989e12


def gemm(sheet: float | None = PEAK) -> Figure:
    return Figure("gemm_bf16", "FLOP/s", "8192x8192x8192", "bf16", lambda s: 2 * 8192**3 / s, sheet, "2·M·N·K ÷ t")


def run(*seconds: float, span_s: float = 31.0, stopped: bool = False) -> Measured:
    return Measured(seconds, span_s, stopped, 2.0, WARM)


def told(measured: Measured, *figures: Figure) -> tuple[list[lines.Reading], lines.Probe]:
    out = io.StringIO()
    found = Report("gemm", out).figures(figures, GPU, measured)
    return found, lines.read(out.getvalue().splitlines())


def test_l38_the_median_time_gives_the_rate_and_its_share_of_the_dense_peak() -> None:
    """1.45 ms: 758.3 TFLOP/s, 76.7 %; the best, 1.40 ms, 785.4."""
    (reading,), written = told(run(1.40e-3, 1.45e-3, 1.60e-3), gemm())
    assert reading.value == pytest.approx(758.3e12, rel=1e-4)
    assert reading.sheet_ratio == pytest.approx(0.767, abs=5e-4)
    assert reading.best == pytest.approx(785.4e12, rel=1e-4)
    assert reading.accepted and reading.flags == ()
    assert written.readings == (reading,)


def test_l42_an_implausible_rate_is_written_and_refused() -> None:
    """1,200 TFLOP/s: 2 × 8192³ ÷ 1.2e15 = 0.9163 ms."""
    (reading,), written = told(run(0.9163e-3), gemm())
    assert reading.refusal == "plausible" and not reading.accepted
    verdicts = {guard["name"]: (guard["verdict"], guard["refuses"]) for guard in written.guards}
    assert verdicts["plausible"] == ("failed", True)


def test_a_short_run_stands_with_its_label() -> None:
    (reading,), _ = told(run(1.45e-3, span_s=1.0), gemm())
    assert reading.accepted and reading.flags == ("sustained",)


def test_without_a_sheet_the_share_is_unknown_and_said_so() -> None:
    (reading,), _ = told(run(1.45e-3), gemm(sheet=None))
    assert (reading.sheet_ratio, reading.flags, reading.refusal) == (None, ("plausible?",), "")


def test_an_interrupted_run_keeps_its_value_and_is_refused() -> None:
    (reading,), _ = told(run(1.45e-3, stopped=True), gemm())
    assert reading.value is not None and reading.refusal == "complete"


def test_a_run_without_a_time_has_no_value() -> None:
    (reading,), written = told(run(stopped=True, span_s=0.0), gemm())
    assert (reading.value, reading.best, reading.refusal) == (None, None, "complete")
    assert written.readings[0].value is None


def test_figures_of_the_same_times_share_their_fate() -> None:
    """Bytes above the sheet say that the time is wrong: the tokens a second of that time are refused too."""
    rate = Figure("decode", "tok/s", "x", "bf16", lambda s: 1 / s)
    traffic = Figure("decode_bandwidth", "B/s", "x", "bf16", lambda s: 4000e9 * s / s, 3350e9)
    found, _ = told(run(1.0), rate, traffic)
    assert [reading.refusal for reading in found] == ["plausible", "plausible"]


def test_every_batch_is_written_as_it_comes() -> None:
    out = io.StringIO()
    rows = Report("gemm", out).rows(gemm(), GPU)
    rows(0.0, [1.0, 2.0], True)
    rows(3.0, [1.5], False)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first["seconds"] == [1.0, 2.0] and first["dropped"] is True
    assert second["at_s"] == 3.0 and second["dropped"] is False


def test_the_start_says_version_method_and_settings() -> None:
    out = io.StringIO()
    Report("gemm", out).start(Options(seconds=2.0), {"torch": "2.13.0"}, on_cpu=True)
    start = json.loads(out.getvalue())
    assert (start["schema"], start["method"], start["probe"], start["labels"]) == (1, 1, "gemm", ["cpu"])
    assert start["asked"]["seconds"] == 2.0 and start["environment"] == {"torch": "2.13.0"}


@pytest.mark.parametrize(
    ("stopped", "error", "status", "code"),
    [(False, "", "succeeded", 0), (True, "", "cancelled", 0), (True, "RuntimeError: no memory", "failed", 1)],
)
def test_the_last_line_says_how_it_ended(stopped: bool, error: str, status: str, code: int) -> None:
    out = io.StringIO()
    assert Report("gemm", out, stopped=stopped).end(error) == code
    assert json.loads(out.getvalue())["status"] == status
