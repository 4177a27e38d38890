"""What may be said once in a file, and what happens when it is said again."""

import datetime as dt
from decimal import Decimal

import pytest

from calculator.pricelist.contract import Content, Item, ItemFields, LineProblem, Rate, Severity, Sheet
from calculator.pricelist.repeats import Repeats
from calculator.pricelist.table import Problems
from tests.pricelist.linefactory import price

DAY = dt.date(2026, 10, 30)


def said(*contents: Content) -> tuple[list[bool], tuple[LineProblem, ...]]:
    """Whether each is kept, lines counted from 2, and the problems."""
    problems = Problems()
    repeats = Repeats(problems)
    return [repeats.is_new(line, content) for line, content in enumerate(contents, start=2)], problems.all()


def codes(*contents: Content) -> list[tuple[int, str, str]]:
    return [(problem.line_no, problem.code, problem.severity.value) for problem in said(*contents)[1]]


def test_p11_twins_are_kept_once_with_a_warning() -> None:
    kept, problems = said(price("A", "instance_hour", "1.50"), price("a", "instance_hour", "1.5"))
    assert kept == [True, False]
    assert [(one.line_no, one.code, one.severity) for one in problems] == [(3, "said_twice", Severity.WARNING)]
    assert problems[0].values["first_line"] == 2


def test_p11_two_amounts_for_one_key_are_an_error_that_names_both_lines() -> None:
    kept, problems = said(price("A", "instance_hour", "1.50"), price("A", "instance_hour", "1.60"))
    assert kept == [True, False]
    assert (problems[0].code, problems[0].values["first_line"], problems[0].values["line"]) == ("same_key_twice", 2, 3)


@pytest.mark.parametrize(
    "other",
    [
        {"region": "eu"},
        {"mode": "spot"},
        {"window": "peak"},
        {"context_over": 200_000},
        {"currency": "USD"},
        {"valid_from": dt.datetime(2027, 1, 1, tzinfo=dt.UTC)},
        {"item_kind": "llm_model"},
    ],
)
def test_whatever_is_part_of_the_key_makes_another_price(other: dict[str, object]) -> None:
    assert codes(price("A", "instance_hour", "1.50"), price("A", "instance_hour", "1.60", **other)) == []


@pytest.mark.parametrize("other", [{"kind": "free"}, {"valid_until": dt.datetime(2027, 1, 1, tzinfo=dt.UTC)}])
def test_whatever_the_price_says_must_agree(other: dict[str, object]) -> None:
    found = codes(price("A", "instance_hour", "1.50"), price("A", "instance_hour", "1.50", **other))
    assert found == [(3, "same_key_twice", "error")]


def test_a_note_or_a_source_makes_no_other_price() -> None:
    twins = price("A", "instance_hour", "1.50"), price("A", "instance_hour", "1.50", note="seen again")
    assert codes(*twins) == [(3, "said_twice", "warning")]


def test_three_lines_of_one_key_are_each_held_against_the_first() -> None:
    lines = [price("A", "instance_hour", amount) for amount in ("1.50", "1.60", "1.50")]
    assert codes(*lines) == [(3, "same_key_twice", "error"), (4, "said_twice", "warning")]


def test_a_rate_is_one_of_its_day_and_source() -> None:
    first = Rate("USD", Decimal("1.1172"), DAY, "ECB")
    assert codes(first, Rate("USD", Decimal("1.11720"), DAY, "ECB")) == [(3, "said_twice", "warning")]
    assert codes(first, Rate("USD", Decimal("1.2"), DAY, "ECB")) == [(3, "same_key_twice", "error")]
    assert codes(first, Rate("USD", Decimal("1.2"), DAY, "manual")) == []


def test_a_data_sheet_is_one_of_its_name_in_any_case() -> None:
    assert codes(Sheet("L40S", {"vram_gb": 48.0}), Sheet("l40s", {"vram_gb": 48.0})) == [(3, "said_twice", "warning")]
    assert codes(Sheet("L40S", {"vram_gb": 48.0}), Sheet("L40S", {"vram_gb": 24.0})) == [(3, "same_key_twice", "error")]


def test_rows_of_one_item_may_each_say_a_part_of_it() -> None:
    first = price("A", "instance_hour", "1.50", item=ItemFields(label_fr="Une carte"))
    second = price("A", "instance_month", "800", item=ItemFields(label_en="One card"))
    assert codes(first, second) == []


def test_rows_of_one_item_may_not_contradict_each_other() -> None:
    first = price("A", "instance_hour", "1.50", item=ItemFields(label_fr="Une carte", gpu_count=1))
    same = price("A", "instance_month", "800", item=ItemFields(label_fr="Une carte", gpu_count=1))
    other = Item("gpu_sku", "a", ItemFields(label_fr="Deux cartes", gpu_count=2))
    found = said(first, same, other)[1]
    assert [(one.line_no, one.column, one.values["first_line"], one.values["text"]) for one in found] == [
        (4, "label_fr", 2, "Deux cartes"),
        (4, "gpu_count", 2, "2"),
    ]


def test_the_first_to_say_something_is_named_wherever_it_stands() -> None:
    silent = price("A", "instance_hour", "1.50")
    first = price("A", "instance_month", "800", item=ItemFields(gpu_count=1))
    other = price("A", "instance_hour", "1.40", mode="spot", item=ItemFields(gpu_count=2))
    (problem,) = said(silent, first, other)[1]
    assert (problem.line_no, problem.values["first_line"]) == (4, 3)


def test_names_of_an_item_add_up() -> None:
    first = Item("llm_model", "m", ItemFields(aliases=("one",)))
    assert codes(first, Item("llm_model", "m", ItemFields(aliases=("two",)))) == []


def test_problems_are_kept_up_to_a_limit_and_then_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculator.pricelist.table.PROBLEMS", 3)
    problems = Problems()
    for line in range(10, 2, -1):
        problems.add(line, "", "missing")
    found = problems.all()
    assert [problem.line_no for problem in found[:3]] == [8, 9, 10]
    assert (found[3].code, found[3].values["count"], len(found)) == ("more_problems", 5, 4)
