"""The published page, figure by figure: what it prints, what it hides, and what follows from its own inputs."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import economics, llm
from calculator.domain.offers import Basis, Mode, Sku
from calculator.domain.scenario import Comparison, EconomicsEstimate, Outcome, Verdict

from .factories import ENTERPRISE, PRO, STARTER, TITAN, claim, facts, flat_api, rate_of, scenario

MILLION = Decimal(10**6)
PRINTED = {"gpt-5.4-mini": "2.25", "gpt-5.4": "7.50", "claude-sonnet-4-6": "15.00"}
PRINTED_APIS = tuple(flat_api(price, code) for code, price in PRINTED.items())
WEIGHTS_BYTES = 7.2416e9 * 2


def at_parity(**fields: object) -> EconomicsEstimate:
    """As the page compares: its printed prices, one dollar for one euro."""
    return economics.estimate(scenario(**fields), facts(apis=PRINTED_APIS, usd_per_eur=rate_of("1")))


def against(code: str, found: EconomicsEstimate) -> Comparison:
    return next(item for item in found.comparisons if item.bill.api.code == code)


@pytest.mark.parametrize(
    ("sku", "printed"), [(STARTER, "16.51"), (PRO, "10.02"), (ENTERPRISE, "18.70"), (TITAN, "18.61")]
)
def test_the_four_hourly_prices_per_million(sku: Sku, printed: str) -> None:
    found = economics.estimate(scenario(basis=Basis.HOUR), facts(sku=sku)).gpu
    assert round(found.full_eur_per_mtok or 0, 2) == Decimal(printed)


@pytest.mark.parametrize(("percent", "printed"), [(65, "7.70"), (85, "5.89")])
def test_the_monthly_price_per_million_at_two_utilisations(percent: int, printed: str) -> None:
    found = economics.estimate(scenario(utilisation_ratio=Decimal(percent) / 100), facts()).gpu
    assert round(found.full_eur_per_mtok or 0, 2) == Decimal(printed)


def test_the_monthly_price_is_23_per_cent_under_720_hours() -> None:
    found = economics.estimate(scenario(), facts()).bases
    month, hours = found[Basis.MONTH].bill_eur, found[Basis.HOUR].bill_eur
    assert month is not None
    assert hours is not None
    assert round((1 - month / hours) * 100, 1) == Decimal("23.1")


@pytest.mark.parametrize(
    ("volume_m", "gpu", "apis"),
    [
        (10, 831, ["23", "75", "150"]),
        (50, 831, ["113", "375", "750"]),
        (100, 831, ["225", "750", "1500"]),
        (300, 2492, ["675", "2250", "4500"]),
    ],
)
def test_the_printed_volume_matrix(volume_m: int, gpu: int, apis: list[str]) -> None:
    """112.50 $ prints as 113, 22.50 $ as 23: half up, not half to even."""
    row = next(row for row in at_parity().volumes if row.volume_tokens == volume_m * MILLION)
    assert round(row.gpu.total_eur or 0) == gpu
    shown = [
        (amount or Decimal(0)).quantize(Decimal(1), rounding="ROUND_HALF_UP") for _code, amount, _verdict in row.cells
    ]
    assert shown == [Decimal(price) for price in apis]


def test_hidden_a_the_exchange_rate_decides() -> None:
    """At parity and the printed 7.50, the lines cross at 110.8 M: above the card's 107.8 M, so never."""
    assert against("gpt-5.4", at_parity()).break_even.outcome is Outcome.NEVER
    more_use = against("gpt-5.4", at_parity(utilisation_ratio=Decimal("0.85"))).break_even
    assert round(more_use.intervals[0].start_tokens / MILLION, 3) == Decimal("110.752")


def test_hidden_b_one_reading_for_all_apis_is_wrong() -> None:
    """300 M: 2 492 € are less than Sonnet's 4 500 and more than the printed 2 250; at 100 M, 831 < 1 500 already."""
    found = at_parity(volume_tokens=300 * MILLION)
    assert against("claude-sonnet-4-6", found).verdict is Verdict.GPU
    assert against("gpt-5.4", found).verdict is Verdict.API
    assert against("claude-sonnet-4-6", at_parity()).verdict is Verdict.GPU


def test_hidden_b_the_printed_openai_prices_are_batch_prices() -> None:
    batch = economics.estimate(scenario(mode=Mode.BATCH), facts())
    assert against("gpt-5.4", batch).bill.usd_per_mtok == Decimal(PRINTED["gpt-5.4"])
    assert against("gpt-5.4-mini", batch).bill.usd_per_mtok == Decimal(PRINTED["gpt-5.4-mini"])
    standard = economics.estimate(scenario(), facts())
    assert against("claude-sonnet-4-6", standard).bill.usd_per_mtok == Decimal(PRINTED["claude-sonnet-4-6"])


def test_hidden_c_the_prompt_is_not_free() -> None:
    """4 input tokens an output token: 25 $ per million output tokens on gpt-5.4 standard."""
    found = economics.estimate(scenario(input_tokens=Decimal(2000)), facts())
    assert against("gpt-5.4", found).bill.usd_per_mtok == 25


@pytest.mark.parametrize(
    ("sku", "bandwidth_bytes_per_s", "share"),
    [(PRO, 1008e9, 0.92), (ENTERPRISE, 1555e9, 0.89), (TITAN, 2039e9, 0.88), (STARTER, 320e9, 0.996)],
)
def test_hidden_d_the_published_rates_are_single_stream(sku: Sku, bandwidth_bytes_per_s: float, share: float) -> None:
    """Each is 88–100 % of what one 16-bit stream of a 7B model can reach by bandwidth."""
    bound = llm.decode_bound_tok_per_s(WEIGHTS_BYTES, 0, bandwidth_bytes_per_s)
    assert sku.throughput is not None
    assert sku.throughput.output_tok_per_s.value / bound == pytest.approx(share, abs=0.005)


def test_hidden_d_a_batched_rate_divides_the_cost_by_as_much() -> None:
    """904 tok/s at sixteen requests on an A100 80 GB, against the published 124: 7.29 times cheaper per million."""
    batched = replace(TITAN, throughput=claim(904.0, single_stream=False, concurrency=16))
    one = economics.estimate(scenario(basis=Basis.HOUR), facts(sku=TITAN)).gpu.full_eur_per_mtok
    many = economics.estimate(scenario(basis=Basis.HOUR), facts(sku=batched)).gpu.full_eur_per_mtok
    assert one is not None
    assert many is not None
    assert round(many, 2) == Decimal("2.55")
    assert float(one / many) == pytest.approx(904 / 124)


def test_a_small_customer_pays_for_the_whole_month() -> None:
    """100 M a month on that A100 at the batched rate: 3 888 € ÷ 100 M = 38.88 €, working 4.3 % of the time."""
    batched = replace(TITAN, throughput=claim(904.0, single_stream=False))
    found = economics.estimate(scenario(basis=Basis.HOUR), facts(sku=batched)).gpu
    assert found.eur_per_mtok == Decimal("38.88")
    assert round((found.implied_utilisation_ratio or 0) * 100, 1) == Decimal("4.3")


def test_the_conclusion_holds() -> None:
    """No small-model API is beaten on price at any volume; premium APIs are, when the card is kept busy."""
    found = economics.estimate(scenario(), facts())
    outcomes = {item.bill.api.code: item.break_even.outcome for item in found.comparisons}
    assert {outcomes[code] for code in ("mistral-small-2603", "gpt-5.4-mini", "claude-haiku-4-5")} == {Outcome.NEVER}
    assert {outcomes[code] for code in ("gpt-5.4", "claude-sonnet-4-6")} == {Outcome.REACHED}


@pytest.mark.parametrize(
    ("usd", "outcome", "start_m"),
    [("15.00", Outcome.REACHED, "61.87"), ("7.50", Outcome.NEVER, None), ("5.00", Outcome.NEVER, None)],
)
def test_break_even_at_the_ecb_rate(usd: str, outcome: Outcome, start_m: str | None) -> None:
    found = economics.estimate(scenario(), facts(apis=(flat_api(usd),))).comparisons[0].break_even
    assert found.outcome is outcome
    starts = [round(part.start_tokens / MILLION, 2) for part in found.intervals[:1]]
    assert starts == ([Decimal(start_m)] if start_m else [])
