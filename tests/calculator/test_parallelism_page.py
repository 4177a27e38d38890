"""The multi-GPU page: the published case is the first view; presets, exports, saving, handovers, queries."""

import json
import re
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from calculator import calibrated
from calculator.tools.parallelism import PRESETS

pytestmark = pytest.mark.django_db
QUERIES_AT_MOST = 6
HTMX = {"HX-Request": "true"}


def page(client: Client, query: str = "", language: str = "fr", **headers: str) -> Any:
    return client.get(f"/{language}/parallelism?{query}", headers=headers)


def text_of(response: Any) -> str:
    """The page without its tags, spaces of any kind made plain."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def preset(code: str) -> str:
    return next(item.query for item in PRESETS if item.code == code)


def test_the_first_view_is_the_published_case(client: Client, seeded: None) -> None:
    response = page(client)
    assert response.status_code == 200 and response.context["errors"] == ()
    text = text_of(response)
    assert "92 jours" in text
    assert "14 jours sur 8 GPU : une accélération de 6,57" in text
    assert "Ce qui expliquerait 82 %" in text
    assert "31,5 ms" in text
    assert "729 tokens par GPU et par pas" in text


def test_the_same_in_english(client: Client, seeded: None) -> None:
    text = text_of(page(client, language="en"))
    assert "14 days on 8 GPUs: a speed-up of 6.57" in text
    assert "What would explain 82%" in text


def test_the_vendor_s_claim_is_marked_as_one(client: Client, seeded: None) -> None:
    estimate = page(client).context["estimate"]
    assert estimate.mfu.kind.value == "claim"
    assert "MFU déduite de l’offre." in text_of(page(client))


def test_no_price_is_invented_for_the_machine_on_request(client: Client, seeded: None) -> None:
    response = page(client)
    assert response.context["estimate"].price is None
    text = text_of(response)
    assert "sur devis" in text
    # 8 × the hourly price of GPU-TITAN, offered as an assumption and not used.
    assert "8 GPU coûteraient 43,20 € HT par heure : une hypothèse, pas un prix." in text


def test_the_proposed_price_is_one_click_away(client: Client, seeded: None) -> None:
    (notice,) = [item for item in page(client).context["notices"] if item.code == "price_proposal"]
    response = page(client, notice.query)
    assert str(response.context["estimate"].price.value) == "43.2"
    assert response.context["estimate"].price.replaces
    assert "price_proposal" not in {item.code for item in response.context["notices"]}


@pytest.mark.parametrize("code", [item.code for item in PRESETS])
@pytest.mark.parametrize("language", ["fr", "en"])
def test_each_preset_answers_and_is_marked_as_shown(client: Client, seeded: None, code: str, language: str) -> None:
    response = page(client, preset(code), language)
    assert response.status_code == 200
    assert [link.code for link in response.context["presets"] if link.is_current] == [code]
    assert response.context["page"].lead


def test_16_ranks_on_8_gpus_are_refused_with_the_reason(client: Client, seeded: None) -> None:
    response = page(client, preset("topology_8"))
    assert response.context["estimate"].chosen is None
    assert "8 (tenseurs) × 2 (étages) font 16 rangs" in text_of(response)


def test_a_model_that_does_not_fit_is_said_before_any_speed(client: Client, seeded: None) -> None:
    response = page(client, "model=Llama-3.1-70B&gpus=8")
    assert response.context["page"].lead.startswith('<span class="nw">Llama-3.1-70B</span> ne tient pas')


def test_an_amd_gpu_gets_a_reason_and_no_number(client: Client, seeded: None) -> None:
    response = page(client, "gpu=MI300X")
    assert response.context["estimate"].chosen is None
    assert "L’étalonnage ne couvre pas les GPU AMD" in text_of(response)


def test_title_table_chart_and_csv_tell_the_same(client: Client, seeded: None) -> None:
    query = "model=Llama-3.1-8B&gpus=16&sharing=sharded"
    response = page(client, query)
    chosen = response.context["estimate"].chosen
    shown = response.context["page"]
    days = f"{chosen.days:.1f}".replace(".", ",")
    assert days in shown.lead and days in shown.stats[0].value
    assert any(line.is_current and days in line.days for line in shown.counts)
    assert any(
        row.gpus == "16" and f"{chosen.speed_up:.2f}".replace(".", ",") in row.second for row in shown.speed_up.rows
    )
    rows = client.get(f"/fr/parallelism.csv?{query}").content.decode("utf-8-sig")
    assert days[:3] in next(line for line in rows.splitlines() if line.startswith("Réponse;Durée;"))


def test_the_data_file_holds_the_whole_answer(client: Client, seeded: None) -> None:
    found = client.get("/fr/parallelism.json").json()
    assert found["calculator"] == "parallelism"
    assert found["answer"]["one_gpu_days"].startswith("92")
    assert [row["gpu_count"] for row in found["counts"]] == [1, 2, 4, 8, 16, 32, 64]
    assert {row["code"] for row in found["links"]} >= {
        "pcie3",
        "pcie4",
        "pcie5",
        "nvlink2",
        "nvlink4",
        "ib-hdr",
        "eth10",
    }
    assert {cause["code"] for cause in found["explanation"]["causes"]} >= {"tokens_textbook", "overlap", "link"}
    assert all(term["kind"] for step in found["steps"] for term in step["terms"])


def test_the_workbook_is_a_file(client: Client, seeded: None) -> None:
    response = client.get("/fr/parallelism.xlsx")
    assert response.status_code == 200
    assert "vmcloud-parallelism-GPU-SUPERCOMPUTE-8-" in response.headers["Content-Disposition"]


def test_the_command_tells_the_same_days(seeded: None) -> None:
    out = StringIO()
    call_command("estimate", "parallelism", "gpus=16", "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert found["chosen"]["gpu_count"] == 16
    assert found["answer"]["one_gpu_days"].startswith("92")


def test_an_estimate_is_saved_and_reopened(client: Client, seeded: None) -> None:
    query = page(client, "gpus=16").context["query"]
    response = client.post("/fr/parallelism/save", {"query": query})
    assert response.status_code == 303
    text = text_of(client.get(response.headers["Location"]))
    assert "92 jours" in text
    assert "16" in text


def test_typing_answers_with_the_result_and_its_address(client: Client, seeded: None) -> None:
    response = page(client, "form=1&gpus=16", **HTMX)
    assert response.status_code == 200
    assert b"<html" not in response.content
    assert parse_qs(urlsplit(response.headers["HX-Replace-Url"]).query)["gpus"] == ["16"]


def test_a_submitted_form_leads_to_its_canonical_link(client: Client, seeded: None) -> None:
    response = page(client, "form=1&gpus=16&params=2,7 Md")
    assert response.status_code == 302
    found = parse_qs(urlsplit(response.headers["Location"]).query)
    assert (found["gpus"], found["params"]) == (["16"], ["2700000000"])


def test_the_link_carries_the_calibration_and_says_when_it_has_changed(client: Client, seeded: None) -> None:
    response = page(client)
    assert parse_qs(response.context["query"])["cal"] == [calibrated.mark()]
    again = page(client, response.context["query"])
    assert "calibration" not in {notice.code for notice in again.context["notices"]}
    old = page(client, "cal=0123456789ab")
    assert "L’étalonnage a changé depuis ce lien" in text_of(old)


@pytest.mark.parametrize("query", ["", "model=Llama-3.1-8B&sku=GPU-TITAN&gpus=16&sharing=sharded", "price=43.2"])
def test_the_run_is_carried_to_other_calculators_and_answered_there(client: Client, seeded: None, query: str) -> None:
    links = [link.href for link in page(client, query).context["handovers"]]
    assert [urlsplit(link).path for link in links] == ["/fr/training", "/fr/economics"]
    for link in links:
        response = client.get(link)
        assert response.context["errors"] == (), link
        assert response.context["estimate"] is not None, link


def test_the_training_page_gets_the_same_run(client: Client, seeded: None) -> None:
    training = page(client, "model=Llama-3.1-8B&sku=GPU-TITAN&gpus=16").context["handovers"][0].href
    scenario = client.get(training).context["estimate"].scenario
    assert (scenario.model, scenario.sku, scenario.instances) == ("Llama-3.1-8B", "GPU-TITAN", 16)
    assert (scenario.method.value, scenario.total_tokens) == ("pretrain", 40_000_000_000)


def test_the_published_run_takes_92_days_on_the_training_page_too(client: Client, seeded: None) -> None:
    """One GPU of the same speed: 6.48e20 FLOP at 26.13 % of an A100."""
    training = page(client, "gpus=1&sku=GPU-TITAN").context["handovers"][0].href
    found = client.get(training.replace("/fr/training", "/fr/training.json")).json()
    hours = next(step["result"] for step in found["steps"] if step["code"] == "train_time")
    assert float(hours) == pytest.approx(92 * 24, rel=1e-3)


@pytest.mark.parametrize("query", ["", "&sharing=sharded", "&steptok=65536&micro=4", "&recomp=0&seq=4096"])
def test_pitfall_34_one_gpu_is_as_fast_on_both_pages(client: Client, seeded: None, query: str) -> None:
    response = page(client, f"model=Llama-3.2-1B&sku=GPU-TITAN&gpus=1{query}")
    training = response.context["handovers"][0].href
    found = client.get(training.replace("/fr/training", "/fr/training.json")).json()
    hours = next(step["result"] for step in found["steps"] if step["code"] == "train_time")
    assert float(hours) / 24 == pytest.approx(response.context["estimate"].one_gpu_days, rel=1e-6)


def test_a_gpu_that_is_not_on_offer_leads_nowhere(client: Client, seeded: None) -> None:
    assert page(client, "gpu=H100-SXM-80GB").context["handovers"] == ()


def test_a_page_asks_few_queries(client: Client, seeded: None) -> None:
    page(client)
    with CaptureQueriesContext(
        connection,
    ) as found:
        page(client, "gpus=16")
    assert len(found) <= QUERIES_AT_MOST


def test_the_other_language_keeps_the_state(client: Client, seeded: None) -> None:
    query = page(client, "gpus=16").context["query"]
    assert query.replace("&", "&amp;") in page(client, query).content.decode()


@pytest.mark.parametrize("query", ["gpus=<b>", "net=zork", "sku=CPU-LOCAL", "catalog=999"])
def test_a_link_that_cannot_be_read_is_still_a_page(client: Client, seeded: None, query: str) -> None:
    response = page(client, query)
    assert response.status_code == 200
    assert response.context["errors"]
    assert "<b>&" not in response.content.decode()


@pytest.mark.parametrize(("sku", "basis"), [("GPU-TITAN", ["hour"]), ("GPU-PRO", None), ("GPU-SUPERCOMPUTE", None)])
def test_the_costs_page_gets_the_basis_that_the_offer_is_priced_by(
    client: Client, seeded: None, sku: str, basis: list[str] | None
) -> None:
    link = page(client, f"sku={sku}").context["handovers"][-1].href
    assert parse_qs(urlsplit(link).query).get("basis") == basis


@pytest.mark.parametrize("sku", ["GPU-STARTER", "GPU-ENTERPRISE", "GPU-TITAN"])
def test_an_offer_by_the_hour_has_its_price_on_the_costs_page(client: Client, seeded: None, sku: str) -> None:
    link = page(client, f"sku={sku}").context["handovers"][-1].href
    estimate = client.get(link).context["estimate"]
    assert estimate.scenario.basis.value == "hour"
    assert "au mois n’est pas" not in text_of(client.get(link))


def test_eight_cards_of_one_offer_are_as_fast_in_one_box_as_their_slots(client: Client, seeded: None) -> None:
    """1.75 × 5.4 GB at 32 GB/s: 295 ms at best, in one machine and in eight."""
    for query in ("sku=GPU-PRO&gpus=8", "sku=GPU-PRO&gpus=8&machine=1&cards=8"):
        estimate = page(client, query).context["estimate"]
        assert estimate.chosen.time.data_s >= 0.2953
    assert "Une seule machine supposée." in text_of(page(client, "sku=GPU-PRO&gpus=8"))


def test_the_english_page_says_excl_vat(client: Client, seeded: None) -> None:
    for query in ("", "sku=GPU-TITAN&gpus=16", "price=43.2"):
        assert not re.search(r"\bHT\b|\bTTC\b", text_of(page(client, query, "en")))
