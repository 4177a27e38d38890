"""The work of a run: tokens by steps, by data and as a total; steps, epochs; assumed shapes; FLOP part by part."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import training_work
from calculator.domain.training import Method
from calculator.domain.training_scenario import Work

from .serving_factories import DEEPSEEK, MIXTRAL
from .training_factories import MISTRAL_V1, scenario


def test_pitfall_38_steps_give_tokens_sequences_and_half_an_epoch() -> None:
    """Global batch 8 over 750 steps: 6 000 of 12 000 rows."""
    found = training_work.amount(scenario(data_rows=12_000), 1)
    assert found is not None
    assert (found.tokens, found.global_batch, found.sequences, found.epochs) == (3_072_000, 8, 6_000, 0.5)


def test_the_second_reading_is_exactly_two_epochs() -> None:
    found = training_work.amount(scenario(micro_batch=8, data_rows=12_000), 1)
    assert found is not None
    assert (found.tokens, found.global_batch, found.sequences, found.epochs) == (12_288_000, 32, 24_000, 2.0)


def test_data_parallel_copies_multiply_the_batch() -> None:
    found = training_work.amount(scenario(), 8)
    assert found is not None
    assert (found.global_batch, found.tokens) == (64, 8 * 3_072_000)


def test_epochs_are_unknown_without_rows() -> None:
    found = training_work.amount(scenario(data_rows=None), 1)
    assert found is not None
    assert found.epochs is None


def test_a_data_set_is_packed_into_sequences() -> None:
    """10 000 rows of 300 tokens, three times: 9 M tokens in steps of 8 × 512."""
    given = scenario(work=Work.DATASET, data_rows=10_000, mean_tokens=Decimal(300), epochs=Decimal(3))
    found = training_work.amount(given, 1)
    assert found is not None
    assert found.tokens == 9_000_000
    assert found.steps == pytest.approx(9_000_000 / 4096)
    assert training_work.whole_steps(found) == 2198


def test_rows_longer_than_a_sequence_are_cut_to_it() -> None:
    given = scenario(work=Work.DATASET, data_rows=100, mean_tokens=Decimal(2000), epochs=Decimal(1))
    found = training_work.amount(given, 1)
    assert found is not None
    assert found.tokens == 100 * 512


@pytest.mark.parametrize("missing", [{"mean_tokens": Decimal(300)}, {"data_rows": 100}])
def test_work_of_an_unknown_data_set_is_unknown_not_zero(missing: dict[str, object]) -> None:
    assert training_work.amount(scenario(work=Work.DATASET, **missing), 1) is None


def test_a_total_of_tokens_is_the_work() -> None:
    found = training_work.amount(scenario(work=Work.TOKENS, total_tokens=Decimal(40) * 10**9), 1)
    assert found is not None
    assert (found.tokens, found.epochs) == (40e9, None)
    assert training_work.amount(scenario(work=Work.TOKENS), 1) is None


@pytest.mark.parametrize(
    ("gpus", "tensor", "stages", "copies"), [(8, 1, 1, 8), (16, 8, 2, 1), (8, 8, 2, 1), (16, 2, 4, 2)]
)
def test_copies_are_gpus_over_tp_and_pp(gpus: int, tensor: int, stages: int, copies: int) -> None:
    assert training_work.data_parallel(gpus, tensor, stages) == copies


def test_lora_trains_rank_times_inputs_and_outputs() -> None:
    """q and v of 32 layers at rank 8: 8 × 32 × ((4096 + 4096) + (4096 + 1024))."""
    given = scenario(method=Method.LORA, lora_rank=8, targets=("q", "v"))
    assert training_work.trained_params(given, MISTRAL_V1) == 8 * 32 * (8192 + 5120) == 3_407_872


def test_a_plain_mlp_has_no_gate_to_adapt() -> None:
    plain = replace(MISTRAL_V1, gated_mlp=False)
    with_gate = training_work.trained_params(scenario(), MISTRAL_V1)
    assert with_gate == 41_943_040
    assert training_work.trained_params(scenario(), plain) == 41_943_040 - 16 * 32 * (4096 + 14_336)


@pytest.mark.parametrize("model", [MIXTRAL, DEEPSEEK], ids=lambda model: model.name)
def test_adapters_on_experts_or_latent_attention_are_unknown_not_zero(model: training_work.LanguageModel) -> None:
    assert training_work.trained_params(scenario(), model) is None


def test_whole_training_trains_everything() -> None:
    assert training_work.trained_params(scenario(method=Method.FULL), MIXTRAL) == 46_702_792_704
    assert training_work.adapter_params(scenario(method=Method.FULL), MIXTRAL) == 0


def test_an_assumed_shape_keeps_the_typed_parameters() -> None:
    shape = training_work.assumed_shape(2.7e9)
    assert (shape.params_total, shape.params_active) == (2_700_000_000, 2_700_000_000)
    assert 12 * shape.layers * shape.hidden**2 == pytest.approx(2.7e9, rel=0.05)
    assert shape.hidden == shape.heads * shape.head_dim


@pytest.mark.parametrize("params", [1e5, 1e6, 1e9, 70e9, 1e13])
def test_an_assumed_shape_exists_at_any_size(params: float) -> None:
    shape = training_work.assumed_shape(params)
    assert shape.layers >= 1
    assert 0 < shape.params_non_embedding < shape.params_total


def test_flop_of_a_token_part_by_part() -> None:
    """4N of a frozen base; attention 3 × 2 × 32 × 512 × 4096; recomputing adds 2N and one attention more."""
    found = training_work.flop_count(Method.QLORA, MISTRAL_V1, 512, True)
    attention = 3 * 2 * 32 * 512 * 4096
    assert (found.factor, found.linear, found.attention) == (4, 4 * 7_241_732_096, attention)
    assert found.recomputation == 2 * 7_241_732_096 + attention / 3
    assert found.executed == found.needed + found.recomputation


def test_nothing_is_repeated_without_recomputation() -> None:
    found = training_work.flop_count(Method.FULL, MISTRAL_V1, 512, False)
    assert found.recomputation == 0
    assert found.executed == found.needed


def test_pitfall_42_a_mixture_counts_its_active_parameters() -> None:
    assert training_work.flop_count(Method.FULL, MIXTRAL, 512, False).linear == 6 * 12_879_925_248
