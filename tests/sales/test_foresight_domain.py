"""What gives way first, worked out by hand or asked of the calculators a second time."""

import doctest
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator import registry
from calculator.domain.serving_scenario import LoadBy
from calculator.permalinks.training import MICRO_BATCH, SEQUENCE
from calculator.tool import Answer
from sales.domain import foresight
from sales.domain.foresight import MOST_MICRO_BATCH, MOST_SEQUENCE_TOKENS, rate_limit

AMOUNTS = st.decimals(min_value=1, max_value=10**9, places=2)
SMALL = st.decimals(min_value=1, max_value=1000, places=2)


def answered(name: str, **changes: object) -> Answer:
    tool = registry.CALCULATORS[name]
    return tool.answer(replace(tool.default(), **changes), tool.reads())


def test_the_examples_in_the_texts_hold() -> None:
    assert doctest.testmod(foresight).failed == 0


# --- an API


def test_a_quiet_month_is_refused_nothing() -> None:
    """43 200 requests in 720 h are one a minute; three at the peak, of 100 allowed."""
    found = rate_limit(Decimal(43_200), Decimal(720), Decimal(3), Decimal(100), Decimal(1))
    assert [found.mean_per_min, found.peak_per_min, found.refused_ratio, found.queued] == [1, 3, 0, 0]
    assert not found.is_exceeded


def test_a_mean_above_the_limit_never_catches_up() -> None:
    """6 048 000 requests in 720 h are 140 a minute."""
    found = rate_limit(Decimal(6_048_000), Decimal(720), Decimal(1), Decimal(100), Decimal(1))
    assert found.drained_s is None
    assert found.refused_ratio == Decimal(40) / 140


def test_no_request_exceeds_nothing() -> None:
    found = rate_limit(Decimal(0), Decimal(720), Decimal(3), Decimal(100), Decimal(1))
    assert [found.refused_ratio, found.queued] == [0, 0] and not found.is_exceeded


@given(requests=AMOUNTS, peak=SMALL, limit=AMOUNTS, hours=SMALL)
def test_what_is_refused_and_what_passes_make_the_peak(
    requests: Decimal, peak: Decimal, limit: Decimal, hours: Decimal
) -> None:
    found = rate_limit(requests, Decimal(720), peak, limit, hours)
    passed = found.peak_per_min * (1 - found.refused_ratio)
    assert 0 <= found.refused_ratio < 1
    assert passed <= limit * Decimal("1.000001")
    assert found.is_exceeded == (found.queued > 0)


@given(requests=AMOUNTS, limit=AMOUNTS)
def test_the_cache_that_is_asked_for_brings_the_peak_down_to_the_limit(requests: Decimal, limit: Decimal) -> None:
    found = rate_limit(requests, Decimal(720), Decimal(3), limit, Decimal(1))
    again = rate_limit(requests * (1 - found.cache_ratio), Decimal(720), Decimal(3), limit, Decimal(1))
    assert again.peak_per_min <= limit * Decimal("1.000001")


@pytest.mark.django_db
def test_ten_times_the_traffic_costs_an_api_ten_times_and_a_card_whole_cards(seeded: None) -> None:
    """100 M tokens: 1 GPU-PRO of 107.8 M, 830.64 €; 1 000 M: 10 cards, 8 306.40 €. gpt-5.4 standard: 1 342.64 €."""
    found = answered("economics")
    tool = registry.CALCULATORS["economics"]
    grown = tool.answer(foresight.grown_traffic(found.scenario, Decimal(10)), tool.reads()).estimate
    assert (found.estimate.gpu.total_eur, grown.gpu.total_eur) == (Decimal("830.64"), Decimal("8306.40"))
    for before, after in zip(found.estimate.comparisons, grown.comparisons, strict=True):
        assert after.bill.eur == pytest.approx(before.bill.eur * 10)


# --- serving


@pytest.mark.django_db
@pytest.mark.parametrize(("field", "value"), [("first_token_ms", "300"), ("token_ms", "25"), ("end_to_end_ms", "7000")])
def test_a_limit_holds_the_target_and_one_client_more_does_not(seeded: None, field: str, value: str) -> None:
    targets = {"first_token_ms": Decimal(0), "token_ms": Decimal(0), "end_to_end_ms": Decimal(0), field: Decimal(value)}
    found = answered("inference", **targets)
    limit = next(one for one in foresight.serving_limits(found.estimate) if one.code != "memory")
    assert limit.clients is not None and limit.asked == 16
    assert limit.factor == pytest.approx(limit.clients / 16)
    at = answered("inference", **targets, concurrency=int(limit.clients))
    beyond = answered("inference", **targets, concurrency=int(limit.clients) + 1)
    assert at.estimate.chosen.meets and not beyond.estimate.chosen.meets


@pytest.mark.django_db
def test_limits_come_in_the_order_in_which_they_give_way(seeded: None) -> None:
    limits = foresight.serving_limits(answered("inference").estimate)
    assert [limit.clients for limit in limits] == sorted(limit.clients or 0 for limit in limits)
    assert {limit.code for limit in limits} >= {"memory", "ttft", "tpot"}


@pytest.mark.django_db
def test_a_target_that_nobody_can_hold_has_no_client(seeded: None) -> None:
    limits = foresight.serving_limits(answered("inference", first_token_ms=Decimal(1)).estimate)
    assert limits[0].code == "ttft"
    assert limits[0].clients is None and limits[0].has_given_way and limits[0].factor is None


@pytest.mark.django_db
def test_a_model_that_does_not_fit_has_no_limits(seeded: None) -> None:
    assert foresight.serving_limits(answered("inference", model="Llama-3.1-70B", sku="GPU-PRO").estimate) == ()


@pytest.mark.django_db
def test_more_load_is_more_clients_or_more_requests_a_second(seeded: None) -> None:
    scenario = answered("inference").scenario
    assert foresight.grown_serving(scenario, Decimal("1.1")).concurrency == 18  # 17.6 clients are 18
    by_rate = replace(scenario, load=LoadBy.RATE, requests_per_s=Decimal(2))
    assert foresight.grown_serving(by_rate, Decimal("1.5")).requests_per_s == 3


# --- training


@pytest.mark.django_db
@pytest.mark.parametrize(("code", "field"), [("micro_batch", "micro_batch"), ("sequence_tokens", "sequence_tokens")])
def test_the_largest_that_fits_fits_and_one_more_does_not(seeded: None, code: str, field: str) -> None:
    found = answered("training", sequence_tokens=512)
    limit = next(one for one in foresight.training_limits(found.estimate.scenario, found.facts) if one.code == code)
    assert limit.most is not None
    assert answered("training", **{"sequence_tokens": 512, field: limit.most}).estimate.fit.memory.fits
    more = {"sequence_tokens": 512, field: limit.most + 1}
    is_end_of_context = field == "sequence_tokens" and limit.most == found.facts.model.max_context
    assert is_end_of_context or not answered("training", **more).estimate.fit.memory.fits


@pytest.mark.django_db
def test_seventy_billion_parameters_on_one_card_have_no_batch_that_fits(seeded: None) -> None:
    """16 bytes a parameter: 70.6 G × 16 = 1 129 GB, on 80 GB."""
    tool = registry.CALCULATORS["training"]
    scenario = next(case for case in tool.presets if case.code == "misfit_70b").applied(tool.default())
    found = tool.answer(scenario, tool.reads())
    limits = foresight.training_limits(found.estimate.scenario, found.facts)
    assert [limit.most for limit in limits] == [None, None]


def test_room_is_looked_for_as_far_as_the_training_page_takes_it() -> None:
    """A limit below the page's own would be told as one of memory."""
    assert MICRO_BATCH.limits.high == MOST_MICRO_BATCH
    assert SEQUENCE.limits.high == MOST_SEQUENCE_TOKENS
