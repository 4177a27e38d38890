"""The page “Method” and docs/methodology.md: each formula told, each worked number recomputed from its inputs."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from calculator import catalog
from calculator.domain import economics
from calculator.domain.offers import Basis
from calculator.domain.provenance import RANK, Kind
from calculator.domain.scenario import EconomicsScenario, Rental
from calculator.methodology import GROUPS, glossary
from calculator.methodology.bounds import BOUNDS
from calculator.methodology.formulas import ECONOMICS, Formula
from calculator.methodology.mathml import mathml
from calculator.presenters import steps
from tests import pagetext
from tests.domain import factories as offer

DOCS = Path(__file__).resolve().parents[2] / "docs" / "methodology.md"
FORMULAS = (*ECONOMICS, *BOUNDS, *(formula for _code, _title, formulas in GROUPS for formula in formulas))
# The steps that the economics calculator shows, by the names agreed for them.
STEP_CODES = {
    "instance_rate",
    "capacity",
    "capacity_with_prompt",
    "instances",
    "bill",
    "paid_hours",
    "bill_hours_used",
    "total",
    "eur_per_mtok",
    "full_eur_per_mtok",
    "implied_utilisation",
    "api_usd",
    "api_eur",
    "break_even",
}


# The bare symbols that the table of symbols must explain; an index narrows one of them and is told beside its formula.
NOT_TOLD_ALONE = {"t", "A"}


def test_the_calculator_and_the_method_write_each_formula_with_one_set_of_symbols() -> None:
    """The same left side for the same code: C is the total everywhere, c the cost of a million and nothing else."""
    asked = offer.scenario(
        basis=Basis.HOUR,
        operations_eur_per_month=Decimal(100),
        response_cache_ratio=Decimal("0.2"),
    )
    told = {formula.code: {text.split(" = ")[0] for text in formula.formulas} for formula in ECONOMICS}
    found = economics.estimate(asked, offer.facts(sku=offer.TITAN))
    for step in found.steps:
        assert steps.expression(step).split(" = ")[0] in told[step.code], step.code
    symbols = {term.symbol.split("_")[0] for step in found.steps for term in step.terms}
    listed = {symbol.strip() for names, *_rest in glossary.SYMBOLS for symbol in names.split(",")}
    assert {"C", "c", "q", "F"} <= listed
    assert symbols - NOT_TOLD_ALONE <= listed


def evaluate(expression: str) -> float:
    """The value of a worked expression: × ÷ − + ( ) and ⌈ ⌉ for rounding up."""
    python = expression.translate(str.maketrans({"×": "*", "÷": "/", "−": "-", "⌉": ")"})).replace("⌈", "ceil(")
    assert re.fullmatch(r"[\d.\s*/+\-()]*(ceil\([\d.\s*/+\-()]*)*", python), expression
    return float(eval(python, {"__builtins__": {}, "ceil": math.ceil}))


def documented() -> Iterator[tuple[str, str, str]]:
    """Each worked number of the document: heading's code, expression, result."""
    code = ""
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ .*\(`(\w+)`\)$", line):
            code = heading[1]
        elif worked := re.match(r"- Worked number: `(.*) = ([\d.]+)`$", line):
            yield code, worked[1], worked[2]


@pytest.fixture
def page(db: None, client: Client) -> dict[str, str]:
    return {language: client.get(f"/{language}/methodology/").content.decode() for language in ("fr", "en")}


@pytest.mark.parametrize(("code", "expression", "result"), list(documented()))
def test_each_worked_number_of_the_document_follows_from_its_inputs(code: str, expression: str, result: str) -> None:
    assert evaluate(expression) == pytest.approx(float(result), rel=5e-4), code


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.code)
def test_each_worked_number_of_the_page_follows_from_its_inputs(formula: Formula) -> None:
    assert formula.worked
    for worked in formula.worked:
        assert evaluate(worked.expression) == pytest.approx(float(worked.result), rel=5e-4)


def test_page_and_document_tell_the_same_examples() -> None:
    told = {(formula.code, worked.expression) for formula in FORMULAS for worked in formula.worked}
    assert told == {(code, expression) for code, expression, _result in documented()}


def test_every_step_of_the_economics_has_its_formula() -> None:
    assert {formula.code for formula in ECONOMICS} >= STEP_CODES


def scenario(**changes: Any) -> EconomicsScenario:
    return replace(catalog.default_scenario(), **changes)


def steps_of(asked: EconomicsScenario) -> dict[str, Decimal]:
    found = economics.estimate(asked, catalog.for_economics(asked))
    return {step.code: Decimal(step.result) for step in found.steps}


HOURS_USED = {
    "sku": "GPU-TITAN",
    "basis": Basis.HOUR,
    "rental": Rental.HOURS_USED,
    "operations_eur_per_month": Decimal(100),
}


@pytest.mark.usefixtures("noon", "seeded")
def test_every_step_that_a_calculation_shows_has_its_formula() -> None:
    eight = scenario(
        sku="GPU-SUPERCOMPUTE",
        basis=Basis.HOUR,
        price_eur=Decimal(42),
        rate_tok_per_s=Decimal(124),
        prefill_tok_per_s=Decimal(2000),
        input_tokens=Decimal(1000),
    )
    shown = {code for one in (scenario(), scenario(**HOURS_USED), eight) for code in steps_of(one)}
    assert shown == STEP_CODES
    assert shown <= {formula.code for formula in ECONOMICS}


@pytest.mark.usefixtures("noon", "seeded")
def test_the_worked_numbers_are_what_the_domain_computes() -> None:
    by_month, by_hour = steps_of(scenario()), steps_of(scenario(basis=Basis.HOUR))
    three, used = steps_of(scenario(volume_tokens=Decimal(300_000_000))), steps_of(scenario(**HOURS_USED))
    computed = {
        "107827200": by_month["capacity"],
        "8.3064": by_month["eur_per_mtok"],
        "7.7034": by_month["full_eur_per_mtok"],
        "0.60282": by_month["implied_utilisation"],
        "1500.00": by_month["api_usd"],
        "1342.6423": by_month["api_eur"],
        "61.866": by_month["break_even"] / 10**6,
        "1080.00": by_hour["bill"],
        "10.80": by_hour["eur_per_mtok"],
        "10.0160": by_hour["full_eur_per_mtok"],
        "3": three["instances"],
        "2491.92": three["bill"],
        "345": used["paid_hours"],
        "1863.00": used["bill_hours_used"],
    }
    told = {str(worked.result) for formula in ECONOMICS for worked in formula.worked}
    for text, value in computed.items():
        assert text in told
        assert float(value) == pytest.approx(float(text), rel=5e-5)
    assert used["total"] == 1963


@pytest.mark.usefixtures("noon", "seeded")
def test_prompts_take_their_share_of_the_capacity_told() -> None:
    asked = scenario(
        prefill_tok_per_s=Decimal(2000),
        input_tokens=Decimal(1000),
        prefix_hit_ratio=Decimal("0.5"),
        output_tokens=Decimal(640),
    )
    assert float(steps_of(asked)["capacity_with_prompt"]) == pytest.approx(105_197_268, abs=1)


def test_every_heading_of_the_document_names_formula_units_source_and_limits() -> None:
    sections = re.split(r"^#+ .*\(`\w+`\)$", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(sections) == len(FORMULAS)
    for section in sections:
        for part in ("- Formula:", "- Units:", "- Source:", "- Worked number:", "- Limits:"):
            assert part in section


def test_the_golden_figures_of_the_offer_are_told() -> None:
    told = [worked.result for formula in FORMULAS for worked in formula.worked]
    for golden in ("107827200", "7.7034", "10.0160", "8.3064", "10.80", "0.60282", "61.866", "123.732", "1863.00"):
        assert Decimal(golden) in told


def test_kinds_are_listed_from_the_strongest_to_the_weakest() -> None:
    ranks = [RANK[kind] for kind, _text in glossary.KINDS if kind is not Kind.INPUT]
    assert ranks == sorted(ranks)
    assert {kind for kind, _text in glossary.KINDS} == set(Kind)


def test_differences_hold_numbers_that_follow_from_the_published_inputs() -> None:
    usd_per_eur, month, capacity = 1.1172, 830.64, 64 * 3600 * 0.65 / 1e6
    expected = {
        "6.71": 7.50 / usd_per_eur,
        "13.43": 15 / usd_per_eur,
        "107.83": capacity * 720,
        "109.32": capacity * 730,
        "7.60": month / (capacity * 730),
        "7.70": month / (capacity * 720),
        "110.8": month / 7.50,
        "61.9": month / (15 / usd_per_eur),
        "1 342.64": 1500 / usd_per_eur,
        "38": (1 - month / (1500 / usd_per_eur)) * 100,
        "2 491.92": 3 * month,
        "4 027.93": 4500 / usd_per_eur,
        "2 013.96": 2250 / usd_per_eur,
        "25.00": 15 + 4 * 2.50,
    }
    with translation.override("fr"):
        told = " ".join(str(text) for row in glossary.DIFFERENCES for text in row)
    document = DOCS.read_text(encoding="utf-8")
    for text, value in expected.items():
        decimals = len(text.partition(".")[2])
        assert f"{value:,.{decimals}f}".replace(",", " ") == text
        assert text.replace(".", ",").replace(" ", "\u202f") in told
        assert text in document


def test_formula_becomes_mathml_with_the_readers_numbers() -> None:
    with translation.override("fr"):
        assert mathml("K = d × 0.65") == (
            '<math displaystyle="true"><mi>K</mi><mo>=</mo><mi>d</mi><mo>×</mo><mn>0,65</mn></math>'
        )
        assert "<mn>107\u202f827\u202f200</mn>" in mathml("107827200")
        assert "<mn>1,50</mn>" in mathml("1.50")
    with translation.override("en"):
        assert "<mn>107,827,200</mn>" in mathml("107827200")


def test_fractions_indices_and_squares_keep_their_shape() -> None:
    assert "<mfrac><mrow><mi>P</mi></mrow><mrow><mi>K</mi></mrow></mfrac>" in mathml("{P | K}")
    assert "<msub><mi>V</mi><mtext>s</mtext></msub>" in mathml("V_s")
    assert "<msup><mi>T</mi><mn>2</mn></msup>" in mathml("T²")


def test_signs_of_markup_are_escaped() -> None:
    assert "<mo>&lt;</mo>" in mathml("a < b")


@pytest.mark.parametrize("language", ["fr", "en"])
def test_the_page_has_an_anchor_for_each_formula_and_term(page: dict[str, str], language: str) -> None:
    for anchor in [formula.code for formula in FORMULAS] + [row[0] for row in glossary.GLOSSARY]:
        assert f'id="{anchor}"' in page[language]


def test_the_page_writes_numbers_as_each_language_does(page: dict[str, str]) -> None:
    assert "8,31 € par million, au mois" in pagetext.words(page["fr"])
    assert "8.31 € per million, by the month" in pagetext.words(page["en"])


def test_english_readers_find_no_french_sentence(page: dict[str, str]) -> None:
    english = pagetext.words(page["en"])
    for row in (*glossary.CONVENTIONS, *glossary.DIFFERENCES, *((row[1], row[2]) for row in glossary.GLOSSARY)):
        with translation.override("fr"):
            french = str(row[1])
        assert french not in english


def test_the_page_reads_the_database_only_for_the_frame(
    db: None, client: Client, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        client.get("/fr/methodology/")
