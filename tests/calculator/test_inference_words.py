"""The words and figures of the inference page: every code has its sentence, every step its formula, every figure is
valid and holds the numbers of its table."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from django.utils import translation

from calculator.charts import inference as charts
from calculator.domain.calibration import Engine
from calculator.domain.memory import Line
from calculator.domain.offers import Basis
from calculator.domain.precision import PRECISIONS
from calculator.domain.roofline import Limit
from calculator.domain.scenario import Message
from calculator.domain.serving_answer import InferenceEstimate, estimate
from calculator.domain.serving_outcome import Miss, Target
from calculator.domain.serving_scenario import CachePrecision, LoadBy, Ranged
from calculator.methodology.bounds import BOUNDS
from calculator.methodology.formulas_inference import FORMULAS
from calculator.permalinks.inference import PRECISION_CODES
from calculator.presenters import inference, inference_formulas, inference_lead, inference_notices, inference_tables
from calculator.presenters import inference_words as words
from calculator.presenters.inference_rows import export_rows
from tests.domain.inference_factories import ENTERPRISE, PRO, STARTER, SUPERCOMPUTE, TITAN, facts, offer, run, scenario
from tests.domain.serving_factories import A100_80, DEEPSEEK

NB = "\u00a0"
DOMAIN = Path(__file__).resolve().parents[2] / "calculator" / "domain"
RAISED_IN = ("serving_layout", "serving_answer", "inference")
PRICED = offer("BIG", replace(A100_80, vram_gb=800, driver_mib=819_200), "80", gpu_count=8)

CASES: dict[str, dict[str, Any]] = {
    "meets": {},
    "misses": {"token_ms": Decimal(1)},
    "no targets": {"token_ms": Decimal(0), "first_token_ms": Decimal(0)},
    "rate": {"load": LoadBy.RATE, "requests_per_s": Decimal("1.5")},
    "beyond capacity": {"load": LoadBy.RATE, "requests_per_s": Decimal(500)},
    "volume": {"volume_tokens": Decimal(10**9)},
    "one stream": {"concurrency": 1},
    "llama.cpp": {"engine": Engine.LLAMA_CPP, "precision": "gguf-q4_k_m"},
    "fp8 cache": {"cache": CachePrecision.FP8},
    "by the month": {"basis": Basis.MONTH},
}


def answer(chosen: Any = ENTERPRISE, **fields: Any) -> InferenceEstimate:
    return estimate(scenario(**fields), facts(chosen))


def raised() -> set[str]:
    """Every code that a message of the inference answer is made with."""
    found: set[str] = set()
    for name in RAISED_IN:
        text = (DOMAIN / f"{name}.py").read_text(encoding="utf-8")
        found |= set(re.findall(r'(?:Message|NotModelledError)\(\s*"(\w+)"', text))
    return found | {"division_heads", "division_kv_heads", "division_vocabulary", "division_layers"}


def test_every_message_of_the_domain_has_its_sentence() -> None:
    assert raised() == set(inference_notices.SENTENCES)


VALUES: dict[str, Any] = {
    **{"name": "X", "vendor": "AMD", "tp": 3, "pp": 2, "count": 32, "engine": "vLLM", "precision": "fp8"},
    **{"wanted": 4, "gpus": 2, "context": 9000, "limit": 8192, "window": 4096, "model": "M", "gpu": "A100"},
    **{"capability": "8.0", "sku": "GPU-PRO", "idle": 1, "capacity": 5.5, "asked": 7.25, "concurrency": 400.0},
    **{"replicas": 2, "rows": 3, "chip": "Ampere/HBM", "needed": "7.5"},
    **{"running": 256, "run": "run-7", "factor": 0.75, "then": "aaaa", "now": "bbbb", "claim": 96, "alone": 71.5},
}


@pytest.mark.parametrize("code", sorted(inference_notices.SENTENCES))
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_sentence_takes_its_values_in_both_languages(code: str, language: str) -> None:
    values = dict(VALUES)
    if code == "margin_within_band":
        values = {"target": "ttft", "value": 0.098, "limit": 0.1}
    with translation.override(language):
        found = inference_notices.notice(Message(code, values, "sku"))
    assert found.lead
    assert found.text
    assert "%(" not in found.lead + found.text
    assert found.field == "id_sku"


def test_a_margin_within_the_band_names_its_target() -> None:
    found = inference_notices.notice(Message("margin_within_band", {"target": "ttft", "value": 0.098, "limit": 0.1}))
    assert f"Premier token{NB}: 98{NB}ms pour 100{NB}ms." in found.text


def test_the_most_serious_notice_comes_first() -> None:
    found = inference_notices.notices(answer(SUPERCOMPUTE, precision="gguf-q8_0"))
    assert found[0].level == "bad"
    assert found[-1].level == ""


@pytest.mark.parametrize("name", CASES)
def test_every_step_has_title_formula_and_meanings_and_stands_in_the_method(name: str) -> None:
    told = {formula.code: formula.formulas[0] for formula in (*FORMULAS, *BOUNDS)}
    for step in answer(**CASES[name]).steps:
        assert step.code in told
        expression = inference_formulas.expression(step)
        assert expression.split(" = ")[0] == told[step.code].split(" = ")[0]
        meant = inference_formulas.meanings(step.code)
        symbols = {term.symbol for term in step.terms}
        assert symbols <= set(meant), step.code
        assert step.code in inference_formulas.titles()
        written = set(re.findall(r"[A-Za-z](?:_\w+)?", expression.split(" = ")[1]))
        assert written == symbols, step.code


def test_latent_and_anchored_steps_are_told_too() -> None:
    latent = estimate(scenario(tensor_parallel=8), facts(PRICED, DEEPSEEK))
    anchored = estimate(scenario(concurrency=32), facts(runs=(run(500.0),)))
    shown = {view.code for one in (latent, anchored) for view in inference_formulas.formulas(one)}
    assert {"serve_latent", "serve_anchored"} <= shown


def test_numbers_of_a_formula_are_those_of_its_step() -> None:
    views = {view.code: view for view in inference_formulas.formulas(answer())}
    assert views["serve_weights"].result == f"13,5{NB}Gio"
    assert views["kv_bytes"].result == f"131{NB}ko/tok"
    assert f"4,20{NB}€" in str(views["serve_bill"].numbers)


@pytest.mark.parametrize(
    ("fields", "chosen", "text"),
    [
        ({}, ENTERPRISE, "GPU-ENTERPRISE tient vos objectifs"),
        ({"instances": 2}, TITAN, "2 × GPU-TITAN tient vos objectifs"),
        ({"token_ms": Decimal(1)}, ENTERPRISE, "GPU-ENTERPRISE manque un objectif : temps par token"),
        ({"load": LoadBy.RATE, "requests_per_s": Decimal(500)}, ENTERPRISE, "GPU-ENTERPRISE est débordé"),
        ({}, STARTER, "Ne tient pas sur GPU-STARTER : les poids débordent, il manque"),
        ({"prompt_tokens": 500_000}, TITAN, "aucune séquence n’entre dans le cache KV"),
        ({"precision": "gguf-q8_0"}, TITAN, "Pas d’estimation pour GPU-TITAN"),
        ({"token_ms": Decimal(0), "first_token_ms": Decimal(0)}, TITAN, "GPU-TITAN donne le premier token en"),
    ],
)
def test_the_sentence_says_what_holds_or_what_stands_in_the_way(fields: dict[str, Any], chosen: Any, text: str) -> None:
    assert text in inference_lead.sentence(answer(chosen, **fields)).replace(NB, " ")


def test_a_sentence_of_a_misfit_names_the_cheapest_that_will_do() -> None:
    assert "GPU-PRO convient pour" in inference_lead.sentence(answer(STARTER))


def test_the_figures_carry_their_bands() -> None:
    first, user, total, cost = inference_lead.stats(answer())
    assert all(" à " in stat.note for stat in (first, user, total, cost))
    assert f"objectif 500{NB}ms" in first.note
    assert inference_lead.stats(answer(STARTER)) == ()


def test_without_a_price_the_cost_says_on_request() -> None:
    assert inference_lead.stats(answer(SUPERCOMPUTE))[3].value == "sur devis"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0987, "98,7 ms"), (1.2345, "1 235 ms"), (12.0, "12 s"), (None, "inconnu")]
)
def test_latencies_are_milliseconds_below_ten_seconds(value: float | None, text: str) -> None:
    assert words.milliseconds(value).replace(NB, " ").replace("\u202f", " ") == text


def test_a_band_is_empty_where_none_is_known() -> None:
    assert words.band(Ranged(1.0)) == ""
    assert words.price_band(None, None) == ""
    assert words.band(Ranged(50.0, 40.0, 60.0), "tok/s") == f"40{NB}tok/s à 60{NB}tok/s"


def test_misses_are_told_with_what_was_wanted() -> None:
    assert words.miss(Miss(Target.TTFT, 0.3, 0.1)) == f"premier token 300{NB}ms pour 100{NB}ms"
    assert "2 requêtes/s au plus pour 5 demandées" in words.miss(Miss(Target.RATE, 2.0, 5.0))


def test_every_format_line_limit_and_target_has_its_word() -> None:
    assert set(PRECISION_CODES) == set(words.PRECISIONS) <= set(PRECISIONS)
    assert set(words.LINES) >= {Line.WEIGHTS, Line.RUNTIME, Line.KV_CACHE}
    assert set(words.LIMITS) == set(Limit)
    assert set(words.TARGETS) == set(Target)


# Tables


def test_memory_lines_add_up_to_the_card() -> None:
    memory = answer().chosen.memory
    assert memory is not None
    lines = inference_tables.memory_lines(memory)
    assert sum(line.bytes for line in lines) == pytest.approx(memory.total_bytes)
    assert [line.role for line in lines] == ["gpu", "mute", "api", "free", "rest"]


def test_the_memory_of_a_misfit_has_no_free_part() -> None:
    memory = answer(STARTER).chosen.memory
    assert memory is not None
    assert {line.role for line in inference_tables.memory_lines(memory)} == {"gpu", "mute", "api"}


def test_every_way_out_has_a_title_an_effect_and_a_price() -> None:
    shown = [
        way
        for found in (answer(STARTER), answer(token_ms=Decimal(15)), answer(first_token_ms=Decimal(120)))
        for way in inference_tables.ways(found)
    ]
    assert shown
    for way in shown:
        assert way.title and way.price and way.query
        assert way.mark in ("tient tout", "tient en mémoire")


def test_a_way_out_without_hardware_says_so() -> None:
    ways = inference_tables.ways(answer(STARTER))
    fp8 = next(way for way in ways if way.title == "Poids fp8")
    assert "sans unités 8" in fp8.effect


def test_the_ranking_says_why_the_others_fail() -> None:
    shown = {line.code: line for line in inference_tables.ranking(answer(ENTERPRISE, token_ms=Decimal(3)))}
    assert any("temps par token" in line.reason for line in shown.values())
    one = answer()
    starter = next(item for item in one.ranking.candidates if not item.outcome.fits)
    assert inference_tables.reason(starter, one).startswith(f"ne tient pas{NB}: poids, il manque")


def test_the_cheapest_is_named_once() -> None:
    reasons = [line.reason for line in inference_tables.ranking(answer())]
    assert reasons.count("le moins cher qui convient") == 1
    assert reasons[0] == "le moins cher qui convient"


def test_the_front_goes_from_the_cheapest_up() -> None:
    front = inference_tables.front(answer())
    assert all(line.on_front for line in front)
    assert len(front) >= 2


def test_the_curve_marks_the_load_and_the_best_point() -> None:
    lines = inference_tables.curve(answer())
    assert sum(line.is_chosen for line in lines) == 1
    assert sum(line.is_best for line in lines) == 1


def test_costs_add_the_volumes_own_line_where_one_is_typed() -> None:
    plain, typed = answer(), answer(volume_tokens=Decimal(10**9))
    assert len(inference_tables.costs(typed)) == len(inference_tables.costs(plain)) + 1
    assert inference_tables.costs(answer(SUPERCOMPUTE)) == ()


def test_goodput_is_one_share_or_two_bounds() -> None:
    assert " à " in inference_tables.goodput(answer(first_token_ms=Decimal(250), token_ms=Decimal(21)))
    assert inference_tables.goodput(answer(STARTER)) == ""


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_case_is_put_into_words_in_both_languages(name: str, language: str) -> None:
    known = facts(ENTERPRISE)
    with translation.override(language):
        found = estimate(scenario(**CASES[name]), known)
        shown = inference.page(found, known)
        rows = export_rows(found)
    assert shown.lead and shown.eyebrow and shown.short
    assert shown.ranking
    assert {row.section for row in rows}
    assert all(row.label for row in rows)


def test_english_readers_find_no_french_sentence() -> None:
    known = facts(ENTERPRISE)
    with translation.override("en"):
        shown = inference.page(estimate(scenario(), known), known)
    text = f"{shown.lead} {shown.memory_note} {shown.ranking_title} {' '.join(shown.assumptions)}"
    assert not re.search(r"\b(le|la|les|des|pour|par|tient)\b", text)


# Figures


def figures(found: InferenceEstimate) -> list[charts.Figure]:
    lines = inference_tables.memory_lines(found.chosen.memory) if found.chosen.memory else ()
    usable = found.chosen.memory.estimate.usable_bytes if found.chosen.memory else 0.0
    drawn = [charts.latency(found), charts.curve(found)]
    drawn.append(charts.memory(((line.name, line.bytes, line.role) for line in lines), usable))
    drawn.append(charts.roofline(found.roofline) if found.roofline else None)
    return [figure for figure in drawn if figure is not None]


@pytest.mark.parametrize("name", CASES)
def test_each_figure_is_valid_for_plotly(name: str) -> None:
    for figure in figures(answer(**CASES[name])):
        go.Figure(data=figure["data"], layout=figure["layout"])
        assert {"shapes", "annotations", "xaxis", "yaxis", "margin"} <= set(figure["layout"])
        assert all(trace["meta"]["role"] for trace in figure["data"])


def test_the_bars_of_the_first_token_hold_its_parts() -> None:
    found = answer()
    assert found.chosen.served is not None
    figure = charts.latency(found)
    assert figure is not None
    point = found.chosen.served.point
    shown = [trace["x"][0] for trace in figure["data"]]
    assert shown == pytest.approx([point.queue_s * 1e3, point.prefill_s * 1e3, point.first_step_s * 1e3], rel=1e-4)
    assert figure["layout"]["shapes"][0]["x0"] == 500


def test_the_curve_holds_every_point_of_its_table() -> None:
    found = answer()
    figure = charts.curve(found)
    assert figure is not None
    assert len(figure["data"][0]["x"]) == len(inference_tables.curve(found)) == len(found.curve)
    assert figure["layout"]["shapes"][0]["y0"] == 50


def test_without_targets_no_rule_is_drawn() -> None:
    found = answer(token_ms=Decimal(0), first_token_ms=Decimal(0))
    latency, curve = charts.latency(found), charts.curve(found)
    assert latency is not None and curve is not None
    assert latency["layout"]["shapes"] == curve["layout"]["shapes"] == []


def test_nothing_is_drawn_of_a_speed_that_does_not_exist() -> None:
    found = answer(PRO, prompt_tokens=500_000)
    assert charts.curve(found) is None
    assert [bar.name for bar in charts.latency_bars(found) if "PRO" in bar.name] == []


def test_the_ridge_stands_where_both_roofs_meet() -> None:
    found = answer().roofline
    assert found is not None
    figure = charts.roofline(found)
    ridge = figure["data"][0]["x"][1]
    assert ridge == pytest.approx(312e12 / 1555e9, rel=1e-4)
    assert figure["data"][0]["y"][1] == figure["data"][0]["y"][2] == 312
