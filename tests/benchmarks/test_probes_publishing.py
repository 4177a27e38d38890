"""Which figures of a probe become roofs of an offer, and which never do."""

from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from benchmarks import probepublishing, publishing
from benchmarks.models import BenchmarkRun
from benchmarks.publishing import NotPublishableError
from calculator import sheets
from calculator.models import Figure
from tests.benchmarks.probefactory import probe_run, reading

pytestmark = pytest.mark.django_db

A100 = {"gpu_name": "NVIDIA A100-SXM4-80GB", "sheet_value": 312e12, "spread_ratio": 0.004}
COPY = {"metric": "membw_copy", "unit": "B/s", "value": 1.61e12, "sheet_value": 2.039e12, "sheet_ratio": 0.79}


@pytest.fixture(autouse=True)
def catalogue(db: None) -> None:
    call_command("seed", verbosity=0)
    sheets.forget()


def probed(*figures: dict[str, Any], settings: dict[str, Any] | None = None, **values: Any) -> BenchmarkRun:
    """A finished probe of GPU-TITAN, an A100 of 80 GB, with these figures."""
    asked = {"sku_code": "GPU-TITAN", "gpus_count": 1, "settings": settings, **values}
    run = probe_run("membw", "succeeded", **asked)
    for figure in figures or (COPY,):
        reading(run, **{**A100, **figure})
    return run


def refusal(run: BenchmarkRun) -> str:
    with pytest.raises(NotPublishableError) as refused:
        probepublishing.publish(run.pk)
    assert not Figure.objects.filter(run=run.code).exists()
    run.refresh_from_db()
    assert run.published_at is None
    return refused.value.code


def test_a_copy_becomes_a_measured_roof_of_the_offer_with_its_run() -> None:
    run = probed()
    (figure,) = probepublishing.publish(run.pk)
    assert (figure.sku.code, figure.metric, figure.value, figure.unit) == (
        "GPU-TITAN",
        "copy_bytes_per_s",
        1.61e12,
        "B/s",
    )
    assert (figure.kind, figure.run, figure.scope) == ("measured", run.code, "gpu")
    assert figure.conditions == "median over 31 s at 8192x8192x8192, bf16"


def test_publishing_twice_adds_nothing() -> None:
    run = probed()
    first = probepublishing.publish(run.pk)
    assert probepublishing.publish(run.pk) == first
    assert Figure.objects.filter(run=run.code).count() == 1


def test_of_several_gpus_the_slowest_counts() -> None:
    run = probed({**COPY, "value": 1.6e12}, {**COPY, "value": 1.3e12, "gpu_uuid": "GPU-2"}, gpus_count=2)
    (figure,) = probepublishing.publish(run.pk)
    assert figure.value == 1.3e12
    assert "the slowest of 2 GPUs" in figure.conditions


def test_each_number_format_has_its_own_roof() -> None:
    run = probed({"metric": "gemm_bf16"}, {"metric": "gemm_fp16", "dtype": "fp16"})
    found = {figure.metric: figure.unit for figure in probepublishing.publish(run.pk)}
    assert found == {"gemm_bf16_flop_per_s": "FLOP/s", "gemm_fp16_flop_per_s": "FLOP/s"}


def test_what_is_no_roof_stays_a_reading() -> None:
    run = probed(COPY, {**COPY, "metric": "membw_triad"}, {"metric": "decode", "unit": "tok/s"})
    assert [figure.metric for figure in probepublishing.publish(run.pk)] == ["copy_bytes_per_s"]


def test_clocks_under_a_power_limit_are_said_and_do_not_bar() -> None:
    (figure,) = probepublishing.publish(probed({**COPY, "flags": "not_throttled"}).pk)
    assert "clocks held down by the power limit" in figure.conditions


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"refusal": "plausible"}, "probe_refused"),
        ({"value": None, "refusal": "complete"}, "probe_refused"),
        ({"flags": "sustained"}, "probe_unproven"),
        ({"flags": "steady_warm_up,not_throttled"}, "probe_unproven"),
        ({"flags": "beyond_cache"}, "probe_unproven"),
        ({"flags": "whole_gpu"}, "probe_unproven"),
        ({"sheet_ratio": None, "flags": "plausible?"}, "probe_unchecked"),
        ({"spread_ratio": 0.031}, "probe_noisy"),
        ({"spread_ratio": None}, "probe_noisy"),
        ({"gpu_name": "NVIDIA A100-SXM4-40GB"}, "probe_other_gpu"),
        ({"gpu_name": "NVIDIA H100 80GB HBM3"}, "probe_other_gpu"),
        ({"metric": "membw_triad"}, "probe_no_roof"),
        ({"headline": False}, "probe_no_roof"),
    ],
)
def test_a_figure_that_is_not_established_sets_no_roof(change: dict[str, Any], code: str) -> None:
    assert refusal(probed({**COPY, **change})) == code


def test_a_guard_that_could_not_tell_does_not_bar() -> None:
    assert probepublishing.publish(probed({**COPY, "flags": "no_ecc_errors?,link_trained?"}).pk)


def test_one_gpu_of_two_that_fails_bars_both() -> None:
    assert refusal(probed(COPY, {**COPY, "gpu_uuid": "GPU-2", "refusal": "plausible"}, gpus_count=2)) == "probe_refused"


def test_a_figure_of_the_processor_never_reaches_an_offer() -> None:
    assert refusal(probed(settings={"on_cpu": True})) == "probe_cpu"
    assert refusal(probed(gpus_count=0)) == "probe_cpu"
    assert refusal(probed(sku_code="CPU-LOCAL")) == "probe_no_sku"


def test_a_probe_without_an_offer_stays_where_it_is() -> None:
    assert refusal(probed(sku_code="")) == "probe_no_sku"


@pytest.mark.parametrize("status", ["failed", "cancelled", "stalled"])
def test_only_a_probe_that_succeeded_is_published(status: str) -> None:
    run = probe_run("membw", status, sku_code="GPU-TITAN", gpus_count=1)
    reading(run, **{**A100, **COPY})
    assert refusal(run) == "not_succeeded"


@pytest.mark.parametrize("flag", ["flag_foreign_process", "flag_ecc_errors"])
def test_somebody_elses_process_and_memory_errors_bar_the_run(flag: str) -> None:
    assert refusal(probed(**{flag: True})) == "probe_refused"


def test_withdrawing_takes_the_roofs_back_for_good() -> None:
    run = probed()
    probepublishing.publish(run.pk)
    assert publishing.withdraw(run.pk) == 1
    assert Figure.objects.get(run=run.code).withdrawn_at <= timezone.now()
    with pytest.raises(NotPublishableError, match="withdrawn"):
        probepublishing.publish(run.pk)


def test_a_probe_is_not_published_as_a_throughput() -> None:
    with pytest.raises(NotPublishableError, match="probe"):
        publishing.publish(probed().pk)
