"""The multi-GPU link and form: everything written is read back; bad input is a sentence beside its field."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from calculator import answers, interconnects, permalinks
from calculator.domain.collectives import Reduction
from calculator.domain.interconnects import Reach
from calculator.domain.parallel_scenario import BatchBy, ParallelismScenario, Sharing
from calculator.fields import Quantity
from calculator.forms.parallelism import ParallelismForm
from calculator.permalinks import parallelism as notation
from calculator.tools.parallelism import PRESETS, TOOL

AT = dt.datetime(2026, 11, 30, 14, 0, tzinfo=dt.UTC)
BASE = ParallelismScenario(catalog_version=1, at=AT)
NUMBER_KEYS = sorted(key.name for key in notation.KEYS if key.quantity)
CHOICE_KEYS = ("sharing", "algo", "grad", "batchby", "recomp", "link", "net")
NAME_KEYS = ("sku", "gpu", "model")
HUGE = "9" * 40
BAD_IN_A_LINK = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,5", "1.234,5", "1 000", "", "0x10", "٣"]
BAD_IN_A_FIELD = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,2,3", "--", "1 2", "0x10", "٣"]
BAD_CHOICES = ["", "zork", "DATA ", "17", HUGE, "data,sharded", "\x00"]
OPTIONAL_FIELDS = {name for name, spec in ParallelismForm.NUMBERS.items() if not spec.required}
# Layers and width are told together: one without the other is a problem of its own.
SHAPE = {"layers", "width"}


def number(quantity: Quantity) -> st.SearchStrategy[Any]:
    low, high = quantity.limits.low, quantity.limits.high
    if quantity.whole:
        return st.integers(int(low), int(high))
    return st.decimals(low, high, places=6) | st.decimals(low, high, places=0).filter(quantity.takes)


NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ._()-]{0,30}[A-Za-z0-9]", fullmatch=True)
CODES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,30}", fullmatch=True)
OF_ATTRIBUTE: dict[str, st.SearchStrategy[Any]] = {
    "sku": CODES,
    "gpu": st.just("") | NAMES,
    "model": st.just("") | NAMES,
    "sharing": st.sampled_from(Sharing),
    "reduction": st.sampled_from(Reduction),
    "batch_by": st.sampled_from(BatchBy),
    "gradient_bytes": st.sampled_from([2, 4]),
    "recomputed": st.booleans(),
    "link": st.just("") | st.sampled_from([one.code for one in interconnects.of_reach(Reach.MACHINE)]),
    "network": st.sampled_from([one.code for one in interconnects.of_reach(Reach.NETWORK)]),
    "calibration": st.just("") | st.from_regex(r"[0-9a-f]{12}", fullmatch=True),
}


@st.composite
def scenarios(draw: Any) -> ParallelismScenario:
    values = {name: draw(strategy) for name, strategy in OF_ATTRIBUTE.items()}
    for key in notation.KEYS[2:]:
        if key.quantity:
            given_value = draw(number(key.quantity))
            values[key.attribute] = (
                draw(st.none() | st.just(given_value)) if key.name in notation.OPTIONAL else given_value
            )
    if (values["layers_count"] is None) != (values["hidden_width"] is None):
        values["layers_count"] = values["hidden_width"] = None
    return replace(BASE, **values)


@given(scenarios())
def test_a_link_gives_its_scenario_back(scenario: ParallelismScenario) -> None:
    assert permalinks.read(QueryDict(permalinks.write(scenario)), BASE).scenario == scenario


@given(scenarios())
def test_writing_again_changes_nothing(scenario: ParallelismScenario) -> None:
    written = permalinks.write(scenario)
    assert permalinks.write(permalinks.read(QueryDict(written), BASE).scenario) == written


def test_a_link_carries_every_key_that_is_known() -> None:
    query = QueryDict(permalinks.write(BASE))
    assert set(query) == {"v", *(key.name for key in notation.KEYS)} - notation.OPTIONAL


def test_every_attribute_of_the_scenario_has_one_key() -> None:
    attributes = [key.attribute for key in notation.KEYS]
    assert sorted(attributes) == sorted(ParallelismScenario.__dataclass_fields__)


def test_each_preset_reads_without_a_problem() -> None:
    for preset in PRESETS:
        assert permalinks.read(QueryDict(preset.query), BASE).problems == ()


@pytest.mark.parametrize("missing", [{"layers": "32"}, {"width": "2560"}])
def test_layers_and_width_are_given_together(missing: dict[str, str]) -> None:
    (problem,) = permalinks.read(QueryDict(urlencode(missing)), BASE).problems
    assert problem.key in SHAPE - set(missing)


def problems_of_link(key: str, text: str) -> set[str]:
    outcome = answers.from_link(TOOL, QueryDict(urlencode({"seq": "700", key: text})))
    assert outcome.answer is None
    assert outcome.form["seq"].value() in {"700", text}
    assert all(problem.message for problem in outcome.problems)
    return {problem.key for problem in outcome.problems}


@pytest.mark.django_db
@pytest.mark.parametrize("key", NUMBER_KEYS)
def test_a_bad_number_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_IN_A_LINK:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.django_db
@pytest.mark.parametrize("key", CHOICE_KEYS)
def test_a_bad_choice_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_CHOICES:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.django_db
@pytest.mark.parametrize("key", NAME_KEYS)
def test_a_name_that_does_not_exist_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in ["", "no-such-thing", "<script>", "\x00", "A" * 300]:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.django_db
def test_a_name_close_to_one_that_exists_is_proposed(seeded: None) -> None:
    outcome = answers.from_link(TOOL, QueryDict("gpu=H100-SXM-80Gb1"))
    (problem,) = outcome.problems
    assert "H100-SXM-80GB" in problem.message
    assert [notice.code for notice in outcome.notices] == ["proposal"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(ParallelismForm.NUMBERS))
def test_a_bad_number_in_a_field_stands_beside_it_and_the_rest_is_kept(seeded: None, name: str) -> None:
    other = "vat" if name != "vat" else "floor"
    for text in BAD_IN_A_FIELD:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, other: "19"})))
        assert outcome.answer is None, text
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form[other].value() == "19"


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(set(ParallelismForm.NUMBERS) - SHAPE))
def test_an_empty_field_is_unknown_where_that_is_allowed_and_an_error_elsewhere(seeded: None, name: str) -> None:
    outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: ""})))
    if name in OPTIONAL_FIELDS:
        assert outcome.answer is not None
        assert getattr(outcome.form.to_scenario(), notation.NOTATION.by_name[name].attribute) is None
    else:
        assert set(outcome.form.errors) == {name}


@pytest.mark.django_db
@pytest.mark.parametrize("name", [*CHOICE_KEYS, "sku", "model", "gpu"])
def test_a_bad_choice_in_a_field_stands_beside_it(seeded: None, name: str) -> None:
    empty_allowed = name in ("link", "model", "gpu")
    for text in BAD_CHOICES[empty_allowed:-1]:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, "vat": "19"})))
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form["vat"].value() == "19"


@pytest.mark.django_db
def test_a_form_without_changes_gives_the_scenario_back(seeded: None) -> None:
    found = answers.from_link(TOOL, QueryDict(""))
    assert found.answer is not None
    again = answers.from_form(TOOL, QueryDict(urlencode({"form": "1"})))
    assert again.answer is not None
    assert TOOL.own(again.answer.scenario) == replace(TOOL.own(found.answer.scenario), at=again.answer.scenario.at)


@pytest.mark.django_db
def test_names_are_taken_in_any_case(seeded: None) -> None:
    outcome = answers.from_link(TOOL, QueryDict("gpu=h100-sxm-80gb&model=llama-3.1-8b&sku=gpu-titan"))
    assert outcome.answer is not None
    assert (outcome.answer.scenario.gpu, outcome.answer.scenario.model) == ("H100-SXM-80GB", "Llama-3.1-8B")


@pytest.mark.django_db
def test_numbers_are_typed_as_people_write_them(seeded: None) -> None:
    typed = {"form": "1", "params": "2,7 Md", "tokens": "40 G", "mfu": "26,1 %", "price": "43,20"}
    outcome = answers.from_form(TOOL, QueryDict(urlencode(typed)))
    scenario = outcome.form.to_scenario()
    assert (scenario.params_count, scenario.tokens_count) == (Decimal("2.7e9"), Decimal("40e9"))
    assert (scenario.mfu_ratio, scenario.price_eur) == (Decimal("0.261"), Decimal("43.20"))


@pytest.mark.django_db
@pytest.mark.parametrize("key", [*NUMBER_KEYS, *CHOICE_KEYS, "at"])
def test_a_bad_value_ends_the_command_with_status_2_and_names_its_key(seeded: None, key: str) -> None:
    for text in ("", "NaN zork", HUGE + "!"):
        with pytest.raises(CommandError) as caught:
            call_command("estimate", "parallelism", f"{key}={text}", stdout=StringIO())
        assert caught.value.returncode == 2
        assert str(caught.value).startswith(key), text
