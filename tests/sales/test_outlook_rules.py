"""Published rules of thumb put to a customer: quoted, compared with the calculation, never followed."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.scenario import Verdict
from sales.domain.outlook import SAID, OutlookFacts, sides
from sales.domain.rules import RULES, Finding, Judged, Measure, Side, by_price, judged
from tests.domain import factories as offer
from tests.sales import outlookfactory as case


def found(facts: OutlookFacts | None = None, **fields: object) -> dict[str, Judged]:
    asked, known = case.scenario(**fields), facts or case.facts()
    return {one.rule.code: one for one in judged(asked, sides(asked, known.prices), known)}


VOLUMES = ("volume_500", "volume_300", "volume_50", "volume_api")


@pytest.mark.parametrize(
    ("mtok", "api", "findings"),
    [
        # 50 M: gpt-5.4 costs 671 €, the card 831 €: the API's rule is right, the others say nothing.
        (50, "gpt-5.4", ("elsewhere", "elsewhere", "elsewhere", "agrees")),
        # 100 M: 1 343 € against 831 €: of two rules that both apply, one is right.
        (100, "gpt-5.4", ("elsewhere", "elsewhere", "agrees", "disagrees")),
        # 100 M on mini: 403 € against 831 €.
        (100, "gpt-5.4-mini", ("elsewhere", "elsewhere", "disagrees", "agrees")),
        # 300 M is not above 300 M; 1 208 € against three cards, 2 492 €.
        (300, "gpt-5.4-mini", ("elsewhere", "elsewhere", "disagrees", "elsewhere")),
        # 600 M: six cards, 4 984 €; mini 2 417 €, gpt-5.4 8 056 €.
        (600, "gpt-5.4-mini", ("disagrees", "disagrees", "disagrees", "elsewhere")),
        (600, "gpt-5.4", ("agrees", "agrees", "agrees", "elsewhere")),
    ],
)
def test_contradictory_volume_rules_are_each_held_against_the_estimate(
    mtok: int, api: str, findings: tuple[str, ...]
) -> None:
    rules = found(volume_tokens=Decimal(mtok * 10**6), reference=api)
    assert tuple(rules[code].finding.value for code in VOLUMES) == findings


def test_the_computed_threshold_stands_beside_each_published_one() -> None:
    rules = found()
    for code in VOLUMES:
        computed = rules[code].computed
        assert computed is not None
        assert computed.intervals[0].start_tokens == Decimal("61866067.2")


def test_equal_costs_neither_agree_nor_disagree() -> None:
    """61.5 M: 825.72 € on gpt-5.4, 830.64 € on the card: within 5 %."""
    rules = found(volume_tokens=Decimal(61_500_000))
    assert rules["volume_50"].finding is Finding.EVEN
    assert rules["volume_api"].finding is Finding.EVEN


def test_a_missing_price_decides_nothing() -> None:
    rules = found(case.facts(offer.facts(sku=offer.SUPERCOMPUTE)))
    assert rules["volume_50"].finding is Finding.UNKNOWN


def test_spending_rules_take_what_this_traffic_costs_on_the_api() -> None:
    """100 M at 15 $: 1 500 $ a month, 18 000 $ a year."""
    rules = found()
    assert rules["year_5m"].value == 18_000
    assert rules["year_5m"].finding is Finding.DISAGREES
    assert rules["month_1m"].value == 1500
    assert rules["month_1m"].finding is Finding.ELSEWHERE


def test_a_million_dollars_a_month_is_a_case_for_the_gpu_where_it_is_cheaper() -> None:
    """100 G tokens at 15 $: 1.5 M$; 928 cards cost 770 834 €."""
    rules = found(volume_tokens=Decimal(10**11))
    assert rules["month_1m"].finding is Finding.AGREES
    assert rules["year_5m"].finding is Finding.ELSEWHERE


def test_what_is_not_said_stays_a_question() -> None:
    rules = found()
    said = [one for one in rules.values() if one.rule.measure is Measure.SAID]
    assert {one.finding for one in said} == {Finding.ASK}
    assert rules["latency_20"].finding is Finding.ASK


def test_what_is_said_is_not_decided_by_a_price() -> None:
    rules = found(said=("daily", "prototype"))
    assert rules["daily"].finding is Finding.NOT_PRICE
    assert rules["prototype"].finding is Finding.NOT_PRICE
    assert rules["large"].finding is Finding.ASK


def test_a_latency_rule_is_held_against_what_was_measured() -> None:
    slow = case.facts(api_first_token_ms=case.first_token(180.0))
    rules = found(slow, latency_ms=Decimal(15))
    assert rules["latency_20"].finding is Finding.AGREES
    assert rules["latency_10"].finding is Finding.ELSEWHERE
    assert rules["latency_50"].finding is Finding.ELSEWHERE


def test_an_api_that_keeps_the_target_contradicts_the_rule() -> None:
    quick = case.facts(api_first_token_ms=case.first_token(12.0))
    assert found(quick, latency_ms=Decimal(15))["latency_20"].finding is Finding.DISAGREES
    assert found(quick, latency_ms=Decimal(50))["latency_50"].finding is Finding.AGREES


def test_an_unmeasured_latency_cannot_be_known() -> None:
    assert found(latency_ms=Decimal(15))["latency_20"].finding is Finding.UNKNOWN


def test_twenty_milliseconds_are_not_under_twenty() -> None:
    assert found(latency_ms=Decimal(20))["latency_20"].finding is Finding.ELSEWHERE
    assert found(latency_ms=Decimal(50))["latency_50"].finding is Finding.UNKNOWN


@pytest.mark.parametrize(
    ("side", "verdict", "finding"),
    [
        (Side.GPU, Verdict.GPU, Finding.AGREES),
        (Side.GPU, Verdict.API, Finding.DISAGREES),
        (Side.API, Verdict.API, Finding.AGREES),
        (Side.API, Verdict.GPU, Finding.DISAGREES),
        (Side.API, Verdict.EQUIVALENT, Finding.EVEN),
        (Side.GPU, Verdict.UNKNOWN, Finding.UNKNOWN),
    ],
)
def test_a_verdict_agrees_with_its_own_side_only(side: Side, verdict: Verdict, finding: Finding) -> None:
    assert by_price(side, verdict) is finding


def test_every_rule_that_asks_names_something_that_can_be_said() -> None:
    asked = [rule.said for rule in RULES if rule.measure is Measure.SAID]
    assert set(asked) <= set(SAID)
    assert len({rule.code for rule in RULES}) == len(RULES)


def test_strategic_answers_move_no_amount() -> None:
    """Reasons apart from price are never mixed into it."""
    known = case.facts()
    plain = sides(case.scenario(), known.prices)
    told = sides(case.scenario(said=SAID), known.prices)
    assert replace(told, scenario=plain.scenario) == plain
