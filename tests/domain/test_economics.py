"""The estimate as a whole: headline, warnings, what replaces what, and that nothing the form allows makes it fail."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain import economics
from calculator.domain.offers import ApiModel, Basis, Mode
from calculator.domain.provenance import Kind
from calculator.domain.scenario import (
    BillingStep,
    EconomicsEstimate,
    EconomicsScenario,
    Message,
    Outcome,
    Rental,
    TrafficBy,
    Verdict,
)

from .factories import APIS, ECB_RATE, GPT_54, HAIKU, NOW, PRO, SUPERCOMPUTE, claim, facts, flat_api, scenario


def estimate(**fields: object) -> EconomicsEstimate:
    return economics.estimate(scenario(**fields), facts())


def codes(found: EconomicsEstimate) -> set[str]:
    return {warning.code for warning in found.warnings}


def warning(found: EconomicsEstimate, code: str) -> Message:
    return next(item for item in found.warnings if item.code == code)


# Headline


def test_the_headline_says_what_the_gpu_costs_and_against_whom() -> None:
    found = estimate().headline
    assert found.code == "gpu_vs_api"
    assert found.values["gpu_eur"] == Decimal("830.64")
    assert found.values["cheaper_than"] == "gpt-5.4,claude-sonnet-4-6"
    assert found.values["dearer_than"] == "mistral-small-2603,gpt-5.4-mini,claude-haiku-4-5"
    assert found.values["equivalent_to"] == ""


def test_the_headline_gives_the_smallest_and_the_largest_gap() -> None:
    values = estimate().headline.values
    assert [round(Decimal(str(values[f"dearer_gap_{end}_ratio"])), 2) for end in ("min", "max")] == [
        Decimal("0.86"),
        Decimal("14.47"),
    ]
    assert round(Decimal(str(values["cheaper_gap_min_ratio"])), 2) == Decimal("-0.38")


def test_the_headline_refers_to_the_chosen_reference() -> None:
    values = estimate(reference="claude-haiku-4-5").headline.values
    assert (values["reference"], values["reference_verdict"]) == ("claude-haiku-4-5", "api")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"sku": SUPERCOMPUTE}, "price_on_request"),
        ({"sku": replace(PRO, throughput=None)}, "no_throughput"),
        ({"sku": replace(PRO, throughput=claim(64.0, test_model=True))}, "test_model"),
        ({"apis": ()}, "no_api"),
        ({"usd_per_eur": None}, "no_rate"),
    ],
)
def test_the_headline_names_what_stands_in_the_way(changes: dict[str, object], code: str) -> None:
    found = economics.estimate(scenario(), facts(**changes))
    assert found.headline.code == code


# Warnings


def test_single_stream_is_said_wherever_it_is_used() -> None:
    assert "single_stream" in codes(estimate())
    assert "single_stream" in codes(estimate(rate_tok_per_s=Decimal(50), rate_concurrency=1))
    assert "single_stream" not in codes(estimate(rate_tok_per_s=Decimal(50), rate_concurrency=32))
    assert "single_stream" not in codes(estimate(rate_tok_per_s=Decimal(50)))


def test_output_only_traffic_is_said() -> None:
    assert "output_only" in codes(estimate())
    assert "output_only" not in codes(estimate(input_tokens=Decimal(1)))


def test_prompt_time_that_is_not_counted_is_said() -> None:
    assert "prompt_time_not_counted" in codes(estimate(input_tokens=Decimal(1)))
    assert "prompt_time_not_counted" not in codes(estimate(input_tokens=Decimal(1), prefill_tok_per_s=Decimal(1000)))


def test_a_mode_that_is_not_standard_is_said() -> None:
    assert warning(estimate(mode=Mode.BATCH), "mode_not_standard").values["mode"] == "batch"
    assert warning(estimate(batch_share_ratio=Decimal("0.2")), "batch_share").values["ratio"] == Decimal("0.2")
    assert not codes(estimate()) & {"mode_not_standard", "batch_share"}


def test_a_retired_api_is_said_and_one_about_to_be_too() -> None:
    gone = replace(flat_api("15.00", "gone"), retired_on=dt.date(2026, 11, 30))
    going = replace(flat_api("2.50", "going"), retired_on=dt.date(2026, 12, 1))
    found = economics.estimate(scenario(), facts(apis=(gone, going)))
    assert warning(found, "api_retired").values == {"api": "gone", "on": dt.date(2026, 11, 30)}
    assert warning(found, "api_retiring").values["api"] == "going"


def test_a_retirement_is_compared_with_the_catalogues_day_not_with_that_of_utc() -> None:
    """At 23:30 UTC on 30 November it is already 1 December where the catalogue counts its days."""
    night = dt.datetime(2026, 11, 30, 23, 30, tzinfo=dt.UTC)
    gone = replace(flat_api("15.00", "gone"), retired_on=dt.date(2026, 12, 1))
    found = economics.estimate(scenario(at=night), facts(at=night, day=dt.date(2026, 12, 1), apis=(gone,)))
    assert warning(found, "api_retired").values == {"api": "gone", "on": dt.date(2026, 12, 1)}


def test_more_than_one_gpu_is_said() -> None:
    found = estimate(volume_tokens=Decimal(300_000_000))
    assert warning(found, "capacity_exceeded").values == {"instances": 3, "step_tokens": Decimal(107_827_200)}
    assert "capacity_exceeded" not in codes(estimate())


def test_a_request_longer_than_the_context_window_is_said_and_never_priced() -> None:
    small = replace(flat_api("15.00", "small"), context_window_tokens=1_000)
    found = economics.estimate(scenario(input_tokens=Decimal(501)), facts(apis=(small,)))
    assert warning(found, "context_window_exceeded").values["api"] == "small"
    assert found.comparisons[0].bill.usd is None
    assert found.comparisons[0].verdict is Verdict.UNKNOWN
    assert found.headline.values["unknown_against"] == "small"
    assert found.comparisons[0].break_even.outcome is Outcome.UNKNOWN


def test_a_request_that_just_fits_the_context_window_is_priced() -> None:
    small = replace(flat_api("15.00", "small"), context_window_tokens=1_000)
    fits = economics.estimate(scenario(input_tokens=Decimal(500)), facts(apis=(small,)))
    assert "context_window_exceeded" not in codes(fits)
    assert fits.comparisons[0].bill.usd is not None


def test_a_batch_share_says_once_that_the_request_is_too_long() -> None:
    small = replace(flat_api("15.00", "small"), context_window_tokens=1_000)
    asked = scenario(input_tokens=Decimal(501), batch_share_ratio=Decimal("0.5"))
    said = [item.code for item in economics.estimate(asked, facts(apis=(small,))).warnings]
    assert said.count("context_window_exceeded") == 1


def test_a_reference_that_is_not_compared_is_replaced_aloud() -> None:
    found = economics.estimate(scenario(reference="gpt-9"), facts())
    assert warning(found, "reference_not_compared").values == {"api": "gpt-9", "used": "mistral-small-2603"}
    assert found.headline.values["reference"] == "mistral-small-2603"


def test_each_warning_is_said_once() -> None:
    found = estimate(input_tokens=Decimal(400_000), mode=Mode.PRIORITY, volume_tokens=Decimal(10**12))
    said = [(item.code, tuple(sorted(item.values.items(), key=str))) for item in found.warnings]
    assert len(said) == len(set(said))


# What replaces what


def test_a_typed_rate_replaces_the_catalogues_and_ranks_as_an_assumption() -> None:
    found = estimate(rate_tok_per_s=Decimal(128))
    assert found.gpu.capacity_tokens == 2 * Decimal(107_827_200)
    assert found.gpu.throughput is not None
    assert found.gpu.throughput.figure_id is None
    assert found.gpu.throughput.output_tok_per_s.rank_kind is Kind.ASSUMPTION


def test_a_typed_exchange_rate_replaces_the_catalogues() -> None:
    found = estimate(usd_per_eur=Decimal(1))
    assert found.usd_per_eur is not None
    assert found.usd_per_eur.rank_kind is Kind.ASSUMPTION
    assert found.comparisons[3].bill.eur == 1500
    assert found.comparisons[3].bill.trust is Kind.ASSUMPTION


def test_a_typed_exchange_rate_serves_where_the_catalogue_has_none() -> None:
    found = economics.estimate(scenario(usd_per_eur=Decimal("1.1172")), facts(usd_per_eur=None))
    assert found.comparisons[3].verdict is Verdict.GPU


def test_a_typed_price_replaces_that_of_the_chosen_basis_only() -> None:
    found = estimate(basis=Basis.HOUR, price_eur=Decimal(2)).bases
    assert (found[Basis.HOUR].bill_eur, found[Basis.MONTH].bill_eur) == (1440, Decimal("830.64"))


def test_p28_a_new_price_gives_a_new_figure_and_leaves_the_old_facts_alone() -> None:
    """10 M output tokens at 30 $ are 300 $; at 20 $ they are 200 $."""
    month = scenario(volume_tokens=Decimal(10_000_000))
    before = economics.estimate(month, facts(apis=(flat_api("30.00"),)))
    after = economics.estimate(month, facts(apis=(flat_api("20.00"),)))
    assert [found.comparisons[0].bill.usd for found in (before, after)] == [300, 200]


def test_requests_and_tokens_describe_the_same_month() -> None:
    """200 000 requests of 500 output tokens are 100 M tokens."""
    by_requests = estimate(traffic=TrafficBy.REQUESTS, requests_count=Decimal(200_000))
    by_tokens = estimate()
    assert by_requests.volume_tokens == by_tokens.volume_tokens == 100_000_000
    assert by_requests.requests_count == by_tokens.requests_count == 200_000
    assert by_requests.gpu == by_tokens.gpu
    assert by_requests.comparisons == by_tokens.comparisons


def test_an_output_length_that_does_not_divide_the_volume_leaves_round_bills_round() -> None:
    found = economics.estimate(scenario(output_tokens=Decimal(300)), facts(apis=(GPT_54,)))
    assert found.comparisons[0].bill.usd == 1500


def test_a_response_cache_serves_both_sides() -> None:
    found = estimate(response_cache_ratio=Decimal("0.4"))
    assert (found.volume_tokens, found.served_tokens) == (100_000_000, 60_000_000)
    assert found.comparisons[3].bill.usd == 900


def test_a_prefix_cache_is_read_at_its_own_price() -> None:
    """2 000 in of which half from cache: 1 000 × 2.50 + 1 000 × 0.25 + 500 × 15.00 = 0.01025 $; 200 000 requests."""
    found = estimate(input_tokens=Decimal(2000), prefix_hit_ratio=Decimal("0.5"))
    assert found.comparisons[3].bill.usd == 2050


@pytest.mark.parametrize(("ttl", "usd"), [("5m", "725"), ("1h", "800")])
def test_cache_writes_are_billed_by_their_duration(ttl: str, usd: str) -> None:
    """Haiku: 200 000 × (1 000 in, half written: 500 × 1.00 + 500 × 1.25 or 2.00; 500 out × 5.00)."""
    found = economics.estimate(
        scenario(input_tokens=Decimal(1000), cache_write_ratio=Decimal("0.5"), cache_write_ttl=ttl),
        facts(apis=(HAIKU,)),
    )
    assert found.comparisons[0].bill.usd == Decimal(usd)


# Edges


@pytest.mark.parametrize("volume", [0, 1, 10**15])
def test_any_volume_has_an_answer(volume: int) -> None:
    found = estimate(volume_tokens=Decimal(volume), utilisation_ratio=Decimal("0.01"))
    assert found.gpu.total_eur is not None
    assert found.gpu.total_eur >= Decimal("830.64")
    assert (found.gpu.eur_per_mtok is None) == (volume == 0)


def test_an_always_on_gpu_is_paid_even_without_traffic() -> None:
    found = estimate(volume_tokens=Decimal(0))
    assert found.gpu.total_eur == Decimal("830.64")
    assert {item.verdict for item in found.comparisons} == {Verdict.API}


def test_input_only_traffic_is_billed_by_the_request() -> None:
    """Reading alone: 1 000 tokens at 1 000 tok/s are 1 s; 720 h at 65 % hold 1 684 800 requests, so 2 M take two."""
    found = estimate(
        traffic=TrafficBy.REQUESTS,
        requests_count=Decimal(2_000_000),
        input_tokens=Decimal(1000),
        output_tokens=Decimal(0),
        prefill_tok_per_s=Decimal(1000),
    )
    assert found.gpu.instances == 2
    assert found.gpu.eur_per_mtok is None
    assert found.comparisons[3].bill.usd == 5000
    assert (found.volumes, found.utilisations) == ((), ())


def test_input_only_traffic_without_a_prefill_rate_cannot_be_sized() -> None:
    found = estimate(
        traffic=TrafficBy.REQUESTS,
        requests_count=Decimal(1000),
        input_tokens=Decimal(1000),
        output_tokens=Decimal(0),
    )
    assert found.gpu.total_eur is None
    assert found.headline.code == "cannot_size"
    assert "prompt_time_not_counted" in codes(found)


def test_requests_that_take_no_gpu_time_are_named() -> None:
    found = estimate(traffic=TrafficBy.REQUESTS, requests_count=Decimal(1000), output_tokens=Decimal(0))
    assert warning(found, "no_gpu_time").field == "output_tokens"
    assert found.gpu.total_eur is None


def test_tokens_of_requests_without_output_are_a_contradiction_that_is_named() -> None:
    found = estimate(output_tokens=Decimal(0))
    assert warning(found, "output_tokens_needed").field == "output_tokens"
    assert found.volume_tokens == 0


def test_requests_without_a_count_are_named() -> None:
    found = estimate(traffic=TrafficBy.REQUESTS)
    assert warning(found, "requests_needed").field == "requests_count"


ratios = st.integers(0, 1000).map(lambda count: Decimal(count) / 1000)
counts = st.one_of(st.just(Decimal(0)), st.integers(0, 10**15).map(Decimal))
lengths = st.one_of(st.just(Decimal(0)), st.integers(0, 10**6).map(Decimal))
positive = st.decimals("0.000001", "1000000000", allow_nan=False, places=6)
optional = st.one_of(st.none(), positive)
scenarios = st.builds(
    EconomicsScenario,
    catalog_version=st.just(1),
    at=st.just(NOW),
    basis=st.sampled_from(Basis),
    rental=st.sampled_from(Rental),
    billing_step=st.sampled_from(BillingStep),
    price_eur=optional,
    rate_tok_per_s=optional,
    rate_concurrency=st.one_of(st.none(), st.integers(1, 1000)),
    prefill_tok_per_s=optional,
    utilisation_ratio=st.integers(10, 1000).map(lambda count: Decimal(count) / 1000),
    hours_per_month_h=st.integers(1, 744).map(Decimal),
    traffic=st.sampled_from(TrafficBy),
    volume_tokens=counts,
    requests_count=st.one_of(st.none(), counts),
    input_tokens=lengths,
    output_tokens=lengths,
    prefix_hit_ratio=ratios,
    cache_write_ratio=ratios,
    cache_write_ttl=st.sampled_from(["5m", "1h"]),
    response_cache_ratio=ratios,
    mode=st.sampled_from(Mode),
    batch_share_ratio=ratios,
    reference=st.sampled_from(["gpt-5.4", "gpt-9"]),
    usd_per_eur=optional,
    operations_eur_per_month=st.integers(0, 10**6).map(Decimal),
    vat_ratio=ratios,
    tie_ratio=ratios,
)
skus = st.sampled_from([PRO, SUPERCOMPUTE, replace(PRO, throughput=None), replace(PRO, is_test_host=True)])


@given(scenarios, skus, st.sampled_from([(), (GPT_54,), APIS]), st.sampled_from([None, ECB_RATE]))
def test_nothing_that_the_form_allows_makes_the_estimate_fail(
    asked: EconomicsScenario, sku: object, apis: tuple[ApiModel, ...], rate: object
) -> None:
    found = economics.estimate(asked, facts(sku=sku, apis=apis, usd_per_eur=rate))
    assert len(found.comparisons) == len(apis)
    assert found.headline.code
    for item in found.comparisons:
        unknown = found.gpu.total_eur is None or item.bill.eur is None or found.gpu.sku.is_test_host
        assert (item.verdict is Verdict.UNKNOWN) == unknown
        assert item.bill.usd is not None or item.bill.reasons
    assert found.gpu.total_eur is not None or found.gpu.reasons
    for step in found.steps:
        assert step.terms


@given(scenarios)
def test_no_amount_is_ever_negative(asked: EconomicsScenario) -> None:
    found = economics.estimate(asked, facts())
    amounts = [found.gpu.bill_eur, found.gpu.total_eur, *(item.bill.usd for item in found.comparisons)]
    assert all(amount is None or amount >= 0 for amount in amounts)
