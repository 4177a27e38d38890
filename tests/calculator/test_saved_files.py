"""A saved estimate keeps its charts and its files: every calculator, as it was, whatever the catalogue says since."""

import csv
import io
import json
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go
import pytest
from django.http import QueryDict
from django.test import Client
from openpyxl import load_workbook

from calculator import answers, registry, saved
from calculator.models import CatalogItem, EstimateSnapshot
from calculator.tool import Answer, Calculator
from tests import factories, pagetext

pytestmark = pytest.mark.django_db
NAMES = [tool.name for tool in registry.TOOLS]
CHARTS = {"economics": 1, "inference": 4, "training": 1, "parallelism": 2, "tokens": 1}


def tool_of(name: str) -> Calculator:
    return registry.CALCULATORS[name]


def answered(name: str, query: str = "") -> Answer:
    found = answers.from_link(tool_of(name), QueryDict(query)).answer
    assert found is not None
    return found


def kept(name: str, query: str = "") -> EstimateSnapshot:
    return saved.save(tool_of(name), answered(name, query))


def page(client: Client, snapshot: EstimateSnapshot, language: str = "fr", query: str = "") -> str:
    return client.get(f"/{language}/estimates/{snapshot.slug}{query}").content.decode()


def file(client: Client, snapshot: EstimateSnapshot, suffix: str, language: str = "fr") -> Any:
    response = client.get(f"/{language}/estimates/{snapshot.slug}.{suffix}")
    assert response.status_code == 200
    return response


def csv_rows(client: Client, snapshot: EstimateSnapshot) -> list[list[str]]:
    text = file(client, snapshot, "csv").content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), delimiter=";"))


@pytest.mark.parametrize("name", NAMES)
class TestEveryCalculator:
    def test_its_charts_stand_on_the_saved_page(self, client: Client, seeded: None, name: str) -> None:
        snapshot = kept(name)
        shown = saved.opened(snapshot).charts
        assert len(shown) == CHARTS[name]
        html = page(client, snapshot)
        for number, chart in enumerate(shown, start=1):
            go.Figure(data=chart.figure["data"], layout=chart.figure["layout"])
            assert f'data-chart="data-{number}"' in html
            assert pagetext.plain(chart.title) in pagetext.words(html)
            assert "<" not in chart.title

    def test_its_files_are_linked_and_hold_the_saved_rows(self, client: Client, seeded: None, name: str) -> None:
        snapshot = kept(name)
        html = page(client, snapshot)
        for suffix in ("csv", "xlsx", "json"):
            assert f'href="/fr/estimates/{snapshot.slug}.{suffix}"' in html
        document = file(client, snapshot, "json").json()
        assert document["rows"] == snapshot.results["fr"]["rows"]
        assert "charts" not in document
        told = csv_rows(client, snapshot)
        head = told.index(["Section", "Grandeur", "Valeur", "Unité", "Origine", "Source", "Date"])
        assert len(told) - head - 1 == len(document["rows"])
        sheet = load_workbook(io.BytesIO(file(client, snapshot, "xlsx").content)).active
        assert sheet is not None and sheet.max_row == len(told)

    def test_numbers_of_the_files_are_the_saved_ones(self, client: Client, seeded: None, name: str) -> None:
        snapshot = kept(name)
        rows = [row for row in snapshot.results["fr"]["rows"] if row["is_number"]]
        written = {(row[0], row[1]): row[2] for row in csv_rows(client, snapshot) if len(row) == 7}
        first = rows[0]
        assert Decimal(written[first["section"], first["label"]].replace(",", ".")) == Decimal(first["value"])

    def test_english_has_its_own(self, client: Client, seeded: None, name: str) -> None:
        snapshot = kept(name)
        document = file(client, snapshot, "json", "en").json()
        assert document["answer"]["sentence"] == snapshot.results["en"]["answer"]["sentence"]
        assert [item["name"] for item in snapshot.results["en"]["charts"]] == [
            item["name"] for item in snapshot.results["fr"]["charts"]
        ]


def test_a_new_price_changes_neither_chart_nor_file(client: Client, seeded: None) -> None:
    """Saved at today's list; a later list moves the page of today, never what was saved."""
    snapshot = kept("economics")
    charts, rows = saved.opened(snapshot).charts, csv_rows(client, snapshot)
    item = CatalogItem.objects.get(code="GPU-PRO")
    factories.make_price(item, "instance_month", "415.32", catalog_version=factories.make_version())
    again = saved.find(snapshot.slug)
    assert again is not None
    assert saved.opened(again).charts == charts
    assert csv_rows(client, again) == rows
    assert saved.recalculated(again).charts == charts


def test_a_file_says_when_it_was_saved_and_where_it_stands(client: Client, seeded: None) -> None:
    snapshot = kept("economics")
    told = dict(row for row in csv_rows(client, snapshot) if len(row) == 2)
    assert told["Liste de prix"] == str(snapshot.catalog_version_id)
    assert told["Lien"] == f"http://testserver/fr/estimates/{snapshot.slug}"
    assert "Enregistrée le" in told
    name = file(client, snapshot, "csv").headers["Content-Disposition"]
    assert name.startswith('attachment; filename="vmcloud-economics-')


def test_one_saved_before_charts_were_kept_opens_without(client: Client, seeded: None) -> None:
    snapshot = kept("economics")
    for document in snapshot.results.values():
        del document["charts"]
    snapshot.save()
    html = page(client, snapshot)
    assert "data-chart" not in html
    assert "js/charts.js" not in html


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json"])
def test_no_file_of_what_is_not_saved(client: Client, seeded: None, suffix: str) -> None:
    assert client.get(f"/fr/estimates/nothing.{suffix}").status_code == 404


def test_the_page_keeps_its_charts_beside_todays(client: Client, seeded: None) -> None:
    snapshot = kept("tokens")
    assert 'data-chart="data-1"' in page(client, snapshot, query="?recalculate=1")
    assert json.loads(json.dumps(snapshot.results["fr"]["charts"])) == snapshot.results["fr"]["charts"]
