"""The tokens page in words: a sentence for each code, a title and a place in the method for each step."""

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from django.utils import translation

from calculator.charts.tokens import reading_costs
from calculator.domain import tokens as domain
from calculator.domain import tokens_gpu
from calculator.domain.scenario import Message
from calculator.domain.serving_layout import gpu_faults
from calculator.domain.tokens_scenario import TokensEstimate
from calculator.methodology.formulas_tokens import FORMULAS
from calculator.presenters import tokens, tokens_notices, tokens_rows, tokens_steps, tokens_tables, tokens_words
from tests.domain.inference_factories import SUPERCOMPUTE
from tests.domain.tokens_factories import facts, scenario

pytestmark = pytest.mark.django_db
MEAN = "Tokens par document, en moyenne"
SAMPLED = {"sample_count": 100, "sd_tokens": Decimal(2000), "read_tok_per_s": Decimal(1000)}


def answer(fact_changes: dict[str, Any] | None = None, **fields: Any) -> TokensEstimate:
    return domain.estimate(scenario(**fields), facts(**(fact_changes or {})))


def codes_in(module: Any) -> set[str]:
    source = Path(module.__file__).read_text(encoding="utf-8")
    return set(re.findall(r'Message\(\s*"(\w+)"', source))


def test_every_code_of_the_answer_has_a_sentence() -> None:
    faults = {"no_data_sheet", "vendor_not_calibrated", "unknown_peak", "unknown_link"}
    raised = codes_in(domain) | codes_in(tokens_gpu) | faults
    assert raised == set(tokens_notices.SENTENCES)
    assert {message.code for message in gpu_faults(None, "x")} <= raised


@pytest.mark.parametrize("code", tokens_notices.SENTENCES)
def test_every_sentence_fills_its_places(code: str) -> None:
    values = dict.fromkeys(re.findall(r"%\((\w+)\)s", str(tokens_notices.SENTENCES[code].text)), 7)
    assert "%(" not in tokens_notices.sentence_of(Message(code, values))


def test_every_step_has_a_title_an_expression_and_a_heading_in_the_method() -> None:
    estimate = answer(**SAMPLED)
    shown = [step.code for step in estimate.steps]
    assert set(shown) == set(tokens_steps.EXPRESSIONS) == {formula.code for formula in FORMULAS}
    assert set(tokens_steps.titles(estimate)) == set(tokens_steps.EXPRESSIONS)
    for formula in FORMULAS:
        assert tokens_steps.EXPRESSIONS[formula.code] == formula.formulas[0], formula.code


def test_every_symbol_of_a_step_is_explained() -> None:
    estimate = answer(**SAMPLED)
    meant = tokens_steps.meanings(estimate)
    assert {term.symbol for step in estimate.steps for term in step.terms} <= set(meant)
    assert all(value.meaning for formula in tokens_steps.formulas(estimate) for value in formula.values)


def test_the_formula_shows_the_visitors_numbers() -> None:
    with translation.override("fr"):
        total = tokens_steps.formulas(answer())[0]
    assert "2\u202f000\u202f000" in total.numbers and "4\u202f000" in total.numbers
    assert total.result == "8\u00a0Md"


def test_nothing_is_said_to_be_counted_without_a_sample() -> None:
    with translation.override("fr"):
        assumed, counted = answer(), answer(**SAMPLED)
        said = tokens_words.eyebrow(assumed), *tokens.assumptions(assumed)
        assert said[0] == "À 4\u202f000 tokens par document en moyenne (hypothèse)"
        assert not any("comptés par" in text for text in said)
        assert tokens_words.eyebrow(counted).endswith("en moyenne, comptés par cl100k_base")
        kinds = [row.kind for row in tokens_rows.export_rows(assumed) if row.label in (MEAN, "Tokens du corpus")]
    assert kinds == ["hypothèse", "hypothèse"]


def test_the_sentence_names_the_machine_only_where_its_speed_is_known() -> None:
    with translation.override("fr"):
        known = tokens_words.sentence(answer())
        unknown = tokens_words.sentence(answer({"offers": (replace(SUPERCOMPUTE, gpu=None),)}, sku="GPU-SUPERCOMPUTE"))
    assert "les lire sur GPU-PRO prend" in known
    assert "GPU-SUPERCOMPUTE" not in unknown and "coûte 161,55\u00a0€ HT." in unknown


def test_french_says_de_from_a_million_on() -> None:
    with translation.override("fr"):
        assert tokens_words.documents(2_000_000) == "2\u00a0M de documents"
        assert tokens_words.documents(1) == "1 document"
        assert tokens_words.documents(999) == "999 documents"
    with translation.override("en"):
        assert tokens_words.documents(2_000_000) == "2M documents"


def test_without_a_rate_prices_stay_in_dollars() -> None:
    with translation.override("en"):
        estimate = answer({"usd_per_eur": None})
        assert tokens_words.price(estimate.embedding) == "$180.48"
        assert "tokens_embed_bill" not in {formula.code for formula in tokens_steps.formulas(estimate)}


def test_the_cheapest_of_each_table_is_marked_once() -> None:
    estimate = answer()
    assert [line.is_best for line in tokens_tables.embeddings(estimate)].count(True) == 1
    reading = (*tokens_tables.apis(estimate), *tokens_tables.gpus(estimate))
    assert [line.is_best for line in reading].count(True) == 1


def test_a_machine_without_a_price_says_on_request_and_one_that_cannot_read_says_why() -> None:
    with translation.override("fr"):
        lines = {line.code: line for line in tokens_tables.gpus(answer())}
    assert lines["GPU-SUPERCOMPUTE"].total == "sur devis"
    assert "ne tient pas" in lines["GPU-STARTER"].note and lines["GPU-STARTER"].is_unknown


def test_a_chunk_that_a_model_cannot_take_is_noted_on_its_line() -> None:
    with translation.override("fr"):
        lines = {line.name: line.note for line in tokens_tables.embeddings(answer(chunk_tokens=4096))}
    assert lines["gemini-embedding-001"] == "morceau trop long"
    assert lines["mistral-embed"] == ""


def test_the_chart_is_valid_for_plotly_and_shows_every_known_price() -> None:
    estimate = answer()
    chart = reading_costs(estimate)
    assert chart is not None
    go.Figure({"data": [{**trace, "meta": None} for trace in chart.figure["data"]], "layout": chart.figure["layout"]})
    drawn = {name: value for trace in chart.figure["data"] for name, value in zip(trace["y"], trace["x"], strict=True)}
    # 8·10⁹ × 2.50 $ ÷ 1.1172.
    assert drawn["gpt-5.4"] == pytest.approx(17901.90)
    assert len(drawn) == len(chart.rows) == 8
    assert chart.rows[0].name == chart.figure["layout"]["yaxis"]["categoryarray"][-1]


def test_fewer_than_two_prices_draw_no_chart() -> None:
    assert reading_costs(answer({"apis": (), "offers": (SUPERCOMPUTE,)}, apis=(), sku="GPU-SUPERCOMPUTE")) is None


def test_the_file_holds_every_price_and_the_word_for_unknown_is_none() -> None:
    with translation.override("fr"):
        rows = tokens_rows.export_rows(answer())
    by_label = {(row.section, row.label, row.unit): row.value for row in rows}
    assert by_label[("Lire une fois, API", "gpt-5.4, coût", "$")] == Decimal(20_000)
    assert by_label[("Lire une fois, GPU", "GPU-SUPERCOMPUTE, coût", "€ HT")] is None


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_page_is_whole_in_both_languages(language: str) -> None:
    with translation.override(language):
        page = tokens.tokens(answer(**SAMPLED))
    assert page.typed and page.sample and page.chart and len(page.stats) == 4 and len(page.assumptions) == 5
    assert page.badges["sku"] is not None


def test_a_share_read_twice_that_rounds_to_zero_is_left_out() -> None:
    with translation.override("fr"):
        small, seen = (
            tokens.chunks_note(replace(answer(), chunks_a_document=2.0, repeated_ratio=ratio))
            for ratio in (0.0004, 0.0005)
        )
    assert small == "2 par document"
    assert seen == "2 par document, 0,1\u00a0% de tokens lus deux fois"
