"""The sentence on top: right in grammar for no, one or many APIs, and never more than the table under it says."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis, Mode
from calculator.domain.scenario import EconomicsEstimate, Rental, Verdict
from calculator.presenters import headline
from tests.domain import factories as offer

NB, THIN = "\u00a0", "\u202f"


def answer(**fields: object) -> EconomicsEstimate:
    """GPU-PRO at 100 M output tokens a month against the five APIs, but for the given fields of the scenario."""
    return estimate(offer.scenario(**fields), offer.facts())


def against(*codes: str, **fields: object) -> EconomicsEstimate:
    """The same against some of the APIs only."""
    apis = tuple(api for api in offer.APIS if api.code in codes)
    return estimate(offer.scenario(apis=codes, **fields), offer.facts(apis=apis))


def test_it_names_what_costs_more_and_what_costs_less() -> None:
    """830.64 € against 1 342.64 € is 38 % less; 53.71, 402.79 and 447.55 € are less than 830.64 €."""
    assert headline.sentence(answer()) == (
        f"Un GPU-PRO dédié coûte 830,64{NB}€ HT par mois{NB}: 38{NB}% de moins que gpt-5.4 et claude-sonnet-4-6, "
        "mais plus que mistral-small-2603, gpt-5.4-mini et claude-haiku-4-5."
    )


def test_it_says_the_same_in_english() -> None:
    with translation.override("en"):
        sentence = headline.sentence(answer())
    assert sentence.startswith("A dedicated GPU-PRO costs €830.64 a month")
    assert "38% less than gpt-5.4 and claude-sonnet-4-6, but more than" in sentence


def test_several_gpus_take_the_plural() -> None:
    """⌈300 ÷ 107.8⌉ = 3 instances, 3 × 830.64 = 2 491.92 €."""
    sentence = headline.sentence(answer(volume_tokens=Decimal(300_000_000)))
    assert sentence.startswith(f"3 GPU-PRO dédiés coûtent 2{THIN}491,92{NB}€ HT par mois")


def test_a_gpu_that_beats_none_is_told_with_the_cheapest_api() -> None:
    """At 10 M the cheapest API costs 10 × 0.60 ÷ 1.1172 = 5.37 €."""
    sentence = headline.sentence(answer(volume_tokens=Decimal(10_000_000)))
    assert "plus que chacune des 5 API, dont la moins chère, mistral-small-2603, revient à 5,37" in sentence
    assert "de moins" not in sentence and "mais" not in sentence


def test_a_verdict_without_the_time_of_the_prompts_says_so() -> None:
    """With prompts and no known reading rate the GPU looks faster than it is; with a rate or without prompts not."""
    uncounted = "temps du prompt non compté"
    assert f"830,64{NB}€ HT par mois, {uncounted}{NB}: " in headline.sentence(answer(input_tokens=Decimal(2000)))
    read = {"input_tokens": Decimal(2000), "prefill_tok_per_s": Decimal(5000)}
    assert uncounted not in headline.sentence(answer(**read))
    assert uncounted not in headline.sentence(answer())


def test_one_cheaper_api_alone_needs_no_contrast() -> None:
    sentence = headline.sentence(against("gpt-5.4"))
    assert sentence.endswith(f"38{NB}% de moins que gpt-5.4.")


def test_one_dearer_api_alone_needs_no_superlative() -> None:
    sentence = headline.sentence(against("gpt-5.4-mini", reference="gpt-5.4-mini"))
    assert sentence.endswith("plus que gpt-5.4-mini.")


def test_no_api_leaves_the_cost_alone() -> None:
    assert headline.sentence(against()) == f"Un GPU-PRO dédié coûte 830,64{NB}€ HT par mois."


def test_apis_that_cost_the_same_within_five_per_cent_are_said_to_be_equivalent() -> None:
    """At 60 M gpt-5.4 costs 60 × 15 ÷ 1.1172 = 805.59 €: 3.1 % from 830.64 €."""
    sentence = headline.sentence(against("gpt-5.4", volume_tokens=Decimal(60_000_000)))
    assert sentence.endswith(f"autant, à 5{NB}% près, que gpt-5.4.")


def test_less_and_the_same_are_joined_without_a_contrast() -> None:
    """At 63 M: 15 $ is 845.86 € (1.8 % over 830.64 €), 30 $ is 1 691.73 € (51 % over)."""
    apis = (offer.flat_api("30.00", "big"), offer.flat_api("15.00", "even"))
    fields = {"apis": ("big", "even"), "reference": "big", "volume_tokens": Decimal(63_000_000)}
    sentence = headline.sentence(estimate(offer.scenario(**fields), offer.facts(apis=apis)))
    assert sentence.endswith(f"51{NB}% de moins que big, et autant, à 5{NB}% près, que even.")


def test_different_gaps_are_given_as_a_span() -> None:
    """With 4:1 prompts: gpt-5.4 (2.5 × 4 + 15) ÷ 1.1172 × 100 = 2 237.74 €, −63 %; sonnet 2 416.76 €, −66 %."""
    sentence = headline.sentence(answer(input_tokens=Decimal(2000), output_tokens=Decimal(500)))
    assert f"de 63 à 66{NB}% de moins que gpt-5.4 et claude-sonnet-4-6" in sentence


def test_more_than_three_names_become_a_count() -> None:
    apis = tuple(offer.flat_api("15.00", f"api-{number}") for number in range(4))
    four = estimate(offer.scenario(apis=tuple(api.code for api in apis), reference="api-0"), offer.facts(apis=apis))
    assert "que les 4 API comparées" in headline.sentence(four)


def test_hours_used_are_told_as_hours() -> None:
    """100 M ÷ (124 × 3 600 × 0.65 = 290 160 a productive hour) = 344.6 h → 345 × 5.40 = 1 863.00 €."""
    used = estimate(
        offer.scenario(sku="GPU-TITAN", basis=Basis.HOUR, rental=Rental.HOURS_USED), offer.facts(sku=offer.TITAN)
    )
    assert headline.sentence(used).startswith(f"345 heures de GPU-TITAN coûtent 1{THIN}863,00{NB}€ HT par mois")


def test_a_monthly_price_is_always_on_whatever_the_rental() -> None:
    assert headline.sentence(answer(rental=Rental.HOURS_USED)).startswith("Un GPU-PRO dédié coûte 830,64")


def test_a_price_on_request_is_no_zero() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    sentence = headline.sentence(asked)
    assert sentence == f"GPU-SUPERCOMPUTE est sur devis{NB}: saisissez un prix pour le comparer aux API."
    assert "0" not in sentence


def test_this_machine_is_not_for_sale_so_no_price_can_be_asked_for() -> None:
    own = replace(offer.SUPERCOMPUTE, code="CPU-LOCAL", is_test_host=True)
    sentence = headline.sentence(estimate(offer.scenario(sku="CPU-LOCAL"), offer.facts(sku=own)))
    assert sentence == f"CPU-LOCAL n’a pas de prix{NB}: saisissez-en un pour connaître son coût par token."


def test_a_gpu_without_a_monthly_price_points_to_the_other_billing() -> None:
    monthly = estimate(offer.scenario(sku="GPU-TITAN", basis=Basis.MONTH), offer.facts(sku=offer.TITAN))
    assert "n’a pas de prix au mois" in headline.sentence(monthly)


def test_an_unknown_throughput_is_asked_for() -> None:
    priced = estimate(
        offer.scenario(sku="GPU-SUPERCOMPUTE", basis=Basis.HOUR, price_eur=Decimal(42)),
        offer.facts(sku=offer.SUPERCOMPUTE),
    )
    assert "Le débit de GPU-SUPERCOMPUTE est inconnu" in headline.sentence(priced)


def test_without_a_rate_nothing_is_compared_in_euros() -> None:
    without = estimate(offer.scenario(), offer.facts(usd_per_eur=None))
    assert headline.sentence(without) == f"Un GPU-PRO dédié coûte 830,64{NB}€ HT par mois."


@pytest.mark.parametrize("mode", [Mode.STANDARD, Mode.BATCH])
def test_the_sentence_counts_what_the_verdicts_count(mode: Mode) -> None:
    result = answer(mode=mode)
    cheaper = [row.bill.api.label for row in result.comparisons if row.verdict is Verdict.GPU]
    sentence = headline.sentence(result)
    assert ("de moins que" in sentence) == bool(cheaper)
    assert all(name in sentence for name in cheaper)


def test_the_markup_bolds_the_answer_and_keeps_names_whole() -> None:
    markup = str(headline.lead(answer()))
    assert f'<b class="gpu">830,64{NB}€ HT par mois</b>' in markup
    assert '<span class="nw">gpt-5.4</span>' in markup


def test_a_name_with_markup_in_it_is_escaped() -> None:
    evil = offer.api("x", offer.rates("1", None, "15.00"), label="<i>x</i>")
    shown = estimate(offer.scenario(apis=("x",), reference="x"), offer.facts(apis=(evil,)))
    assert "<i>" not in str(headline.lead(shown))


def test_the_eyebrow_says_which_volume() -> None:
    assert headline.eyebrow(answer()) == f"À 100{NB}M de tokens de sortie par mois"
