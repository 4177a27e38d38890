"""The formulas: the symbols are the domain's, the numbers the visitor's, and every value says where it comes from."""

import re
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsEstimate, Rental
from calculator.presenters import steps
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.headline import plain
from tests.domain import factories as offer

NB, THIN = "\u00a0", "\u202f"


def views(result: EconomicsEstimate) -> dict[str, FormulaView]:
    return {view.code: view for view in steps.formulas(result)}


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def with_prefill() -> EconomicsEstimate:
    """4:1 prompts, read at 5 000 tok/s."""
    return answer(input_tokens=Decimal(2000), output_tokens=Decimal(500), prefill_tok_per_s=Decimal(5000))


ESTIMATES = {
    "by the month": answer(),
    "by the hour": answer(basis=Basis.HOUR),
    "hours used": answer(basis=Basis.HOUR, rental=Rental.HOURS_USED),
    "extra costs": answer(operations_eur_per_month=Decimal(120)),
    "response cache": answer(response_cache_ratio=Decimal("0.4")),
    "prompts": with_prefill(),
}


@pytest.mark.parametrize("name", ESTIMATES)
def test_every_step_of_every_kind_of_answer_has_a_formula(name: str) -> None:
    result = ESTIMATES[name]
    shown = steps.formulas(result)
    assert [view.code for view in shown] == [step.code for step in result.steps]
    assert all(view.title and view.result for view in shown)


@pytest.mark.parametrize("name", ESTIMATES)
def test_each_formula_uses_all_the_terms_of_its_step_and_no_other(name: str) -> None:
    """The symbols right of the equals sign are the step's terms; numbers aside, nothing is left over."""
    for step in ESTIMATES[name].steps:
        right = steps.expression(step).split(" = ", 1)[1]
        used = set(re.findall(r"[A-Za-z]+(?:_[A-Za-z0-9]+)?", right))
        assert used == {term.symbol for term in step.terms}, step.code


@pytest.mark.parametrize("name", ESTIMATES)
def test_no_symbol_is_left_in_the_line_of_numbers(name: str) -> None:
    for view in steps.formulas(ESTIMATES[name]):
        right = view.numbers.split("<mo>=</mo>", 1)[1]
        assert "<mi>" not in right, view.code


def test_titles_name_the_api_that_the_numbers_are_of() -> None:
    """gpt-9 is asked for as the reference and not compared: the first API compared stands in for it."""
    result = answer(reference="gpt-9")
    first = result.comparisons[0].bill.api.label
    titles = [view.title for view in steps.formulas(result) if view.code.startswith("api_")]
    assert titles == [f"Facture de {first} en dollars", f"Facture de {first} en euros"]


def test_capacity_is_shown_with_its_numbers() -> None:
    """64 × 3 600 × 720 × 0.65 = 107 827 200."""
    view = views(answer())["capacity"]
    assert plain(view.symbols) == f"K=d×3{THIN}600×h×u"
    assert plain(view.numbers) == f"K=64{NB}tok/s×3{THIN}600×720{NB}h×0,65"
    assert view.result == f"107,8{NB}M"


def test_the_price_per_million_is_the_bill_over_the_volume() -> None:
    view = views(answer())["eur_per_mtok"]
    assert view.is_open
    assert plain(view.numbers) == f"c=830,64{NB}€100{NB}M"
    assert view.result == f"8,31{NB}€ par million"


def test_the_bill_multiplies_hours_only_by_the_hour() -> None:
    assert "h" not in plain(views(answer())["bill"].symbols)
    assert plain(views(answer(basis=Basis.HOUR))["bill"].numbers) == f"B=1×720{NB}h×1,50{NB}€"


def test_the_break_even_divides_by_the_euro_price() -> None:
    view = views(answer())["break_even"]
    assert plain(view.symbols) == "Vmin=n×Pp÷x"
    assert view.result == f"61,87{NB}M"
    assert "gpt-5.4" in view.title


def test_percentages_are_shown_as_such_where_people_read_them() -> None:
    texts = [value.text for value in views(answer())["capacity"].values]
    assert texts == [f"64{NB}tok/s", f"720{NB}h", f"65{NB}%"]
    assert views(answer())["implied_utilisation"].result == f"60,3{NB}%"


def test_each_value_has_its_badge_and_the_result_its_weakest() -> None:
    view = views(answer())["capacity"]
    assert [value.badge.kind if value.badge else None for value in view.values] == ["claim", "assumption", "assumption"]
    assert view.trust is not None and view.trust.kind == "assumption"


def test_single_stream_is_said_where_the_throughput_is_used() -> None:
    meanings = [value.meaning for value in views(answer())["capacity"].values]
    assert "un seul flux" in meanings[0]


def test_numbers_follow_the_language() -> None:
    with translation.override("en"):
        view = views(answer())["capacity"]
    assert "3,600" in plain(view.numbers) and "0.65" in plain(view.numbers)
    assert view.title == "Planned capacity of one GPU"


def test_symbols_kept_from_one_language_do_not_leak_into_another() -> None:
    assert f"3{THIN}600" in views(answer())["capacity"].symbols
    with translation.override("en"):
        assert "3,600" in views(answer())["capacity"].symbols


def test_a_typed_throughput_is_marked_as_the_visitors() -> None:
    typed = views(answer(rate_tok_per_s=Decimal(900)))["capacity"].values[0]
    assert typed.badge is not None and typed.badge.kind == "input"
    assert "à la place" in typed.badge.title
