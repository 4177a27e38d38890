"""Files of an answer: the same numbers as the page, unrounded, in the reader's notation, and never a formula."""

import csv
import io
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import translation
from openpyxl import load_workbook

from calculator import answers, charts, document, exports, formats
from calculator.presenters import Row, page
from calculator.tool import Answer
from calculator.tools.economics import TOOL

pytestmark = pytest.mark.django_db
QUERY = "at=2026-11-30T12:00:00Z&volume=300000000"
NARROW = "\u202f"


def answer(query: str = QUERY) -> Answer:
    found = answers.from_link(TOOL, QueryDict(query)).answer
    assert found is not None
    return found


def csv_lines(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix(exports.BYTE_ORDER_MARK)), delimiter=delimiter))


def value_in(lines: list[list[str]], section: str, label: str) -> str:
    return next(line[2] for line in lines if line[:2] == [section, label])


@pytest.mark.parametrize("label", ["=1+1", "+33", "@x", "\t=1", "-2+3+cmd|x", "'quoted"])
def test_p24_text_that_a_spreadsheet_would_run_is_neutralised_and_comes_back(label: str) -> None:
    assert exports.guarded(label) == f"'{label}"
    assert exports.restored(exports.guarded(label)) == label


@pytest.mark.parametrize("label", ["GPU-PRO", "10 M tokens", "€ HT", ""])
def test_p24_harmless_text_is_left_alone(label: str) -> None:
    assert exports.guarded(label) == label


@pytest.mark.parametrize(("language", "text"), [("fr", "-1250,5"), ("en", "-1250.5")])
def test_p24_a_negative_number_stays_a_number(language: str, text: str) -> None:
    cell = exports.cells(Row("s", "delta", Decimal("-1250.50"), "€"))[2]
    assert exports.csv_cell(cell, language == "fr") == text


def test_csv_in_french_has_semicolons_and_decimal_commas(seeded: None) -> None:
    with translation.override("fr"):
        text = exports.csv_text(TOOL, answer(), "https://calc.example/fr/economics?v=1")
    lines = csv_lines(text, ";")
    head = dict(line for line in lines if len(line) == 2)
    assert head["Lien"] == "https://calc.example/fr/economics?v=1"
    assert head["Liste de prix"] == "1"
    assert head["Prix du"] == "30/11/2026 13:00"
    assert value_in(lines, "GPU-PRO, au mois", "Total HT") == "2491,92"  # 3 × 830.64
    assert text.startswith("\ufeff")
    assert all(len(line) in {0, 2, 7} for line in lines)


def test_csv_in_english_has_commas_and_decimal_dots(seeded: None) -> None:
    with translation.override("en"):
        lines = csv_lines(exports.csv_text(TOOL, answer(), "https://calc.example"), ",")
    amounts = [line[2] for line in lines if len(line) == 7]
    assert "2491.92" in amounts
    assert not [amount for amount in amounts if re.fullmatch(r"-?\d+,\d+", amount)]


def test_csv_numbers_are_raw_without_groups_or_rounding(seeded: None) -> None:
    with translation.override("fr"):
        lines = csv_lines(exports.csv_text(TOOL, answer("volume=100000000"), ""), ";")
    assert value_in(lines, "GPU-PRO, au mois", "Capacité prévue d’un GPU") == "107827200"
    # 830.64 ÷ 107.8272 M
    assert value_in(lines, "GPU-PRO, au mois", "Coût par million à pleine capacité prévue").startswith("7,7034366")


def test_what_is_unknown_is_a_word_and_never_zero(seeded: None) -> None:
    with translation.override("fr"):
        lines = csv_lines(exports.csv_text(TOOL, answer("sku=GPU-SUPERCOMPUTE"), ""), ";")
    assert value_in(lines, "GPU-SUPERCOMPUTE, au mois", "Total HT") == "inconnu"
    assert value_in(lines, "GPU-SUPERCOMPUTE, au mois", "Prix") == "inconnu"


def test_workbook_numbers_are_numbers_and_text_is_no_formula(seeded: None) -> None:
    with translation.override("fr"):
        book = load_workbook(io.BytesIO(exports.workbook(TOOL, answer(), "=HYPERLINK(1)")))
    cells = [cell for row in book.active.iter_rows() for cell in row]
    assert next(cell for cell in cells if cell.value == "=HYPERLINK(1)").data_type == "s"
    totals = [row[2] for row in book.active.iter_rows() if row[1].value == "Total HT"]
    assert totals[1].value == pytest.approx(2491.92)
    assert {cell.data_type for cell in totals} == {"n"}
    assert not [cell for cell in cells if cell.data_type == "f"]


def test_json_holds_all_four_prices_of_a_million_unrounded(seeded: None) -> None:
    found = document.document(TOOL, answer("volume=100000000"), "link")
    month, hour = found["eur_per_mtok"]["month"], found["eur_per_mtok"]["hour"]
    assert month["at_volume"] == "8.3064"
    assert Decimal(month["full_use"]) == pytest.approx(Decimal("7.7034366"), abs=Decimal("1e-7"))
    assert hour["at_volume"] == "10.8"
    assert Decimal(hour["full_use"]) == pytest.approx(Decimal("10.0160256"), abs=Decimal("1e-7"))


def test_json_holds_every_input_with_kind_source_and_date(seeded: None) -> None:
    found = {item["name"]: item for item in document.document(TOOL, answer(), "link")["inputs"]}
    rate = found["usd_per_eur"]
    assert (rate["value"], rate["kind"], rate["source"], rate["date"]) == ("1.1172", "list_price", "ECB", "2026-10-30")
    assert found["price_month"]["value"] == "830.64"
    assert found["price_month"]["kind"] == "list_price"
    assert found["utilisation"]["kind"] == "assumption"
    assert found["volume"]["kind"] == "input"
    assert found["gpt-5.4 standard output over 0"]["value"] == "15"
    assert all(item["kind"] for item in found.values())


def test_json_numbers_are_strings_or_whole(seeded: None) -> None:
    def floats(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [found for item in value.values() for found in floats(item)]
        if isinstance(value, list):
            return [found for item in value for found in floats(item)]
        return [value] if isinstance(value, float) else []

    assert floats(json.loads(json.dumps(document.document(TOOL, answer(), "link")))) == []


def test_json_has_the_steps_with_the_visitor_s_numbers_and_their_trust(seeded: None) -> None:
    steps = {step["code"]: step for step in document.document(TOOL, answer("volume=100000000"), "link")["steps"]}
    capacity = steps["capacity"]
    assert capacity["result"] == "107827200"
    assert {term["symbol"]: term["value"] for term in capacity["terms"]} == {"d": "64", "h": "720", "u": "0.65"}
    assert capacity["trust"] == "assumption"
    assert document.document(TOOL, answer(), "link")["warnings"]


def test_page_chart_csv_and_json_say_the_same(seeded: None) -> None:
    """One estimate, read in four places: every API's month, the GPU's month, and the price of a million."""
    with translation.override("fr"):
        found = answer()
        lines = csv_lines(exports.csv_text(TOOL, found, ""), ";")
        data = document.document(TOOL, found, "")
        shown = {offer.name: offer for offer in page.economics(found.estimate).offers.rows}
        for api in data["apis"]:
            eur = Decimal(api["bill"]["eur"])
            raw = value_in(lines, f"{api['label']}, standard", "Total HT")
            assert Decimal(raw.replace(",", ".")) == eur
            assert shown[api["label"]].month == formats.money(eur)
        gpu = Decimal(data["gpu"]["month"]["total_eur"])
        assert gpu == Decimal("2491.92")
        assert shown["3\u00a0× GPU-PRO"].month == f"2{NARROW}491,92\u00a0€"
        per_mtok = Decimal(data["eur_per_mtok"]["month"]["at_volume"])
        assert shown["3\u00a0× GPU-PRO"].per_mtok == formats.number(per_mtok, 2)
        assert_chart_agrees(charts.break_even(found.estimate), data)


def assert_chart_agrees(chart: charts.Chart | None, data: dict[str, Any]) -> None:
    assert chart is not None
    own = next(point for point in chart.points if point.label == "votre volume")
    reference = next(api for api in data["apis"] if api["code"] == "gpt-5.4")
    assert own.gpu == formats.money(Decimal(data["gpu"]["month"]["total_eur"]))
    assert own.api == formats.money(Decimal(reference["bill"]["eur"]))


def test_the_same_query_gives_each_file_at_the_page_s_path(client: Client, seeded: None) -> None:
    csv_file = client.get(f"/fr/economics.csv?{QUERY}")
    assert csv_file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert csv_file.headers["Content-Disposition"] == 'attachment; filename="vmcloud-GPU-PRO-300000000-20261130.csv"'
    xlsx = client.get(f"/en/economics.xlsx?{QUERY}")
    assert load_workbook(io.BytesIO(xlsx.content)).active.title == "Token economics"
    data = client.get(f"/fr/economics.json?{QUERY}").json()
    assert data["permalink"].startswith("http://testserver/fr/economics?v=1&")
    assert data["scenario"]["volume"] == "300000000"
    assert data["defaults"]["util"] == "0.65"
    assert "volume" not in data["defaults"]


def test_what_the_page_notices_stands_in_the_files_too(client: Client, seeded: None) -> None:
    query = f"{QUERY}&colour=red"
    assert "colour" in client.get(f"/fr/economics.json?{query}").json()["notices"][0]["text"]
    assert "colour" in client.get(f"/fr/economics.csv?{query}").content.decode().split("Section;")[0]


def test_json_tables_hold_the_published_matrix(seeded: None) -> None:
    found = document.document(TOOL, answer("volume=100000000"), "link")
    rows = {row["volume_tokens"]: row for row in found["volumes"]}
    assert rows["300000000"]["gpu"]["total_eur"] == "2491.92"
    assert rows["300000000"]["gpu"]["instances"] == 3
    assert rows["100000000"]["is_current"] is True
    assert {cell["api"]: cell["verdict"] for cell in rows["100000000"]["apis"]}["gpt-5.4"] == "gpu"
    overview = {(row["sku"], row["basis"]): row for row in found["overview"]}
    assert overview["GPU-STARTER", "hour"]["total_eur"] == "1836"  # 3 × 720 h × 0.85
    assert overview["GPU-SUPERCOMPUTE", "month"]["price"] is None


def test_a_query_without_an_answer_gives_no_file(client: Client, seeded: None) -> None:
    refused = client.get("/fr/economics.json?volume=abc")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["key"] == "volume"
    sent_back = client.get("/fr/economics.csv?volume=abc")
    assert (sent_back.status_code, sent_back.headers["Location"]) == (302, "/fr/economics?volume=abc")
    assert client.get("/fr/nothing.csv").status_code == 404
