"""The link of a comparison: read and written without loss, and what a visitor may do to it."""

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from calculator.permalinks.notation import PAGE_KEYS
from sales.comparing import links
from sales.comparing.links import Asked

TEXT = st.text(st.characters(blacklist_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "Co", "Cn")), max_size=40)
COLUMN = st.builds(
    Asked,
    st.sampled_from(["economics", "training"]),
    TEXT.map(lambda text: f"v=1&model={text}"),
    TEXT.map(str.strip),
)


@given(st.lists(COLUMN, max_size=4))
def test_a_comparison_reads_back_as_it_was_written(columns: list[Asked]) -> None:
    held = dict(zip(links.LETTERS, columns, strict=False))
    assert links.read(QueryDict(links.write(held))) == held


def test_a_name_and_a_scenario_may_hold_the_signs_of_a_query() -> None:
    held = {"a": Asked("training", "v=1&model=Mistral+7B%2Fx&x=1", "R&D = 50 % ? +1")}
    assert links.read(QueryDict(links.write(held))) == held


def test_columns_are_lettered_anew_from_the_left() -> None:
    kept = links.without({"a": Asked("economics"), "b": Asked("training"), "c": Asked("tokens")}, "b")
    assert links.write(kept) == "a=economics?&b=tokens?"


def test_added_puts_a_scenario_at_the_right() -> None:
    query = QueryDict(links.added(QueryDict("a=economics?v=1&na=Base"), "training", "v=1&instances=2"))
    assert query.dict() == {"a": "economics?v=1", "na": "Base", "b": "training?v=1&instances=2"}


def test_a_fifth_scenario_replaces_none_of_the_four_by_itself() -> None:
    full = QueryDict("a=tokens&b=tokens&c=tokens&d=tokens&add=economics%3Fv%3D1")
    done = links.acted(full)
    assert done.left == Asked("economics", "v=1")
    assert list(done.columns) == ["a", "b", "c", "d"]
    assert {column.calculator for column in done.columns.values()} == {"tokens"}


def test_a_scenario_brought_back_takes_the_place_it_was_taken_from_and_its_name() -> None:
    columns = {"a": Asked("economics", "v=1"), "b": Asked("economics", "v=1&util=0.5", "Half"), "c": Asked("tokens")}
    carried = links.carried(columns, "b")
    assert "util" not in carried
    done = links.acted(QueryDict(f"{carried}&add=economics%3Fv%3D1%26util%3D0.9"))
    assert done.columns["b"] == Asked("economics", "v=1&util=0.9", "Half")
    assert done.columns["a"], done.columns["c"] == (columns["a"], columns["c"])


def test_a_new_column_is_carried_without_a_place() -> None:
    assert links.carried({"a": Asked("economics", "v=1")}) == "a=economics?v=1"


@pytest.mark.parametrize(("source", "place"), [("a", "b"), ("a", "new")])
def test_a_column_is_copied_into_another_which_keeps_its_own_name(source: str, place: str) -> None:
    query = QueryDict(f"form=1&a=economics?v=1&na=One&b=training?v=1&nb=Two&from={source}&put={place}")
    columns = links.acted(query).columns
    copy = columns["b" if place == "b" else "c"]
    assert (copy.calculator, copy.query) == ("economics", "v=1")
    assert copy.name == ("Two" if place == "b" else "")
    assert columns["a"].name == "One"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://host.example/fr/economics?v=1&util=0.5", Asked("economics", "v=1&util=0.5")),
        ("/en/inference/?v=1", Asked("inference", "v=1")),
        ("economics?v=1", Asked("economics", "v=1")),
        ("https://host.example/fr/training.csv?v=1", Asked("training", "v=1")),
        ("ECONOMICS", Asked("economics")),
    ],
)
def test_the_address_of_a_calculator_is_a_scenario(text: str, found: Asked) -> None:
    assert links.pasted(text) == found


@pytest.mark.parametrize("text", ["hello", "https://host.example/fr/prices/", "http://[", "javascript:alert(1)", "/"])
def test_any_other_text_is_none(text: str) -> None:
    assert links.pasted(text) is None


def test_control_characters_and_endless_texts_do_not_come_in() -> None:
    column = links.asked("econ\x00omics?v=1" + "x" * 9_000, "a\x00b" + "n" * 900)
    assert column.calculator == "economics"
    assert len(column.text) <= links.MOST_CHARACTERS
    assert column.name == "ab" + "n" * (links.NAME_CHARACTERS - 2)


def test_no_action_of_a_comparison_is_a_key_of_its_columns() -> None:
    letters = {*links.LETTERS, *(f"n{letter}" for letter in links.LETTERS)}
    assert not letters & (links.ACTIONS | PAGE_KEYS)
