"""The comparison key: equal where runs may be compared, and the conditions that differ named where not."""

from typing import Any

import pytest

from benchmarks import comparison, reservations, services
from benchmarks.models import BenchmarkRun, BenchmarkStep, RunGpu
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs


def conditions(loads: tuple[tuple[int, float | None], ...] = ((1, None), (4, None)), **values: Any) -> dict[str, str]:
    known = {"requests_count": 64, "prompt_tokens": 128, "output_tokens": 64, "model_name": "m", "engine": "e"}
    run = BenchmarkRun(**(known | values))
    steps = [BenchmarkStep(position=at, concurrency=c, rate_per_s=r) for at, (c, r) in enumerate(loads, start=1)]
    return comparison.conditions(run, steps)


def test_repeats_with_fresh_seeds_have_one_key() -> None:
    first, second = conditions(seed=1, host_name="a"), conditions(seed=2, host_name="b", code="2026-0009")
    assert comparison.key(first) == comparison.key(second)
    assert comparison.differing([first, second]) == ()


def test_a_key_is_sixty_four_hexadecimal_digits() -> None:
    assert len(comparison.key(conditions())) == 64 and int(comparison.key(conditions()), 16)


def test_each_condition_makes_another_key() -> None:
    same = comparison.key(conditions())
    changed: list[dict[str, Any]] = [
        {"output_tokens": 65},
        {"model_name": "other"},
        {"engine_version": "2"},
        {"precision": "fp8"},
        {"sku_code": "GPU-PRO"},
        {"target_region": "eu-west-3"},
        {"shared_prefix_tokens": 8},
        {"pattern": "poisson"},
        {"cpu_model": "another"},
        {"loads": ((1, None), (8, None))},
        {"loads": ((4, 2.0),)},
    ]
    assert len({same, *(comparison.key(conditions(**values)) for values in changed)}) == 1 + len(changed)


def test_the_conditions_that_differ_are_named_once_each() -> None:
    found = [conditions(), conditions(precision="fp8"), conditions(precision="fp8", output_tokens=32)]
    assert comparison.differing(found) == ("output_tokens", "precision")


def test_a_definition_of_another_tool_is_a_difference() -> None:
    foreign = conditions(origin="imported", import_tool="guidellm", import_definition="guidellm")
    assert comparison.differing([conditions(), foreign]) == ("definition",)
    assert foreign["definition"] == "guidellm" and conditions()["definition"] == comparison.METHOD


def test_only_versions_may_differ_for_a_change_to_mean_something() -> None:
    base = conditions(engine_version="1")
    assert comparison.alike(base, conditions(engine_version="2", kernel="Linux 7"))
    assert not comparison.alike(base, conditions(engine_version="1", output_tokens=32))


def test_unknown_conditions_are_empty_texts() -> None:
    found = conditions()
    assert found["gpu_name"] == "" and found["duration_s"] == ""
    assert found["loads"] == "1, 4"


def test_a_pace_is_written_with_its_bound() -> None:
    assert conditions(loads=((16, 2.5),))["loads"] == "2.5/s ≤ 16"


def on_a_gpu(name: str, driver: str) -> dict[str, str]:
    """The conditions of a run that has one GPU of this name for itself; the run is over and its GPU free again."""
    run = runs.queued(queue="gpu.titan", gpus_count=1)
    assert services.claim(run.pk, "gpu.titan@here")
    RunGpu.objects.filter(run=run).update(name=name, state_at_start={"driver_version": driver})
    reservations.release([run.pk], runs.ago(0))
    return comparison.conditions(BenchmarkRun.objects.get(pk=run.pk), [])


@pytest.mark.django_db
def test_another_gpu_is_a_difference_and_another_driver_a_version() -> None:
    hosts.worker("gpu.titan@here", ("gpu.titan",), hosts.UUIDS[0])
    first, second = on_a_gpu("NVIDIA A100", "580.65"), on_a_gpu("NVIDIA A100", "590.10")
    assert (first["gpus_count"], first["gpu_name"]) == ("1", "NVIDIA A100")
    assert comparison.differing([first, second]) == ("driver_version",) and comparison.alike(first, second)
    other = on_a_gpu("NVIDIA H100", "580.65")
    assert comparison.differing([first, other]) == ("gpu_name",) and not comparison.alike(first, other)


@pytest.mark.django_db
def test_a_host_without_gpus_has_neither_name_nor_driver() -> None:
    hosts.worker("gpu.titan@here", ("gpu.titan",), hosts.UUIDS[0])
    run = runs.queued(gpus_count=0)
    assert services.claim(run.pk, "celery@here")
    found = comparison.conditions(BenchmarkRun.objects.get(pk=run.pk), [])
    assert (found["gpu_name"], found["driver_version"]) == ("", "")
