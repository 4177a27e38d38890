"""The figure of a price over time: steps at the recorded instants, gaps where nothing was sold, valid for plotly."""

import datetime as dt
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go
import pytest
from django.test import Client
from django.utils import translation

from calculator.charts.pricehistory import price_histories, price_history
from calculator.ledger import PricePoint
from tests import pagetext

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def point(start: str, amount: str | None, component: str = "output", **more: Any) -> PricePoint:
    """A price from noon of a day on, Paris time (UTC + 1 in winter)."""
    values: dict[str, Any] = {
        "component": component,
        "mode": "standard",
        "context_over_tokens": 0,
        "currency": "USD",
        "unit": "mtok",
        "amount": None if amount is None else Decimal(amount),
        "is_free": False,
        "valid_from": dt.datetime.fromisoformat(f"{start}T11:00:00+00:00"),
        "valid_until": None,
        "in_force": True,
        "version": 1,
        "source_url": "",
        "checked_on": dt.date(2026, 11, 30),
        "note": "",
    }
    return PricePoint(**{**values, **more})


TWO = (point("2026-02-01", "4.60"), point("2026-01-01", "7.50"))


def test_a_line_steps_at_each_start_and_goes_on_past_today() -> None:
    plot = price_history(TWO, NOW)
    assert plot is not None
    (line,) = plot.figure["data"]
    assert line["x"] == ["2026-01-01 12:00", "2026-02-01 12:00", "2026-12-30 13:00"]
    assert line["y"] == [7.5, 4.6, 4.6]
    assert line["line"]["shape"] == "hv"


def test_the_heading_is_what_happened() -> None:
    one, two, none = (
        price_history(TWO, NOW),
        price_history((*TWO, point("2026-03-01", "5")), NOW),
        price_history(TWO[1:], NOW),
    )
    assert one is not None and two is not None and none is not None
    assert one.title == "Un changement depuis le 01/01/2026"
    assert two.title == "2 changements depuis le 01/01/2026"
    assert none.title == "Aucun changement depuis le 01/01/2026"
    assert one.subtitle == "$ par 1M tokens"


def test_a_withdrawal_is_a_gap_and_free_is_zero() -> None:
    plot = price_history((*TWO, point("2026-03-01", None), point("2026-04-01", "0", is_free=True)), NOW)
    assert plot is not None
    assert plot.figure["data"][0]["y"] == [7.5, 4.6, None, 0.0, 0.0]


def test_an_announced_price_is_inside_the_picture() -> None:
    plot = price_history((*TWO, point("2027-06-01", "5")), NOW)
    assert plot is not None
    assert plot.figure["layout"]["xaxis"]["range"][1] == "2027-07-01 13:00"


def test_other_service_levels_tiers_and_currencies_are_left_to_the_table() -> None:
    others = (
        point("2026-01-01", "1", mode="batch"),
        point("2026-01-01", "9", context_over_tokens=272_000),
        point("2026-01-01", "8", currency="EUR"),
    )
    plot = price_history((*TWO, *others), NOW)
    assert plot is not None
    assert [line["y"][0] for line in plot.figure["data"]] == [7.5]


def test_nothing_priced_draws_nothing() -> None:
    assert price_history((), NOW) is None
    assert price_history((point("2026-01-01", None),), NOW) is None


def test_names_of_lines_that_end_together_do_not_lie_on_one_another() -> None:
    plot = price_history((point("2026-01-01", "5.0"), point("2026-01-01", "5.0", "input")), NOW)
    assert plot is not None
    _today, *names = plot.figure["layout"]["annotations"]
    first, second = sorted(note["y"] for note in names)
    # 6 % of the axis, which ends 12 % above the highest price: 5 × 1.12 × 0.06.
    assert second - first == pytest.approx(0.336)


def test_the_hour_and_the_month_of_a_machine_have_an_axis_each() -> None:
    hour = point("2026-01-01", "1.50", "instance_hour", mode="on_demand", unit="instance_hour", currency="EUR")
    month = point("2026-01-01", "830.64", "instance_month", mode="reserved", unit="instance_month", currency="EUR")
    first, second = price_histories((hour, month), NOW)
    # 12 % above the highest price: 1.50 × 1.12 and 830.64 × 1.12.
    assert first.figure["layout"]["yaxis"]["range"][1] == pytest.approx(1.68)
    assert second.figure["layout"]["yaxis"]["range"][1] == pytest.approx(930.3168)
    assert (first.subtitle, second.subtitle) == ("€ instance, à l’heure", "€ instance, au mois")
    assert price_histories((), NOW) == ()


def test_a_short_history_counts_days_and_a_long_one_months() -> None:
    short, long = price_history((point("2026-11-01", "1"),), NOW), price_history((point("2026-01-01", "1"),), NOW)
    assert short is not None and long is not None
    assert short.figure["layout"]["xaxis"]["tickformat"] == "%d/%m/%Y"
    assert long.figure["layout"]["xaxis"]["tickformat"] == "%m/%Y"


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_figure_is_valid_for_plotly(language: str) -> None:
    with translation.override(language):
        plot = price_history((*TWO, point("2026-03-01", None, "input"), point("2026-01-01", "2.50", "input")), NOW)
    assert plot is not None
    go.Figure(plot.figure)


@pytest.mark.usefixtures("noon", "seeded")
def test_the_page_of_an_item_shows_the_chart_with_its_data_beside_it(client: Client) -> None:
    page = client.get("/fr/prices/api/gpt-5.4/").content.decode()
    assert 'id="plot-data-1"' in page and "charts.js" in page
    assert "changement" in pagetext.words(page)


@pytest.mark.parametrize(("start", "leans"), [("2026-11-30", "left"), ("2026-11-20", "left"), ("2026-01-01", "right")])
def test_todays_label_leans_to_where_the_figure_has_room(start: str, leans: str) -> None:
    """The figure ends a month after today: a price of last week puts today near its left edge."""
    plot = price_history([point(start, "7.50")], NOW)
    assert plot is not None
    assert plot.figure["layout"]["annotations"][0]["xanchor"] == leans
