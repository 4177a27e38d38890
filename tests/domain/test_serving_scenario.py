"""Numbers with a band, and models that the visitor describes himself."""

import pytest

from calculator.domain.llm import kv_bytes_per_token
from calculator.domain.serving_scenario import IncompleteModelError, Ranged, is_own_model, own_model

from .inference_factories import scenario

TYPED = {
    "model": "Mine",
    "params": 7_248_023_552,
    "layers": 32,
    "hidden": 4096,
    "heads": 32,
    "kv_heads": 8,
    "vocab": 32_768,
}


def test_a_rate_turned_into_a_time_swaps_the_ends_of_its_band() -> None:
    assert Ranged(50.0, 40.0, 100.0).inverted() == Ranged(0.02, 0.01, 0.025)
    assert Ranged(2.0, 1.0, 3.0).scaled(10) == Ranged(20.0, 10.0, 30.0)


def test_a_number_without_a_band_stays_without_one() -> None:
    assert Ranged(4.0).inverted(2.0) == Ranged(0.5)
    assert Ranged(4.0).scaled(2.0) == Ranged(8.0)


def test_the_catalogues_model_is_meant_until_a_dimension_is_typed() -> None:
    assert not is_own_model(scenario())
    assert is_own_model(scenario(layers=32))


def test_a_typed_model_has_the_sizes_of_its_dimensions() -> None:
    model = own_model(scenario(**TYPED))
    assert (model.head_dim, model.attention, model.tied_embeddings) == (128, "GQA", False)
    assert model.params_non_embedding == 7_248_023_552 - 2 * 32_768 * 4096
    assert kv_bytes_per_token(model, 2) == 131_072


def test_pitfall_10_tied_embeddings_are_counted_once() -> None:
    model = own_model(scenario(**TYPED, tied=True))
    assert model.params_non_embedding == 7_248_023_552 - 32_768 * 4096


def test_pitfall_2_a_stated_head_size_goes_before_hidden_over_heads() -> None:
    typed = {"params": 32_762_123_264, "layers": 64, "hidden": 5120, "heads": 64, "kv_heads": 8, "vocab": 151_936}
    stated, divided = own_model(scenario(**typed, head_dim=128)), own_model(scenario(**typed))
    assert kv_bytes_per_token(stated, 2) == 262_144
    assert kv_bytes_per_token(divided, 2) == 163_840


def test_without_kv_heads_every_head_has_its_own() -> None:
    model = own_model(scenario(**{**TYPED, "kv_heads": None}))
    assert (model.kv_heads, model.attention) == (32, "MHA")


def test_pitfall_3_a_latent_rank_makes_a_latent_cache() -> None:
    model = own_model(scenario(**TYPED, latent_rank=512, rope_dim=64))
    assert kv_bytes_per_token(model, 2) == 32 * (512 + 64) * 2


def test_pitfall_5_a_window_of_an_unknown_pattern_is_not_applied() -> None:
    assert own_model(scenario(**TYPED, window=4096, window_pattern="some layers")).sliding_pattern == ""
    assert own_model(scenario(**TYPED, window=4096, window_pattern="all layers")).sliding_pattern == "all layers"


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"params": None}, ("params",)),
        ({"hidden": None, "vocab": None}, ("hidden", "vocab")),
        ({"heads": 0}, ("heads",)),
        ({"latent_rank": 512}, ("rope_dim",)),
        ({"params": 1000}, ("params",)),
        ({"active_params": 1000}, ("active_params",)),
        ({"active_params": 9_000_000_000}, ("active_params",)),
        ({"heads": 5000}, ("heads",)),
    ],
)
def test_what_a_typed_model_lacks_is_named(change: dict[str, int | None], missing: tuple[str, ...]) -> None:
    with pytest.raises(IncompleteModelError) as caught:
        own_model(scenario(**{**TYPED, **change}))
    assert caught.value.missing == missing
