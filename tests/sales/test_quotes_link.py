"""The stranger's link: it opens one quote and nothing else, says so when it is closed, and remembers nobody."""

import re
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from sales.models import Quote, QuoteLink, QuoteProposal
from sales.quoting import writing
from tests.sales import quotefactory as make
from tests.sales.quotefactory import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]


def test_whoever_holds_the_link_reads_the_quote_without_a_login() -> None:
    _quote, path = make.sent(make.seller())
    answer = Client().get(path)
    assert answer.status_code == 200
    assert "Ateliers Durand" in text_of(answer) and "996,77 €" in text_of(answer)


def test_no_cache_no_search_engine_and_no_other_site_learns_of_it() -> None:
    _quote, path = make.sent(make.seller())
    for address in (path, f"{path}/quote.csv", f"{path}/quote.json"):
        headers = Client().get(address).headers
        assert headers["Cache-Control"] == "private, no-store"
        assert headers["X-Robots-Tag"] == "noindex, nofollow, noarchive"
        assert headers["Referrer-Policy"] == "no-referrer"
    change = Client().get(f"{path}/change").headers
    assert (change["Cache-Control"], change["Referrer-Policy"]) == ("private, no-store", "same-origin")


def test_only_the_hash_of_the_secret_is_kept() -> None:
    quote, path = make.sent(make.seller())
    token = path.rpartition("/")[2]
    link = QuoteLink.objects.get(quote=quote)
    assert len(token) >= 43 and link.token_hash == writing.hashed(token)
    kept = str(list(QuoteLink.objects.values())) + str(list(quote.events.values())) + str(quote.__dict__)
    assert token not in kept


def test_the_secret_is_shown_once() -> None:
    client = make.seller()
    quote = make.drafted(client)
    answer = make.send(client, quote)
    token = answer.context["link"].rpartition("/")[2]
    assert token in answer.content.decode() and answer.headers["Cache-Control"] == "private, no-store"
    again = client.get(reverse("quote", args=[quote.pk])).content.decode()
    assert token not in again
    assert client.get(reverse("quote-send", args=[quote.pk])).headers["Location"] == reverse("quote", args=[quote.pk])


def test_another_token_an_id_or_a_hash_opens_nothing() -> None:
    quote, path = make.sent(make.seller())
    base, _slash, token = path.rpartition("/")
    swapped = token[:-1] + ("A" if token[-1] != "A" else "B")
    for wrong in (
        str(quote.pk),
        writing.hashed(token),
        swapped,
        token[:-1],
        f"{token}x",
        "a" * 43,
        "%00" * 30,
        str(quote),
    ):
        answer = Client().get(f"{base}/{wrong}")
        assert answer.status_code == 404, wrong
        assert "Durand" not in text_of(answer)
    assert "n’ouvre aucun devis" in text_of(Client().get(f"{base}/{swapped}"))


def test_a_stranger_sees_no_other_quote_and_none_of_the_house() -> None:
    client = make.seller()
    other, other_path = make.sent(client, make.THREE, name="economics", reference="OTHER-9")
    quote, path = make.sent(client)
    visitor = Client()
    shown = visitor.get(path).content.decode()
    assert "OTHER-9" not in shown and str(other) not in shown
    for name in ("quote", "quote-edit", "quote-send", "quote-link"):
        assert visitor.get(reverse(name, args=[quote.pk])).status_code == 302
    assert visitor.get(reverse("quote-file", args=[quote.pk, "json"])).status_code == 302
    assert visitor.get(reverse("quotes")).status_code == 302
    # The secret of one quote before the parts of another.
    assert visitor.get(f"{path}/{other.pk}").status_code == 404
    assert visitor.get(f"{path}/quote.xlsx").status_code == 404
    addresses = set(re.findall(r'href="([^"]+)"', shown))
    assert not any("/quotes/" in address and path.split("/", 2)[2] not in address for address in addresses)
    assert other_path not in shown


def test_who_it_was_not_sent_to_finds_it_on_no_public_page() -> None:
    make.recorded_cost("0.10")
    make.sent(make.seller(), agreed_eur="777,77", reason="framework")
    visitor = Client()
    for name in ("home", "economics", "skus", "prices"):
        assert "777" not in visitor.get(reverse(name)).content.decode().replace("\u202f", "")
    exported = visitor.get(reverse("export", args=["economics", "json"])).content.decode()
    assert "777.77" not in exported


def test_a_revoked_link_and_an_old_one_say_that_they_are_closed() -> None:
    client = make.seller()
    quote, first = make.sent(client)
    answer = client.post(reverse("quote-link", args=[quote.pk]))
    second = answer.context["link"].removeprefix("http://testserver")
    assert Client().get(first).status_code == 410 and Client().get(second).status_code == 200
    client.post(reverse("quote-revoke", args=[quote.pk]))
    for path in (second, f"{second}/change", f"{second}/quote.json"):
        closed = Client().get(path)
        assert closed.status_code == 410 and "Durand" not in text_of(closed)
    assert "Demandez-lui un nouveau lien" in text_of(Client().get(second))
    assert client.post(reverse("quote-revoke", args=[quote.pk])).status_code == 422


def test_only_the_first_opening_by_a_stranger_is_kept() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    client.get(path)
    Client().head(path)
    Client().get(path, headers={"Sec-Purpose": "prefetch"})
    assert QuoteLink.objects.get(quote=quote).first_opened_at is None
    visitor = Client()
    visitor.get(path)
    opened = QuoteLink.objects.get(quote=quote).first_opened_at
    Client().get(path)
    assert opened is not None and QuoteLink.objects.get(quote=quote).first_opened_at == opened
    assert quote.events.filter(action="opened").count() == 1
    assert client.get(reverse("quote", args=[quote.pk])).context["state_code"] == "opened"
    assert not visitor.cookies


def test_a_customer_tries_other_volumes_at_the_frozen_price_and_nothing_is_kept() -> None:
    make.recorded_cost("0.10")
    _quote, path = make.sent(make.seller(), discount_ratio="10", reason="launch")
    answer = Client().get(f"{path}/change", {"volume": "300 M"})
    # 830.64 less 10 % is 747.58; 300 M need three: 2 242.74.
    assert answer.context["total"] == "2\u202f242,74\u00a0€"
    assert not QuoteProposal.objects.exists()


def test_what_is_not_the_customers_to_change_is_left_as_quoted() -> None:
    _quote, path = make.sent(make.seller())
    asked = {"volume": "300 M", "price": "1", "sku": "GPU-STARTER", "fx": "9", "catalog": "99", "vat": "0"}
    answer = Client().get(f"{path}/change", asked)
    assert answer.context["total"] == "2\u202f491,92\u00a0€"
    assert set(answer.context["form"].fields) <= {"volume", "in", "out", "util"}


def test_a_proposal_stands_beside_the_quote_with_what_it_changes() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    answer = Client().post(f"{path}/propose", {"volume": "300 M", "comment": "Plutôt <b>300 M</b>"})
    assert answer.status_code == 303
    made = QuoteProposal.objects.get(quote=quote)
    assert made.total_eur == Decimal("2491.92")
    page = client.get(reverse("quote", args=[quote.pk]))
    changes = {row.label: (row.quoted, row.proposed) for row in page.context["proposals"][0].changes}
    assert changes["Instances"] == ("1", "3")
    assert "Plutôt &lt;b&gt;300 M&lt;/b&gt;" in page.content.decode()
    assert Quote.objects.get(pk=quote.pk).total_eur == Decimal("830.64")
    assert "Plutôt" not in text_of(Client().get(path))


def test_unreadable_values_are_refused_with_a_sentence_and_kept_in_their_field() -> None:
    _quote, path = make.sent(make.seller())
    answer = Client().get(f"{path}/change", {"volume": "beaucoup"})
    assert answer.status_code == 422 and answer.context["form"].errors["volume"]
    assert 'value="beaucoup"' in answer.content.decode()
    assert Client().post(f"{path}/propose", {"volume": "beaucoup"}).status_code == 422
    assert not QuoteProposal.objects.exists()


def test_a_link_sends_back_so_many_proposals_a_day(settings) -> None:  # type: ignore[no-untyped-def]
    settings.QUOTE_PROPOSALS_PER_DAY = 1
    _quote, path = make.sent(make.seller())
    assert Client().post(f"{path}/propose", {"volume": "300 M"}).status_code == 303
    refused = Client().post(f"{path}/propose", {"volume": "200 M", "comment": "Bis"})
    assert refused.status_code == 422 and "Trop de propositions" in text_of(refused) and "Bis" in text_of(refused)
    assert QuoteProposal.objects.count() == 1


def test_a_proposal_needs_the_token_of_our_own_form() -> None:
    _quote, path = make.sent(make.seller())
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(f"{path}/propose", {"volume": "300 M"}).status_code == 403


def test_erasing_a_customer_takes_his_messages_too_by_name_or_by_number() -> None:
    client = make.seller()
    first, path = make.sent(client)
    second, _path = make.sent(client, name="economics")
    Client().post(f"{path}/propose", {"volume": "300 M", "comment": "Paul Durand"})
    call_command("erase_customer", number=str(first), verbosity=0)
    assert QuoteProposal.objects.get(quote=first).comment == ""
    assert Quote.objects.get(pk=second.pk).customer.name == "Ateliers Durand"
    call_command("erase_customer", name="ateliers durand", verbosity=0)
    assert Quote.objects.get(pk=second.pk).customer.name == ""
    with pytest.raises(CommandError):
        call_command("erase_customer", name="ateliers durand")
    assert Quote.objects.get(pk=first.pk).total_eur == Decimal("830.64")


@pytest.mark.parametrize("ending", ["", "/change", "x"])
def test_a_customer_is_led_to_his_quote_and_not_through_our_whole_site(ending: str) -> None:
    """Whatever he opens, his quote or a wrong link, leads home, to the other language and to pages of this quote."""
    _quote, path = make.sent(make.seller())
    page = Client().get(f"{path}{ending}").content.decode()
    assert "<nav" not in page and reverse("login") not in page
    led = {address for address in re.findall(r'<a[^>]* href="([^"]+)"', page) if not address.startswith("#")}
    secret = path.rpartition("/")[2]
    assert {address for address in led if secret not in address} == {reverse("home")}
    assert re.search(r'<footer class="foot"><span>VMCloud, ', page)


def test_what_is_asked_and_what_it_costs_stand_open_and_the_calculation_is_folded() -> None:
    """A quote is read on a phone too: the total comes before hundreds of rows, which stay on the page and on paper."""
    _quote, path = make.sent(make.seller())
    document = Client().get(path).content.decode().partition('<article class="quote-d"')[2]
    before, folds = document.split('<details class="fold">', 1)
    assert "996,77\u00a0€" in before and "Conditions" in before
    assert "Utilisation prévue" not in before and "Utilisation prévue" in folds
    assert "<details open" not in document
