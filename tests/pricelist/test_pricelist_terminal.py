"""A compared file in a terminal and as JSON: the same facts, worded in both languages, decimals as text."""

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.presenters import pricelist_terminal as words
from calculator.pricelist.contract import LineProblem, Rate, Severity
from calculator.pricelist.guards import Guard, Level
from calculator.pricelist.plan import Diff, Entry, PlannedRate, Verdict
from tests.pricelist.linefactory import file, price

AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
WRITTEN = (PlannedRate(Rate("USD", Decimal("1.1172"), dt.date(2026, 10, 30), "ECB")),)
CHANGE = Entry(
    2, "raw", Verdict.CHANGED, item="GPU-PRO", component="instance_hour", mode="on_demand", currency="EUR",
    unit="instance_hour", old=Decimal("1.50"), new=Decimal("1.55"), percent=3.3333, writes=WRITTEN,
)  # fmt: skip
TIER = Entry(
    3, "raw", Verdict.NEW, item="gpt-5.4", component="output", mode="standard", context_over=272_000, currency="USD",
    unit="mtok", new=Decimal("22.5"), valid_from=dt.datetime(2027, 1, 3, 23, tzinfo=dt.UTC), writes=WRITTEN,
)  # fmt: skip
RATE = Entry(
    4, "raw", Verdict.CHANGED, item="USD", component="rate", old=Decimal("1.1"), new=Decimal("1.12"), writes=WRITTEN,
    valid_from=dt.datetime(2026, 10, 30, tzinfo=dt.UTC),
)  # fmt: skip
ITEM = Entry(5, "raw", Verdict.CHANGED, item="GPU-PRO", component="item", before="One", after="Two", writes=WRITTEN)
SAME = Entry(6, "raw", Verdict.UNCHANGED, item="GPU-TITAN", component="instance_hour")
EIGHT = Decimal(8)
ROUTER = Entry(8, "raw", Verdict.CHANGED, item="openrouter/auto", component="output", mode="standard", currency="USD")
VARIES = replace(ROUTER, old=EIGHT, old_kind="price", new_kind="variable")
KNOWN = replace(ROUTER, line_no=9, new=EIGHT, old_kind="variable", new_kind="price")
FREE = replace(ROUTER, line_no=10, old=EIGHT, new=Decimal(0), old_kind="price", new_kind="free")
GONE = replace(ROUTER, line_no=11, verdict=Verdict.WITHDRAWN, old_kind="variable", new_kind="withdrawn")
GUARD = Guard(2, "changes_over_fifth", Level.WARN, {"percent": 25.0})
PROBLEM = LineProblem(7, "amount", "not_a_number", {"text": "abc"}, Severity.ERROR)
COUNTS = {"new": 1, "changed": 3, "unchanged": 1}


def diff(*problems: LineProblem) -> Diff:
    return Diff(4, "public", AT, (CHANGE, TIER, RATE, ITEM, SAME), problems, "digest", COUNTS)


def shown(language: str = "en", *problems: LineProblem) -> list[str]:
    with translation.override(language):
        return list(words.lines(file(price("GPU-PRO", "instance_hour", "1.55")), diff(*problems), (GUARD,)))


def test_how_the_file_was_read_and_what_it_holds_come_first() -> None:
    assert shown()[:2] == [
        "gpu · csv · utf-8 · ; · decimal comma",
        "new 1, changed 3, withdrawn 0, unchanged 1, error 0",
    ]
    assert shown("fr")[0].endswith("virgule décimale")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (CHANGE, "     2  changed  GPU-PRO instance, by the hour on demand  €1.50 → €1.55 (+3.3%)"),
        (TIER, "     3  new  gpt-5.4 output standard > 272,000  – → $22.50, 4 Jan 2027 00:00 (Paris)"),
        (RATE, "     4  changed  USD rate  1.1 USD → 1.12 USD, 30 Oct 2026"),
        (ITEM, "     5  changed  GPU-PRO item  One → Two"),
        (VARIES, "     8  changed  openrouter/auto output standard  $8.00 → price varies"),
        (KNOWN, "     9  changed  openrouter/auto output standard  price varies → $8.00"),
        (FREE, "    10  changed  openrouter/auto output standard  $8.00 → free"),
        (GONE, "    11  withdrawn  openrouter/auto output standard  price varies → withdrawn"),
    ],
)
def test_each_change_is_one_line(entry: Entry, said: str) -> None:
    with translation.override("en"):
        assert words.change(entry) == said


def test_what_does_not_change_is_counted_and_not_listed() -> None:
    assert not [line for line in shown() if "GPU-TITAN" in line]


def test_what_is_odd_and_what_is_wrong_follow_with_their_lines() -> None:
    *_rest, odd, wrong = shown("en", PROBLEM)
    assert odd.startswith("to be checked, line 2: ")
    assert "+25" in odd
    assert wrong == "Line 7, column “amount”: “abc” is not a number."
    assert shown("fr", PROBLEM)[-1].startswith("Ligne 7, colonne «\u00a0amount\u00a0»\u00a0: ")


def test_json_holds_the_same_with_decimals_as_text() -> None:
    with translation.override("en"):
        found = words.document(file(price("GPU-PRO", "instance_hour", "1.55")), diff(PROBLEM), (GUARD,))
    assert json.loads(json.dumps(found)) == found
    assert (found["base_version"], found["rows"], found["counts"]["changed"], found["counts"]["withdrawn"]) == (
        4,
        1,
        3,
        0,
    )
    change, tier = found["changes"][0], found["changes"][1]
    assert (change["old"], change["new"], change["line"], change["verdict"]) == ("1.5", "1.55", 2, "changed")
    assert (tier["old"], tier["context_over_tokens"], tier["valid_from"]) == (
        None,
        272_000,
        "2027-01-03T23:00:00+00:00",
    )
    assert found["guards"][0]["level"] == "warn"
    assert found["problems"] == [
        {
            "line": 7,
            "column": "amount",
            "code": "not_a_number",
            "severity": "error",
            "message": "Line 7, column “amount”: “abc” is not a number.",
        }
    ]


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("code", list(words.OUTCOMES))
def test_every_outcome_has_a_sentence(code: str, language: str) -> None:
    with translation.override(language):
        said = words.outcome(code, upload=3, version=2)
    assert said
    assert "%(" not in said


def test_a_file_without_a_mark_or_delimiter_says_less() -> None:
    plain = replace(file(), delimiter="", decimal_mark="", encoding="")
    assert words.read_as(plain) == "gpu · csv"
    assert "TAB" in words.read_as(replace(file(), delimiter="\t"))
