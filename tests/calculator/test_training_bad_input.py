"""Every field, key of the link and key of the command of training with every kind of bad input: a sentence, always."""

from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import answers, forms
from calculator.forms.training import TrainingForm
from calculator.permalinks import training as notation
from calculator.tools.training import TOOL

pytestmark = pytest.mark.django_db
NUMBER_KEYS = sorted(key.name for key in notation.KEYS if key.quantity)
CHOICE_KEYS = ("method", "prec", "optim", "work", "zero", "framework", "speed", "conv", "basis", "step", "reads")
FLAG_KEYS = ("recomp", "restart")
CODE_KEYS = ("sku", "model", "ref")
HUGE = "9" * 40
BAD_IN_A_LINK = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,5", "1.234,5", "1 000", "", "0x10", "٣"]
BAD_IN_A_FIELD = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,2,3", "--", "1 2", "0x10", "٣"]
BAD_CHOICES = ["", "zork", "QLORA ", "7", HUGE, "full,lora", "\x00"]
BAD_CODES = ["", "a b", "<script>", "é", "\x00", "A" * 300, "../x y"]
OPTIONAL_FIELDS = {name for name, spec in TrainingForm.NUMBERS.items() if not spec.required}


def problems_of_link(key: str, text: str) -> set[str]:
    """The keys that a link with one bad value is told about."""
    outcome = answers.from_link(TOOL, QueryDict(urlencode({"accum": "77", key: text})))
    assert outcome.answer is None
    assert outcome.form["accum"].value() in {"77", text} or key == "accum"
    assert all(problem.message for problem in outcome.problems)
    return {problem.key for problem in outcome.problems}


@pytest.mark.parametrize("key", NUMBER_KEYS)
def test_a_bad_number_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_IN_A_LINK:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", [*CHOICE_KEYS, *FLAG_KEYS, "target"])
def test_a_bad_choice_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_CHOICES:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", CODE_KEYS)
def test_a_bad_code_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in [*BAD_CODES, "no-such-code"]:
        assert problems_of_link(key, text) == {key}, text


def test_adapters_without_a_matrix_are_told_in_a_link(seeded: None) -> None:
    assert problems_of_link("target", "none") == {"target"}


@pytest.mark.parametrize("name", sorted(TrainingForm.NUMBERS))
def test_a_bad_number_in_a_field_stands_beside_it_and_the_rest_is_kept(seeded: None, name: str) -> None:
    other = "hours" if name != "hours" else "vat"
    for text in BAD_IN_A_FIELD:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, other: "33"})))
        assert outcome.answer is None, text
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form[other].value() == "33"
        assert outcome.form[name].value() == text[: forms.MAX_TEXT_CHARACTERS]


@pytest.mark.parametrize("name", sorted(TrainingForm.NUMBERS))
def test_an_empty_field_is_unknown_where_that_may_be_and_an_error_elsewhere(seeded: None, name: str) -> None:
    outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: ""})))
    if name in OPTIONAL_FIELDS:
        assert outcome.answer is not None
        assert getattr(outcome.form.to_scenario(), notation.NOTATION.by_name[name].attribute) is None
    else:
        assert set(outcome.form.errors) == {name}


@pytest.mark.parametrize("key", NUMBER_KEYS)
@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_every_number_answer(seeded: None, key: str, end: str) -> None:
    """Nothing between the limits of a field may break the answer."""
    quantity = notation.NOTATION.by_name[key].quantity
    assert quantity is not None
    if key == "catalog":
        return
    text = f"{getattr(quantity.limits, end):f}"
    query = f"{key}={text}&speed=calibrated&reads=api&saved=10" if key != "saved" else f"saved={text}&reads=gpu"
    outcome = answers.from_link(TOOL, QueryDict(query))
    if key in ("tp", "pp") and end == "high":
        # 1 024 parts of 32 heads, or of 32 layers: no hardware makes that computable.
        assert [problem.key for problem in outcome.problems] == [key]
        return
    assert outcome.answer is not None, outcome.problems
    assert TOOL.page(outcome.answer).status
    assert TOOL.rows(outcome.answer.estimate)
    assert TOOL.sections(outcome.answer)


def limits_of(name: str) -> st.SearchStrategy[str]:
    """Texts of numbers inside a key's limits, its ends often."""
    quantity = notation.NOTATION.by_name[name].quantity
    assert quantity is not None
    low, high = quantity.limits.low, quantity.limits.high
    if quantity.whole:
        return st.sampled_from([str(int(low)), str(int(high))]) | st.integers(int(low), int(high)).map(str)
    return st.sampled_from([f"{low:f}", f"{high:f}"]) | st.decimals(low, high, places=3).map(lambda value: f"{value:f}")


CHOICES = {key: tuple(dict(TrainingForm.SELECTS[key].options)) for key in (*CHOICE_KEYS, *FLAG_KEYS)}
CODES = {
    "sku": ("GPU-STARTER", "GPU-PRO", "GPU-TITAN", "GPU-SUPERCOMPUTE"),
    "model": ("Mistral-7B", "Llama-3.1-70B", "Mixtral-8x7B", "DeepSeek-V3", "Qwen2.5-0.5B", "Gemma-3-1B"),
    "ref": ("gpt-5.4-mini", "claude-sonnet-4-6"),
}


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Links that mix any values a form may take."""
    pairs = {key: draw(st.sampled_from(values)) for key, values in {**CHOICES, **CODES}.items()}
    for key in NUMBER_KEYS:
        if key != "catalog" and draw(st.booleans()):
            pairs[key] = draw(limits_of(key))
    return urlencode(pairs)


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries(), language=st.sampled_from(["fr", "en"]))
def test_any_valid_link_gives_a_page(client: Client, seeded: None, query: str, language: str) -> None:
    response = client.get(f"/{language}/training?{query}")
    assert response.status_code == 200
    told = response.context["errors"]
    assert response.context["estimate"] is not None or {line.field_id for line in told} <= {"id_tp", "id_pp"}, told


@pytest.mark.slow
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pairs=st.dictionaries(
        st.sampled_from([key.name for key in notation.KEYS]) | st.text(max_size=6), st.text(max_size=12), max_size=6
    ),
    live=st.booleans(),
)
def test_garbage_is_answered_with_a_page(client: Client, seeded: None, pairs: dict[str, str], live: bool) -> None:
    query = urlencode({**pairs, **({"form": "1"} if live else {})}, errors="replace")
    assert client.get(f"/fr/training?{query}").status_code in (200, 302)


@pytest.mark.parametrize("pair", ["mbs=abc", "sku=", "method=zork", "at=now", "zork=1", "mbs"])
def test_the_command_refuses_in_one_sentence(seeded: None, pair: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("estimate", "training", pair, stdout=StringIO())
    assert str(refused.value)
