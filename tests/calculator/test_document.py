"""Domain objects as data: decimals as strings, unknown as null, codes for offers, nothing rounded."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from calculator import jsonable
from calculator.domain.offers import ApiModel, Basis, Sku
from calculator.domain.provenance import Kind, Sourced, Step, Term
from calculator.domain.scenario import Interval, Message, Verdict
from calculator.presenters import Row


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        ("text", "text"),
        (Decimal("8.3064"), "8.3064"),
        (Decimal("1E+8"), "100000000"),
        (Decimal("0.10"), "0.1"),
        (64.0, "64"),
        (0.1, "0.1"),
        (Basis.HOUR, "hour"),
        (Verdict.EQUIVALENT, "equivalent"),
        (dt.date(2026, 10, 30), "2026-10-30"),
        (dt.datetime(2026, 10, 30, 12, tzinfo=dt.UTC), "2026-10-30T12:00:00+00:00"),
        (Sku("GPU-PRO", "x", "RTX 4090", 1, 24.0), "GPU-PRO"),
        (ApiModel("gpt-5.4", "x", "OpenAI", {}), "gpt-5.4"),
        ({Basis.MONTH: Decimal(1)}, {"month": "1"}),
        ((Decimal(1), None), ["1", None]),
        (Interval(Decimal("61866000"), None), {"start_tokens": "61866000", "end_tokens": None}),
        (
            Message("no_rate", {"at": dt.date(2026, 1, 2)}),
            {"code": "no_rate", "values": {"at": "2026-01-02"}, "field": ""},
        ),
    ],
)
def test_values_become_data(value: Any, expected: Any) -> None:
    assert jsonable.data(value) == expected


def test_a_sourced_number_keeps_its_origin() -> None:
    item = Sourced(Decimal("1.1172"), "USD/EUR", Kind.PUBLISHED, "usd_per_eur", "ECB", dt.date(2026, 10, 30))
    assert jsonable.sourced_data("fx", item) == {
        "name": "fx",
        "value": "1.1172",
        "unit": "USD/EUR",
        "kind": "published",
        "source": "ECB",
        "note": "",
        "exception": "",
        "date": "2026-10-30",
        "replaces_catalogue": False,
    }


def test_a_step_tells_its_terms_and_its_weakest_origin() -> None:
    price = Sourced(Decimal("830.64"), "EUR", Kind.LIST_PRICE, "sku_price_month")
    use = Sourced(Decimal("0.65"), "", Kind.ASSUMPTION, "utilisation")
    found = jsonable.step_data(Step("full_price", (Term("P", price), Term("u", use)), Decimal("7.7"), "EUR/Mtok"))
    assert (found["code"], found["result"], found["unit"], found["trust"]) == (
        "full_price",
        "7.7",
        "EUR/Mtok",
        "assumption",
    )
    assert [(term["symbol"], term["value"], term["kind"]) for term in found["terms"]] == [
        ("P", "830.64", "list_price"),
        ("u", "0.65", "assumption"),
    ]


@pytest.mark.parametrize(
    ("value", "data", "is_number"), [(Decimal("2.50"), "2.5", True), ("jamais", "jamais", False), (None, None, False)]
)
def test_a_row_tells_a_number_from_a_word(value: Any, data: Any, is_number: bool) -> None:
    found = jsonable.row_data(Row("s", "l", value, "€", "", "", dt.date(2026, 1, 2)))
    assert (found["value"], found["is_number"], found["date"]) == (data, is_number, "2026-01-02")
