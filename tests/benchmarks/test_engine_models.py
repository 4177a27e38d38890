"""What the database refuses of engines: vLLM without a configuration, a region without an address."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from benchmarks.models import BenchmarkRun
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
URL = {"engine_kind": "url", "target_url": "https://api.example.com/v1"}


def refused(**values: Any) -> bool:
    run = runs.queued()
    try:
        with transaction.atomic():
            BenchmarkRun.objects.filter(pk=run.pk).update(**values)
    except IntegrityError:
        return True
    return False


def test_vllm_is_never_started_without_a_configuration() -> None:
    assert refused(engine_kind="vllm")
    assert not refused(engine_kind="vllm", engine_config='model: "owner/model"\n')


def test_a_configuration_belongs_to_vllm_alone() -> None:
    assert refused(engine_config='model: "owner/model"\n')
    assert refused(**URL, engine_config='model: "owner/model"\n')


def test_only_a_server_over_the_network_has_a_region() -> None:
    assert refused(target_region="eu-west")
    assert not refused(**URL, target_region="eu-west")


def test_counters_nobody_told_are_unknown_and_no_flag_is_up() -> None:
    run = runs.queued()
    assert (run.server_output_tokens, run.client_output_tokens, run.server_prefix_hits) == (None, None, None)
    assert not run.flag_server_disagrees and not run.flag_dummy_weights
