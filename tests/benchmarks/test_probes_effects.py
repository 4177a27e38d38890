"""Before a roof is published: which rate the calculators take now, and which then, by the rule and by hand."""

from typing import Any

import pytest
from django.core.management import call_command

from benchmarks import probeeffects
from benchmarks.models import BenchmarkRun
from calculator import sheets
from calculator.calibrated import calibration
from tests.benchmarks.probefactory import probe_run, reading

pytestmark = pytest.mark.django_db
COPY = {"metric": "membw_copy", "unit": "B/s", "value": 1.61e12, "sheet_value": 2.039e12, "sheet_ratio": 0.79}


@pytest.fixture(autouse=True)
def catalogue(db: None) -> None:
    call_command("seed", verbosity=0)
    sheets.forget()


def probed(*figures: dict[str, Any], **values: Any) -> BenchmarkRun:
    run = probe_run("membw", "succeeded", **{"sku_code": "GPU-TITAN", "gpus_count": 1, **values})
    for figure in figures:
        reading(run, **{"gpu_name": "NVIDIA A100-SXM4-80GB", **figure})
    return run


def test_a_copy_takes_the_place_of_sheet_times_the_chips_share() -> None:
    """2,039 GB/s × the share of Ampere with HBM, which is the base itself, becomes 1,610."""
    share = calibration().serving.base["weight_bandwidth_ratio"]
    (found,) = probeeffects.changes(probed(COPY))
    assert (found.metric, found.then, found.unit) == ("copy_bytes_per_s", 1.61e12, "B/s")
    assert found.now == pytest.approx(2.039e12 * share)


def test_a_high_ceiling_changes_nothing_and_a_low_one_does() -> None:
    share = calibration().serving.base["prefill_compute_ratio"]
    (high,) = probeeffects.changes(probed({"metric": "gemm_bf16", "value": 0.85 * 312e12}))
    (low,) = probeeffects.changes(probed({"metric": "gemm_bf16", "value": 0.4 * 312e12}))
    assert high.now == high.then == pytest.approx(312e12 * share)
    assert low.then == pytest.approx(0.4 * 312e12) and low.now == high.now


def test_the_slowest_gpu_is_the_one_that_counts() -> None:
    run = probed(COPY, {**COPY, "value": 1.5e12, "gpu_uuid": "GPU-2"}, gpus_count=2)
    assert [change.then for change in probeeffects.changes(run)] == [1.5e12]


def test_what_is_no_roof_changes_nothing() -> None:
    assert probeeffects.changes(probed({**COPY, "metric": "membw_triad"})) == []
    assert probeeffects.changes(probed(COPY, sku_code="")) == []
    assert probeeffects.changes(probed(COPY, sku_code="CPU-LOCAL")) == []
