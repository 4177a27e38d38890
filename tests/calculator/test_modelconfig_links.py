"""A visitor's model survives the link, and a link that was tampered with gives a reason."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator import modelconfig
from calculator.domain.llm import MISTRAL_7B, LanguageModel
from calculator.modelconfig import ModelConfigError
from tests.calculator import configfactory as make

NAMES = tuple(make.CATALOGUE)
MODEL = modelconfig.read(make.text("Llama-3-8B"), "Ours")
EXPERTS = modelconfig.read(make.text("Mixtral-8x7B"))
LATENT = modelconfig.read(make.text("DeepSeek-V3"))


@pytest.mark.parametrize("name", NAMES)
def test_every_model_that_is_read_comes_back_from_its_link(name: str) -> None:
    model = modelconfig.read(make.text(name), f"{name} ~ . % é")
    assert modelconfig.from_value(modelconfig.to_value(model)) == model
    assert modelconfig.from_pairs(dict(modelconfig.to_pairs(model))) == model


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_any_name_survives_the_link(name: str) -> None:
    model = modelconfig.read(make.text("Llama-3-8B"), name)
    assert modelconfig.from_value(modelconfig.to_value(model)) == model


def test_the_value_is_short_and_reads_as_it_is() -> None:
    value = modelconfig.to_value(MODEL)
    assert value.startswith("name.Ours~total.8030261248~active.8030261248~inner.6979588096~layers.32~hidden.4096")
    assert len(value) < 250


def test_what_is_at_its_default_is_left_out() -> None:
    assert {"tied", "gated", "window", "experts", "id"}.isdisjoint(dict(modelconfig.to_pairs(MODEL)))


def test_source_and_note_are_not_carried() -> None:
    kept = modelconfig.from_value(modelconfig.to_value(replace(MODEL, source="x", note="y")))
    assert (kept.source, kept.note) == ("", "")


def changed(model: LanguageModel = MODEL, **values: str | None) -> dict[str, str]:
    pairs = dict(modelconfig.to_pairs(model)) | values
    return {key: value for key, value in pairs.items() if value is not None}


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        (changed(layers=None), "missing"),
        (changed(name=None), "missing"),
        (changed(colour="red"), "link_key"),
        (changed(layers="0"), "link_value"),
        (changed(layers="-1"), "link_value"),
        (changed(layers="3.5"), "link_value"),
        (changed(layers="٣"), "link_value"),
        (changed(layers="9" * 5000), "link_value"),
        (changed(layers=""), "link_value"),
        (changed(total=str(10**15)), "link_value"),
        (changed(name=""), "link_value"),
        (changed(name="a%0Ab"), "link_value"),
        (changed(name="x" * 61), "link_value"),
        (changed(id="not a hub name"), "link_value"),
        (changed(dtype="<b>"), "link_value"),
        (changed(tied="yes"), "link_value"),
        (changed(attention="LINEAR"), "link_value"),
        (changed(pattern="3"), "link_value"),
        (changed(kvheads="5"), "kv_heads_do_not_divide"),
        (changed(attention="MLA"), "missing"),
        (changed(LATENT, rope=None), "missing"),
        (changed(active="1"), "parameters_do_not_add_up"),
        (changed(inner="8030261248"), "parameters_do_not_add_up"),
        (changed(inner=str(10**12)), "parameters_do_not_add_up"),
        (changed(active="8030261247"), "parameters_do_not_add_up"),
        (changed(experts="8"), "missing"),
        (changed(EXPERTS, topk="9"), "more_active_than_experts"),
        (changed(EXPERTS, topk="7"), "parameters_do_not_add_up"),
    ],
)
def test_values_that_do_not_fit_give_a_reason(pairs: dict[str, str], code: str) -> None:
    with pytest.raises(ModelConfigError) as caught:
        modelconfig.from_pairs(pairs)
    assert caught.value.code == code


@pytest.mark.parametrize("text", ["", "~", "name", "name.a~name.b", "x" * 1001, "name." + "a" * 2000])
def test_a_value_that_is_no_list_of_pairs_gives_a_reason(text: str) -> None:
    with pytest.raises(ModelConfigError) as caught:
        modelconfig.from_value(text)
    assert caught.value.code == "link_unreadable"


@given(st.text(st.characters(codec="utf-8"), max_size=120))
def test_any_text_gives_a_model_or_a_reason(text: str) -> None:
    with pytest.raises(ModelConfigError):
        modelconfig.from_value(text)


def test_the_catalogue_s_own_models_have_values_too() -> None:
    assert modelconfig.from_value(modelconfig.to_value(MISTRAL_7B)) == MISTRAL_7B


def test_reading_again_gives_the_same_value() -> None:
    again = modelconfig.read(json.dumps(make.config("Llama-3-8B")), "Ours")
    assert modelconfig.to_value(again) == modelconfig.to_value(MODEL)
