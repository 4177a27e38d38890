"""Steps: every formula with the visitor's numbers in it; computing the terms again gives the printed result."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import economics
from calculator.domain.offers import Basis, Scope
from calculator.domain.provenance import Kind, Sourced, Step
from calculator.domain.scenario import EconomicsEstimate, Rental
from calculator.domain.units import to_decimal

from .factories import PRO, SUPERCOMPUTE, claim, facts, prices, scenario

MTOK = Decimal(10**6)


def steps_of(found: EconomicsEstimate) -> dict[str, Step]:
    return {step.code: step for step in found.steps}


def steps(**fields: object) -> dict[str, Step]:
    return steps_of(economics.estimate(scenario(**fields), facts()))


def values(step: Step) -> dict[str, Decimal]:
    return {term.symbol: to_decimal(term.source.value) for term in step.terms}


def test_the_monthly_answer_has_its_formulas_in_reading_order() -> None:
    assert list(steps()) == [
        "capacity",
        "instances",
        "bill",
        "eur_per_mtok",
        "full_eur_per_mtok",
        "implied_utilisation",
        "api_usd",
        "api_eur",
        "break_even",
    ]


def test_capacity_is_rate_times_hours_times_utilisation() -> None:
    step = steps()["capacity"]
    v = values(step)
    assert step.result == v["d"] * 3600 * v["h"] * v["u"] == 107_827_200


def test_the_bill_by_the_hour_shows_the_hours_and_the_bill_by_the_month_does_not() -> None:
    by_hour, by_month = steps(basis=Basis.HOUR)["bill"], steps()["bill"]
    assert values(by_hour) == {"n": 1, "h": 720, "P": Decimal("1.50")}
    assert values(by_month) == {"n": 1, "P": Decimal("830.64")}


def test_the_headline_is_bill_over_volume() -> None:
    step = steps()["eur_per_mtok"]
    v = values(step)
    assert step.result == v["B"] / v["V"] * MTOK == Decimal("8.3064")


def test_the_full_price_is_recomputed_from_its_terms() -> None:
    for basis in Basis:
        step = steps(basis=basis)["full_eur_per_mtok"]
        v = values(step)
        assert float(step.result) == pytest.approx(float(v["P"] * v.get("h", 1) / v["K"] * MTOK))


def test_the_api_is_dollars_over_the_rate() -> None:
    found = steps()
    usd, eur = values(found["api_usd"]), values(found["api_eur"])
    assert found["api_usd"].result == usd["V"] * usd["p"] / MTOK == 1500
    assert found["api_eur"].result == eur["A"] / eur["x"]


def test_the_break_even_is_recomputed_from_its_terms() -> None:
    step = steps()["break_even"]
    v = values(step)
    assert float(step.result) == pytest.approx(float(v["P"] / (v["p"] / v["x"]) * MTOK))
    assert round(step.result / MTOK, 3) == Decimal("61.866")  # type: ignore[operator]


def test_the_instance_of_the_break_even_is_computed_not_entered() -> None:
    """Its weakest input is the planned utilisation, an assumption."""
    found = {term.symbol: term.source for term in steps()["break_even"].terms}
    assert (found["n"].value, found["n"].kind) == (Decimal(1), Kind.ASSUMPTION)


def test_the_break_even_with_extra_costs_and_a_response_cache() -> None:
    """(n × P + F) ÷ (p ÷ x × (1 − c))."""
    step = steps(operations_eur_per_month=Decimal(100), response_cache_ratio=Decimal("0.2"))["break_even"]
    v = values(step)
    assert float(step.result) == pytest.approx(
        float((v["n"] * v["P"] + v["F"]) / (v["p"] / v["x"] * (1 - v["q"])) * MTOK)
    )


def test_extra_costs_have_their_own_step() -> None:
    found = steps(operations_eur_per_month=Decimal(100))
    assert found["total"].result == Decimal("930.64")
    assert values(found["eur_per_mtok"])["C"] == Decimal("930.64")


def test_hours_used_show_hours_instead_of_instances() -> None:
    found = steps(basis=Basis.HOUR, rental=Rental.HOURS_USED)
    assert "instances" not in found
    v = values(found["paid_hours"])
    assert found["paid_hours"].result == 668
    assert 667 < v["V"] / v["K"] * v["h"] < 668
    assert found["bill_hours_used"].result == Decimal("1002.00")


def test_a_machine_of_eight_shows_its_own_rate_first() -> None:
    eight = replace(SUPERCOMPUTE, prices=prices("42.00"), throughput=claim(124.0))
    found = steps_of(economics.estimate(scenario(basis=Basis.HOUR), facts(sku=eight)))
    assert found["instance_rate"].result == 992
    assert values(found["capacity"])["d"] == 992
    assert found["instance_rate"].trust is Kind.CLAIM


def test_the_prompt_shows_in_the_capacity() -> None:
    """d f o ÷ (i d + o f) is the rate of output with the prompt's time in it."""
    sku = replace(PRO, throughput=claim(50.0, prefill_tok_per_s=Sourced(1000.0, "tok/s", Kind.MEASURED)))
    step = steps_of(economics.estimate(scenario(input_tokens=Decimal(2000)), facts(sku=sku)))["capacity_with_prompt"]
    v = values(step)
    rate = v["d"] * v["f"] * v["o"] / (v["i"] * v["d"] + v["o"] * v["f"])
    assert float(step.result) == pytest.approx(float(rate * 3600 * v["h"] * v["u"]))


def test_a_machine_of_eight_reads_with_all_of_them() -> None:
    """Both rates of the formula are the machine's: 8 × 50 written and 8 × 1 000 read."""
    prefill = Sourced(1000.0, "tok/s", Kind.MEASURED)
    eight = replace(SUPERCOMPUTE, prices=prices("42.00"), throughput=claim(50.0, prefill_tok_per_s=prefill))
    asked = scenario(basis=Basis.HOUR, input_tokens=Decimal(2000))
    step = steps_of(economics.estimate(asked, facts(sku=eight)))["capacity_with_prompt"]
    v = values(step)
    assert (v["d"], v["f"]) == (400, 8000)
    assert float(step.result) == pytest.approx(
        float(3600 * v["h"] * v["u"] * v["o"] / (v["i"] / v["f"] + v["o"] / v["d"]))
    )
    scaled = next(term.source for term in step.terms if term.symbol == "f")
    assert scaled.kind is Kind.ESTIMATE


def test_a_rate_of_the_whole_machine_needs_no_step_of_its_own() -> None:
    whole = replace(SUPERCOMPUTE, prices=prices("42.00"), throughput=claim(992.0, scope=Scope.INSTANCE))
    found = steps_of(economics.estimate(scenario(basis=Basis.HOUR), facts(sku=whole)))
    assert "instance_rate" not in found
    assert values(found["capacity"])["d"] == 992


def test_the_implied_utilisation_is_productive_over_paid_hours() -> None:
    step = steps()["implied_utilisation"]
    v = values(step)
    assert step.result == v["t_p"] / v["t"]
    assert v["t"] == 720


def test_without_traffic_the_prices_are_still_explained() -> None:
    """No volume: no cost per million and nothing billed by the API, but capacity, bill and break-even stand."""
    found = steps(volume_tokens=Decimal(0))
    assert "eur_per_mtok" not in found
    assert found["api_usd"].result == 0
    assert round(found["break_even"].result / MTOK, 3) == Decimal("61.866")  # type: ignore[operator]


def test_the_break_even_beyond_a_count_shows_that_count() -> None:
    """1 000 € fixed: a full card saves 617.09 €, so the second is the first to win: (2 × 830.64 + 1 000) ÷ 13.4264."""
    step = steps(operations_eur_per_month=Decimal(1000))["break_even"]
    assert values(step)["n"] == 2
    assert round(step.result / MTOK, 2) == Decimal("198.21")  # type: ignore[operator]


def test_each_price_in_the_steps_carries_its_source() -> None:
    bill = steps()["bill"]
    price = next(term.source for term in bill.terms if term.symbol == "P")
    assert (price.kind, price.label) == (Kind.LIST_PRICE, "sku_price_month")


def test_a_typed_price_makes_the_bill_an_assumption_of_the_visitors() -> None:
    bill = steps(price_eur=Decimal(700))["bill"]
    price = next(term.source for term in bill.terms if term.symbol == "P")
    assert (price.kind, price.replaces) == (Kind.INPUT, True)


@pytest.mark.parametrize("code", ["bill", "full_eur_per_mtok"])
def test_the_count_of_cards_is_computed_and_nobodys_entry(code: str) -> None:
    """300 M at 107.8 M a card: the count rests on the utilisation, an assumption; nobody typed it."""
    count = next(term.source for term in steps(volume_tokens=300 * MTOK)[code].terms if term.symbol == "n")
    assert (count.value, count.kind) == (3, Kind.ASSUMPTION)


def test_a_computed_term_is_worth_its_weakest_input() -> None:
    bill = next(term for term in steps()["eur_per_mtok"].terms if term.symbol == "B")
    assert bill.source.kind is Kind.ASSUMPTION


def test_the_api_steps_rank_as_list_prices() -> None:
    found = steps()
    assert (found["api_usd"].trust, found["api_eur"].trust) == (Kind.LIST_PRICE, Kind.LIST_PRICE)


@pytest.mark.parametrize("code", ["api_eur", "break_even"])
def test_p44_without_a_rate_nothing_is_converted(code: str) -> None:
    found = steps_of(economics.estimate(scenario(), facts(usd_per_eur=None)))
    assert code not in found
    assert "api_usd" in found


def test_what_is_never_reached_has_no_break_even_step() -> None:
    assert "break_even" not in steps(reference="claude-haiku-4-5")


def test_a_sku_on_request_still_shows_its_capacity() -> None:
    sku = replace(SUPERCOMPUTE, throughput=claim(124.0))
    found = steps_of(economics.estimate(scenario(), facts(sku=sku)))
    assert "capacity" in found
    assert not {"bill", "eur_per_mtok", "break_even"} & set(found)
