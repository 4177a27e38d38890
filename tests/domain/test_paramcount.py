"""Parameter counts, each worked out by hand or published with the weights."""

from dataclasses import replace

import pytest

from calculator.domain.paramcount import (
    Attention,
    Experts,
    Shape,
    attention_params,
    counts,
    embedding_params,
    expert_params,
    mlp_params,
    routing_params,
)

TINY = Shape(hidden=4, layers=2, vocab=10, intermediate=8, attention=Attention(heads=2, kv_heads=1, head_dim=2))
EXPERTS = Experts(count=3, active=1, width=5, layers=1)


def test_projections_are_query_key_value_and_output() -> None:
    assert attention_params(TINY) == 4 * 4 + 2 * 4 * 2 + 4 * 4


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"qkv_bias": True}, 4 + 2 + 2),
        ({"output_bias": True}, 4),
        ({"head_norm": True}, 2 * 2),
        ({"sinks": True}, 2),
    ],
)
def test_biases_norms_and_sinks_of_attention_are_counted(changes: dict[str, bool], more: int) -> None:
    shape = replace(TINY, attention=replace(TINY.attention, **changes))
    assert attention_params(shape) - attention_params(TINY) == more


def test_a_head_may_be_wider_than_its_share_of_the_hidden_width() -> None:
    wide = replace(TINY, attention=Attention(heads=2, kv_heads=2, head_dim=8))
    assert attention_params(wide) == 4 * 4 * 16


def test_latent_attention_of_deepseek_v3_has_187_million_parameters_a_layer() -> None:
    attention = Attention(128, 128, 192, q_rank=1536, kv_rank=512, rope_dim=64, nope_dim=128, v_dim=128)
    query = 7168 * 1536 + 1536 + 1536 * 128 * 192
    latent = 7168 * 576 + 512 + 512 * 128 * 256
    output = 128 * 128 * 7168
    assert attention_params(replace(TINY, hidden=7168, attention=attention)) == query + latent + output == 187_107_328


def test_latent_attention_without_a_query_rank_projects_the_hidden_state() -> None:
    attention = Attention(2, 2, 3, kv_rank=5, rope_dim=1, nope_dim=2, v_dim=2)
    assert attention_params(replace(TINY, attention=attention)) == 4 * 6 + 4 * 6 + 5 + 5 * 2 * 4 + 2 * 2 * 4


def test_an_mlp_has_two_matrices_or_three_with_its_gate() -> None:
    assert mlp_params(4, 8, gated=False, bias=False) == 2 * 32
    assert mlp_params(4, 8, gated=True, bias=False) == 3 * 32
    assert mlp_params(4, 8, gated=False, bias=True) == 2 * 32 + 8 + 4
    assert mlp_params(4, 8, gated=True, bias=True) == 3 * 32 + 16 + 4


def test_tied_embeddings_are_counted_once() -> None:
    assert embedding_params(TINY) == 80
    assert embedding_params(replace(TINY, tied=True)) == 40


def test_a_dense_model_is_its_layers_norms_and_embeddings() -> None:
    layer = attention_params(TINY) + 3 * 32 + 2 * 4
    assert counts(TINY).total == 2 * layer + 4 + 80
    assert counts(TINY).active == counts(TINY).total
    assert counts(TINY).non_embedding == counts(TINY).total - 80


def test_norms_with_a_bias_are_twice_as_large_also_the_last() -> None:
    assert counts(replace(TINY, norm_bias=True)).total - counts(TINY).total == 2 * 2 * 4 + 4
    assert counts(replace(TINY, norms=4)).total - counts(TINY).total == 2 * 2 * 4


def test_the_bias_of_the_head_is_one_number_a_word() -> None:
    assert counts(replace(TINY, head_bias=True)).total - counts(TINY).total == 10


def test_experts_replace_the_mlp_of_their_layers_and_only_the_chosen_are_active() -> None:
    shape = replace(TINY, experts=EXPERTS)
    one = 3 * 4 * 5
    assert expert_params(shape) == one
    assert counts(shape).total - counts(TINY).total == 3 * one + 4 * 3 - 3 * 32
    assert counts(shape).total - counts(shape).active == 2 * one


def test_router_shared_expert_and_gate_serve_every_token() -> None:
    shape = replace(TINY, experts=replace(EXPERTS, shared_width=7, shared_gate=True, router_bias=True))
    assert routing_params(shape) == 4 * 3 + 3 + 3 * 4 * 7 + 4
    assert routing_params(TINY) == expert_params(TINY) == 0
