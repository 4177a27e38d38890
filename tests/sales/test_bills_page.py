"""The bill's page: a report in, the same traffic on every option out, nothing kept."""

import csv
import html
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse, QueryDict
from django.test import Client
from django.urls import reverse

from calculator import answers, registry
from calculator.domain.apibill import Usage
from calculator.domain.offers import Mode
from calculator.models import EstimateSnapshot
from sales.bills import result as results
from sales.bills import shown, totals, words
from sales.bills.reading import limits
from sales.bills.reading.problems import ReportError
from sales.bills.totals import Totals
from sales.domain.bills import Period, Traffic

pytestmark = pytest.mark.django_db
FILES = Path(__file__).parent / "bills"
HEADER = (
    "start_time,end_time,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens,num_model_requests"
)


def post(client: Client, content: bytes, language: str = "fr", **fields: str) -> Any:
    sent = {"report": SimpleUploadedFile("report", content), **fields}
    return client.post(f"/{language}/bills/", sent)


def sample(client: Client, name: str, language: str = "fr", **fields: str) -> str:
    response = post(client, (FILES / name).read_bytes(), language, **fields)
    assert response.status_code == 200
    return str(response.content.decode())


def carried(page: str) -> str:
    found = re.search(r'name="totals" value="([^"]+)"', page)
    assert found is not None
    return html.unescape(found[1])


def text(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def bill(*traffic: Traffic, days: int = 30) -> Totals:
    return Totals("OpenAI", Period(Decimal(days)), traffic)


def traffic(model: str, given: int, read: int, output: int, **values: Any) -> Traffic:
    usage = Usage(Decimal(given), Decimal(read), output_tokens=Decimal(output))
    found = {"requests": None, "amount": None, "currency": "", **values}
    return Traffic(
        model, values.pop("mode", Mode.STANDARD), 0, usage, **{k: v for k, v in found.items() if k != "mode"}
    )


class TestPrices:
    def test_51_the_hand_worked_bill(self, seeded: None, noon: object) -> None:
        """262 960 in of which 257 955 cached, 1 744 out on gpt-5.4: 0.10316125 $, not 0.7480."""
        found = results.priced(bill(traffic("gpt-5.4", 262_960, 257_955, 1_744, requests=1)))
        assert found.lines[0].list_usd == Decimal("0.10316125")
        assert found.own_month_eur is not None
        assert found.own_month_eur.quantize(Decimal("0.0001")) == Decimal("0.0923")  # ÷ 1.1172

    def test_58_an_unknown_model_has_no_price_and_is_named(self, client: Client, seeded: None) -> None:
        rows = f"{HEADER}\n1793491200,1793577600,gpt-5.5,,,10,5,0,1"
        page = text(post(client, rows.encode()).content.decode())
        assert "gpt-5.5" in page
        assert "modèle inconnu du catalogue" in page
        assert "jamais compté à zéro" in page

    def test_58_dated_names_are_matched_by_alias_only(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4-2026-03-05", 10, 0, 5), traffic("gpt-5.4-2026-03-06", 10, 0, 5)))
        assert [line.api.code if line.api else None for line in found.lines] == ["gpt-5.4", None]

    def test_55_batch_lines_are_priced_as_batch(self, seeded: None, noon: object) -> None:
        """1 M in and 1 M out of gpt-5.4-mini: 0.375 + 2.25 = 2.625 $ in batch, 5.25 $ standard."""
        found = results.priced(
            bill(traffic("gpt-5.4-mini", 10**6, 0, 10**6, mode=Mode.BATCH), traffic("gpt-5.4-mini", 10**6, 0, 10**6))
        )
        assert [line.list_usd for line in found.lines] == [Decimal("2.625"), Decimal("5.25")]

    @pytest.mark.parametrize(
        ("amount", "explained"),
        [("5.25", "same"), ("5.24", "same"), ("4.20", "discount"), ("5.78", "dearer"), (None, "")],
    )
    def test_a_difference_from_the_list_price_is_explained(
        self, seeded: None, noon: object, amount: str | None, explained: str
    ) -> None:
        charged = None if amount is None else Decimal(amount)
        held = traffic("gpt-5.4-mini", 10**6, 0, 10**6, amount=charged, currency="USD")
        found = results.priced(bill(held))
        assert results.explained(found.lines[0], found.usd_per_eur) == explained

    def test_euros_are_compared_at_the_shown_rate(self, seeded: None, noon: object) -> None:
        """5.25 $ ÷ 1.1172 = 4.6992 €."""
        held = traffic("gpt-5.4-mini", 10**6, 0, 10**6, amount=Decimal("4.70"), currency="EUR")
        found = results.priced(bill(held))
        assert results.explained(found.lines[0], found.usd_per_eur) == "same"

    def test_a_small_bill_is_not_rounded_away(self, client: Client, seeded: None) -> None:
        rows = f"{HEADER}\n1793491200,1793577600,gpt-5.4,,,262960,1744,257955,1"
        assert "0,1032\u00a0$" in post(client, rows.encode()).content.decode()

    def test_a_retired_model_is_said_to_be(self, client: Client, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("claude-sonnet-4-5", 10**6, 0, 10**6)))
        assert "modèle retiré le 30/11/2026" in shown.why(found.lines[0], found)
        assert found.reference == "gpt-5.4"


class TestOptions:
    def test_an_options_amount_is_that_of_its_economics_page(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4", 100_000_000, 60_000_000, 20_000_000, requests=50_000)))
        answer = answers.from_link(registry.CALCULATORS["economics"], QueryDict(found.cached.query)).answer
        assert answer is not None
        page = {row.bill.api.code: row.bill.eur for row in answer.estimate.comparisons}
        assert {option.api.code: option.cached_eur for option in found.options} == page

    def test_75_each_api_is_priced_plain_cached_and_in_batch(self, seeded: None, noon: object) -> None:
        """gpt-5.4-mini, 100 M in of which half cached, 20 M out: 75 + 90 = 165 $ plain; 37.5 + 3.75 + 90 = 131.25 $
        cached; batch 65.625 $; ÷ 1.1172."""
        found = results.priced(bill(traffic("gpt-5.4-mini", 100_000_000, 50_000_000, 20_000_000, requests=100_000)))
        mini = next(option for option in found.options if option.api.code == "gpt-5.4-mini")
        amounts = [
            round(value * Decimal("1.1172"), 3) for value in (mini.plain_eur, mini.cached_eur, mini.batch_eur) if value
        ]
        assert amounts == [Decimal("165.000"), Decimal("131.250"), Decimal("65.625")]
        assert mini.is_yours

    def test_machines_answer_with_the_traffic_of_the_bill(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4", 100_000_000, 60_000_000, 20_000_000, requests=50_000)))
        pro = next(machine for machine in found.machines if machine.sku.code == "GPU-PRO")
        assert pro.answer is not None
        scenario = pro.answer.scenario
        assert (scenario.volume_tokens, scenario.input_tokens, scenario.output_tokens) == (20_000_000, 2_000, 400)
        assert scenario.prefix_hit_ratio == Decimal("0.6")
        assert pro.gpu is not None
        assert pro.gpu.total_eur == Decimal("830.64")

    def test_a_model_that_does_not_fit_and_a_price_on_request_are_words(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4", 1_000_000, 0, 500_000)), "Llama-3.1-70B")
        reasons = {machine.sku.code: machine.reason for machine in found.machines}
        assert reasons["GPU-PRO"] == "does_not_fit"
        assert reasons["GPU-SUPERCOMPUTE"] == "on_request"

    def test_a_small_bill_says_plainly_that_the_api_wins(self, client: Client, seeded: None) -> None:
        assert "L’API gagne" in text(sample(client, "openai.csv"))
        assert "The API wins" in text(sample(client, "openai.csv", "en"))

    def test_a_large_bill_on_a_dear_model_lets_the_gpu_win_against_that_model(self, seeded: None, noon: object) -> None:
        """1 500 M in and 300 M out of Sonnet 4.6 are 9 000 $ a month; Mistral Small 4 stays far below any GPU."""
        found = results.priced(bill(traffic("claude-sonnet-4-6", 1_500_000_000, 0, 300_000_000, requests=600_000)))
        assert results.outcome(found) == "own"
        assert "gagne encore" in shown.lead(found)

    def test_a_bill_all_in_batch_is_compared_in_batch(self, seeded: None, noon: object) -> None:
        held = traffic("gpt-5.4-mini", 100_000_000, 0, 20_000_000, mode=Mode.BATCH, requests=100_000)
        found = results.priced(bill(held))
        assert found.mode is Mode.BATCH
        small = next(option for option in found.options if option.api.code == "mistral-small-2603")
        # 100 × 0.075 + 20 × 0.30 = 13.50 $ in batch, half of the 27 $ standard.
        assert small.batch_eur is not None
        assert round(small.batch_eur * Decimal("1.1172"), 4) == Decimal("13.5")
        assert found.month_eur(small) == small.batch_eur
        assert "12,08\u00a0€" in shown.lead(found)

    def test_flex_and_priority_are_compared_in_standard(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4-mini", 10**6, 0, 10**6, mode=Mode.PRIORITY)))
        assert (found.mode, found.lines[0].list_usd) == (Mode.STANDARD, Decimal("10.5"))

    def test_the_three_ways_lead_to_their_economics_pages(self, seeded: None, noon: object) -> None:
        found = results.priced(bill(traffic("gpt-5.4-mini", 100_000_000, 50_000_000, 20_000_000, requests=100_000)))
        queries = [QueryDict(href.partition("?")[2]) for _label, href in shown.ways(found)]
        assert [(query["mode"], query["hit"]) for query in queries] == [
            ("standard", "0"), ("standard", "0.5"), ("batch", "0.5"),
        ]  # fmt: skip

    def test_links_carry_the_scenario_on(self, client: Client, seeded: None) -> None:
        page = sample(client, "openai.csv")
        assert re.search(r'href="/fr/economics\?v=1[^"]*sku=GPU-PRO', page)
        assert re.search(r'href="/fr/compare/\?add=economics%3Fv%3D1', page)
        assert re.search(r'href="/fr/compare/\?a=economics', page)
        assert reverse("quote-new", args=["economics"]) not in page


class TestFiles:
    def test_the_csv_needs_no_second_upload(self, client: Client, seeded: None) -> None:
        page = sample(client, "openai.csv", "en")
        response = client.post("/en/bills/", {"totals": carried(page), "file": "csv"})
        rows = list(csv.reader(io.StringIO(response.content.decode().removeprefix("\ufeff"))))
        assert ["gpt-5.4, standard", "At list price", "415", "$ excl. VAT", "list price", "", ""] in rows or [
            "gpt-5.4, standard", "At list price", "415", "$ HT", "list price", "", ""
        ] in rows  # fmt: skip
        assert response["Cache-Control"] == "private, no-store"

    def test_the_json_says_what_the_page_says(self, client: Client, seeded: None) -> None:
        page = sample(client, "openai.csv")
        found = client.post("/fr/bills/", {"totals": carried(page), "file": "json", "model": "Llama-3.1-8B"}).json()
        assert found["outcome"] == "api"
        assert found["list_usd"] == "416.75316125"
        assert found["served_model"] == "Llama-3.1-8B"
        assert found["sentence"].startswith("L’API gagne")

    def test_another_model_is_served_without_the_file(self, client: Client, seeded: None) -> None:
        page = sample(client, "openai.csv")
        again = client.post("/fr/bills/", {"totals": carried(page), "model": "Llama-3.1-8B"}).content.decode()
        assert "<option selected>Llama-3.1-8B</option>" in again
        assert carried(again) == carried(page)

    @pytest.mark.parametrize(
        "change",
        [
            lambda held: "{",
            lambda held: "[" * 5_000,
            lambda held: held.replace('"days": "30"', '"days": "NaN"'),
            lambda held: held.replace('"days": "30"', '"days": "0"'),
            lambda held: held.replace('"days": "30"', '"days": "1e-300"'),
            lambda held: held.replace('"output": 20000000', '"output": -1'),
            lambda held: held.replace('"output": 20000000', '"output": 1e400'),
            lambda held: held.replace('"read": 60000000', '"read": 900000000'),
            lambda held: held.replace('"mode": "standard"', '"mode": "free"'),
            lambda held: held.replace('"lines": [', '"lines": [5, '),
            lambda held: held + " " * totals.MOST_CHARACTERS,
        ],
    )
    def test_totals_that_were_tampered_with_are_refused(self, client: Client, seeded: None, change: Any) -> None:
        held = carried(sample(client, "openai.csv"))
        response = client.post("/fr/bills/", {"totals": change(held)})
        assert response.status_code == 422
        assert "totaux de la page ne se lisent plus" in response.content.decode()

    @pytest.mark.parametrize("suffix", ["", "csv", "json"])
    @pytest.mark.parametrize("name", ["provider", "model", "currency"])
    def test_half_a_character_in_the_totals_is_left_out(
        self, client: Client, seeded: None, name: str, suffix: str
    ) -> None:
        held = re.sub(rf'"{name}": "', rf'"{name}": "\\ud800', carried(sample(client, "openai.csv")))
        assert client.post("/fr/bills/", {"totals": held, "file": suffix}).status_code == 200

    def test_totals_read_back_as_they_were_written(self) -> None:
        found = bill(traffic("a", 10, 5, 2, requests=3, amount=Decimal("1.5"), currency="EUR"), traffic("b", 1, 0, 1))
        assert totals.read(totals.written(found)) == found


class TestMapping:
    def test_an_unknown_header_asks_what_its_columns_hold(self, client: Client, seeded: None) -> None:
        response = post(client, (FILES / "own.csv").read_bytes())
        page = response.content.decode()
        assert response.status_code == 422
        assert page.count('<select id="column-') == 7
        assert 'name="text" value="Jour;Modèle' in page

    def test_named_columns_are_priced_without_choosing_the_file_again(self, client: Client, seeded: None) -> None:
        """gpt-5.4: 0.5 × 2.5 + 0.5 × 0.25 + 0.2 × 15 = 4.375 $; Sonnet 4.6: 2 × 3 + 0.1 × 15 = 7.50 $."""
        meanings = ("start", "model", "input", "cache_read", "output", "requests", "amount")
        names = ("Jour", "Modèle", "Entrée", "Dont cache", "Sortie", "Requêtes", "Coût")
        fields = {f"column-{number}": meaning for number, meaning in enumerate(meanings)}
        fields |= {f"name-{number}": name for number, name in enumerate(names)}
        held = {"text": (FILES / "own.csv").read_text(), "mapped": "1", "includes": "1", "currency": "USD", **fields}
        page = text(client.post("/en/bills/", held).content.decode())
        assert "$4.38" in page
        assert "more than the list price" in page
        assert "$11.88" in page

    def test_headers_propose_what_they_hold(self, client: Client, seeded: None) -> None:
        page = post(client, (FILES / "own.csv").read_bytes()).content.decode()
        assert re.findall(r'<option value="(\w+)" selected>', page) == [
            "start", "model", "input", "cache_read", "output", "requests", "amount",
        ]  # fmt: skip

    def test_problems_keep_the_text_and_the_names_of_its_columns(self, client: Client, seeded: None) -> None:
        held = {
            "text": "m;i;o\ngpt-5.4;-5;7", "mapped": "1", "includes": "0", "currency": "EUR",
            "column-0": "model", "name-0": "m", "column-1": "input", "name-1": "i", "column-2": "output", "name-2": "o",
        }  # fmt: skip
        page = client.post("/fr/bills/", held).content.decode()
        assert "est négatif" in page
        assert re.findall(r'<option value="(\w+)" selected>', page) == ["model", "input", "output"]
        assert "<option selected>EUR</option>" in page
        assert 'name="includes" value="0" checked' in page

    def test_without_dates_the_days_are_asked_for(self, client: Client, seeded: None) -> None:
        held = {
            "text": "m;i;o\ngpt-5.4;1000;500", "mapped": "1",
            "column-0": "model", "name-0": "m", "column-1": "input", "name-1": "i", "column-2": "output", "name-2": "o",
        }  # fmt: skip
        refused = client.post("/fr/bills/", held)
        assert refused.status_code == 422
        assert "combien de jours" in refused.content.decode()
        assert '<option value="model" selected>' in refused.content.decode()
        assert client.post("/fr/bills/", {**held, "days": "30"}).status_code == 200

    @pytest.mark.parametrize("days", ["0", "-3", "NaN", "1e9", "abc", "99999", "9" * 400])
    def test_days_are_a_sensible_number(self, client: Client, seeded: None, days: str) -> None:
        response = post(client, (FILES / "openai.csv").read_bytes(), days=days)
        assert response.status_code == 422
        assert "nombre de jours" in response.content.decode()


class TestRefusals:
    def test_every_problem_stands_with_line_and_column(self, client: Client, seeded: None) -> None:
        rows = "\n".join((HEADER, "1793491200,1793577600,gpt-5.4,,turbo,-1,5,0,1", "1793491200,1793577600,,,,5,5,0,1"))
        response = post(client, rows.encode())
        page = text(response.content.decode())
        assert response.status_code == 422
        assert "ligne 2 input_tokens « -1 » est négatif." in page
        assert "ligne 2 service_tier Le niveau de service « turbo » n’est pas connu." in page
        assert "ligne 3 model Le modèle manque" in page

    @pytest.mark.parametrize(
        "content", [b"", b"PK\x03\x04", b"{", b"\xff\xfe\x00", b"<script>alert(1)</script>,b\n1,2"]
    )
    def test_no_bytes_give_an_error_page(self, client: Client, seeded: None, content: bytes) -> None:
        response = post(client, content)
        assert response.status_code == 422
        assert "<script>alert" not in response.content.decode()

    def test_no_file_is_said(self, client: Client, seeded: None) -> None:
        assert "Choisissez un fichier" in client.post("/fr/bills/", {}).content.decode()

    def test_a_body_over_the_limit_is_refused_unread(self, client: Client, seeded: None) -> None:
        response = client.post("/fr/bills/", {"report": SimpleUploadedFile("a", b"x" * (limits.BODY_BYTES + 1))})
        assert response.status_code == 413
        assert "5\u00a0Mo" in response.content.decode()

    def test_a_post_needs_its_token(self, seeded: None) -> None:
        response = Client(enforce_csrf_checks=True).post("/fr/bills/", {"totals": "x"})
        assert response.status_code == 403

    def test_traffic_without_answers_is_said(self, client: Client, seeded: None) -> None:
        rows = f"{HEADER}\n1793491200,1793577600,gpt-5.4,,,10,0,0,1"
        assert "aucun token de sortie" in post(client, rows.encode()).content.decode()

    def test_traffic_beyond_the_calculator_is_said(self, client: Client, seeded: None) -> None:
        rows = f"{HEADER}\n1793491200,1793577600,gpt-5.4,,,900000000000,900000000000,0,1"
        response = post(client, rows.encode())
        assert response.status_code == 422
        assert "dépasse ce que le calculateur" in response.content.decode()


class TestNothingKept:
    def test_a_bill_asks_the_catalogue_what_changed_and_its_aliases_only(
        self, client: Client, seeded: None, django_assert_num_queries: Any
    ) -> None:
        """One question about the state, and one for the one dated name that is no code."""
        sample(client, "openai.csv")
        with django_assert_num_queries(2):
            sample(client, "openai.csv")

    def test_nothing_is_written_and_nobody_may_keep_the_page(self, client: Client, seeded: None) -> None:
        before = EstimateSnapshot.objects.count()
        response: HttpResponse = post(client, (FILES / "openai.csv").read_bytes())
        assert response["Cache-Control"] == "private, no-store"
        assert EstimateSnapshot.objects.count() == before
        assert "sessionid" not in response.cookies

    def test_a_large_upload_leaves_no_temporary_file(
        self, client: Client, seeded: None, settings: Any, tmp_path: Path
    ) -> None:
        settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
        line = "1793491200,1793577600,gpt-5.4,,,262960,1744,257955,1"
        content = "\n".join([HEADER, *[line] * 49_900]).encode()
        assert len(content) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE
        assert post(client, content).status_code == 200
        assert list(tmp_path.iterdir()) == []

    def test_the_links_hold_means_and_no_line_of_the_bill(self, client: Client, seeded: None) -> None:
        page = sample(client, "openai.csv")
        hrefs = " ".join(re.findall(r'href="([^"]+)"', page))
        assert "proj_made_up" not in page
        assert "257955" not in hrefs


def test_every_code_has_its_sentence() -> None:
    """What the readers can say, the page can word: an unworded code would be a general sentence."""
    folder = Path(report_file()).parent
    source = "".join(path.read_text() for path in folder.glob("*.py"))
    refused = set(re.findall(r'ReportError\(\s*"(\w+)"', source))
    assert refused - set(words.REFUSALS) == set()
    found = set(re.findall(r'problems\.add\([^")]*(?:"[^"]*", )*?"(\w+)"(?:, text|\))', source))
    assert found - set(words.PROBLEMS) - {"end"} == set()
    assert words.refusal(ReportError("never_heard_of"))
    assert json.dumps([str(sentence) for sentence in words.REMARKS.values()])


def report_file() -> str:
    from sales.bills.reading import report

    return str(report.__file__)
