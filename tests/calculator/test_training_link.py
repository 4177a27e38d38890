"""The link and the form of the training calculator: every scenario reads back as itself, both ways."""

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from calculator import fields, permalinks
from calculator.domain.calibration import Framework
from calculator.domain.llm import MISTRAL_7B
from calculator.domain.memory import Sharding
from calculator.domain.offers import ApiModel, Basis, Sku
from calculator.domain.scenario import BillingStep
from calculator.domain.training import Method
from calculator.domain.training_scenario import (
    TARGETS,
    Convention,
    Numbers,
    Optimizer,
    Reads,
    Speed,
    TrainingScenario,
    Work,
)
from calculator.forms.training import Choices, TrainingForm
from calculator.permalinks import training as notation

AT = dt.datetime(2026, 11, 30, 14, 0, tzinfo=dt.UTC)
BASE = TrainingScenario(catalog_version=1, at=AT)
MODELS = ("Mistral-7B", "Llama-3.1-8B")
CHOICES = Choices(
    skus=tuple(Sku(code, code, "GPU", 1, 24.0) for code in ("GPU-PRO", "GPU-TITAN")),
    models=tuple(replace(MISTRAL_7B, name=name) for name in MODELS),
    apis=tuple(ApiModel(code, code, "x", {}) for code in ("gpt-5.4-mini", "gpt-5.4")),
)
ENUMS: dict[str, Any] = {
    "method": Method,
    "numbers": Numbers,
    "optimizer": Optimizer,
    "work": Work,
    "sharding": Sharding,
    "framework": Framework,
    "speed": Speed,
    "convention": Convention,
    "basis": Basis,
    "billing_step": BillingStep,
    "reads": Reads,
}
EXAMPLE = re.compile("\\d[\\d\u202f]*(?:,\\d+)?(?:\u00a0Md?)?")


def bound(text: str, base: TrainingScenario = BASE) -> TrainingForm:
    return TrainingForm.from_texts(QueryDict(text), base, CHOICES)


def scenario_of(text: str) -> TrainingScenario:
    form = bound(text)
    assert form.is_valid(), form.errors
    found: TrainingScenario = form.to_scenario()
    return found


def number(name: str) -> st.SearchStrategy[Any]:
    quantity = TrainingForm.NUMBERS[name].quantity
    low, high = quantity.limits.low, quantity.limits.high
    if quantity.whole:
        return st.integers(int(low), int(high))
    return st.decimals(low, high, places=4).filter(quantity.takes) | st.decimals(low, high, places=0).filter(
        quantity.takes
    )


@st.composite
def scenarios(draw: Any) -> TrainingScenario:
    """Scenarios that the form can hold."""
    values: dict[str, Any] = {name: draw(st.sampled_from(list(kind))) for name, kind in ENUMS.items()}
    values |= {
        "model": draw(st.sampled_from(MODELS)),
        "sku": draw(st.sampled_from(["GPU-PRO", "GPU-TITAN"])),
        "reference": draw(st.sampled_from(["gpt-5.4-mini", "gpt-5.4"])),
        "targets": tuple(target for target in TARGETS if target in draw(st.sets(st.sampled_from(TARGETS), min_size=1)))
        or TARGETS,
        "recomputed": draw(st.booleans()),
        "keeps_optimizer": draw(st.booleans()),
    }
    for name, spec in TrainingForm.NUMBERS.items():
        value = number(name)
        values[notation.NOTATION.by_name[name].attribute] = draw(value if spec.required else st.none() | value)
    return replace(BASE, **values)


@given(scenario=scenarios())
def test_a_link_reads_back_as_the_same_scenario(scenario: TrainingScenario) -> None:
    reading = permalinks.read(QueryDict(permalinks.write(scenario)), BASE)
    assert (reading.problems, reading.unknown, reading.defaults) == ((), (), ())
    assert reading.scenario == scenario


@given(scenario=scenarios(), language=st.sampled_from(["fr", "en"]))
def test_what_the_form_shows_reads_back_as_the_same_scenario(scenario: TrainingScenario, language: str) -> None:
    with translation.override(language):
        shown = TrainingForm.from_scenario(scenario, CHOICES)
        sent = QueryDict(mutable=True)
        for name in shown.fields:
            sent.setlist(name, shown.texts(name))
        form = TrainingForm.from_texts(sent, BASE, CHOICES)
        assert form.is_valid(), form.errors
        assert form.to_scenario() == scenario


def test_optional_keys_are_those_whose_default_is_unknown() -> None:
    """A key that may stay out of a link must not come back as a number."""
    unknown = {key.name for key in notation.KEYS if key.name in notation.OPTIONAL}
    by_name = notation.NOTATION.by_name
    assert {getattr(BASE, by_name[name].attribute) for name in unknown} <= {None, ""}


def test_every_key_of_the_link_is_a_field_or_travels_unseen() -> None:
    form = TrainingForm.from_scenario(BASE, CHOICES)
    unseen = {name for name, _value in form.hidden()} | {"cal"}
    assert set(form.fields) | unseen == set(notation.NOTATION.by_name) | {"v", "form"}


def test_every_field_stands_once_in_the_fieldsets() -> None:
    form = TrainingForm.from_scenario(BASE, CHOICES)
    names = [field.name for field in form.basic()]
    names += [field.name for group in form.advanced() for field in group.fields]
    assert sorted(names) == sorted(form.fields)


@pytest.mark.parametrize("name", sorted(TrainingForm.NUMBERS))
def test_the_examples_of_the_hints_are_accepted_by_their_own_field(name: str) -> None:
    with translation.override("fr"):
        spec = TrainingForm.NUMBERS[name]
        found = EXAMPLE.findall(str(spec.hint).split("xemple")[-1])
        assert found
        for example in found:
            assert fields.read(example, spec.quantity) > 0


def test_every_label_and_hint_is_translated() -> None:
    """Names that are the same in both languages stand alone; anything with a hint differs."""

    def texts(language: str) -> set[str]:
        with translation.override(language):
            form = TrainingForm.from_scenario(BASE, CHOICES)
            return {f"{field.label} {field.help_text}" for field in form.fields.values() if field.help_text}

    assert not texts("fr") & texts("en")


def test_typed_text_becomes_typed_values() -> None:
    found = scenario_of(
        "model=Llama-3.1-8B&sku=GPU-TITAN&count=2&method=lora&params=2,7 Md&tokens=40 Md&work=tokens&mfu=26,13 %"
        "&zero=3&recomp=1&restart=1&price=5,40 €&mean=350,5"
    )
    assert (found.model, found.sku, found.instances, found.method) == ("Llama-3.1-8B", "GPU-TITAN", 2, Method.LORA)
    assert (found.params_count, found.total_tokens) == (Decimal(2_700_000_000), Decimal(40_000_000_000))
    assert found.mfu_ratio == Decimal("0.2613")
    assert (found.sharding, found.recomputed, found.keeps_optimizer) == (Sharding.WEIGHTS, True, True)
    assert (found.price_eur, found.mean_tokens) == (Decimal("5.40"), Decimal("350.5"))


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("mbs=0", "mbs", "comprise entre"),
        ("mbs=1,5", "mbs", "entier"),
        ("seq=-1", "seq", "négatif"),
        ("mfu=120", "mfu", "comprise entre"),
        ("rank=NaN", "rank", "fini"),
        ("model=zork", "model", "zork"),
        ("sku=zork", "sku", "zork"),
        ("zero=4", "zero", "4"),
        ("target=zork", "target", "zork"),
        ("steps=", "steps", "attendue"),
    ],
)
def test_an_error_stands_beside_its_field_and_the_rest_is_kept(text: str, name: str, words: str) -> None:
    form = bound(f"{text}&accum=77")
    assert not form.is_valid()
    assert set(form.errors) == {name}
    assert words in " ".join(form.errors[name])
    assert form["accum"].value() == "77"


def test_adapters_without_a_matrix_are_refused_and_whole_training_needs_none() -> None:
    none = replace(BASE, targets=())
    assert [problem.key for problem in notation.consistency_problems(none)] == ["target"]
    assert notation.consistency_problems(replace(none, method=Method.FULL)) == []


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("", frozenset()),
        ("work=dataset", {"work"}),
        ("work=tokens", {"work"}),
        ("speed=rate", {"speed"}),
        ("speed=mfu", {"speed"}),
        ("speed=published", frozenset()),
        ("reads=api", {"payback"}),
    ],
)
def test_a_group_opens_where_the_choice_waits_for_its_fields(text: str, opened: frozenset[str]) -> None:
    form = bound(text or "count=1")
    assert form.opened() == opened
    assert {group.name for group in form.advanced() if group.is_open} == opened


def test_a_link_of_another_calibration_keeps_its_name() -> None:
    found = permalinks.read(QueryDict("cal=0123456789ab"), BASE)
    assert found.scenario == replace(BASE, calibration="0123456789ab")
