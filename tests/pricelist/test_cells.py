"""One row's cells by column: each asks for one type, and what is wrong is named with header, line and cell."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from calculator.pricelist.cells import CellError, Cells, day_of, instant_of, link_of, midnight, shown
from calculator.pricelist.contract import FileFormat, Severity
from calculator.pricelist.table import Cell, Problems, Table


def cells(cell: Cell, *, mark: str = ".", names: bool = False) -> Cells:
    """A row whose only cell, under “Valeur”, is that of the column `value`."""
    table = Table(FileFormat.CSV, (" Valeur ",), lambda _problems: iter(()), cell_names=names)
    row = Cells(table, ("value",), mark, Problems())
    row.at(7, [cell])
    return row


def noted(row: Cells) -> list[str]:
    return [problem.code for problem in row.problems.all()]


def test_a_problem_has_the_files_own_header_and_line() -> None:
    row = cells("x")
    row.number("value")
    (problem,) = row.problems.all()
    assert (problem.line_no, problem.column, problem.severity) == (7, "Valeur", Severity.ERROR)
    assert row.bad
    assert "cell" not in problem.values


def test_a_problem_of_a_workbook_has_its_cell_too() -> None:
    row = cells("x", names=True)
    row.number("value")
    assert row.problems.all()[0].values["cell"] == "A7"


def test_a_column_that_the_file_lacks_is_named_as_we_name_it() -> None:
    row = cells("x")
    row.wrong("amount", "missing")
    assert row.problems.all()[0].column == "amount"


def test_a_warning_leaves_the_row_good() -> None:
    row = cells("x")
    row.warn("value", "missing")
    assert not row.bad
    assert row.problems.all()[0].severity is Severity.WARNING


def test_another_row_begins_good() -> None:
    row = cells("x")
    row.number("value")
    row.at(8, ["1"])
    assert not row.bad
    assert row.number("value") == 1


@pytest.mark.parametrize(
    ("ask", "nothing"),
    [("text", ""), ("number", None), ("whole", None), ("day", None), ("instant", None), ("flag", None), ("link", "")],
)
@pytest.mark.parametrize("column", ["value", "absent"])
def test_a_blank_cell_and_an_absent_column_say_nothing(ask: str, nothing: Any, column: str) -> None:
    row = cells("")
    limit = (80,) if ask in ("text", "link") else ()
    assert getattr(row, ask)(column, *limit) == nothing
    assert noted(row) == []


@pytest.mark.parametrize("cell", [Decimal(17), True, dt.date(2026, 12, 1)])
def test_p07_only_text_is_text(cell: Cell) -> None:
    row = cells(cell)
    assert row.text("value", 80) == ""
    assert noted(row) == ["number_for_text"]


def test_a_text_has_a_limit_of_its_column_and_of_every_cell() -> None:
    assert cells("a" * 80).text("value", 80) == "a" * 80
    row = cells("a" * 81)
    row.text("value", 80)
    assert noted(row) == ["text_too_long"]
    long = cells("a" * 4_001)
    long.text("value", 10_000)
    assert noted(long) == ["text_too_long"]


@pytest.mark.parametrize("text", ["a\ufffdb", "a\x07b", "a\u202eb", "a\u2028b", "a\x80b"])
def test_lost_and_invisible_characters_are_an_error(text: str) -> None:
    row = cells(text)
    assert row.text("value", 80) == ""
    assert noted(row) == ["characters_lost"]


@pytest.mark.parametrize("text", ["Carte dédiée", "a\nb", "a\tb", "1 234,5 €", "日本", "L’été\u00a0: 1 €"])
def test_every_visible_character_is_kept(text: str) -> None:
    assert cells(text).text("value", 80) == text


def test_a_needed_text_that_is_blank_is_missing() -> None:
    row = cells("")
    row.needed("value", 80)
    assert noted(row) == ["missing"]
    wrong = cells(Decimal(1))
    wrong.needed("value", 80)
    assert noted(wrong) == ["number_for_text"]


def test_a_choice_is_taken_in_any_case_and_written_as_ours() -> None:
    assert cells("eur").choice("value", ("EUR", "USD"), "") == "EUR"
    assert cells("USD").choice("value", ("EUR", "USD"), "") == "USD"
    assert cells("").choice("value", ("EUR", "USD"), "EUR") == "EUR"


@pytest.mark.parametrize("cell", ["GBP", Decimal(1), True])
def test_another_word_is_an_error_that_lists_what_is_accepted(cell: Cell) -> None:
    row = cells(cell)
    row.choice("value", ("USD", "EUR"), "")
    (problem,) = row.problems.all()
    assert (problem.code, problem.values["allowed"]) == ("not_one_of", ("EUR", "USD"))


@pytest.mark.parametrize("cell", [Decimal("1.5"), "1.5", "€1.5", "1.5 EUR"])
def test_a_number_is_read_from_a_number_or_a_text(cell: Cell) -> None:
    assert cells(cell).number("value", "EUR") == Decimal("1.5")


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        (True, "not_a_number"),
        (dt.date(2026, 5, 1), "not_a_number"),
        (Decimal(-1), "negative_number"),
        (Decimal("-0"), "negative_number"),
        (Decimal("NaN"), "not_finite"),
        (Decimal("Infinity"), "not_finite"),
        (Decimal("1E+40"), "out_of_range"),
        ("$1.5", "currency_sign_differs"),
        ("£1.5", "currency_sign_unknown"),
        ("1,5", "wrong_mark"),
        ("many", "not_a_number"),
    ],
)
def test_what_is_no_price_is_named(cell: Cell, code: str) -> None:
    row = cells(cell)
    assert row.number("value", "EUR") is None
    assert noted(row) == [code]


@pytest.mark.parametrize(
    ("cell", "value"), [("12", 12), ("272 000", 272_000), ("1\u202f000\u202f000", 10**6), (Decimal(12), 12)]
)
def test_a_whole_number_may_have_spaces_between_groups(cell: Cell, value: int) -> None:
    assert cells(cell).whole("value") == value


@pytest.mark.parametrize(
    "cell",
    ["1.5", "272,000", "272.000", "-1", "1 23", "2147483648", "x", Decimal("1.5"), Decimal(-1), Decimal("1E+30"), True],
)
def test_anything_else_is_not_whole(cell: Cell) -> None:
    row = cells(cell)
    assert row.whole("value") is None
    assert noted(row) == ["not_whole"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-01", "2026-11-30T23:00:00+00:00"),
        ("2026-07-01", "2026-06-30T22:00:00+00:00"),
        ("2026-12-01T08:00Z", "2026-12-01T08:00:00+00:00"),
        ("2026-12-01T08:00:30+01:00", "2026-12-01T07:00:30+00:00"),
        ("2026-12-01 08:00-05:00", "2026-12-01T13:00:00+00:00"),
    ],
)
def test_p29_an_instant_is_a_day_in_paris_or_carries_its_offset(text: str, moment: str) -> None:
    assert instant_of(text).isoformat() == moment


@pytest.mark.parametrize("day", [dt.date(2026, 3, 29), dt.date(2026, 10, 25)])
def test_p29_the_days_on_which_the_clock_changes_begin_at_midnight_too(day: dt.date) -> None:
    """On 29 March Paris is still at +1 at midnight, on 25 October still at +2."""
    hours = {3: 23, 10: 22}[day.month]
    assert midnight(day) == dt.datetime.combine(day - dt.timedelta(days=1), dt.time(hours), dt.UTC)


@pytest.mark.parametrize(
    "text", ["2026-1-1", "20261201", "01/12/2026", "2026-12-01T08:00", "2026-13-01", "2026-12-32", "1998-12-31"]
)
def test_p29_any_other_instant_is_an_error(text: str) -> None:
    with pytest.raises(CellError):
        instant_of(text)


@pytest.mark.parametrize("text", ["2026-12-01T00:00Z", "hier", "2026-02-29", "2100-01-01"])
def test_a_day_is_a_day(text: str) -> None:
    with pytest.raises(CellError):
        day_of(text)
    assert day_of("2028-02-29") == dt.date(2028, 2, 29)


def test_a_day_of_a_workbook_is_a_day_and_a_time_of_day_is_none() -> None:
    assert cells(dt.date(2026, 12, 1)).day("value") == dt.date(2026, 12, 1)
    row = cells(dt.datetime(2026, 12, 1, 8))  # noqa: DTZ001
    assert row.day("value") is None
    assert noted(row) == ["not_a_day"]


@pytest.mark.parametrize("cell", [Decimal(46_000), True])
def test_a_number_is_neither_a_day_nor_an_instant(cell: Cell) -> None:
    row = cells(cell)
    assert (row.day("value"), row.instant("value")) == (None, None)
    assert noted(row) == ["not_a_day", "not_an_instant"]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("true", True), ("FALSE", False), ("oui", True), ("non", False), ("1", True), (Decimal(0), False), (True, True)],
)
def test_yes_and_no_in_both_languages(cell: Cell, value: bool) -> None:
    assert cells(cell).flag("value") is value


@pytest.mark.parametrize("cell", ["vrai ?", "2", Decimal(2), dt.date(2026, 1, 1)])
def test_anything_else_is_neither(cell: Cell) -> None:
    row = cells(cell)
    assert row.flag("value") is None
    assert noted(row) == ["not_a_flag"]


@pytest.mark.parametrize("text", ["https://example.org/prices?a=1#b", "http://intranet/"])
def test_a_web_address_is_taken(text: str) -> None:
    assert link_of(text) == text


@pytest.mark.parametrize(
    "text", ["javascript:alert(1)", "data:text/html,x", "//example.org", "https://", "http://[", "ftp://x.y"]
)
def test_nothing_that_could_run_is_an_address(text: str) -> None:
    with pytest.raises(CellError):
        link_of(text)


def test_a_cell_is_quoted_short_and_without_what_cannot_be_seen() -> None:
    assert shown("a" * 100) == "a" * 60
    assert shown("a\x00\u202eb") == "a\ufffd\ufffdb"
    assert shown(dt.date(2026, 12, 1)) == "2026-12-01"
    assert shown(Decimal("1.50")) == "1.50"
