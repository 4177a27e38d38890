"""How GPUs hold replicas, and every reason for which a setup is not sized."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from calculator.domain.calibration import Engine
from calculator.domain.serving_layout import faults, layout, tuned

from .inference_factories import PRO, SUPERCOMPUTE, TITAN, facts, offer, scenario
from .serving_factories import A100_80, IDEAL


def codes(chosen: Any = TITAN, **values: Any) -> list[str]:
    return [fault.code for fault in faults(scenario(**values), facts(chosen))]


def test_as_many_replicas_as_the_gpus_hold() -> None:
    held = layout(scenario(instances=1, tensor_parallel=2), facts(SUPERCOMPUTE))
    assert (held.replicas, held.gpus, held.idle_gpus) == (4, 8, 0)


def test_gpus_that_no_replica_uses_are_idle() -> None:
    held = layout(scenario(instances=3, tensor_parallel=2), facts(TITAN))
    assert (held.replicas, held.idle_gpus) == (1, 1)


def test_the_visitor_may_ask_for_fewer_replicas() -> None:
    held = layout(scenario(replicas=2), facts(SUPERCOMPUTE))
    assert (held.replicas, held.idle_gpus) == (2, 6)


def test_the_visitors_memory_share_and_limit_of_sequences_replace_the_calibrations() -> None:
    assert tuned(IDEAL, None, None) is IDEAL
    found = tuned(IDEAL, Decimal("0.95"), 16)
    assert (found.memory_ratio, found.max_sequences) == (0.95, 16.0)
    held = layout(scenario(memory_ratio=Decimal("0.8")), facts(TITAN))
    assert held.constants.memory_ratio == 0.8


def test_llama_cpp_adds_in_16_bits() -> None:
    held = layout(scenario(engine=Engine.LLAMA_CPP, precision="gguf-q4_k_m"), facts(PRO))
    assert held.deployment.precision.math == "fp16acc"


def test_a_sound_setup_has_no_fault() -> None:
    assert codes() == []
    assert codes(SUPERCOMPUTE, tensor_parallel=8) == []


def test_pitfall_7_tensor_parallelism_divides_the_heads() -> None:
    assert codes(SUPERCOMPUTE, tensor_parallel=3) == ["division_heads", "division_kv_heads", "division_vocabulary"]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"tensor_parallel": 2}, "not_enough_gpus"),
        ({"replicas": 2}, "not_enough_gpus"),
        ({"engine": Engine.LLAMA_CPP, "tensor_parallel": 2, "instances": 2}, "tensor_parallel_llama_cpp"),
        ({"precision": "gguf-q8_0"}, "precision_not_for_engine"),
        ({"engine": Engine.LLAMA_CPP, "precision": "awq-int4"}, "precision_not_for_engine"),
        ({"pipeline_parallel": 40, "instances": 40}, "division_layers"),
    ],
)
def test_what_is_not_modelled_is_named(values: dict[str, Any], code: str) -> None:
    assert codes(**values) == [code]


@pytest.mark.parametrize(
    ("gpu", "code"),
    [
        (None, "no_data_sheet"),
        (replace(A100_80, name="MI300X", vendor="AMD"), "vendor_not_calibrated"),
        (replace(A100_80, fp16_tflops_dense_fp32acc=None, bf16_tflops_dense=None), "unknown_peak"),
    ],
)
def test_a_gpu_without_sheet_calibration_or_peak_is_refused(gpu: Any, code: str) -> None:
    assert codes(offer("GPU-X", gpu, "1")) == [code]


def test_a_layout_without_a_sheet_is_an_error_not_a_guess() -> None:
    with pytest.raises(ValueError, match="data sheet"):
        layout(scenario(), facts(offer("CPU", None, None)))
