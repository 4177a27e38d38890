"""Where no quote of a calculation could ever be sent, the page says why in place of the way to one."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from calculator.models import CatalogItem
from calculator.registry import CALCULATORS
from sales.models import Quote
from sales.quoting import words
from tests.sales import quotefactory as make
from tests.sales.quotefactory import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
TOO_LARGE = "sku=GPU-PRO&model=Llama-3.1-70B&prec=fp16"
"""70 G parameters of two bytes on one card of 32 GB: no division fits, so that nothing is read, served or billed."""


def button(client: Client, name: str, query: str) -> tuple[bool, str]:
    """Whether the page of a calculation offers a quote of it, and the page's text."""
    answer = client.get(f"{reverse(name)}?{query}", follow=True)
    assert answer.status_code == 200
    return reverse("quote-new", args=[name]) in answer.content.decode(), text_of(answer)


@pytest.mark.parametrize("name", CALCULATORS)
def test_a_first_visit_leads_to_a_quote_that_has_an_amount_or_waits_for_a_price(name: str) -> None:
    client = make.seller()
    offers_it, _text = button(client, name, "")
    assert offers_it
    answer = client.get(reverse("quote-new", args=[name]))
    assert answer.status_code == 200 and "form" in answer.context


@pytest.mark.parametrize("name", ["tokens", "inference"])
def test_a_machine_without_a_known_speed_leads_to_no_quote_and_the_page_says_why(name: str) -> None:
    client = make.seller()
    offers_it, text = button(client, name, TOO_LARGE)
    assert not offers_it and "Pas de devis : la vitesse de cette machine n’est pas connue" in text
    for answer in (client.get, lambda address: client.post(address, make.texts())):
        refused = answer(f"{reverse('quote-new', args=[name])}?{TOO_LARGE}")  # type: ignore[operator]
        assert refused.status_code == 422 and "la vitesse de cette machine n’est pas connue" in text_of(refused)
        assert "Revoir le calcul" in text_of(refused)
    assert not Quote.objects.exists()
    english = client.get(f"/en/tokens?{TOO_LARGE}")
    assert "No quote: the speed of this machine is not known" in text_of(english)


def test_an_unknown_throughput_is_an_obstacle_until_it_is_typed() -> None:
    """GPU-SUPERCOMPUTE has no price and no throughput of its own; with 500 tok/s only the price is missing, which the
    seller agrees: 1 instance, 720 h."""
    client = make.seller()
    assert not button(client, "economics", "v=1&sku=GPU-SUPERCOMPUTE")[0]
    assert button(client, "economics", "v=1&sku=GPU-SUPERCOMPUTE&rate=500")[0]


@pytest.mark.parametrize("query", ["sku=GPU-SUPERCOMPUTE", "work=index&sku=GPU-SUPERCOMPUTE"])
def test_a_price_on_request_is_no_obstacle_and_an_agreed_price_makes_the_amount(query: str) -> None:
    client = make.seller()
    assert button(client, "tokens", query)[0]
    make.recorded_cost("30", "GPU-SUPERCOMPUTE")
    quote, _path = make.sent(client, f"v=1&{query}", "tokens", agreed_eur="40", reason="on request")
    line = quote.lines.get(position=1)
    assert line.unit_eur == 40 and line.amount_eur == line.quantity * 40 > 0


def test_a_test_host_is_offered_to_nobody() -> None:
    host = CatalogItem.objects.filter(is_test_host=True).first()
    assert host is not None
    offers_it, text = button(make.seller(), "economics", f"v=1&sku={host.code}&rate=10")
    assert not offers_it and "Pas de devis : ce calcul repose sur une machine ou un modèle d’essai" in text


def test_a_visitor_reads_nothing_of_quotes_and_nothing_is_estimated_for_him(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sales.quoting.offers.obstacle", lambda *_given: pytest.fail("asked"))
    assert button(Client(), "tokens", TOO_LARGE)[1].count("Pas de devis") == 0


def test_every_obstacle_has_a_sentence_of_its_own() -> None:
    assert set(words.OBSTACLES) == {"nothing_rented", "for_tests", "no_amount"}
    assert all(str(text).startswith("Pas de devis") for text in words.OBSTACLES.values())


def test_an_estimate_that_rents_nothing_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    def rents_nothing(_estimate: Any) -> None:
        return None

    monkeypatch.setattr("sales.domain.quoting.rental", rents_nothing)
    assert "ce calcul ne nomme aucune machine de notre offre" in button(make.seller(), "tokens", "")[1]
