"""The inference page: presets, misfits with their ways out, bands, exports, saving, handovers, old links, queries."""

import csv
import io
import json
from decimal import Decimal
from io import StringIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from calculator import answers, calibrated
from calculator.domain.provenance import Kind
from calculator.tools import economics
from calculator.tools.inference import PRESETS, TOOL
from tests import pagetext

pytestmark = pytest.mark.django_db
QUERIES_AT_MOST = 6
HTMX = {"HX-Request": "true"}


def page(client: Client, query: str = "", language: str = "fr", **headers: str) -> Any:
    return client.get(f"/{language}/inference?{query}", headers=headers)


def text_of(response: Any) -> str:
    return pagetext.words(response.content.decode())


def codes(response: Any) -> set[str]:
    return {message.code for message in response.context["estimate"].warnings}


def preset_query(code: str) -> str:
    return next(item.query for item in PRESETS if item.code == code)


def data(client: Client, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/fr/inference.json?{query}").json()
    return found


def test_the_first_view_is_a_full_answer(client: Client, seeded: None) -> None:
    response = page(client)
    assert response.status_code == 200
    assert response.context["errors"] == ()
    text = text_of(response)
    assert "GPU-ENTERPRISE tient vos objectifs" in text
    for heading in ("du temps jusqu’au premier token", "Mémoire", "Vos objectifs tiennent jusqu’à", "La formule"):
        assert heading in text
    assert response.context["presets"][0].is_current


def test_every_number_of_the_headline_stands_in_the_figures(client: Client, seeded: None) -> None:
    shown = page(client).context["page"]
    first, user = shown.stats[0].value, shown.stats[1].value
    assert first in str(shown.lead)
    assert user in str(shown.lead)
    assert first in shown.short


@pytest.mark.parametrize("code", [item.code for item in PRESETS])
@pytest.mark.parametrize("language", ["fr", "en"])
def test_each_preset_is_answered_and_marked(client: Client, seeded: None, code: str, language: str) -> None:
    response = page(client, preset_query(code), language)
    assert response.status_code == 200
    assert response.context["estimate"].speeds is not None
    assert [item.code for item in response.context["presets"] if item.is_current] == [code]


@pytest.mark.parametrize(
    ("code", "headline"),
    [
        ("chat", "meets"),
        ("code", "meets"),
        ("rag", "meets"),
        ("long", "meets"),
        ("batch", "meets"),
        ("assistant", "misses"),
        ("llama70b", "meets"),
        ("llama8b", "meets"),
    ],
)
def test_golden_presets_hold_or_miss_as_they_did(client: Client, seeded: None, code: str, headline: str) -> None:
    assert page(client, preset_query(code)).context["estimate"].headline.code == headline


def test_the_published_assistant_misses_100_ms_and_says_what_would_do(client: Client, seeded: None) -> None:
    """1 024 tokens take 7.248 G × 2 × 1 024 + attention = 15.4 TFLOP: 49 ms at 100 % of 312 TFLOP/s, so 100 ms for
    prompt, queue and first step together cannot be held by one A100 at 16 streams."""
    response = page(client, preset_query("assistant"))
    estimate = response.context["estimate"]
    bound = next(step.result for step in estimate.steps if step.code == "prefill_bound")
    assert float(bound) == pytest.approx(0.0493, rel=1e-2)
    assert "fp8_cache_not_written" in codes(response)
    assert any(way.outcome.meets for way in estimate.ways_out)


def test_what_does_not_fit_has_no_speed_but_ways_out(client: Client, seeded: None) -> None:
    response = page(client, "sku=GPU-STARTER")
    text = text_of(response)
    assert "Ne tient pas sur GPU-STARTER" in text
    assert response.context["page"].stats == ()
    assert response.context["page"].ways
    assert "Ce qui suffirait" in text
    assert "tok/s" not in response.context["page"].short


def test_a_way_out_is_a_link_to_the_same_case_with_one_change(client: Client, seeded: None) -> None:
    shown = page(client, "sku=GPU-STARTER&in=900").context["page"]
    way = next(item for item in shown.ways if "AWQ" in item.title)
    applied = page(client, way.query).context["estimate"]
    assert (applied.scenario.precision, applied.scenario.prompt_tokens) == ("awq-int4", 900)
    assert applied.chosen.fits


def test_a_rate_is_answered_with_the_streams_it_keeps(client: Client, seeded: None) -> None:
    response = page(client, "load=rate&rps=2.5")
    estimate = response.context["estimate"]
    assert estimate.speeds.total_tok_per_s.value == 640
    assert "2,5 requêtes/s" in text_of(response)
    assert "serve_little" in {step.code for step in estimate.steps}


def test_arrivals_beyond_capacity_are_said_in_the_headline(client: Client, seeded: None) -> None:
    response = page(client, "load=rate&rps=900")
    assert "est débordé" in text_of(response)
    assert "beyond_capacity" in codes(response)


def test_targets_may_be_none(client: Client, seeded: None) -> None:
    response = page(client, "ttft=0&tpot=0")
    assert "donne le premier token en" in text_of(response)
    assert "en même temps" in response.context["page"].curve.title


def test_no_target_is_shown_as_an_empty_field_and_stays_none(client: Client, seeded: None) -> None:
    form = page(client, "ttft=0").context["form"]
    assert (form.texts("ttft"), form.texts("e2e")) == ([""], [""])
    assert form.texts("tpot") == ["50"]
    again = client.get("/fr/inference?form=1&conc=9")
    assert parse_qs(urlsplit(again["Location"]).query)["e2e"] == ["0"]


def test_an_empty_target_in_the_form_is_none(client: Client, seeded: None) -> None:
    response = client.get("/fr/inference?form=1&ttft=&tpot=")
    assert response.status_code == 302
    link = parse_qs(urlsplit(response["Location"]).query)
    assert (link["ttft"], link["tpot"]) == (["0"], ["0"])


def test_other_formats_are_ranked_when_asked_for(client: Client, seeded: None) -> None:
    response = page(client, "also=fp8&also=awq-int4")
    ranking = response.context["estimate"].ranking
    assert {one.scenario.precision for one in ranking.candidates} == {"fp16", "fp8", "awq-int4"}
    assert any("4\u00a0bits" in line.detail for line in response.context["page"].ranking)
    form = client.get("/fr/inference?form=1&also=none&also=fp8")
    assert parse_qs(urlsplit(form["Location"]).query)["also"] == ["fp8"]


def test_a_price_on_request_waits_for_a_price_and_takes_a_typed_one(client: Client, seeded: None) -> None:
    without = page(client, "sku=GPU-SUPERCOMPUTE")
    assert without.context["page"].stats[3].value == "sur devis"
    assert without.context["page"].costs == ()
    priced = page(client, "sku=GPU-SUPERCOMPUTE&price=40")
    assert priced.context["estimate"].trust is Kind.ASSUMPTION
    assert priced.context["page"].costs


def test_a_gpu_outside_the_offers_is_sized_by_its_data_sheet(client: Client, seeded: None) -> None:
    response = page(client, "gpu=h100-sxm-80gb&price=3")
    estimate = response.context["estimate"]
    assert estimate.scenario.gpu == "H100-SXM-80GB"
    assert estimate.cost.eur_per_h == 3
    assert "H100-SXM-80GB" in text_of(response)


def test_amd_is_refused_with_the_reason(client: Client, seeded: None) -> None:
    response = page(client, "gpu=MI300X")
    assert response.status_code == 200
    assert codes(response) >= {"vendor_not_calibrated"}
    assert "pas de chiffre pour MI300X" in text_of(response)


@pytest.mark.parametrize("name", ["Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-v0.3", "MISTRAL-7B-V0.3"])
def test_a_model_is_found_by_its_other_names_and_written_as_the_catalogue_does(
    client: Client, seeded: None, name: str
) -> None:
    response = page(client, f"model={name}")
    assert response.context["estimate"].scenario.model == "Mistral-7B-v0.3"
    assert "model=Mistral-7B-v0.3" in response.context["permalink"]


def test_a_typed_model_is_sized_and_kept_in_the_link(client: Client, seeded: None) -> None:
    typed = "params=7248023552&layers=32&width=4096&heads=32&kv_heads=8&vocab=32768"
    response = page(client, f"model=Mine&{typed}")
    estimate = response.context["estimate"]
    assert estimate.headline.values["model"] == "Mine"
    assert "own_model" in codes(response)
    plain = page(client).context["estimate"]
    assert estimate.speeds.total_tok_per_s == plain.speeds.total_tok_per_s
    assert "Mine (dimensions saisies)" in response.content.decode()
    assert response.context["page"].deploy is None


def test_dimensions_beside_a_catalogue_model_take_its_place_under_another_name(client: Client, seeded: None) -> None:
    typed = "params=7248023552&layers=32&width=4096&heads=32&kv_heads=8&vocab=32768"
    assert page(client, f"model=Llama-3-8B&{typed}").context["estimate"].headline.values["model"] == "own"


def test_a_half_typed_model_names_what_is_missing(client: Client, seeded: None) -> None:
    outcome = answers.from_link(TOOL, QueryDict("layers=32&width=4096"))
    assert outcome.answer is None
    assert {problem.key for problem in outcome.problems} == {"params", "heads", "vocab"}


def test_a_vanished_model_or_sku_proposes_the_nearest(client: Client, seeded: None) -> None:
    response = page(client, "model=Mistral-7B-v0.4&sku=GPU-PR")
    text = text_of(response)
    assert "Le modèle « Mistral-7B-v0.4 » n’est pas au catalogue." in text
    assert "Le GPU « GPU-PR » n’est pas au catalogue." in text
    assert "GPU-PRO" in text


def test_the_vllm_configuration_of_the_point_is_at_hand(client: Client, seeded: None) -> None:
    shown = page(client, preset_query("llama70b")).context["page"].deploy
    config = next(snippet.text for snippet in shown.snippets if snippet.code == "config")
    assert "tensor-parallel-size: 4" in config
    assert "max-model-len: 4096" in config
    assert page(client, "engine=SGLang").context["page"].deploy is None


def test_the_page_and_its_files_say_the_same(client: Client, seeded: None) -> None:
    estimate = page(client).context["estimate"]
    query = page(client).context["query"]
    document = data(client, query)
    assert Decimal(document["speeds"]["total_tok_per_s"]["value"]) == pytest.approx(
        Decimal(repr(estimate.speeds.total_tok_per_s.value))
    )
    assert pagetext.words(document["answer"]["sentence"]) in text_of(page(client))
    body = client.get(f"/fr/inference.csv?{query}").content.decode("utf-8-sig")
    rows = {row[1]: row for row in csv.reader(io.StringIO(body), delimiter=";") if len(row) > 3}
    assert (
        rows["débit total de sortie"][2]
        .replace(",", ".")
        .startswith(str(document["speeds"]["total_tok_per_s"]["value"])[:6])
    )
    assert client.get(f"/fr/inference.xlsx?{query}").status_code == 200


def test_the_json_names_the_calibration_and_every_candidate(client: Client, seeded: None) -> None:
    document = data(client)
    assert document["calibration"]["data_hash"] == calibrated.calibration().data_hash
    assert document["scenario"]["cal"] == calibrated.mark()
    assert len([one for one in document["ranking"] if one["instances"] in (1, 2, 4, 8)]) == 56
    assert {"code", "eur_per_h", "meets"} <= set(data(client, "sku=GPU-STARTER")["ways_out"][0])


def test_a_link_of_another_calibration_says_that_it_was_recalculated(client: Client, seeded: None) -> None:
    response = page(client, "cal=000000000000")
    assert "calibration_changed" in codes(response)
    assert f"cal={calibrated.mark()}" in response.context["permalink"]
    assert "calibration_changed" not in codes(page(client, f"cal={calibrated.mark()}"))


def test_economics_takes_the_point_over_as_an_estimate_of_the_same_capacity(client: Client, seeded: None) -> None:
    response = page(client)
    estimate = response.context["estimate"]
    (link,) = (item for item in response.context["handovers"] if "/economics" in item.href)
    outcome = answers.from_link(economics.TOOL, QueryDict(urlsplit(link.href).query))
    assert outcome.answer is not None
    gpu = outcome.answer.estimate.gpu
    assert gpu.throughput.output_tok_per_s.kind is Kind.ESTIMATE
    assert gpu.throughput.concurrency == 16
    assert float(gpu.capacity_tokens) == pytest.approx(float(estimate.cost.capacity_tokens), rel=1e-4)


def test_eight_gpus_are_handed_over_as_rates_of_one(client: Client, seeded: None) -> None:
    response = page(client, "sku=GPU-SUPERCOMPUTE&conc=128&price=40")
    (link,) = (item for item in response.context["handovers"] if "/economics" in item.href)
    outcome = answers.from_link(economics.TOOL, QueryDict(urlsplit(link.href).query))
    assert outcome.answer is not None
    capacity = float(outcome.answer.estimate.gpu.capacity_tokens)
    assert capacity == pytest.approx(float(response.context["estimate"].cost.capacity_tokens), rel=1e-4)


def test_training_takes_model_and_sku_over(client: Client, seeded: None) -> None:
    (link,) = (item for item in page(client).context["handovers"] if "/training" in item.href)
    carried = parse_qs(urlsplit(link.href).query)
    assert (carried["model"], carried["sku"]) == (["Mistral-7B-v0.3"], ["GPU-ENTERPRISE"])


def test_an_estimate_is_saved_and_opened_again(client: Client, seeded: None) -> None:
    query = page(client).context["query"]
    response = client.post("/fr/inference/save", {"query": query})
    assert response.status_code == 303
    again = client.get(response["Location"])
    assert "tient vos objectifs" in text_of(again)


def test_the_live_answer_is_the_fragment(client: Client, seeded: None) -> None:
    response = page(client, "form=1&conc=8", **HTMX)
    assert response.status_code == 200
    assert "conc=8" in response.headers["HX-Replace-Url"]
    assert b"<html" not in response.content


@pytest.mark.parametrize("query", ["", "sku=GPU-STARTER", "load=rate&rps=2"])
def test_a_page_asks_few_queries(client: Client, seeded: None, query: str) -> None:
    with CaptureQueriesContext(
        connection,
    ) as cold:
        page(client, query)
    assert len(cold) <= QUERIES_AT_MOST + 2
    with CaptureQueriesContext(connection) as warm:
        page(client, query)
    assert len(warm) <= QUERIES_AT_MOST


def test_the_command_gives_the_same_sentence(client: Client, seeded: None) -> None:
    out = StringIO()
    call_command("estimate", "inference", "sku=GPU-PRO", "--lang", "en", stdout=out)
    assert "GPU-PRO" in out.getvalue()
    told = StringIO()
    call_command("estimate", "inference", "sku=GPU-PRO", "--json", stdout=told)
    assert json.loads(told.getvalue())["answer"]["code"] == "meets"


@pytest.mark.parametrize("argument", ["sku=GPU-NONE", "prec=fp9", "conc=0", "zork=1", "in=", "cal=a b"])
def test_the_command_refuses_what_it_cannot_read_with_status_2(seeded: None, argument: str) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("estimate", "inference", argument, stdout=StringIO())
    assert caught.value.returncode == 2
    assert argument.partition("=")[0] in str(caught.value) or "GPU-NONE" in str(caught.value)
