"""Every key of the tokens link, every field and the count's form with bad input: a sentence, always."""

from io import StringIO
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import answers, forms
from calculator.forms.tokens import TokensForm
from calculator.permalinks import tokens as notation
from calculator.tools.tokens import TOOL

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
NUMBER_KEYS = sorted(key.name for key in notation.KEYS if key.quantity)
CHOICE_KEYS = ("tokenizer", "conf", "mode", "prec")
CODE_KEYS = ("sku", "embed", "api")
HUGE = "9" * 40
BAD_IN_A_LINK = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,5", "1.234,5", "1 000", "", "0x10", "٣"]
BAD_IN_A_FIELD = ["abc", HUGE, "-5", "NaN", "Infinity", "1e3", "1,2,3", "--", "1 2", "0x10", "٣"]
BAD_CHOICES = ["", "zork", "STANDARD ", "1", HUGE, "standard,batch", "\x00"]
BAD_CODES = ["", "a b", "<script>", "é", "\x00", "A" * 300, "../x y", "no-such-code"]


def problems_of_link(key: str, text: str) -> set[str]:
    outcome = answers.from_link(TOOL, QueryDict(urlencode({key: text})))
    assert outcome.answer is None, text
    assert all(problem.message for problem in outcome.problems)
    return {problem.key for problem in outcome.problems}


@pytest.mark.parametrize("key", NUMBER_KEYS)
def test_a_bad_number_in_a_link_is_told_by_its_key(key: str) -> None:
    for text in BAD_IN_A_LINK:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", CHOICE_KEYS)
def test_a_bad_choice_in_a_link_is_told_by_its_key(key: str) -> None:
    for text in BAD_CHOICES:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("key", CODE_KEYS)
def test_a_bad_code_in_a_link_is_told_by_its_key(key: str) -> None:
    for text in BAD_CODES:
        assert problems_of_link(key, text) == {key}, text


@pytest.mark.parametrize("name", sorted(TokensForm.NUMBERS))
def test_a_bad_number_in_a_field_stands_beside_it_and_the_rest_is_kept(name: str) -> None:
    other = "docs" if name != "docs" else "chunk"
    for text in BAD_IN_A_FIELD:
        outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: text, other: "777"})))
        assert outcome.answer is None, text
        assert set(outcome.form.errors) == {name}, text
        assert outcome.form[other].value() == "777"
        assert outcome.form[name].value() == text[: forms.MAX_TEXT_CHARACTERS]


@pytest.mark.parametrize("name", sorted(TokensForm.NUMBERS))
def test_an_empty_field_is_unknown_where_it_may_be_and_an_error_elsewhere(name: str) -> None:
    outcome = answers.from_form(TOOL, QueryDict(urlencode({"form": "1", name: ""})))
    if TokensForm.NUMBERS[name].required:
        assert set(outcome.form.errors) == {name}
    else:
        assert outcome.answer is not None


@pytest.mark.parametrize("key", [*NUMBER_KEYS, *CHOICE_KEYS, *CODE_KEYS, "model", "at"])
def test_a_bad_value_ends_the_command_with_status_2(key: str) -> None:
    for text in ("", "NaN zork", HUGE + "!"):
        with pytest.raises(CommandError) as caught:
            call_command("estimate", "tokens", f"{key}={text}", stdout=StringIO())
        assert caught.value.returncode == 2


@given(st.dictionaries(st.sampled_from([key.name for key in notation.KEYS]), st.text(max_size=12), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_link_whatever_breaks_the_page(client: Client, values: dict[str, str]) -> None:
    assert client.get(f"/fr/tokens?{urlencode(values)}").status_code == 200


@given(
    st.dictionaries(
        st.sampled_from(["text", "split", "column", "tokenizers", "uploads", "own"]), st.text(max_size=30), max_size=5
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_text_whatever_breaks_the_count(client: Client, values: dict[str, str]) -> None:
    response = client.post("/fr/tokens/count", {"tokenizers": ["tekken"], **values})
    assert response.status_code in (200, 422)
