"""Traffic: one statement of the month for both sides, by tokens or by requests."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.scenario import TrafficBy
from calculator.domain.workload import demand, problems, usage

from .factories import scenario

ratios = st.integers(0, 100).map(lambda percent: Decimal(percent) / 100)
lengths = st.integers(0, 10**6).map(Decimal)


def codes(**fields: object) -> list[str]:
    return [message.code for message in problems(scenario(**fields))]


def test_tokens_set_the_requests() -> None:
    month = demand(scenario(volume_tokens=Decimal(1_000_000), output_tokens=Decimal(250)))
    assert (month.requests_count, month.volume_tokens) == (4_000, 1_000_000)


def test_requests_set_the_tokens() -> None:
    month = demand(scenario(traffic=TrafficBy.REQUESTS, requests_count=Decimal(4_000), output_tokens=Decimal(250)))
    assert (month.requests_count, month.volume_tokens) == (4_000, 1_000_000)


def test_the_field_that_does_not_count_is_ignored() -> None:
    by_tokens = scenario(requests_count=Decimal(7))
    by_requests = scenario(traffic=TrafficBy.REQUESTS, requests_count=Decimal(7), volume_tokens=Decimal(1))
    assert demand(by_tokens).volume_tokens == 100_000_000
    assert demand(by_requests).volume_tokens == 3_500


def test_a_unit_is_an_output_token_or_else_a_request() -> None:
    reads_only = demand(scenario(traffic=TrafficBy.REQUESTS, requests_count=Decimal(9), output_tokens=Decimal(0)))
    assert (reads_only.units, reads_only.unit_tokens) == (9, 1)
    writes = demand(scenario())
    assert (writes.units, writes.unit_tokens) == (100_000_000, 500)


def test_prefix_hits_spare_the_prompt() -> None:
    month = demand(scenario(input_tokens=Decimal(2000), prefix_hit_ratio=Decimal("0.75")))
    assert month.prompt_tokens == 500


def test_a_response_cache_spares_the_output() -> None:
    """40 % of the requests repeat: 60 % of the tokens are produced, at cost × (1 − hit rate)."""
    assert demand(scenario(response_cache_ratio=Decimal("0.4"))).served_tokens == 60_000_000


def test_a_request_is_split_into_what_is_read_written_and_plain() -> None:
    """1 000 in: 40 % read from cache, a quarter of the remaining 600 written for an hour, 450 plain."""
    one = usage(
        scenario(
            input_tokens=Decimal(1000),
            prefix_hit_ratio=Decimal("0.4"),
            cache_write_ratio=Decimal("0.25"),
            cache_write_ttl="1h",
        )
    )
    assert one.cache_read_tokens == 400
    assert (one.cache_write_5m_tokens, one.cache_write_1h_tokens) == (0, 150)
    assert one.fresh_tokens == 450


@given(lengths, ratios, ratios, st.sampled_from(["5m", "1h"]))
def test_any_two_cache_ratios_fit_into_the_input(tokens: Decimal, hit: Decimal, write: Decimal, ttl: str) -> None:
    one = usage(scenario(input_tokens=tokens, prefix_hit_ratio=hit, cache_write_ratio=write, cache_write_ttl=ttl))
    parts = one.fresh_tokens + one.cache_read_tokens + one.cache_write_5m_tokens + one.cache_write_1h_tokens
    assert parts == one.input_tokens == tokens
    assert one.fresh_tokens >= 0


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"output_tokens": Decimal(0)}, ["output_tokens_needed"]),
        ({"output_tokens": Decimal(0), "volume_tokens": Decimal(0)}, []),
        ({"traffic": TrafficBy.REQUESTS}, ["requests_needed"]),
        ({"traffic": TrafficBy.REQUESTS, "requests_count": Decimal(0)}, []),
    ],
)
def test_contradictions_across_fields_are_named(fields: dict[str, object], expected: list[str]) -> None:
    assert codes(**fields) == expected
