"""Every field, every key of the link and every key of the command with every kind of bad input: a sentence, always."""

from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict
from django.test import Client

from calculator import answers, forms
from calculator.forms import EconomicsForm
from calculator.permalinks import economics as notation
from calculator.tools.economics import TOOL

pytestmark = pytest.mark.django_db
NUMBER_KEYS = sorted(key.name for key in notation.KEYS if key.quantity)
CHOICE_KEYS = ("basis", "rental", "step", "traffic", "mode", "ttl")
CODE_KEYS = ("sku", "ref", "api")
HUGE = "9" * 40
BAD_IN_A_LINK = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,5", "1.234,5", "1 000", "", "0x10", "٣"]
BAD_IN_A_FIELD = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,2,3", "--", "1 2", "0x10", "٣"]
BAD_CHOICES = ["", "zork", "HOUR ", "1", HUGE, "month,hour", "\x00"]
BAD_CODES = ["", "a b", "<script>", "é", "\x00", "A" * 300, "../x y"]
# Empty means "take the catalogue's" in these fields of the form.
OPTIONAL_FIELDS = {name for name, spec in EconomicsForm.NUMBERS.items() if not spec.required}


def problems_of_link(key: str, text: str) -> set[str]:
    """The keys that a link with one bad value is told about."""
    outcome = answers.from_link(TOOL, QueryDict(urlencode({"out": "750", key: text})))
    assert outcome.answer is None
    assert outcome.form["out"].value() in {"750", text} or key == "out"
    assert all(problem.message for problem in outcome.problems)
    return {problem.key for problem in outcome.problems}


@pytest.mark.parametrize("key", NUMBER_KEYS)
def test_a_bad_number_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_IN_A_LINK:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", CHOICE_KEYS)
def test_a_bad_choice_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in BAD_CHOICES:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", CODE_KEYS)
def test_a_bad_code_in_a_link_is_told_by_its_key(seeded: None, key: str) -> None:
    for text in [*BAD_CODES, "no-such-code"]:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("text", ["", "now", "2026-11-30", "2026-13-01T00:00:00Z", HUGE, "1999-12-31T23:59:59Z"])
def test_a_bad_instant_in_a_link_is_told_by_its_key(seeded: None, text: str) -> None:
    assert problems_of_link("at", text) == {"at"}


@pytest.mark.parametrize("name", sorted(EconomicsForm.NUMBERS))
def test_a_bad_number_in_a_field_stands_beside_it_and_the_rest_is_kept(seeded: None, name: str) -> None:
    other = "hours" if name != "hours" else "util"
    for text in BAD_IN_A_FIELD:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, other: "77"})))
        assert outcome.answer is None, text
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form[other].value() == "77"
        assert outcome.form[name].value() == text[: forms.MAX_TEXT_CHARACTERS]


@pytest.mark.parametrize("name", sorted(EconomicsForm.NUMBERS))
def test_an_empty_field_is_unknown_where_the_catalogue_knows_and_an_error_elsewhere(seeded: None, name: str) -> None:
    outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: ""})))
    if name in OPTIONAL_FIELDS - {"volume"}:
        assert outcome.answer is not None
        assert getattr(outcome.form.to_scenario(), notation.NOTATION.by_name[name].attribute) is None
    else:
        assert set(outcome.form.errors) == {name}


@pytest.mark.parametrize("name", sorted(EconomicsForm.NUMBERS))
def test_a_field_takes_both_decimal_marks(seeded: None, name: str) -> None:
    quantity = EconomicsForm.NUMBERS[name].quantity
    middle = min(quantity.limits.high, quantity.limits.low + 1) * (100 if quantity.percent else 1)
    if quantity.whole:
        return
    for text in (f"{middle:.2f}", f"{middle:.2f}".replace(".", ",")):
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text})))
        assert name not in outcome.form.errors, text


@pytest.mark.parametrize("name", CHOICE_KEYS)
def test_a_bad_choice_in_a_field_stands_beside_it(seeded: None, name: str) -> None:
    for text in BAD_CHOICES:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, "hours": "700"})))
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form["hours"].value() == "700"


@pytest.mark.parametrize("key", [*NUMBER_KEYS, *CHOICE_KEYS, *CODE_KEYS, "at"])
def test_a_bad_value_ends_the_command_with_status_2_and_names_its_key(seeded: None, key: str) -> None:
    for text in ("", "NaN zork", HUGE + "!"):
        with pytest.raises(CommandError) as caught:
            call_command("estimate", "economics", f"{key}={text}", stdout=StringIO())
        assert caught.value.returncode == 2
        assert str(caught.value).startswith(key), text


@pytest.mark.parametrize("key", ["volume", "util", "sku", "at"])
def test_the_page_of_a_bad_link_is_a_page(client: Client, seeded: None, key: str) -> None:
    response = client.get(f"/en/economics?{urlencode({key: '<b>!</b>'})}")
    assert response.status_code == 200
    assert "<b>!</b>" not in response.content.decode()
    (line,) = response.context["errors"]
    assert line.field_id == ("" if key == "at" else f"id_{key}")
    assert line.message
