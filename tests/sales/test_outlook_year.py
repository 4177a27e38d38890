"""Sensitivity, twelve months, commitments and electricity of the outlook, each worked out by hand."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given

from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind
from calculator.domain.scenario import Rental, TrafficBy
from sales.domain.commitments import Commitments, Term, commitments
from sales.domain.energy import Energy, energy
from sales.domain.outlook import OutlookFacts, OutlookScenario, sides
from sales.domain.ramp import Ramp, growth_to, ramp
from sales.domain.sensitivity import SETTERS, Bar, Lever, Sensitivity, sensitivity, value_of
from tests.domain import factories as offer
from tests.sales import outlookfactory as case
from tests.sales.outlookfactory import machines, scenarios

API_EUR = Decimal(1500) / Decimal("1.1172")
CARD_EUR = Decimal("830.64")


def cents(value: Decimal | None) -> Decimal:
    assert value is not None
    return round(value, 2)


class TestSensitivity:
    """GPU-PRO at 100 M beside gpt-5.4: the gap is 830.64 − 1 342.64 = −512.00 €."""

    def moved(self, facts: OutlookFacts | None = None, **fields: object) -> Sensitivity:
        asked, known = case.scenario(**fields), facts or case.facts()
        return sensitivity(sides(asked, known.prices), known)

    def bars(self, facts: OutlookFacts | None = None, **fields: object) -> dict[Lever, Bar]:
        return {one.lever: one for one in self.moved(facts, **fields).bars}

    @pytest.mark.parametrize(
        ("lever", "low", "high"),
        [
            # 24 % of 165.888 M is 39.8 M: three cards, 2 491.92 €; at 90 % one card does.
            (Lever.UTILISATION, CARD_EUR * 3 - API_EUR, CARD_EUR - API_EUR),
            # 0.84 × 64 tok/s carry 90.6 M: two cards; 1.12 × 64 carry 120.8 M.
            (Lever.RATE, CARD_EUR * 2 - API_EUR, CARD_EUR - API_EUR),
            # ± 10 % of 830.64 €.
            (Lever.PRICE, Decimal("747.576") - API_EUR, Decimal("913.704") - API_EUR),
            # 13.50 $ and 16.50 $.
            (Lever.API_PRICE, CARD_EUR - API_EUR * Decimal("0.9"), CARD_EUR - API_EUR * Decimal("1.1")),
            # 1 500 $ at the lowest and the highest rate of ten years.
            (Lever.FX, CARD_EUR - 1500 / Decimal("0.9565"), CARD_EUR - 1500 / Decimal("1.2493")),
            # 75 M on one card; 125 M on two.
            (Lever.VOLUME, CARD_EUR - API_EUR * Decimal("0.75"), CARD_EUR * 2 - API_EUR * Decimal("1.25")),
        ],
    )
    def test_each_end_is_a_whole_month_of_its_own(self, lever: Lever, low: Decimal, high: Decimal) -> None:
        bar = self.bars()[lever]
        assert bar.low is not None and bar.high is not None
        assert (cents(bar.low.gap_eur), cents(bar.high.gap_eur)) == (cents(low), cents(high))

    def test_the_widest_bar_comes_first(self) -> None:
        widths = [one.width_eur for one in self.moved().bars]
        assert widths == sorted(widths, reverse=True)
        assert self.moved().bars[0].lever is Lever.UTILISATION

    def test_a_bar_that_crosses_equality_says_so(self) -> None:
        flips = {lever for lever, bar in self.bars().items() if bar.flips}
        assert flips == {Lever.UTILISATION, Lever.RATE}

    def test_the_cost_of_a_million_is_a_band(self) -> None:
        """Kind: 747.58 € for 100 M. Unkind: 53.76 tok/s at 24 % carry 33.4 M, three cards of 913.70 €: 27.41 €."""
        bands = self.moved().bands
        assert cents(bands.gpu_low) == Decimal("7.48")
        assert cents(bands.gpu_high) == Decimal("27.41")
        assert cents(bands.api_low) == Decimal("10.81")
        assert cents(bands.api_high) == Decimal("17.25")

    def test_ranges_are_inputs_with_their_origin(self) -> None:
        bars = self.bars(price_span_ratio=Decimal("0.2"), rate_low_ratio=Decimal("0.5"))
        kinds = {lever: bar.span.low.kind for lever, bar in bars.items() if bar.span}
        assert kinds[Lever.PRICE] is Kind.INPUT
        assert kinds[Lever.UTILISATION] is Kind.ASSUMPTION
        assert kinds[Lever.FX] is Kind.LIST_PRICE
        assert kinds[Lever.RATE] is Kind.INPUT
        assert bars[Lever.RATE].span.high.kind is Kind.ESTIMATE  # type: ignore[union-attr]

    def test_typed_exchange_rates_replace_those_of_ten_years(self) -> None:
        bar = self.bars(usd_per_eur_low=Decimal(1), usd_per_eur_high=Decimal("1.5"))[Lever.FX]
        assert bar.low is not None and bar.high is not None
        assert cents(bar.low.gap_eur) == cents(CARD_EUR - 1500)
        assert cents(bar.high.gap_eur) == cents(CARD_EUR - 1000)

    def test_a_lever_without_a_range_moves_nothing(self) -> None:
        bars = self.bars(case.facts(rate_band=None, fx=None))
        assert bars[Lever.RATE].low is None
        assert bars[Lever.FX].width_eur == 0

    def test_an_uplift_stays_in_the_price_that_is_moved(self) -> None:
        """15 $ + 10 %: 16.50 $, moved to 14.85 and 18.15."""
        bar = self.bars(api_uplift_ratio=Decimal("0.10"))[Lever.API_PRICE]
        assert bar.now == Decimal("16.5")
        assert bar.low is not None
        assert cents(bar.low.gap_eur) == cents(CARD_EUR - API_EUR * Decimal("0.99"))

    def test_a_price_on_request_has_no_bar(self) -> None:
        bars = self.bars(case.facts(offer.facts(sku=offer.SUPERCOMPUTE)))
        assert bars[Lever.PRICE].span is None


class TestRamp:
    """100 M in the first month, + 10 % a month; a card carries 107.8272 M."""

    def year(self, facts: OutlookFacts | None = None, **fields: object) -> Ramp | None:
        asked, known = case.scenario(**fields), facts or case.facts()
        return ramp(sides(asked, known.prices), known)

    def known(self, **fields: object) -> Ramp:
        found = self.year(None, **fields)
        assert found is not None
        return found

    def test_cards_come_when_the_volume_needs_them(self) -> None:
        """110 M in month 2; 214.4 M in month 9 still fit on two cards (215.7 M), 235.8 M in month 10 do not."""
        assert self.known().arrivals == ((2, 2, 2), (3, 3, 10))

    def test_the_cheaper_side_changes_twice(self) -> None:
        """Month 2: two cards, 1 661 €, against 1 477 €. Month 4: 133.1 M cost 1 787 € on the API."""
        assert self.known().crossings == (2, 4)

    def test_a_year_adds_up(self) -> None:
        """Cards: 1 + 8 × 2 + 3 × 3 = 26 months of 830.64 €. API: 1 342.64 × (1.1¹² − 1) ÷ 0.1."""
        last = self.known().months[-1]
        assert last.gpu_so_far_eur == CARD_EUR * 26
        assert cents(last.api_so_far_eur) == cents(API_EUR * (Decimal("1.1") ** 12 - 1) / Decimal("0.1"))

    def test_the_month_from_which_it_has_paid_back(self) -> None:
        assert self.known().paid_back == 1
        assert self.known(reference="gpt-5.4-mini").paid_back is None

    def test_a_slow_start_pays_back_later(self) -> None:
        """40 M + 30 % a month: the API costs 537, 698, 908, 1 180 €… against 831, 831, 831, 831 €: 2 € less by
        month 4's end would need 3 322.56; 3 322.33 have been paid on the API by then, so month 5 decides."""
        found = self.known(volume_tokens=Decimal(40_000_000), growth_ratio=Decimal("0.30"))
        fourth = found.months[3]
        assert fourth.gpu_so_far_eur == CARD_EUR * 4
        assert cents(fourth.api_so_far_eur) == cents(API_EUR * Decimal("0.4") * Decimal("6.187"))
        assert found.crossings[0] == 3

    def test_no_growth_needs_no_further_card(self) -> None:
        found = self.known(growth_ratio=Decimal(0))
        assert found.arrivals == ()
        assert found.crossings == ()

    def test_a_target_replaces_the_growth(self) -> None:
        """From 100 M to 285.31 M in eleven steps: 10 % each."""
        found = self.known(growth_ratio=Decimal("0.5"), target_tokens=Decimal("285311670.611"))
        assert round(found.growth_ratio, 9) == Decimal("0.1")
        assert round(found.months[-1].volume_tokens) == 285_311_671

    def test_a_target_below_the_start_shrinks(self) -> None:
        assert growth_to(Decimal(100), Decimal(50)) < 0

    def test_several_cards_may_come_in_one_month(self) -> None:
        """500 M need five cards in month 2, 2 500 M 24 in month 3."""
        found = self.known(growth_ratio=Decimal(4))
        assert found.arrivals[:2] == ((2, 5, 2), (6, 24, 3))

    def test_a_year_of_absurd_growth_is_answered_all_the_same(self) -> None:
        found = self.known(volume_tokens=Decimal(10**15), growth_ratio=Decimal(10))
        assert len(found.arrivals) == 11

    def test_requests_grow_like_tokens(self) -> None:
        by_requests = self.known(traffic=TrafficBy.REQUESTS, requests_count=Decimal(200_000))
        assert [one.gpu_eur for one in by_requests.months] == [one.gpu_eur for one in self.known().months]

    def test_an_unknown_price_leaves_the_cost_unknown(self) -> None:
        found = self.year(case.facts(offer.facts(sku=offer.SUPERCOMPUTE)))
        assert found is not None
        assert found.months[3].gpu_eur is None
        assert found.months[3].api_so_far_eur is not None

    def test_nothing_output_is_nothing_to_grow(self) -> None:
        assert self.year(output_tokens=Decimal(0)) is None


class TestCommitments:
    """GPU-PRO at 1.50 €/h or 830.64 €/month, 100 M output tokens."""

    def ways(self, facts: OutlookFacts | None = None, **fields: object) -> Commitments:
        asked, known = case.scenario(**fields), facts or case.facts()
        return commitments(sides(asked, known.prices), known)

    def test_each_way_costs_what_it_costs(self) -> None:
        """100 M ÷ 149 760 tokens an hour = 667.7 h, billed 668; 720 h always on."""
        totals = {way.term: way.total_eur for way in self.ways().ways}
        assert totals == {
            Term.HOURS_USED: Decimal(1002),
            Term.HOURS_ON: Decimal(1080),
            Term.MONTH: CARD_EUR,
            Term.YEAR: None,
        }

    def test_the_cheapest_is_marked(self) -> None:
        assert [way.term for way in self.ways().ways if way.is_cheapest] == [Term.MONTH]
        small = self.ways(volume_tokens=Decimal(10_000_000))
        assert [way.term for way in small.ways if way.is_cheapest] == [Term.HOURS_USED]

    def test_idle_hours_are_paid_all_the_same(self) -> None:
        """434.03 of 720 hours produce: 39.7 % stand idle."""
        month = self.ways().ways[2]
        assert month.idle_ratio is not None
        assert round(month.idle_ratio, 4) == Decimal("0.3972")

    def test_a_small_customers_card_works_four_percent_of_the_time(self) -> None:
        """The A100 80 GB of the published comparison: 904 tok/s at 16 requests, 100 M tokens: 4.3 % of 720 h."""
        titan = case.facts(offer.facts(sku=offer.TITAN))
        found = self.ways(titan, basis=Basis.HOUR, rate_tok_per_s=Decimal(904))
        assert found.works_ratio is not None
        assert round(found.works_ratio, 3) == Decimal("0.043")

    def test_hours_from_which_the_month_pays(self) -> None:
        """830.64 ÷ 1.50 = 553.76 h, 76.9 % of 720 h."""
        found = self.ways()
        assert found.month_from_h == Decimal("553.76")
        assert found.month_from_ratio is not None
        assert round(found.month_from_ratio, 4) == Decimal("0.7691")

    def test_a_year_is_on_request_unless_it_is_typed(self) -> None:
        assert self.ways().ways[3].price is None
        typed = self.ways(year_eur_per_month=Decimal("692.20"))
        assert typed.year_from_months == 10
        assert typed.ways[3].total_eur == Decimal("692.20")
        assert typed.ways[3].is_cheapest
        assert typed.ways[3].price is not None
        assert typed.ways[3].price.rank_kind is Kind.ASSUMPTION

    def test_a_price_that_is_not_listed_can_be_typed(self) -> None:
        titan = case.facts(offer.facts(sku=offer.TITAN))
        assert self.ways(titan).ways[2].price is None
        assert self.ways(titan, month_eur=Decimal(3000)).ways[2].total_eur == 3000

    def test_the_typed_price_counts_at_its_own_billing(self) -> None:
        found = self.ways(price_eur=Decimal(700))
        assert found.ways[2].total_eur == 700
        assert found.ways[1].total_eur == 1080

    def test_a_rental_by_hours_used_says_how_much_an_always_on_card_would_work(self) -> None:
        found = self.ways(basis=Basis.HOUR, rental=Rental.HOURS_USED)
        assert found.works_ratio is not None
        assert round(found.works_ratio, 4) == Decimal("0.6028")


class TestEnergy:
    """An RTX 4090 of 450 W; 100 M tokens at 64 tok/s take 434.03 hours."""

    def drawn(self, facts: OutlookFacts | None = None, **fields: object) -> Energy:
        asked, known = case.scenario(**fields), facts or case.facts()
        return energy(sides(asked, known.prices), known)

    def test_a_million_tokens_at_full_power(self) -> None:
        """10⁶ ÷ 64 s × 450 W = 1.953 kWh; over all 720 h, 324 kWh ÷ 100 = 3.24."""
        found = self.drawn()
        assert found.cards_kwh_per_mtok is not None
        assert round(found.cards_kwh_per_mtok, 6) == Decimal("1.953125")
        assert found.cards_paid_kwh_per_mtok == Decimal("3.24")

    def test_nothing_is_filled_in_for_the_data_centre_or_the_grid(self) -> None:
        found = self.drawn()
        assert found.site_kwh_per_mtok is None
        assert found.g_per_mtok is None
        assert self.drawn(grid_g_per_kwh=Decimal(50)).g_per_mtok is None

    def test_typed_factors_are_multiplied(self) -> None:
        """3.24 kWh × 1.25 = 4.05; × 60 g = 243 g."""
        found = self.drawn(pue_ratio=Decimal("1.25"), grid_g_per_kwh=Decimal(60))
        assert found.site_paid_kwh_per_mtok == Decimal("4.05")
        assert found.g_paid_per_mtok == 243

    def test_a_grid_without_emissions_is_a_real_zero(self) -> None:
        assert self.drawn(pue_ratio=Decimal(1), grid_g_per_kwh=Decimal(0)).g_per_mtok == 0

    def test_all_cards_of_an_instance_draw(self) -> None:
        """Eight cards share the work: each million takes an eighth of the time at eight times the power."""
        eight = replace(offer.PRO, gpu_count=8)
        found = self.drawn(case.facts(offer.facts(sku=eight)))
        assert found.cards_kwh_per_mtok is not None
        assert round(found.cards_kwh_per_mtok, 6) == Decimal("1.953125")
        assert found.gpu_count == 8

    def test_an_unknown_card_draws_an_unknown_amount(self) -> None:
        found = self.drawn(case.facts(gpu=None))
        assert (found.power_w, found.cards_kwh_per_mtok) == (None, None)

    def test_the_cache_of_responses_leaves_less_to_draw_for(self) -> None:
        """What is answered from the cache is not written: per written token nothing changes."""
        found = self.drawn(response_cache_ratio=Decimal("0.5"))
        assert found.cards_kwh_per_mtok is not None
        assert round(found.cards_kwh_per_mtok, 6) == Decimal("1.953125")


@given(asked=scenarios, sku=machines)
def test_a_lever_set_to_todays_value_moves_nothing(asked: OutlookScenario, sku: Sku) -> None:
    known = case.facts(offer.facts(sku=sku))
    both = sides(asked, known.prices)
    for lever in Lever:
        now = value_of(lever, both)
        assert now is not None
        again = sides(SETTERS[lever](both, now), known.prices)
        assert again.gap_eur is not None and both.gap_eur is not None and both.api_eur is not None
        assert abs(again.gap_eur - both.gap_eur) <= both.api_eur * Decimal("1e-12"), lever


@given(asked=scenarios, sku=machines)
def test_the_first_month_is_today_and_the_year_is_the_sum_of_its_months(asked: OutlookScenario, sku: Sku) -> None:
    known = case.facts(offer.facts(sku=sku))
    both = sides(asked, known.prices)
    found = ramp(both, known)
    assert found is not None
    assert (found.months[0].gpu_eur, found.months[0].api_eur) == (both.gpu_eur, both.api_eur)
    assert found.months[-1].gpu_so_far_eur == sum(month.gpu_eur or 0 for month in found.months)
    counts = [month.instances or 0 for month in found.months]
    assert counts == sorted(counts)
    assert sum(one.last - one.first + 1 for one in found.arrivals) == counts[-1] - counts[0]


@given(asked=scenarios, sku=machines)
def test_no_way_to_rent_beats_the_one_that_is_marked(asked: OutlookScenario, sku: Sku) -> None:
    known = case.facts(offer.facts(sku=sku))
    ways = commitments(sides(asked, known.prices), known).ways
    marked = [way.total_eur for way in ways if way.is_cheapest]
    totals = [way.total_eur for way in ways if way.total_eur is not None]
    assert set(marked) == {min(totals)}
    assert all(way.idle_ratio is None or way.idle_ratio <= 1 for way in ways)
