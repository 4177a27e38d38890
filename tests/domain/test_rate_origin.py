"""A rate carried over from an estimate stays an estimate; what the visitor types ranks as his assumption."""

from decimal import Decimal

import pytest

from calculator.domain import economics
from calculator.domain.offers import Throughput
from calculator.domain.provenance import Kind
from calculator.domain.scenario import RateOrigin

from . import factories as offer


def throughput(**fields: object) -> Throughput:
    asked = offer.scenario(rate_tok_per_s=Decimal(900), prefill_tok_per_s=Decimal(14_000), **fields)
    found = economics.estimate(asked, offer.facts()).gpu.throughput
    assert found is not None and found.prefill_tok_per_s is not None
    return found


def test_a_carried_rate_is_an_estimate_with_its_prompt_rate() -> None:
    found = throughput(rate_origin=RateOrigin.ESTIMATE)
    rates = (found.output_tok_per_s, found.prefill_tok_per_s)
    assert [rate.kind for rate in rates if rate] == [Kind.ESTIMATE, Kind.ESTIMATE]
    assert [rate.replaces for rate in rates if rate] == [False, False]


@pytest.mark.parametrize("origin", [None, RateOrigin.INPUT])
def test_a_typed_rate_is_the_visitors_word(origin: RateOrigin | None) -> None:
    found = throughput(rate_origin=origin)
    assert (found.output_tok_per_s.kind, found.output_tok_per_s.rank_kind) == (Kind.INPUT, Kind.ASSUMPTION)


def test_the_cost_of_a_carried_rate_is_worth_no_more_than_an_assumed_utilisation() -> None:
    asked = offer.scenario(rate_tok_per_s=Decimal(900), rate_origin=RateOrigin.ESTIMATE)
    found = economics.estimate(asked, offer.facts())
    capacity = next(step for step in found.steps if step.code == "capacity")
    assert next(term.source.kind for term in capacity.terms if term.symbol == "d") is Kind.ESTIMATE


def test_without_a_rate_the_origin_changes_nothing() -> None:
    plain = economics.estimate(offer.scenario(), offer.facts())
    named = economics.estimate(offer.scenario(rate_origin=RateOrigin.ESTIMATE), offer.facts())
    assert named.gpu == plain.gpu
