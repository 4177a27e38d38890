"""Two terms of a decode step by hand: choosing a token from the vocabulary, and an 8-bit cache by its kind."""

from dataclasses import replace

import pytest

from calculator.domain.inference import Deployment, decode_step_s, rates
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.precision import HALF
from tests.domain import serving_factories as make

SAMPLED = replace(make.IDEAL, sampling_bytes=75.0)


def a100(element_bytes: float = 2.0, **more: bool) -> Deployment:
    return Deployment(MISTRAL_7B, make.A100_80, HALF, element_bytes, **more)


def test_choosing_a_token_passes_over_the_vocabulary_once_a_sequence() -> None:
    # 32 000 words × 75 bytes ÷ bandwidth, for each of 64 sequences.
    plain = decode_step_s(rates(a100(), make.IDEAL), 64, 512)
    sampled = decode_step_s(rates(a100(), SAMPLED), 64, 512)
    assert sampled - plain == pytest.approx(64 * 32_000 * 75 / (make.A100_80.mem_bw_gb_s * 1e9))


def test_a_larger_vocabulary_takes_longer_to_choose_from() -> None:
    words = replace(MISTRAL_7B, vocab=MISTRAL_7B.vocab * 4)
    step = [rates(replace(a100(), model=model), SAMPLED).sequence_s for model in (MISTRAL_7B, words)]
    assert step[1] == pytest.approx(step[0] * 4)


def test_tensor_parallelism_does_not_share_the_choice() -> None:
    assert rates(replace(a100(), tensor_parallel=2), SAMPLED).sequence_s == rates(a100(), SAMPLED).sequence_s


def test_pitfall_6_an_integer_cache_of_8_bits_is_fast_where_a_floating_one_is_emulated() -> None:
    # The factories' shares: 1 where unpacked at speed, 0.05 where emulated; an A100 has no fp8 units.
    integer, floating = rates(a100(1.0, kv_integer=True), make.IDEAL), rates(a100(1.0), make.IDEAL)
    half = rates(a100(2.0), make.IDEAL)
    read = MISTRAL_7B.kv_heads * MISTRAL_7B.head_dim * 2 / (make.A100_80.mem_bw_gb_s * 1e9)
    assert half.kv_token_s - integer.kv_token_s == pytest.approx(read)
    assert floating.kv_token_s - integer.kv_token_s == pytest.approx(read * (1 / 0.05 - 1))


def test_a_gpu_with_8_bit_floats_reads_both_kinds_alike() -> None:
    on_h100 = [Deployment(MISTRAL_7B, make.H100, HALF, 1.0, kv_integer=kind) for kind in (True, False)]
    found = [rates(each, make.IDEAL).kv_token_s for each in on_h100]
    assert found[0] == found[1]
