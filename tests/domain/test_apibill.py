"""API bills: cached tokens once, reasoning once, a context tier is a cliff, modes apart, unknown never smaller."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import apibill
from calculator.domain.apibill import Conversion, Usage, anthropic_usage, openai_usage, quote, request_cost
from calculator.domain.offers import ApiModel, Mode, Varies
from calculator.domain.provenance import Kind
from calculator.domain.scenario import ApiBill

from .factories import ECB_RATE, GPT_54, GPT_54_MINI, HAIKU, MISTRAL_SMALL, SONNET, api, rates

STANDARD = Mode.STANDARD
COMPONENTS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def cost(model: ApiModel, usage: Usage, mode: Mode = STANDARD) -> Decimal | None:
    return request_cost(usage, model.modes[mode]).usd


def month(model: ApiModel, output_mtok: int, mode: Mode = STANDARD) -> ApiBill:
    quoted = quote(model, openai_usage(0, 0, 500), mode)
    tokens = Decimal(output_mtok) * 10**6
    return apibill.api_bill(quoted, tokens, Decimal(500), tokens, Conversion(ECB_RATE, Decimal("0.20")))


# The example of a prompt


def with_prompt(model: ApiModel, share: str = "0", output: int = 500) -> Decimal | None:
    conversion = Conversion(ECB_RATE, Decimal("0.20"))
    return apibill.price_with_prompt(model, STANDARD, Decimal(share), Decimal(output), 4, conversion)


def test_four_input_tokens_an_output_token_are_priced_as_any_request() -> None:
    """(4 × 2.50 + 15.00) ÷ 1.1172; with half in batch (25.00 + 12.50) ÷ 2 ÷ 1.1172."""
    assert round(with_prompt(GPT_54) or 0, 4) == Decimal("22.3774")
    assert round(with_prompt(GPT_54, "0.5") or 0, 4) == Decimal("16.7830")


def test_the_example_reaches_the_tier_of_its_own_length() -> None:
    """100 000 output tokens have 400 000 of prompt, above 272 000: (4 × 5.00 + 22.50) ÷ 1.1172 = 38.0415."""
    assert round(with_prompt(GPT_54, output=100_000) or 0, 4) == Decimal("38.0415")


def test_without_output_or_a_price_there_is_no_example() -> None:
    assert with_prompt(GPT_54, output=0) is None
    assert with_prompt(api("no-input", rates(None, None, "15.00"))) is None


def varying(*components: str) -> dict[str, Varies]:
    return dict.fromkeys(components, Varies())


# What a token is billed as


def test_p35_cached_tokens_not_billed_twice() -> None:
    assert cost(GPT_54, openai_usage(17_903, 17_817, 500)) == Decimal("0.01216925")


def test_pitfall_51_a_long_cached_prompt() -> None:
    """5 005 × 2.50 + 257 955 × 0.25 + 1 744 × 15.00, per million."""
    assert cost(GPT_54, openai_usage(262_960, 257_955, 1_744)) == Decimal("0.10316125")


def test_p36_cache_creation_not_billed_as_input_too() -> None:
    assert cost(HAIKU, anthropic_usage(3, 0, 12_304, 0, 550)) == Decimal("0.018133")


def test_pitfall_53_cache_writes_have_their_own_price_by_duration() -> None:
    """Sonnet 4.6: 3.75 for five minutes, 6.00 for one hour, 0.30 to read, per million."""
    assert cost(SONNET, anthropic_usage(0, 0, 1_000_000, 0, 0)) == Decimal("3.75")
    assert cost(SONNET, anthropic_usage(0, 0, 0, 1_000_000, 0)) == Decimal("6.00")
    assert cost(SONNET, anthropic_usage(0, 1_000_000, 0, 0, 0)) == Decimal("0.30")


def test_p37_reasoning_is_inside_the_output() -> None:
    assert cost(GPT_54, openai_usage(0, 0, 1_000, reasoning_tokens=400)) == Decimal("0.0150")


def test_a_vendor_that_sells_no_cache_writes_bills_them_as_input() -> None:
    written = Usage(Decimal(1_000_000), cache_write_5m_tokens=Decimal(400_000))
    assert cost(MISTRAL_SMALL, written) == Decimal("0.15")


def test_a_vendor_that_sells_only_the_other_cache_duration_leaves_this_one_unknown() -> None:
    model = api("five-minutes", rates("1.00", "0.10", "5.00", write_5m="1.25"))
    found = request_cost(anthropic_usage(0, 0, 0, 1_000, 0), model.modes[STANDARD])
    assert (found.usd, found.missing) == (None, ("cache_write_1h",))


@pytest.mark.parametrize(
    "counts",
    [
        {"input_tokens": Decimal(-1)},
        {"output_tokens": Decimal(-1)},
        {"input_tokens": Decimal(10), "cache_read_tokens": Decimal(11)},
        {"input_tokens": Decimal(10), "cache_read_tokens": Decimal(6), "cache_write_5m_tokens": Decimal(5)},
    ],
)
def test_impossible_counts_are_refused(counts: dict[str, Decimal]) -> None:
    with pytest.raises(ValueError, match="token"):
        Usage(**counts)


def test_more_reasoning_than_output_is_refused() -> None:
    with pytest.raises(ValueError, match="reasoning"):
        openai_usage(0, 0, 100, reasoning_tokens=101)


# Context tiers


@pytest.mark.parametrize(("tokens", "usd"), [(300_000, "1.80"), (200_000, "0.60"), (200_001, "1.200006")])
def test_p38_a_tier_is_a_step_for_the_whole_request(tokens: int, usd: str) -> None:
    model = api("two-tiers", rates("3.00", None, "15.00"), rates("6.00", None, "22.50", over=200_000))
    assert cost(model, openai_usage(tokens, 0, 0)) == Decimal(usd)


def test_p38_the_output_follows_the_tier_of_the_input() -> None:
    model = api("two-tiers", rates("3.00", None, "15.00"), rates("6.00", None, "22.50", over=200_000))
    assert cost(model, openai_usage(200_001, 0, 1_000_000)) == Decimal("22.50") + Decimal("1.200006")


def test_pitfall_54_the_whole_request_changes_tier() -> None:
    """300 000 in and 2 000 out on gpt-5.4; the marginal reading would give 0.85."""
    assert cost(GPT_54, openai_usage(300_000, 0, 2_000)) == Decimal("1.545")


def test_p39_the_threshold_is_per_request_never_on_the_months_total() -> None:
    """1 000 requests of 100 000 in and 10 000 out."""
    quoted = quote(GPT_54, openai_usage(100_000, 0, 10_000), STANDARD)
    assert apibill.month_usd(quoted, Decimal(10_000_000), Decimal(10_000)) == Decimal("400.00")


@pytest.mark.parametrize(("tokens", "usd"), [(250_000, "0.640"), (272_000, "0.695"), (272_001, "1.382505")])
def test_p40_the_threshold_is_the_vendors_and_strict(tokens: int, usd: str) -> None:
    assert cost(GPT_54, openai_usage(tokens, 0, 1_000)) == Decimal(usd)


def test_cached_tokens_count_towards_the_threshold() -> None:
    """272 001 cached tokens at the upper tier's 0.50 per million."""
    assert cost(GPT_54, openai_usage(272_001, 272_001, 0)) == Decimal("0.1360005")


def test_a_component_missing_from_the_upper_tier_is_not_taken_from_the_lower() -> None:
    model = api("gap", rates("3.00", "0.30", "15.00"), rates("6.00", None, "22.50", over=200_000))
    found = request_cost(openai_usage(200_001, 100, 1), model.modes[STANDARD])
    assert (found.usd, found.missing, found.over_tokens) == (None, ("cache_read",), 200_000)


@given(st.integers(0, 400_000))
def test_the_tier_changes_once_at_its_threshold(tokens: int) -> None:
    chosen = apibill.tier_for(GPT_54.modes[STANDARD], Decimal(tokens))
    assert chosen is not None
    assert chosen.context_over_tokens == (272_000 if tokens > 272_000 else 0)


# Unknown prices


def test_p14_a_missing_price_is_named_and_never_a_smaller_total() -> None:
    model = api("output-only", rates(None, None, "15.00"))
    quoted = quote(model, openai_usage(1_000, 0, 500), STANDARD)
    assert quoted.request_usd is None
    assert [(reason.code, reason.values["component"]) for reason in quoted.reasons] == [
        ("component_price_missing", "input")
    ]


@pytest.mark.parametrize(("varies", "used"), [("input", (1_000, 0)), ("output", (0, 500))])
def test_p13_a_price_that_varies_leaves_the_cost_open_and_is_named_as_such(varies: str, used: tuple[int, int]) -> None:
    tier = replace(rates("2.00", None, "8.00"), **{varies: None}, varying=varying(varies, "cache_read"))
    quoted = quote(api("router", tier), openai_usage(used[0], 0, used[1]), STANDARD)
    assert quoted.request_usd is None
    assert [(reason.code, reason.values["component"]) for reason in quoted.reasons] == [
        ("component_price_varies", varies)
    ]


def test_p13_stored_tokens_whose_price_varies_are_not_billed_as_plain_input() -> None:
    tier = replace(rates("2.00", None, "8.00"), varying=varying("cache_write_5m"))
    found = request_cost(anthropic_usage(0, 0, 1_000, 0, 0), (tier,))
    assert (found.usd, found.missing, found.varying) == (None, ("cache_write_5m",), {"cache_write_5m"})
    assert request_cost(anthropic_usage(1_000, 0, 0, 0, 0), (tier,)).usd == Decimal("0.002")


def test_p14_a_component_that_is_not_used_needs_no_price() -> None:
    assert cost(api("output-only", rates(None, None, "15.00")), openai_usage(0, 0, 1_000_000)) == Decimal("15.00")


def test_p14_a_free_component_costs_nothing_and_is_known() -> None:
    assert cost(api("free-input", rates("0", None, "15.00")), openai_usage(1_000_000, 0, 0)) == 0


@given(st.sampled_from(COMPONENTS), st.integers(1, 100_000))
def test_p14_removing_a_used_price_makes_the_cost_unknown(component: str, tokens: int) -> None:
    prices = {
        "input_": "1.00",
        "cache_read": "0.10",
        "output": "5.00",
        "write_5m": "1.25",
        "write_1h": "2.00",
    }
    keyword = {"input": "input_", "cache_write_5m": "write_5m", "cache_write_1h": "write_1h"}.get(component, component)
    del prices[keyword]
    usage = anthropic_usage(tokens, tokens, tokens, tokens, tokens)
    assert cost(api("partial", rates(**prices)), usage) is None  # type: ignore[arg-type]


# Modes


def test_p41_batch_and_standard_are_two_prices_of_one_model() -> None:
    standard, batch = month(GPT_54, 100), month(GPT_54, 100, Mode.BATCH)
    assert (standard.usd, batch.usd) == (1500, 750)
    assert (standard.mode, batch.mode) == (Mode.STANDARD, Mode.BATCH)
    assert round(standard.eur or 0, 2) == Decimal("1342.64")
    assert round(batch.eur or 0, 2) == Decimal("671.32")


def test_a_mode_that_is_not_sold_has_no_price() -> None:
    bill = month(GPT_54, 100, Mode.PRIORITY)
    assert (bill.usd, bill.eur, bill.eur_per_mtok, bill.trust) == (None, None, None, None)
    assert bill.reasons[0].code == "mode_not_sold"
    assert bill.reasons[0].values == {"api": "gpt-5.4", "mode": "priority"}


def test_a_batch_share_blends_the_two_prices() -> None:
    """A quarter of the requests in batch on gpt-5.4-mini: 0.75 × 4.50 + 0.25 × 2.25 = 3.9375 per million."""
    quoted = quote(GPT_54_MINI, openai_usage(0, 0, 1_000_000), STANDARD, Decimal("0.25"))
    assert quoted.request_usd == Decimal("3.9375")


def test_a_batch_share_needs_a_batch_price() -> None:
    quoted = quote(api("no-batch", rates("1", "1", "1")), openai_usage(0, 0, 1), STANDARD, Decimal("0.5"))
    assert quoted.request_usd is None


def test_everything_in_batch_needs_no_price_of_another_mode() -> None:
    quoted = quote(GPT_54, openai_usage(0, 0, 1_000_000), Mode.PRIORITY, Decimal(1))
    assert (quoted.request_usd, quoted.mode, quoted.reasons) == (Decimal("7.50"), Mode.PRIORITY, ())


def test_a_batch_share_in_batch_mode_changes_nothing() -> None:
    quoted = quote(GPT_54, openai_usage(0, 0, 1_000_000), Mode.BATCH, Decimal("0.5"))
    assert quoted.request_usd == Decimal("7.50")


# The month


def test_the_same_traffic_with_its_prompt_costs_what_the_vendor_bills() -> None:
    """Four input tokens for one output token on gpt-5.4: 4 × 2.50 + 15.00 = 25 $ per million output tokens."""
    quoted = quote(GPT_54, openai_usage(2_000, 0, 500), STANDARD)
    bill = apibill.api_bill(quoted, Decimal(10**6), Decimal(500), Decimal(10**6), Conversion(ECB_RATE, Decimal(0)))
    assert (bill.usd, bill.usd_per_mtok) == (25, 25)


def test_p44_without_a_rate_there_are_dollars_and_no_euros() -> None:
    quoted = quote(GPT_54, openai_usage(0, 0, 1_000_000), STANDARD)
    bill = apibill.api_bill(quoted, Decimal(10**6), Decimal(10**6), Decimal(10**6), Conversion(None, Decimal("0.20")))
    assert bill.usd == Decimal("15.00")
    assert (bill.eur, bill.eur_ttc, bill.eur_per_mtok) == (None, None, None)


def test_tax_comes_on_the_unrounded_total() -> None:
    """1 342.642320… € × 1.2 = 1 611.17 €."""
    assert month(GPT_54, 100).eur_ttc == Decimal("1611.17")


def test_a_bill_is_worth_its_prices_and_its_rate() -> None:
    assert month(GPT_54, 100).trust is Kind.LIST_PRICE


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_bill_is_linear_in_the_volume(first: int, second: int) -> None:
    quoted = quote(SONNET, openai_usage(1_000, 200, 500), STANDARD)
    parts = [apibill.month_usd(quoted, Decimal(n), Decimal(500)) or 0 for n in (first, second, first + second)]
    assert parts[0] + parts[1] == pytest.approx(parts[2])
