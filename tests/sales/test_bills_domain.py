"""A report as traffic: totals, days, a month of it, and its cost at list price, by hand-worked bills."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.apibill import Usage
from calculator.domain.offers import Mode, Rates
from calculator.domain.provenance import Kind, Sourced
from sales.domain import bills
from sales.domain.bills import Traffic, UsageLine

NOVEMBER = dt.date(2026, 11, 1), dt.date(2026, 12, 1)


def usd(amount: str) -> Sourced[Decimal]:
    return Sourced(Decimal(amount), "USD/Mtok", Kind.LIST_PRICE)


GPT = (
    Rates(0, usd("2.50"), usd("0.25"), None, None, usd("15.00")),
    Rates(272_000, usd("5.00"), usd("0.50"), None, None, usd("22.50")),
)
SONNET = (Rates(0, usd("3.00"), usd("0.30"), usd("3.75"), usd("6.00"), usd("15.00")),)


def usage(given: int, read: int = 0, short: int = 0, long: int = 0, output: int = 0) -> Usage:
    return Usage(*map(Decimal, (given, read, short, long, output)))


def line(used: Usage, **values: object) -> UsageLine:
    return replace(UsageLine("gpt-5.4", Mode.STANDARD, used, *NOVEMBER), **values)  # type: ignore[arg-type]


def traffic(used: Usage, requests: int | None = None, over: int = 0) -> Traffic:
    return Traffic("gpt-5.4", Mode.STANDARD, over, used, requests, None, "")


class TestListCost:
    def test_51_cached_tokens_are_not_billed_twice(self) -> None:
        """5 005 × 2.50 + 257 955 × 0.25 + 1 744 × 15 = 103 161.25 $ per million tokens: $0.1032."""
        cost = bills.list_cost(traffic(usage(262_960, 257_955, output=1_744), requests=1), GPT)
        assert cost.usd == Decimal("0.10316125")

    def test_53_cache_writes_have_their_own_price(self) -> None:
        """1 M fresh at 3, 1 M written for 5 minutes at 3.75, 1 M for an hour at 6, 1 M read at 0.30 = 13.05 $."""
        cost = bills.list_cost(traffic(usage(4_000_000, 1_000_000, 1_000_000, 1_000_000)), SONNET)
        assert cost.usd == Decimal("13.05")

    def test_54_long_requests_take_the_whole_higher_tier(self) -> None:
        """300 k in, 2 k out: 0.3 × 5 + 0.002 × 22.5 = 1.545 $; ten of them cost ten times that."""
        assert bills.list_cost(traffic(usage(300_000, output=2_000), 1), GPT).usd == Decimal("1.545")
        assert bills.list_cost(traffic(usage(3_000_000, output=20_000), 10), GPT).usd == Decimal("15.45")

    def test_a_months_total_is_not_one_long_request(self) -> None:
        """1 000 requests of 100 k + 10 k: 100 × 2.5 + 10 × 15 = 400 $, the base tier, not 725 $."""
        cost = bills.list_cost(traffic(usage(100_000_000, output=10_000_000), 1_000), GPT)
        assert (cost.usd, cost.over_tokens) == (Decimal(400), 0)

    def test_without_a_count_of_requests_the_base_tier_is_taken(self) -> None:
        assert bills.list_cost(traffic(usage(100_000_000, output=10_000_000)), GPT).usd == Decimal(400)

    def test_a_context_band_that_the_provider_states_decides_the_tier(self) -> None:
        assert bills.list_cost(traffic(usage(300_000, output=2_000), over=272_000), GPT).usd == Decimal("1.545")

    def test_59_a_mode_without_a_price_costs_unknown_never_zero(self) -> None:
        cost = bills.list_cost(traffic(usage(5, output=5)), ())
        assert (cost.usd, cost.missing) == (None, ("all",))

    def test_a_component_without_a_price_makes_the_cost_unknown(self) -> None:
        rates = (Rates(0, usd("2.50"), None, None, None, usd("15.00")),)
        assert bills.list_cost(traffic(usage(10, 5, output=5)), rates).missing == ("cache_read",)


class TestGathering:
    def test_each_model_and_mode_has_its_own_total(self) -> None:
        found = bills.gathered(
            [
                line(usage(10, output=5), requests=1),
                line(usage(20, output=5), requests=2),
                line(usage(7, output=1), mode=Mode.BATCH),
                line(usage(900, output=1), model="claude-sonnet-4-6"),
            ]
        )
        assert [(each.model, each.mode, each.usage.input_tokens, each.requests) for each in found] == [
            ("claude-sonnet-4-6", Mode.STANDARD, 900, None),
            ("gpt-5.4", Mode.STANDARD, 30, 3),
            ("gpt-5.4", Mode.BATCH, 7, None),
        ]

    def test_an_amount_missing_on_one_line_is_no_total(self) -> None:
        one = line(usage(10), amount=Decimal(1), currency="USD")
        assert bills.gathered([one, one])[0].amount == Decimal(2)
        (both,) = bills.gathered([one, replace(one, amount=None)])
        assert both.amount is None

    def test_lines_of_nothing_are_no_traffic(self) -> None:
        assert bills.gathered([line(usage(0))]) == ()


class TestPeriod:
    def test_days_without_traffic_are_covered_too(self) -> None:
        first = line(usage(5), start=dt.date(2026, 11, 1), end=dt.date(2026, 11, 2))
        last = line(usage(5), start=dt.date(2026, 11, 30), end=dt.date(2026, 12, 1))
        found = bills.covered([last, first])
        assert found is not None
        assert (found.days, found.start, found.end) == (30, *NOVEMBER)

    def test_undated_lines_need_a_stated_number_of_days(self) -> None:
        undated = line(usage(5), start=None, end=None)
        assert bills.covered([undated]) is None
        found = bills.covered([undated], Decimal(90))
        assert found is not None
        assert found.days == 90


class TestMonth:
    def test_several_months_come_down_to_one(self) -> None:
        """90 days with 300 M out are 100 M a month of 720 h, at 600 tokens in and 200 out a request."""
        held = traffic(usage(900_000_000, 450_000_000, output=300_000_000), 1_500_000)
        month = bills.month([held], Decimal(90), Decimal(720), Decimal(500))
        assert month.output_tokens == 100_000_000
        assert (month.request_input_tokens, month.request_output_tokens) == (600, 200)
        assert month.requests == 500_000
        assert month.hit_ratio == Decimal("0.5")

    def test_write_ratio_is_a_share_of_what_was_not_read(self) -> None:
        held = traffic(usage(1_000, 200, 400, 0, 10), 1)
        assert bills.month([held], Decimal(30), Decimal(720), Decimal(500)).write_ratio == Decimal("0.5")

    def test_uncounted_requests_follow_from_the_assumed_response(self) -> None:
        month = bills.month([traffic(usage(4_000, output=1_000))], Decimal(30), Decimal(720), Decimal(500))
        assert (month.has_requests, month.requests, month.request_input_tokens) == (False, 2, 2_000)

    def test_55_batch_is_a_share_of_its_own(self) -> None:
        held = [traffic(usage(50, output=50), 1), replace(traffic(usage(150, output=150), 1), mode=Mode.BATCH)]
        assert bills.month(held, Decimal(30), Decimal(720), Decimal(500)).batch_ratio == Decimal("0.75")

    def test_traffic_without_answers_is_refused(self) -> None:
        with pytest.raises(ValueError, match="output"):
            bills.month([traffic(usage(50))], Decimal(30), Decimal(720), Decimal(500))

    @given(
        st.lists(
            st.tuples(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 10**6), st.integers(1, 10**4)),
            min_size=30,
            max_size=30,
        )
    )
    def test_a_bill_cut_into_days_gives_the_same_month(self, days: list[tuple[int, int, int, int]]) -> None:
        whole = line(
            usage(
                sum(a + b for a, b, _c, _d in days), sum(b for _a, b, _c, _d in days), output=sum(d[2] for d in days)
            ),
            requests=sum(d[3] for d in days),
        )
        cut = [
            line(
                usage(fresh + read, read, output=out),
                requests=requests,
                start=NOVEMBER[0] + dt.timedelta(days=number),
                end=NOVEMBER[0] + dt.timedelta(days=number + 1),
            )
            for number, (fresh, read, out, requests) in enumerate(days)
        ]
        assert bills.covered(cut) == bills.covered([whole])
        assert bills.gathered(cut) == bills.gathered([whole])
        months = [bills.month(bills.gathered(each), Decimal(30), Decimal(720), Decimal(500)) for each in (cut, [whole])]
        assert months[0] == months[1]
