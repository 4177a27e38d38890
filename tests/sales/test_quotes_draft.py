"""From a scenario to a numbered quote: what it holds, what is refused, what stays when it is reopened."""

import csv
import datetime as dt
import io
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from calculator import exports
from calculator.models import CatalogItem
from sales.models import Quote, QuoteEvent, QuoteLink
from tests import factories
from tests.pagetext import plain
from tests.sales import quotefactory as make
from tests.sales.quotefactory import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]


def page(client, quote):  # type: ignore[no-untyped-def]
    return client.get(reverse("quote", args=[quote.pk]))


def test_three_gpus_a_month_cost_what_the_offer_says_with_vat_rounded_once() -> None:
    quote, _path = make.sent(make.seller(), make.THREE)
    assert make.line_of(quote) == ("GPU-PRO", "month", 3, Decimal("830.64"), Decimal("2491.92"))
    assert (quote.total_eur, quote.vat_eur, quote.total_ttc_eur) == (
        Decimal("2491.92"),
        Decimal("498.38"),
        Decimal("2990.30"),
    )


def test_numbers_follow_each_other_from_one_and_a_draft_has_none() -> None:
    client = make.seller()
    year = timezone.localdate().year
    assert str(make.sent(client)[0]) == f"{year}-0001"
    left = make.drafted(client)
    assert left.sequence is None
    assert str(make.sent(client)[0]) == f"{year}-0002"


def test_an_hourly_price_is_counted_in_hours_of_every_instance() -> None:
    quote, _path = make.sent(make.seller(), f"{make.TEAM}&basis=hour")
    assert make.line_of(quote) == ("GPU-PRO", "hour", 720, Decimal("1.5"), Decimal("1080.00"))


def test_extra_costs_of_the_scenario_are_lines_of_their_own() -> None:
    quote, _path = make.sent(make.seller(), f"{make.TEAM}&ops=120.50&storage=9.5")
    found = [(line.kind, line.amount_eur) for line in quote.lines.all()]
    assert found == [("rental", Decimal("830.64")), ("operations", Decimal("120.50")), ("storage", Decimal("9.50"))]
    assert quote.total_eur == Decimal("960.64")


@pytest.mark.parametrize(
    ("name", "query", "unit", "amount"),
    [
        # 24 h of a month on 4.20 € an hour, one instance: 720 × 4.20.
        ("inference", "v=1&sku=GPU-ENTERPRISE&basis=hour", "hour", Decimal("3024.00")),
        # The published run: 3 072 000 tokens at 1 350 tok/s by the second, 0.632 h × 1.50 = 0.948.
        ("training", "v=1&speed=rate&train_rate=1350", "hour", Decimal("0.95")),
    ],
)
def test_other_calculators_quote_their_own_bill(name: str, query: str, unit: str, amount: Decimal) -> None:
    quote, _path = make.sent(make.seller(), query, name)
    assert make.line_of(quote)[1::3] == (unit, amount)
    assert quote.total_eur == amount


def test_the_document_says_that_the_api_is_cheaper_where_it_is() -> None:
    quote, path = make.sent(make.seller(), "v=1&volume=10000000")
    shown = text_of(make.Client().get(path))
    assert plain(quote.results["fr"]["answer"]["sentence"]) in shown
    assert "moins chère" in quote.results["fr"]["answer"]["sentence"]


def test_a_draft_shows_customer_terms_and_numbered_notes_and_that_it_binds_nobody(settings) -> None:  # type: ignore[no-untyped-def]
    settings.SELLER_TERMS = "Paiement à 30 jours."
    client = make.seller()
    shown = text_of(page(client, make.drafted(client)))
    for told in ("Ateliers Durand", "CDE-4711", "Paiement à 30 jours.", "ce document n’engage pas", "996,77"):
        assert told in shown
    assert "mentions légales non renseignées" in shown


def test_what_the_seller_has_not_told_is_said_and_never_invented(settings) -> None:  # type: ignore[no-untyped-def]
    settings.SELLER_TERMS = settings.SELLER_ADDRESS = ""
    client = make.seller()
    quote, _path = make.sent(client)
    settings.SELLER_TERMS = "Later terms"
    shown = text_of(page(client, quote))
    assert "conditions de vente non renseignées" in shown and "adresse non renseignée" in shown
    assert "Later terms" not in shown


def test_the_quote_speaks_its_own_language_whatever_the_page_speaks() -> None:
    client = make.seller()
    quote, path = make.sent(client, language="en")
    assert path.startswith("/en/")
    french_page = client.get(f"/fr/quotes/{quote.pk}").content.decode()
    assert '<article class="quote-d" lang="en">' in french_page
    assert "Total excl. VAT, a month" in french_page or "Total excl. VAT, per month" in french_page
    assert set(quote.results) == {"fr", "en"}


def test_a_sent_quote_keeps_its_numbers_and_shows_todays_beside_them() -> None:
    client = make.seller()
    quote, _path = make.sent(client)
    before = page(client, quote).context["document"]
    sku = CatalogItem.objects.get(code="GPU-PRO")
    version = factories.make_version()
    factories.make_price(
        sku, "instance_month", "900.00", mode="reserved", valid_from=timezone.now() - dt.timedelta(seconds=1),
        catalog_version=version,
    )  # fmt: skip
    answer = page(client, quote)
    assert answer.context["document"] == before
    lines = {line.label: (line.then, line.now) for line in answer.context["today"]["lines"]}
    assert lines["Total HT"] == ("830,64\u00a0€", "900,00\u00a0€")
    again = Quote.objects.get(pk=quote.pk)
    assert again.total_eur == Decimal("830.64")


def test_a_sent_quote_cannot_be_edited_or_sent_again() -> None:
    client = make.seller()
    quote, _path = make.sent(client)
    edited = client.post(reverse("quote-edit", args=[quote.pk]), make.texts(name="Other"))
    assert edited.status_code == 422 and "plus un brouillon" in text_of(edited)
    assert make.send(client, quote).status_code == 422
    assert Quote.objects.get(pk=quote.pk).customer.name == "Ateliers Durand"
    assert QuoteLink.objects.filter(quote=quote).count() == 1


def test_a_draft_is_its_owners_to_change_and_to_send() -> None:
    quote = make.drafted(make.seller("alice"))
    bob = make.seller("bob")
    assert bob.post(reverse("quote-edit", args=[quote.pk]), make.texts(name="Other")).status_code == 422
    refused = make.send(bob, quote)
    assert refused.status_code == 422 and "dupliquez-le" in text_of(refused)
    assert Quote.objects.get(pk=quote.pk).sequence is None


def test_an_old_exchange_rate_has_to_be_accepted() -> None:
    client = make.seller()
    quote = make.drafted(client)
    refused = client.post(reverse("quote-send", args=[quote.pk]))
    assert refused.status_code == 422 and "cours de change est ancien" in text_of(refused)
    assert Quote.objects.get(pk=quote.pk).sequence is None
    assert make.send(client, quote).status_code == 200


def test_prices_that_nobody_checked_for_half_a_year_are_out_of_quotes(settings) -> None:  # type: ignore[no-untyped-def]
    client = make.seller()
    quote = make.drafted(client)
    settings.PRICE_OUT_OF_QUOTES_DAYS = 0
    refused = make.send(client, quote)
    assert refused.status_code == 422
    assert "pas été vérifiés depuis trop longtemps" in text_of(refused) and "GPU-PRO" in text_of(refused)
    assert Quote.objects.get(pk=quote.pk).sequence is None


def test_a_configuration_without_price_is_no_offer() -> None:
    client = make.seller()
    quote = make.drafted(client, "v=1&sku=GPU-SUPERCOMPUTE&rate=500")
    refused = make.send(client, quote)
    assert refused.status_code == 422 and "il manque le prix" in text_of(refused)


def test_a_test_host_is_not_for_sale() -> None:
    host = CatalogItem.objects.filter(is_test_host=True).first()
    assert host is not None
    client = make.seller()
    quote = make.drafted(client, agreed_eur="5", reason="try")
    Quote.objects.filter(pk=quote.pk).update(query=f"v=1&sku={host.code}&rate=10")
    refused = make.send(client, quote)
    assert refused.status_code == 422 and "d’essai" in text_of(refused)


def test_a_validity_in_the_past_or_beyond_a_year_is_refused_with_a_sentence() -> None:
    client = make.seller()
    for day in ("2020-01-01", "2099-01-01", "soon", ""):
        answer = client.post(f"{reverse('quote-new', args=['economics'])}?{make.TEAM}", make.texts(valid_until=day))
        assert answer.status_code == 422
        assert answer.context["form"].errors["valid_until"]
    assert not Quote.objects.exists()


def test_a_link_that_cannot_be_answered_leads_to_the_calculator_that_says_why() -> None:
    answer = make.seller().get(reverse("quote-new", args=["economics"]), {"sku": "NO-SUCH"})
    assert answer.status_code == 302 and "NO-SUCH" in answer.headers["Location"]
    assert make.seller("bob").get(reverse("quote-new", args=["astrology"])).status_code == 404


def test_page_csv_and_json_of_a_quote_and_of_its_scenario_hold_the_same_numbers() -> None:
    client = make.seller()
    quote, path = make.sent(client, make.THREE)
    scenario = make.Client().get(quote.results["fr"]["permalink"].replace("/economics?", "/economics.json?")).json()
    frozen = client.get(reverse("quote-file", args=[quote.pk, "json"])).json()
    assert frozen["estimate"]["rows"] == scenario["rows"]
    assert (frozen["total_eur"], frozen["vat_eur"], frozen["total_ttc_eur"]) == ("2491.92", "498.38", "2990.30")
    text = make.Client().get(f"{path}/quote.csv").content.decode().removeprefix(exports.BYTE_ORDER_MARK)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=";") if len(row) > 2]
    by_label = {(row[0], row[1]): row[2] for row in rows}
    assert by_label["Ce devis", "Total TTC"] == "2990,3"
    told = {(row["section"], row["label"]) for row in scenario["rows"] if row["is_number"]}
    assert told <= set(by_label)
    shown = text_of(make.Client().get(path))
    assert all(amount in shown for amount in ("2 491,92 €", "498,38 €", "2 990,30 €"))


def test_the_list_is_searched_by_customer_number_person_and_state() -> None:
    alice, bob = make.seller("alice"), make.seller("bob")
    first, _path = make.sent(alice, name="economics")
    make.drafted(bob, reference="ZX-1")

    def found(**asked: str) -> list[str]:
        return [row.number for row in alice.get(reverse("quotes"), asked).context["rows"]]

    assert len(found()) == 2
    assert found(q=str(first)) == [str(first)] == found(state="sent") == found(owner="alice")
    assert found(q="zx-1") == ["brouillon"] == found(state="draft") == found(q="Durand bob")
    assert found(q="nobody") == [] == found(state="withdrawn")
    assert len(found(state="no such state")) == 2


def test_a_quote_expires_by_its_date_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    client = make.seller()
    quote, path = make.sent(client)
    later = timezone.now() + dt.timedelta(days=31)
    monkeypatch.setattr("django.utils.timezone.now", lambda: later)
    client.force_login(quote.owner)
    assert page(client, quote).context["state_code"] == "expired"
    assert [row.state for row in client.get(reverse("quotes"), {"state": "expired"}).context["rows"]] == ["expiré"]
    assert "était valable jusqu’au" in text_of(make.Client().get(path))
    assert (
        QuoteEvent.objects.filter(quote=quote).exclude(action__in=("created", "sent", "linked", "opened")).count() == 0
    )


def test_a_duplicate_is_a_draft_of_ones_own_at_the_list_price() -> None:
    quote, _path = make.sent(make.seller("alice"), make.THREE)
    bob = make.seller("bob")
    answer = bob.post(reverse("quote-duplicate", args=[quote.pk]))
    copy = Quote.objects.get(duplicate_of=quote)
    assert answer.headers["Location"] == reverse("quote-edit", args=[copy.pk])
    assert (copy.owner.username, copy.sequence, copy.query) == ("bob", None, quote.query)
    assert (copy.customer.name, copy.discount_ratio) == ("Ateliers Durand", 0)


def test_withdrawing_needs_a_reason_and_closes_the_link_but_keeps_the_number() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    assert client.post(reverse("quote-withdraw", args=[quote.pk]), {"reason": " "}).status_code == 422
    assert client.post(reverse("quote-withdraw", args=[quote.pk]), {"reason": "wrong customer"}).status_code == 303
    assert page(client, quote).context["state_code"] == "withdrawn"
    assert make.Client().get(path).status_code == 410
    assert str(make.sent(client)[0]).endswith("-0002")
    assert client.post(reverse("quote-link", args=[quote.pk])).status_code == 422


def test_erasing_the_customer_leaves_number_and_figures() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    assert client.post(reverse("quote-erase", args=[quote.pk])).status_code == 303
    again = Quote.objects.select_related("customer").get(pk=quote.pk)
    assert (again.customer.name, again.customer.contact, again.customer.reference) == ("", "", "")
    assert (str(again), again.total_eur) == (str(quote), Decimal("830.64"))
    for answer in (page(client, quote), make.Client().get(path), client.get(reverse("quotes"))):
        assert "Durand" not in text_of(answer) and "4711" not in text_of(answer)
    assert "Durand" not in client.get(reverse("quote-file", args=[quote.pk, "json"])).content.decode()
    assert client.post(reverse("quote-erase", args=[quote.pk])).status_code == 422


def test_a_draft_without_a_customer_does_not_leave_the_house() -> None:
    client = make.seller()
    erased = make.drafted(client)
    client.post(reverse("quote-erase", args=[erased.pk]))
    assert make.send(client, erased).status_code == 422
    assert client.post(reverse("quote-edit", args=[erased.pk]), make.texts(name="Again")).status_code == 422
    client.post(reverse("quote-duplicate", args=[erased.pk]))
    copy = Quote.objects.get(duplicate_of=erased)
    refused = make.send(client, copy)
    assert refused.status_code == 422 and "pas de client" in text_of(refused)


def test_a_withdrawn_draft_is_not_sent() -> None:
    client = make.seller()
    quote = make.drafted(client)
    assert client.post(reverse("quote-withdraw", args=[quote.pk]), {"reason": "no longer asked"}).status_code == 303
    assert make.send(client, quote).status_code == 422
    assert Quote.objects.get(pk=quote.pk).sequence is None


def test_a_colleague_withdraws_what_was_sent_but_not_a_draft() -> None:
    client, colleague = make.seller(), make.seller("bob")
    draft, (quote, _path) = make.drafted(client), make.sent(client)
    refused = colleague.post(reverse("quote-withdraw", args=[draft.pk]), {"reason": "tidying"})
    assert refused.status_code == 422 and "à une autre personne" in text_of(refused)
    assert colleague.post(reverse("quote-withdraw", args=[quote.pk]), {"reason": "alice is away"}).status_code == 303
    assert make.send(client, draft).status_code == 200


def test_a_customers_name_is_no_formula_in_a_spreadsheet() -> None:
    client = make.seller()
    quote, _path = make.sent(client, name="economics", reference="=1+1")
    assert ";'=1+1" in client.get(reverse("quote-file", args=[quote.pk, "csv"])).content.decode()


def test_every_step_leaves_an_event_with_who_did_it() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    make.Client().get(path)
    client.post(reverse("quote-revoke", args=[quote.pk]))
    told = [(event.action, event.actor.username if event.actor else "") for event in quote.events.all()]
    assert told == [
        ("created", "alice"), ("sent", "alice"), ("linked", "alice"), ("opened", ""), ("revoked", "alice"),
    ]  # fmt: skip
