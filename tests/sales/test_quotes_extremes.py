"""Prices and amounts at the edge of what a quote holds: refused with a sentence, and the quotes stay readable."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from sales.models import Quote, QuoteEvent, QuoteProposal
from sales.quoting import queries, writing
from sales.quoting.refusals import Refused
from tests.sales import quotefactory as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
# 1e12 documents of 100 000 tokens keep one card busy for more than 6e6 hours: at 1 M € an hour over 1e12 €.
CORPUS = "v=1&docs=1000000000000&mean=100000"


def approved(quote: Quote) -> None:
    approver = make.as_person(make.person("carol", "approver"))
    assert approver.post(reverse("quote-approve", args=[quote.pk]), {"reason": "agreed"}).status_code == 303


def still_a_draft(client: Client, quote: Quote) -> None:
    """Nothing was numbered, and both the quote and the list can be read."""
    assert Quote.objects.get(pk=quote.pk).sequence is None
    assert client.get(reverse("quote", args=[quote.pk])).status_code == 200
    assert client.get(reverse("quotes")).status_code == 200


def test_a_price_that_rounds_to_nothing_is_no_offer() -> None:
    """0.004 € a month is 0.00 € to the cent: whoever approves it, a quote of nothing is not sent."""
    make.recorded_cost("1.0")
    client = make.seller()
    quote = make.drafted(client, agreed_eur="0.004", reason="a gift")
    assert "Pas de prix" in make.text_of(client.get(reverse("quote", args=[quote.pk])))
    approved(quote)
    refused = make.send(client, quote)
    assert refused.status_code == 422 and "est de 0 €" in make.text_of(refused)
    still_a_draft(client, quote)


def test_a_margin_that_its_column_cannot_hold_is_refused() -> None:
    """0.01 € a month against 720 h at 1 €: a margin of -71 999, where the column takes three digits."""
    make.recorded_cost("1.0")
    client = make.seller()
    quote = make.drafted(client, agreed_eur="0.01", reason="nearly a gift")
    approved(quote)
    refused = make.send(client, quote)
    assert refused.status_code == 422 and "trop grand pour un devis" in make.text_of(refused)
    still_a_draft(client, quote)


def test_an_amount_that_its_column_cannot_hold_is_refused() -> None:
    client = make.seller()
    quote = make.drafted(client, CORPUS, "tokens", agreed_eur="1000000", reason="dear")
    refused = make.send(client, quote)
    assert refused.status_code == 422 and "trop grand pour un devis" in make.text_of(refused)
    still_a_draft(client, quote)


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("total_eur", "999999999999999.99", True),
        ("total_eur", "1000000000000000", False),
        ("margin_ratio", "-999.999999", True),
        ("margin_ratio", "-1000", False),
        ("usd_per_eur", "1000000", False),
    ],
)
def test_what_fits_is_what_the_columns_hold(name: str, value: str, fits: bool) -> None:
    """17 digits with 2 after the point leave 15 before it; 9 with 6 leave 3; 14 with 8 leave 6."""
    if fits:
        writing.check_fits(Quote, {name: Decimal(value), "sent_at": None})
        return
    with pytest.raises(Refused, match="too_large"):
        writing.check_fits(Quote, {name: Decimal(value)})


def test_what_a_customer_writes_after_his_erasure_can_be_erased_too() -> None:
    """The link stays open after an erasure, so a message may come later; nothing of it may stay for good."""
    client = make.seller()
    quote, path = make.sent(client)
    erase = reverse("quote-erase", args=[quote.pk])
    assert client.post(erase).status_code == 303
    assert erase not in client.get(reverse("quote", args=[quote.pk])).content.decode()
    Client().post(f"{path}/propose", {"volume": "300 M", "comment": "Paul Durand"})
    assert erase in client.get(reverse("quote", args=[quote.pk])).content.decode()
    assert client.post(erase).status_code == 303
    assert QuoteProposal.objects.get().comment == ""
    assert client.post(erase).status_code == 422
    Client().post(f"{path}/propose", {"volume": "300 M", "comment": "Paul Durand"})
    call_command("erase_customer", number=str(quote), verbosity=0)
    assert not QuoteProposal.objects.exclude(comment="").exists()
    with pytest.raises(CommandError):
        call_command("erase_customer", number=str(quote))


def test_two_withdrawals_at_once_are_one() -> None:
    """Both requests read the quote before either wrote: the second sees the first under the lock."""
    client = make.seller()
    quote, _path = make.sent(client)
    first, second = queries.quote(quote.pk), queries.quote(quote.pk)
    assert first and second
    writing.withdraw(first, quote.owner, "wrong customer")
    with pytest.raises(Refused, match="withdrawn_already"):
        writing.withdraw(second, quote.owner, "wrong customer")
    assert QuoteEvent.objects.filter(quote=quote, action="withdrawn").count() == 1


def test_declining_what_was_sent_meanwhile_or_withdrawn_is_refused() -> None:
    client, carol = make.seller(), make.person("carol", "approver")
    quote = make.drafted(client)
    before = queries.quote(quote.pk)
    assert before
    make.send(client, quote)
    with pytest.raises(Refused, match="not_draft"):
        writing.decline(before, carol, "no")
    other = make.drafted(client)
    client.post(reverse("quote-withdraw", args=[other.pk]), {"reason": "wrong customer"})
    withdrawn = queries.quote(other.pk)
    assert withdrawn
    with pytest.raises(Refused, match="not_draft"):
        writing.decline(withdrawn, carol, "no")
    assert not QuoteEvent.objects.filter(action="refused").exists()
