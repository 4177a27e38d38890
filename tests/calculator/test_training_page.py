"""The training page: published cases, misfits with their ways out, exports, saving, handovers, old links, queries."""

import csv
import io
import json
import re
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

from calculator import answers, calibrated, registry
from calculator.domain.training_scenario import Verdict, Way
from calculator.presenters import training as words
from calculator.tool import Preset
from calculator.tools.training import PRESETS, TOOL
from tests import pagetext

pytestmark = pytest.mark.django_db
QUERIES_AT_MOST = 6
HTMX = {"HX-Request": "true"}
MISFIT = "model=Llama-3.1-70B&sku=GPU-TITAN&method=full&mbs=1&accum=128&seq=2048&recomp=1&steps=500"


def page(client: Client, query: str = "", language: str = "fr", **headers: str) -> Any:
    return client.get(f"/{language}/training?{query}", headers=headers)


def text_of(response: Any) -> str:
    return pagetext.words(response.content.decode())


def rows_of(response: Any) -> list[list[str]]:
    return pagetext.rows(response.content.decode())


def preset(code: str) -> Preset:
    return next(item for item in PRESETS if item.code == code)


def codes(response: Any) -> set[str]:
    return {message.code for message in response.context["estimate"].warnings}


def data(client: Client, query: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/fr/training.json?{query}").json()
    return found


def test_the_first_view_is_a_full_answer(client: Client, seeded: None) -> None:
    response = page(client)
    assert response.status_code == 200
    assert response.context["errors"] == ()
    text = text_of(response)
    assert "L’affinage QLoRA de Mistral-7B sur GPU-PRO prend" in text
    assert "41,94 M (0,58 %)" in text
    assert "8 = 2 × 4 × 1 séquences" in text


def test_the_first_view_in_english(client: Client, seeded: None) -> None:
    text = text_of(page(client, language="en"))
    assert "QLoRA fine-tuning of Mistral-7B on GPU-PRO takes" in text
    assert "The training loop" in text


@pytest.mark.parametrize("item", PRESETS, ids=lambda item: item.code)
def test_every_preset_is_a_link_that_answers_and_is_marked(client: Client, seeded: None, item: Preset) -> None:
    response = page(client, item.query)
    assert response.context["estimate"] is not None
    assert [link.code for link in response.context["presets"] if link.is_current] == [item.code]


def test_the_published_run_gives_the_published_minutes_and_euros(client: Client, seeded: None) -> None:
    """3 072 000 tokens at 1 350 tok/s: 37.9 min, 0.948 € at 1.50 €/h by the second."""
    text = text_of(page(client, preset("published_8").query))
    assert "prend 37,9 min et coûte 0,95 € HT" in text
    assert "époques : 0,5" in text
    assert "annoncé" in text


def test_both_readings_of_the_accumulation_stand_side_by_side(client: Client, seeded: None) -> None:
    found = rows_of(page(client, preset("published_8").query))
    first, second = (row for row in found if row[0].startswith("batch global"))
    assert first == ["batch global de 8 (2 × 4)", "3 072 000", "0,5", "37,9 min", "0,95", "oui"]
    assert second == ["batch global de 32 (8 × 4)", "12 288 000", "2", "151,7 min", "3,79", "non"]


def test_the_second_reading_is_a_preset_of_its_own(client: Client, seeded: None) -> None:
    text = text_of(page(client, preset("published_32").query))
    assert "12,29 M tokens" in text
    assert "coûte 3,79 € HT" in text
    assert "époques : 2" in text


def test_pitfall_40_the_published_speed_by_each_convention(client: Client, seeded: None) -> None:
    found = {row[0]: row[1] for row in rows_of(page(client, preset("published_8").query)) if len(row) == 2}
    assert next(share for name, share in found.items() if name.startswith("MFU compté à 6N")) == "35,5 %"
    assert next(share for name, share in found.items() if name.startswith("MFU à 6N")) == "36,2 %"
    assert next(share for name, share in found.items() if name.startswith("MFU selon")) == "23,7 %"


def test_published_figures_are_marked_as_claims(client: Client, seeded: None) -> None:
    response = page(client, preset("published_8").query)
    assert response.context["estimate"].trust.value == "claim"
    assert ["MFU", "≈ 38 %", "35,5 % à 6N"] in rows_of(response)
    assert ["Durée", "≈ 38 min", "37,9 min"] in rows_of(response)


def test_the_encoder_takes_92_days_on_one_a100(client: Client, seeded: None) -> None:
    response = page(client, preset("encoder_1").query)
    assert "prend 92 jours" in text_of(response)
    assert ["Durée", "≈ 92 jours", "92 jours"] in rows_of(response)
    assert "shape_assumed" in codes(response)


def test_the_encoder_on_eight_is_on_request_and_faster_than_published(client: Client, seeded: None) -> None:
    """At the same MFU on eight: 92 ÷ 8 = 11.5 days, where the vendor says 14."""
    response = page(client, preset("encoder_8").query)
    assert "prend 11,5 jours ; son prix est sur devis" in text_of(response)
    assert ["Durée", "≈ 14 jours", "11,5 jours"] in rows_of(response)
    assert "€ HT par" not in text_of(response)


def test_a_price_on_request_takes_a_typed_one(client: Client, seeded: None) -> None:
    response = page(client, f"{preset('encoder_8').query}&price=40")
    assert response.context["estimate"].bill.trust.value == "assumption"
    assert "sur devis" not in response.context["page"].lead


def test_failure_1_a_70b_on_80_gb_names_its_failing_line_and_ways_out(client: Client, seeded: None) -> None:
    response = page(client, preset("misfit_70b").query)
    text = text_of(response)
    assert "ne tient pas en mémoire" in text
    assert "Poids, gradients et états : 16 octets par paramètre" in text
    assert "Poids première ligne qui dépasse" in text
    assert "Les solutions, recalculées" in text
    assert "offload" in text
    assert response.context["page"].stats[0].value == "inconnue"


def test_failure_1_a_way_out_is_a_link_that_fits(client: Client, seeded: None) -> None:
    """The cheapest way that suffices, followed, answers with a time and a price."""
    way = page(client, MISFIT).context["page"].ways[0]
    assert way.mark.css == "win"
    followed = page(client, way.query).context["estimate"]
    assert followed.fit.fits
    assert followed.duration is not None


def test_the_published_topology_goes_into_sixteen_gpus_and_not_into_eight(client: Client, seeded: None) -> None:
    sixteen = page(client, preset("topology").query)
    assert sixteen.context["estimate"].gpu_count == 16
    assert sixteen.context["estimate"].fit.faults == ()
    eight = page(client, preset("topology").query.replace("count=2", "count=1"))
    assert "TP = 8 fois PP = 2 ne divise pas 8 GPU" in text_of(eight)
    assert eight.context["estimate"].duration is None


def test_tensor_parallelism_takes_what_the_multi_gpu_page_says(seeded: None) -> None:
    """The same step of an 8B on eight GPUs that hold one copy: a per cent apart, since that page lets each GPU read
    the optimizer states of the whole model."""
    same = "model=Llama-3.1-8B&sku=GPU-SUPERCOMPUTE&tp=8&seq=2048&recomp=1&tokens=40000000000"
    here = _answer(f"{same}&method=pretrain&mbs=8&accum=8&work=tokens&framework=Megatron").estimate
    there = answers.from_link(
        registry.CALCULATORS["parallelism"],
        QueryDict(f"{same}&gpus=8&batchby=step&steptok=131072&micro=8&sharing=data"),
    ).answer
    assert there is not None
    days = {float(row.result) for row in there.estimate.steps if row.code == "parallel_days"}
    assert here.duration.run_s.value / 86_400 == pytest.approx(days.pop(), rel=0.02)


PROMISES = (
    "",
    *(item.query for item in PRESETS),
    MISFIT,
    "model=Llama-3.1-8B&sku=GPU-TITAN&method=full&recomp=1&mbs=1",
    "model=Llama-3.1-8B&sku=GPU-PRO&method=lora&mbs=8&seq=4096&basis=month",
    "model=Llama-3.1-70B&sku=GPU-TITAN&method=full&work=dataset&rows=5000&mean=333.5&price=4&mbs=3&accum=5",
    "model=Mixtral-8x7B&method=qlora&sku=GPU-TITAN&recomp=1",
    "model=Mixtral-8x7B&method=full&sku=GPU-SUPERCOMPUTE",
    "model=Mixtral-8x7B&method=lora&sku=GPU-TITAN&prec=fp8",
    "model=Llama-3.1-70B&sku=GPU-TITAN&method=full&speed=rate&train_rate=77.7&retry=0.1",
)


@pytest.mark.parametrize("query", PROMISES)
def test_every_row_of_ways_and_variants_gives_what_it_promises_when_followed(seeded: None, query: str) -> None:
    """Time, cost and memory of each link, worked out afresh, against its row; the tokens stay."""
    found = _answer(query)
    estimate, page = found.estimate, words.page(found)
    ways = zip(estimate.fit.ways, page.ways, strict=True)
    variants = zip((*estimate.counts, *estimate.methods), (*page.counts, *page.methods), strict=True)
    for promise, row in (*ways, *variants):
        if promise.verdict is Verdict.BATCH:
            assert (row.time, row.eur) == ("", "")
            continue
        there = _answer(row.query).estimate
        assert there.fit.verdict is promise.verdict, row.name
        assert there.amount.tokens == pytest.approx(estimate.amount.tokens, rel=1e-9)
        if isinstance(promise, Way):
            assert there.fit.memory.needed_bytes == pytest.approx(promise.needed_bytes, rel=1e-9)
        if promise.seconds is not None:
            assert there.duration.with_retries_s == pytest.approx(promise.seconds, rel=1e-9), row.name
            assert there.bill.eur == promise.eur, row.name
        else:
            assert (row.time, row.eur) == ("", ""), row.name


def test_unknown_storage_stays_a_word(client: Client, seeded: None) -> None:
    text = text_of(page(client))
    assert "prix inconnu" in text
    assert "0,00 €" not in text


def test_a_payback_on_an_api_counts_requests_and_months(client: Client, seeded: None) -> None:
    query = f"{preset('published_8').query}&reads=api&saved=1500&requests=100000"
    found = {row[0]: row[1] for row in rows_of(page(client, query)) if len(row) == 2}
    saved = 1500 * 0.75 / 1e6 / 1.1172
    assert found["Requêtes pour rembourser"] == f"{0.948333 / saved:.0f}"
    assert found["Prix de l’entrée"].endswith("0,75 $ par million")


def test_a_card_that_is_always_on_saves_no_cash(client: Client, seeded: None) -> None:
    text = text_of(page(client, "reads=always_on&saved=1500"))
    assert "aucune : la carte est payée de toute façon" in text
    assert "Requêtes pour rembourser" not in text


def test_title_table_chart_and_file_say_the_same(client: Client, seeded: None) -> None:
    query = preset("published_8").query
    response = page(client, query)
    estimate, shown = response.context["estimate"], response.context["page"]
    assert "37,9" in shown.lead and shown.stats[0].value.startswith("37,9")
    current = shown.chart.figure["data"][2]
    assert current["y"] == [round(estimate.duration.with_retries_s / 60, 4)]
    assert float(data(client, query)["duration"]["with_retries_s"]) == pytest.approx(estimate.duration.with_retries_s)
    text = client.get(f"/fr/training.csv?{query}").content.decode("utf-8-sig")
    cells = [row for row in csv.reader(io.StringIO(text), delimiter=";") if len(row) > 2 and row[1] == "Durée"]
    assert float(cells[0][2].replace(",", ".")) == pytest.approx(estimate.duration.with_retries_s)


def test_the_answer_carries_a_canonical_link(client: Client, seeded: None) -> None:
    response = page(client, "form=1&model=Mistral-7B&mbs=8&recomp=1")
    assert response.status_code == 302
    query = parse_qs(urlsplit(response.headers["Location"]).query)
    assert query["mbs"] == ["8"]
    assert query["cal"] == [calibrated.mark()]
    assert set(TOOL.notation.by_name) - set(query) == TOOL.notation.optional - {"fx", "cal"}


def test_a_link_gives_the_same_answer_again(client: Client, seeded: None) -> None:
    first = page(client, "form=1&mbs=4&count=2&zero=3&price=2", **HTMX)
    again = page(client, first.context["query"])
    assert again.context["query"] == first.context["query"]
    assert again.context["estimate"] == first.context["estimate"]


def test_names_are_written_as_the_catalogue_writes_them(client: Client, seeded: None) -> None:
    query = parse_qs(page(client, "sku=gpu-pro&model=mistral-7b&ref=GPT-5.4").context["query"])
    assert (query["sku"], query["model"], query["ref"]) == (["GPU-PRO"], ["Mistral-7B"], ["gpt-5.4"])


def test_a_live_change_answers_with_the_result_and_its_address(client: Client, seeded: None) -> None:
    response = page(client, "form=1&steps=1500", **HTMX)
    assert response.status_code == 200
    assert "<html" not in response.content.decode()
    assert "steps=1500" in response.headers["HX-Replace-Url"]
    assert response.context["estimate"].amount.tokens == 6_144_000


def test_an_input_that_cannot_be_read_is_said_and_the_rest_kept(client: Client, seeded: None) -> None:
    response = page(client, "form=1&mbs=abc&accum=7&go=1")
    assert response.context["form"]["accum"].value() == "7"
    assert "n’est pas un nombre" in text_of(response)
    assert response.context["estimate"] is None


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        ("sku", "GPU-PR0", "Le plus proche : GPU-PRO"),
        ("sku", "CPU-LOCAL", "Le plus proche : GPU-PRO"),
        ("model", "Mistral-7X", "Le plus proche : Mistral-7B"),
        ("ref", "gpt-5.4-mimi", "Le plus proche : gpt-5.4-mini"),
        ("catalog", "99", "n’existe pas"),
    ],
)
def test_what_vanished_is_named_with_the_nearest(client: Client, seeded: None, key: str, code: str, said: str) -> None:
    response = page(client, f"{key}={code}&steps=77")
    assert said in text_of(response)
    proposal = parse_qs(response.context["notices"][-1].query)
    assert proposal["steps"] == ["77"]
    assert page(client, response.context["notices"][-1].query).context["estimate"] is not None


def test_another_calibration_is_said_and_the_address_names_todays(client: Client, seeded: None) -> None:
    """Today's numbers never stand under an old calibration's name."""
    response = page(client, "cal=000000000000")
    assert [notice.code for notice in response.context["notices"]] == ["calibration"]
    assert parse_qs(response.context["query"])["cal"] == [calibrated.mark()]
    assert page(client, response.context["query"]).context["notices"] == ()


def test_work_that_is_not_stated_opens_its_group_and_says_so(client: Client, seeded: None) -> None:
    response = page(client, "work=dataset")
    assert "Travail inconnu." in text_of(response)
    assert 'id="group-work" open data-open' in response.content.decode()


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json"])
@pytest.mark.parametrize("query", ["", MISFIT, "work=tokens", "speed=rate", "reads=api&saved=10"])
def test_every_answer_has_its_files(client: Client, seeded: None, suffix: str, query: str) -> None:
    response = client.get(f"/fr/training.{suffix}?{query}")
    assert response.status_code == 200
    assert response.content


def test_the_data_file_holds_exact_decimals_and_codes(client: Client, seeded: None) -> None:
    found = data(client, preset("published_8").query)
    assert found["answer"]["code"] == "takes_and_costs"
    assert Decimal(found["bill"]["eur"]) == Decimal(2276) / 3600 * Decimal("1.5")
    assert found["work"]["global_batch"] == 8
    assert float(found["speed"]["utilisations"]["mfu_6n"]) == pytest.approx(0.355, abs=5e-4)
    assert {step["code"] for step in found["steps"]} >= {"train_time", "train_bill", "lora_params"}


def test_the_data_file_of_a_misfit_lists_its_ways(client: Client, seeded: None) -> None:
    found = data(client, MISFIT)
    assert found["memory"]["fits"] is False
    assert found["memory"]["failing"] == "weights"
    assert found["duration"] is None
    assert {"qlora", "more_instances"} <= {way["code"] for way in found["ways_out"]}


def test_an_estimate_can_be_kept_and_reopened(client: Client, seeded: None) -> None:
    query = page(client, preset("published_8").query).context["query"]
    response = client.post("/fr/training/save", {"query": query})
    assert response.status_code == 303
    kept = text_of(client.get(response.headers["Location"]))
    assert "prend 37,9 min et coûte 0,95 € HT" in kept


def handed(query: str) -> dict[str, dict[str, list[str]]]:
    return {link.target: parse_qs(link.query) for link in TOOL.handovers(_answer(query))}


def test_the_model_and_the_machine_are_carried_over(seeded: None) -> None:
    found = handed(preset("lora_8b").query)
    assert found["inference"]["model"] == ["Llama-3.1-8B"]
    assert found["inference"]["sku"] == ["GPU-TITAN"]
    assert found["economics"]["sku"] == ["GPU-TITAN"]


def test_adapters_are_not_handed_to_the_page_that_sizes_whole_weights(seeded: None) -> None:
    assert "parallelism" not in handed(preset("lora_8b").query)
    assert "parallelism" not in handed("")
    assert "parallelism" in handed(preset("full_8b").query)


def test_the_run_is_carried_over_with_its_division(seeded: None) -> None:
    """500 steps of 1 × 64 × 1 sequences of 2 048 tokens."""
    found = handed(preset("topology").query)["parallelism"]
    names = ("gpus", "tp", "pp", "seq", "recomp", "tokens")
    assert [found[name] for name in names] == [["16"], ["8"], ["2"], ["2048"], ["1"], ["65536000"]]


def test_an_offer_without_a_monthly_price_is_handed_over_by_the_hour(client: Client, seeded: None) -> None:
    assert handed("sku=GPU-TITAN")["economics"]["basis"] == ["hour"]
    assert "basis" not in handed("sku=GPU-PRO")["economics"]
    economics = client.get("/fr/economics?sku=GPU-TITAN&basis=hour")
    assert economics.context["estimate"].gpu.total_eur is not None


def test_the_presets_of_published_runs_are_shown_as_claims(client: Client, seeded: None) -> None:
    for code in ("published_8", "published_32", "encoder_1"):
        assert page(client, preset(code).query).context["estimate"].rate.per_gpu.kind.value == "claim", code


def test_a_formula_of_tokens_stands_with_all_its_digits(client: Client, seeded: None) -> None:
    """2 × 16 384 × 4 × 1 × 10 = 1 310 720, not 16 380 and 1,311 M."""
    formula = next(
        item for item in page(client, "seq=16384&steps=10").context["page"].formulas if item.code == "train_tokens"
    )
    assert [value.text for value in formula.values if value.meaning == "tokens par séquence"] == ["16\u202f384"]
    assert formula.result == "1\u202f310\u202f720"


def test_memory_is_counted_in_the_same_unit_in_title_table_and_formula(client: Client, seeded: None) -> None:
    response = page(client)
    formulas = {item.code: item for item in response.context["page"].formulas}
    assert formulas["train_memory"].result == response.context["page"].memory.needed
    weights = response.context["page"].memory.rows[0]
    assert formulas["train_states"].values[0].text == weights.size


def test_each_handover_is_a_link_that_its_target_reads(client: Client, seeded: None) -> None:
    for item in PRESETS:
        for link in TOOL.handovers(_answer(item.query)):
            if link.target in registry.CALCULATORS:
                response = client.get(f"/fr/{link.target}?{link.query}")
                assert response.context["estimate"] is not None, (item.code, link.target)


def _answer(query: str) -> Any:
    found = answers.from_link(TOOL, QueryDict(query)).answer
    assert found is not None
    return found


def test_the_command_gives_the_pages_answer(seeded: None) -> None:
    out = StringIO()
    call_command("estimate", "training", "speed=published", "rows=12000", stdout=out)
    assert "prend 37,9" in out.getvalue()
    call_command("estimate", "training", "speed=published", "--json", stdout=(found := StringIO()))
    assert json.loads(found.getvalue())["calculator"] == "training"


def test_the_command_refuses_an_unknown_key_by_its_name(seeded: None) -> None:
    with pytest.raises(CommandError, match="micro"):
        call_command("estimate", "training", "micro=2")


@pytest.mark.parametrize("query", ["", preset("published_8").query, MISFIT, "reads=api&saved=1500"])
def test_a_page_asks_the_database_six_times_at_most(client: Client, seeded: None, query: str) -> None:
    page(client, query)
    with CaptureQueriesContext(connection) as asked:
        page(client, query)
    assert len(asked) <= QUERIES_AT_MOST


def test_a_live_change_asks_the_database_no_more(client: Client, seeded: None) -> None:
    page(client)
    with CaptureQueriesContext(connection) as asked:
        page(client, "form=1&steps=1500", **HTMX)
    assert len(asked) <= QUERIES_AT_MOST


def test_no_inline_style_or_script_reaches_the_page(client: Client, seeded: None) -> None:
    html = page(client, MISFIT).content.decode()
    assert not re.search(r"<[^>]*\sstyle=", html)
    assert set(re.findall(r"<script\b(?![^>]*src=)[^>]*>", html)) <= {'<script id="plot-data" type="application/json">'}
