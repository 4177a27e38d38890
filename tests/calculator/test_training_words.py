"""The words of the training page: every code has a sentence, every formula is told, every figure is written right."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import plotly.graph_objects
import pytest
from django.utils import translation

import calculator
from calculator.charts import training as chart
from calculator.domain.calibration import Framework
from calculator.domain.memory import Line, Sharding
from calculator.domain.offers import Basis
from calculator.domain.scenario import Message
from calculator.domain.training import Method
from calculator.domain.training_scenario import Numbers, Optimizer, Reads, Speed, TrainingEstimate, Utilisation, Work
from calculator.domain.training_work import assumed_shape
from calculator.forms.training import TrainingForm
from calculator.methodology.formulas_training import FORMULAS
from calculator.permalinks import training as keys
from calculator.presenters import (
    training,
    training_headline,
    training_notices,
    training_published,
    training_sections,
    training_steps,
    training_tables,
    training_ways,
    training_words,
)
from calculator.presenters.training_rows import export_rows
from tests.domain.serving_factories import LLAMA_70B, MIXTRAL
from tests.domain.training_factories import SUPERCOMPUTE, TITAN, answer, facts

NB = "\u00a0"
DOMAIN = Path(calculator.__file__).parent / "domain"
MODULES = sorted([*DOMAIN.glob("training_*.py"), DOMAIN / "payback.py", DOMAIN / "checkpoints.py"])
LARGE = facts(LLAMA_70B, sku=TITAN)
PUBLISHED: dict[str, Any] = {"speed": Speed.PUBLISHED, "data_rows": 12_000}
MISFIT: dict[str, Any] = {"method": Method.FULL, "micro_batch": 4, "numbers": Numbers.FP32}
REFUSALS = {"unknown_peak", "unknown_link", "fp32_not_calibrated", "adapters_not_modelled"}
FAULTS = {f"fault_{code}" for code in ("heads", "kv_heads", "vocabulary", "layers", "gpus")}


def cases() -> dict[str, TrainingEstimate]:
    """Estimates that together show every step and nearly every message."""
    return {
        "published": answer(**PUBLISHED),
        "misfit": answer(LARGE, **MISFIT),
        "data": answer(work=Work.DATASET, data_rows=10, mean_tokens=Decimal(900), recomputed=True),
        "mfu": answer(
            facts(assumed_shape(2.7e9), sku=TITAN),
            params_count=Decimal(2_700_000_000),
            method=Method.PRETRAIN,
            speed=Speed.MFU,
            mfu_ratio=Decimal("0.26"),
            work=Work.TOKENS,
            total_tokens=Decimal(40_000_000_000),
            retry_ratio=Decimal("0.1"),
        ),
        "month": answer(basis=Basis.MONTH, storage_eur_per_gb_month=Decimal("0.05"), keeps_optimizer=True),
        "api": answer(reads=Reads.API, saved_tokens=Decimal(1500), requests_count=Decimal(1000)),
        "gpu": answer(reads=Reads.GPU, saved_tokens=Decimal(1500), prefill_tok_per_s=Decimal(5000)),
        "always_on": answer(reads=Reads.ALWAYS_ON, saved_tokens=Decimal(1500)),
        "request": answer(facts(sku=SUPERCOMPUTE), instances=2, tensor_parallel=8, sharding=Sharding.WEIGHTS),
        "division": answer(facts(sku=SUPERCOMPUTE), tensor_parallel=3, pipeline_parallel=99),
        "no_work": answer(work=Work.TOKENS),
        "no_speed": answer(speed=Speed.RATE),
    }


CASES = cases()


def test_every_message_code_of_the_domain_is_worded() -> None:
    sources = [path.read_text(encoding="utf-8") for path in MODULES]
    found = {code for source in sources for code in re.findall(r'Message\(\s*"(\w+)"', source)}
    assert len(found) > 20
    assert (found | REFUSALS | FAULTS) - set(training_notices.SENTENCES) - training_notices.SILENT == set()


def test_every_refusal_of_the_speed_is_worded() -> None:
    source = (DOMAIN / "training_speed.py").read_text() + (DOMAIN / "training.py").read_text()
    assert set(re.findall(r'NotModelledError\("(\w+)"', source)) <= REFUSALS


@pytest.mark.parametrize("code", sorted(training_notices.SENTENCES))
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_sentence_takes_the_values_of_its_message(code: str, language: str) -> None:
    values = {
        "needed": 2.0**34,
        "usable": 2.0**35,
        "high": 2.0**35,
        "line": "weights",
        "tp": 8,
        "pp": 2,
        "gpus": 8,
        "sku": "GPU-PRO",
        "gpu": "T4",
        "model": "Mixtral-8x7B",
        "mean": Decimal(900),
        "sequence": 512,
        "batch": 8,
        "layers": 33,
        "copies": 2,
        "hidden": 2560,
        "context": 4096,
        "ratio": 1.5,
    }
    with translation.override(language):
        notice = training_notices.notice_of(Message(code, values))
    assert notice.lead and notice.text
    assert "%(" not in notice.lead + notice.text
    assert notice.level in training_notices.LEVELS


def test_serious_notices_come_first() -> None:
    levels = [notice.level for notice in training.training(CASES["division"]).notices]
    assert levels == sorted(levels, key=["bad", "warn", ""].index)


def test_each_link_of_a_notice_leads_to_a_field_of_the_form() -> None:
    used = {message.field for case in CASES.values() for message in case.warnings if message.field}
    for attribute in used:
        assert training_notices.FIELD_IDS[attribute].removeprefix("id_") in TrainingForm.names()


def test_every_step_is_titled_written_and_explained() -> None:
    shown = {step.code for case in CASES.values() for step in case.steps}
    assert shown == set(training_steps.titles())
    for case in CASES.values():
        for step in case.steps:
            symbols = {term.symbol for term in step.terms}
            expression = training_steps.expression(step)
            assert symbols <= set(re.findall(r"[A-Za-z]+(?:_[A-Za-z0-9]+)?", expression.split(" = ")[1])), step.code
            assert symbols <= set(training_steps.meanings(step)), step.code


def test_every_step_is_told_by_the_method_with_the_same_left_side() -> None:
    told = {formula.code: formula.formulas[0].split(" = ")[0] for formula in FORMULAS}
    for case in CASES.values():
        for step in case.steps:
            assert training_steps.expression(step).split(" = ")[0] == told[step.code]


def test_the_worked_numbers_of_the_method_are_what_the_domain_computes() -> None:
    results = {step.code: float(step.result) for step in CASES["published"].steps}
    told = {formula.code: float(formula.worked[0].result) for formula in FORMULAS}
    for code in ("train_tokens", "lora_params", "train_flop_token", "train_mfu", "train_time", "train_energy"):
        assert results[code] == pytest.approx(told[code], rel=1e-4), code
    assert results["train_bill"] == pytest.approx(told["train_bill"], rel=5e-4)
    assert results["checkpoint_size"] == told["checkpoint_size"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_case_can_be_put_into_words(name: str, language: str) -> None:
    with translation.override(language):
        page = training.training(CASES[name])
        rows = export_rows(CASES[name])
    assert page.lead and page.status and page.short
    assert len(page.stats) == 4
    assert len(page.assumptions) == 5
    assert all(row.label for row in rows)
    assert not re.search(r"None|nan|\{\}", page.lead + page.status)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("published", f"prend 37,9{NB}min et coûte 0,95{NB}€ HT."),
        ("misfit", "ne tient pas en mémoire"),
        ("division", "impossible avec cette division"),
        ("no_work", "indiquez le travail"),
        ("no_speed", "durée inconnue, faute de vitesse"),
        ("request", "son prix est sur devis"),
    ],
)
def test_the_sentence_says_the_answer_or_what_stands_in_its_way(name: str, said: str) -> None:
    assert said in training_headline.sentence(CASES[name])


def test_an_unknown_value_is_a_word_and_never_zero() -> None:
    page = training.training(CASES["misfit"])
    assert [stat.value for stat in page.stats[:3]] == ["inconnue", "inconnu", "inconnue"]
    assert page.short == "ne tient pas"
    assert training.training(CASES["no_work"]).stats[0].value == "inconnue"
    unknown = [row.value for row in export_rows(CASES["misfit"]) if row.label == "Durée"]
    assert unknown == [None]


def test_the_retry_allowance_is_named_beside_the_time() -> None:
    assert training.training(CASES["mfu"]).stats[0].note == f"dont 10{NB}% de marge pour reprises"


def test_a_typed_model_is_named_by_its_size() -> None:
    assert f"2,7{NB}Md de paramètres" in training_headline.sentence(CASES["mfu"])
    with translation.override("en"):
        assert "Pre-training of 2.7B parameters on GPU-TITAN" in training_headline.sentence(CASES["mfu"])


def test_memory_is_read_in_the_units_of_the_card() -> None:
    """An RTX 4090 reports 24 564 MiB: 24.0 GiB."""
    assert training_tables.memory(CASES["published"]).usable == f"24{NB}Gio"
    with translation.override("en"):
        assert training_tables.memory(CASES["published"]).usable == f"24{NB}GiB"


def test_the_bars_of_memory_are_shares_of_the_larger_of_card_and_line() -> None:
    fitting, beyond = training_tables.memory(CASES["published"]), training_tables.memory(CASES["misfit"])
    assert fitting.line == "100.0%"
    assert max(float(row.width.rstrip("%")) for row in fitting.rows) < 100
    assert max(float(row.width.rstrip("%")) for row in beyond.rows) == 100
    assert [row.failing for row in beyond.rows].count(True) == 1


def test_an_empty_line_of_memory_is_left_out() -> None:
    names = [row.name for row in training_tables.memory(CASES["misfit"]).rows]
    assert "Adaptateurs" not in names


def test_every_way_out_has_a_name_and_a_link() -> None:
    rows = training_ways.ways(CASES["misfit"])
    assert len(rows) == len(CASES["misfit"].fit.ways)
    assert all(row.name and row.query.startswith("v=1&") for row in rows)


def test_pitfall_37_a_way_that_is_not_enough_has_no_time_and_no_cost() -> None:
    rows = training_ways.ways(CASES["misfit"])
    short = [row for row in rows if row.mark.css == "lose"]
    assert short
    assert {(row.time, row.eur) for row in short} == {("", "")}
    assert all(row.time and row.eur for row in rows if row.mark.css == "win")


def test_a_way_whose_copies_need_a_larger_batch_says_which() -> None:
    """Four sequences a step on one A100; eight cards take one each."""
    found = answer(LARGE, method=Method.FULL, micro_batch=1, accumulation=4)
    row = next(row for row in training_ways.ways(found) if row.detail.startswith(f"16{NB}×{NB}GPU-TITAN"))
    assert row.detail.endswith("batch global de 16")


def test_what_does_not_fit_has_a_blank_time_and_a_mark() -> None:
    rows = {row.name: row for row in training_tables.methods(CASES["published"])}
    assert (rows["complet"].time, rows["complet"].eur, rows["complet"].mark.css) == ("", "", "lose")
    assert rows["QLoRA"].is_current


def test_an_impossible_division_is_not_called_a_lack_of_memory() -> None:
    rows = training_tables.counts(CASES["division"])
    assert {row.mark.text for row in rows} == {"impossible"}


def test_a_count_that_cannot_keep_the_batch_says_why_and_is_not_drawn() -> None:
    """Eight sequences a step do not go into sixteen copies."""
    last = training_tables.counts(CASES["published"])[-1]
    assert (last.mark.text, last.time, last.eur) == ("batch de 8 indivisible par 16", "", "")


def test_the_files_say_why_a_count_is_refused() -> None:
    named = {row.label: row.value for row in export_rows(CASES["published"])}
    assert named[f"16{NB}×{NB}GPU-PRO{NB}: verdict"] == "batch de 8 indivisible par 16"
    assert named[f"16{NB}×{NB}GPU-PRO{NB}: durée"] is None
    assert named[f"complet{NB}: verdict"] == "ne tient pas"


MOE = answer(facts(MIXTRAL, sku=TITAN), micro_batch=1, recomputed=True)


def test_what_is_not_modelled_is_unknown_in_every_place() -> None:
    """QLoRA of a mixture of experts: its weights are known, the adapters are not. In 16 bits the weights alone, 87 GiB,
    are too much for a card of 80."""
    page = training.training(MOE)
    sizes = {row.name: row.size for row in page.memory.rows}
    assert {sizes[name] for name in ("Adaptateurs", "Gradients", "États de l’optimiseur")} == {"inconnu"}
    assert page.memory.mark.text == "inconnu"
    assert page.memory.needed.startswith("au moins")
    assert page.stats[3].value == "inconnue"
    assert [row.value for row in page.checkpoints[:2]] == ["inconnu", "inconnu"]
    assert [row.mark.text for row in page.methods] == ["ne tient pas", "ne tient pas", "inconnu"]
    assert {row.mark.text for row in page.counts if row.mark.css != "lose"} == {"inconnu"}
    assert not page.ways
    named = {row.label: row.value for row in export_rows(MOE)}
    assert named["Verdict"] == "inconnu"
    for label in ("Nécessaire", "Adaptateurs", "Gradients", "Poids seuls", "Place occupée"):
        assert named[label] is None


def test_a_way_whose_adapters_are_not_modelled_is_unknown_and_comes_after_those_that_are_enough() -> None:
    """LoRA of a mixture of experts does not fit 80 GiB; QLoRA might: nobody knows its adapters."""
    found = answer(facts(MIXTRAL, sku=TITAN), method=Method.LORA, micro_batch=1, recomputed=True)
    rows = [row for row in training_ways.ways(found) if row.name == "QLoRA"]
    assert [(row.mark.text, row.time, row.eur) for row in rows] == [("inconnu", "", "")]
    assert rows[0].memory.startswith("au moins")
    assert {row.mark.text for row in training_ways.ways(found)} == {"inconnu"}
    told = {notice.code: notice.text for notice in training_notices.notices(found)}
    assert "il faut déjà" in told["known_does_not_fit"]
    assert "does_not_fit" not in told


def test_what_is_not_modelled_is_null_in_the_data() -> None:
    found = training_sections.sections(SimpleNamespace(estimate=MOE))
    assert (found["memory"]["fits"], found["memory"]["verdict"]) == (False, "not_modelled")
    assert found["memory"]["lines"]["adapters"] is None
    assert found["memory"]["needed_bytes"] is None
    assert found["checkpoints"]["weight_bytes"] is None


def test_a_price_on_request_is_said_beside_the_time() -> None:
    rows = training_tables.counts(CASES["request"])
    assert {row.eur for row in rows if row.mark.css == "win"} == {"sur devis"}
    assert f"2{NB}×{NB}GPU-SUPERCOMPUTE (16 GPU)" in [row.name for row in rows]


def test_utilisations_name_the_flop_that_they_count() -> None:
    formulas = [row.formula for row in training_tables.utilisations(CASES["published"])]
    assert formulas == ["6N", "6N + 12·L·T·d", "4N", "4N + 6·L·T·d"]
    again = [row.formula for row in training_tables.utilisations(CASES["data"])]
    assert again[-1] == "4N + 2N + 8·L·T·d"
    assert training_tables.utilisations(CASES["misfit"]) == ()


def test_a_run_that_nobody_published_has_no_block() -> None:
    assert training_published.published(CASES["misfit"]) is None


def test_the_reasons_why_claims_differ_hold_numbers_that_follow_from_the_claims() -> None:
    """92 days on one card, 14 on eight: 6.57 of 8; and 6·N·D over 92 days of an A100's peak."""
    speed_up, days = 92 / 14, 92 / 8
    mfu = 6 * 2.7e9 * 40e9 / (312e12 * 92 * 86_400)
    assert f"{speed_up / 8 * 100:.0f}{NB}%" in training_published.published_note("encoder_8")
    assert f"{days:.1f}".replace(".", ",") in training_published.published_note("encoder_8")
    assert f"{mfu * 100:.1f}{NB}%".replace(".", ",") in training_published.published_note("encoder_1")
    assert training_published.published_note("qlora") == ""


def test_a_payback_of_some_hours_is_not_written_in_digits() -> None:
    rows = {row.name: row.value for row in training_tables.payback(CASES["api"])}
    assert rows["Mois pour rembourser"] != f"<{NB}0,01"
    busy = answer(reads=Reads.API, saved_tokens=Decimal(1500), requests_count=Decimal(10_000_000))
    rows = {row.name: row.value for row in training_tables.payback(busy)}
    assert rows["Mois pour rembourser"] == f"<{NB}0,01"


def test_a_claim_without_readings_has_its_figures_alone() -> None:
    found = training_published.published(CASES["mfu"])
    assert found is not None
    assert [row.name for row in found.figures] == ["Tokens par seconde et GPU", "Tokens", "Durée"]
    assert found.readings == ()


def test_the_chart_stands_on_the_rows_of_its_table() -> None:
    found = chart.by_count(CASES["published"])
    assert found is not None
    ideal, own, dot = found.figure["data"]
    assert own["x"] == [1, 2, 4, 8]
    assert own["y"] == [round((row.seconds or 0) / 60, 4) for row in CASES["published"].counts[:4]]
    assert ideal["y"] == [round(own["y"][0] / count, 4) for count in own["x"]]
    assert dot["x"] == [1]
    plotly.graph_objects.Figure(found.figure)


def test_the_charts_title_is_its_finding() -> None:
    found = chart.by_count(CASES["published"])
    assert found is not None
    assert found.title.startswith(f"8 GPU au lieu de 1{NB}: ")
    assert "de coût" in found.title


def test_nothing_is_drawn_where_nothing_has_a_time() -> None:
    assert chart.by_count(CASES["misfit"]) is None
    assert chart.by_count(CASES["no_work"]) is None


def test_long_runs_are_drawn_in_days_and_short_ones_in_minutes() -> None:
    long = chart.by_count(answer(steps_count=1_000_000))
    assert long is not None
    assert long.figure["layout"]["yaxis"]["title"]["text"] == "jours"


def test_a_chart_without_a_price_names_no_cost() -> None:
    found = chart.by_count(CASES["request"])
    assert found is None or "de coût" not in found.title


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_name_of_a_choice_is_worded(language: str) -> None:
    with translation.override(language):
        assert all(training_words.method_name(item) for item in Method)
        assert all(training_words.optimizer_name(item) for item in Optimizer)
        assert all(training_words.framework_name(item) for item in Framework)
        assert all(training_words.line_name(item) for item in Line)
        assert all(training_words.utilisation_name(item) for item in Utilisation)


def test_a_stale_price_is_said() -> None:
    price = answer().bill
    assert price is not None and price.price is not None
    old = replace(TITAN, prices={Basis.HOUR: replace(price.price, date=answer().scenario.at.date().replace(year=2025))})
    told = {notice.code for notice in training_notices.notices(answer(facts(sku=old)))}
    assert "stale_price" in told


def test_every_number_of_the_form_is_a_key_of_the_link() -> None:
    assert {key.name for key in keys.KEYS if key.quantity} - {"catalog"} == set(TrainingForm.NUMBERS)
