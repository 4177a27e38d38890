"""The four figures: the published ones reproduce, and each unlikely case is a word rather than a number."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep, EconomicsEstimate, Rental
from calculator.presenters import headline, stats
from tests.domain import factories as offer

NB = "\u00a0"


def figures(result: EconomicsEstimate) -> list[tuple[str, str, str]]:
    """Value, label without markup, note."""
    return [(stat.value, headline.plain(stat.label), stat.note) for stat in stats.stats(result)]


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def test_the_published_case_shows_its_figures() -> None:
    """830.64 ÷ 100 = 8.31; ÷ 107.8272 = 7.70; 434.0 h of 720 = 60 %; 830.64 × 1.1172 ÷ 15 = 61.9; 107.8 ÷ 100."""
    cost, load, equal, step = figures(answer())
    assert cost == (f"8,31{NB}€", "HT par million de tokens de sortie", f"7,70{NB}€ à pleine capacité prévue")
    assert load[:2] == (f"60{NB}%", "des heures payées produisent")
    assert load[2] == f"plafond prévu{NB}: 65{NB}%, 107,8{NB}M de tokens par GPU"
    assert equal == (f"61,9{NB}M", "équivalence avec gpt-5.4", f"tokens par mois, 37{NB}% d’utilisation d’un GPU")
    assert step == (f"107,8{NB}M", "seuil du 2ᵉ GPU", f"7,8{NB}% au-dessus de votre volume")


def test_by_the_hour_the_same_case_costs_more() -> None:
    """1.50 × 720 ÷ 100 = 10.80; 1.50 ÷ (64 × 3 600 × 0.65 ÷ 10⁶) = 10.02."""
    cost = figures(answer(basis=Basis.HOUR))[0]
    assert cost[0] == f"10,80{NB}€" and cost[2].startswith(f"10,02{NB}€")


def test_a_dearer_api_is_never_reached() -> None:
    value, label, note = figures(answer(reference="gpt-5.4-mini"))[2]
    assert (value, label) == ("jamais", "équivalence avec gpt-5.4-mini")
    assert note == "aucun volume ne rend ce GPU moins cher"


def test_hours_used_win_from_the_first_hour_that_is_filled_enough_or_never() -> None:
    """10.02 € per million against 13.43 €: from 1.50 € ÷ 13.43 € on; by the second always; against 4.03 €: never."""
    used = {"basis": Basis.HOUR, "rental": Rental.HOURS_USED}
    assert figures(answer(**used))[2][0] == "112\u202f000"
    assert figures(answer(**used, billing_step=BillingStep.SECOND))[2][0] == "toujours"
    assert figures(answer(**used, reference="gpt-5.4-mini"))[2][0] == "jamais"


def test_hours_used_show_hours_in_place_of_the_next_gpu() -> None:
    """100 M ÷ (64 × 3 600 × 0.65) = 667.7 → 668 whole hours."""
    assert figures(answer(basis=Basis.HOUR, rental=Rental.HOURS_USED))[3][:2] == ("668", "heures payées")


def test_fixed_costs_can_move_the_break_even_beyond_one_gpu() -> None:
    """A full GPU saves 107.83 × 13.4264 − 830.64 = 617.1 € on gpt-5.4: 1 000 € of extra costs take two of them."""
    value, _label, note = figures(answer(operations_eur_per_month=Decimal(1000)))[2]
    assert (value, note) == ("au-delà", "seulement à partir de 2 GPU")


def test_what_is_on_request_is_a_word_everywhere() -> None:
    asked = estimate(offer.scenario(sku="GPU-SUPERCOMPUTE"), offer.facts(sku=offer.SUPERCOMPUTE))
    values = [value for value, _label, _note in figures(asked)]
    assert values == ["inconnu", "inconnu", "inconnue", "inconnu"]
    assert not any("inconnu tokens" in note for _value, _label, note in figures(asked))


def test_a_test_machine_lacks_nothing_but_enters_no_comparison() -> None:
    own = replace(offer.PRO, code="CPU-LOCAL", is_test_host=True)
    found = estimate(offer.scenario(sku="CPU-LOCAL"), offer.facts(sku=own))
    value, label, note = figures(found)[2]
    assert (value, label) == ("aucune", "équivalence avec gpt-5.4")
    assert note == "un essai n’entre dans aucune comparaison"


def test_a_large_room_is_a_factor_and_not_per_cent() -> None:
    """107.8272 ÷ 10 = 10.8 times."""
    assert figures(answer(volume_tokens=Decimal(10_000_000)))[3][2] == "10,8 fois votre volume"


def test_without_an_api_there_is_nothing_to_break_even_with() -> None:
    alone = estimate(offer.scenario(apis=()), offer.facts(apis=()))
    assert figures(alone)[2] == ("aucune", "API de référence", "cochez une API pour comparer")


def test_the_reference_is_the_chosen_one_or_the_first() -> None:
    chosen = stats.reference(answer())
    assert chosen is not None and chosen.bill.api.code == "gpt-5.4"
    other = stats.reference(estimate(offer.scenario(reference="gone"), offer.facts()))
    assert other is not None and other.bill.api.code == "mistral-small-2603"


@pytest.mark.parametrize(("volume", "rank"), [(100, "2ᵉ"), (108, "3ᵉ"), (300, "4ᵉ")])
def test_the_next_step_is_one_gpu_more(volume: int, rank: str) -> None:
    label = figures(answer(volume_tokens=Decimal(volume) * 10**6))[3][1]
    assert label == f"seuil du {rank} GPU"
