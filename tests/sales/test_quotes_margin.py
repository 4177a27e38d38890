"""Discounts, agreed and negotiated prices; the margin; who agrees to a low one."""

import datetime as dt
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from calculator.models import Audience, CatalogItem
from sales.models import Quote, SkuCost
from tests import factories
from tests.sales import quotefactory as make
from tests.sales.quotefactory import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]


def approve(quote: Quote, client: Client, **data: str) -> int:
    return client.post(reverse("quote-approve", args=[quote.pk]), {"reason": "strategic", **data}).status_code


def margin_of(client: Client, quote: Quote) -> str:
    return str(client.get(reverse("quote", args=[quote.pk])).context["margin"]).replace("\u00a0", " ")


def test_a_discount_rounds_the_unit_price_first_and_then_counts() -> None:
    make.recorded_cost("0.50")
    quote, path = make.sent(make.seller(), make.THREE, discount_ratio="10", reason="launch")
    # 830.64 × 0.9 = 747.576 → 747.58; × 3 = 2 242.74; VAT 448.548 → 448.55.
    assert make.line_of(quote) == ("GPU-PRO", "month", 3, Decimal("747.58"), Decimal("2242.74"))
    assert (quote.vat_eur, quote.total_ttc_eur) == (Decimal("448.55"), Decimal("2691.29"))
    shown = text_of(Client().get(path))
    assert "830,64 €" in shown and "747,58 €" in shown and "remise 10,00 %" in shown


def test_the_verdict_is_that_of_the_discounted_price() -> None:
    make.recorded_cost("0.01")
    dear, _path = make.sent(make.seller("a"), "v=1&volume=100000000&mode=batch")
    cheap, _path = make.sent(make.seller("b"), "v=1&volume=100000000&mode=batch", agreed_eur="60", reason="trial")
    assert dear.results["fr"]["answer"]["sentence"] != cheap.results["fr"]["answer"]["sentence"]


def test_a_concession_needs_a_reason_and_keeps_who_and_why_from_the_customer() -> None:
    client = make.seller()
    address = f"{reverse('quote-new', args=['economics'])}?{make.TEAM}"
    refused = client.post(address, make.texts(discount_ratio="5"))
    assert refused.status_code == 422 and refused.context["form"].errors["reason"]
    make.recorded_cost("0.10")
    quote, path = make.sent(client, discount_ratio="5", reason="old friend of the boss")
    assert (quote.reason, quote.priced_by.username if quote.priced_by else "") == ("old friend of the boss", "alice")
    for address in (path, f"{path}/quote.json", f"{path}/quote.csv"):
        assert "old friend" not in Client().get(address).content.decode()


def test_a_price_typed_into_the_calculator_becomes_the_agreed_price_and_needs_a_reason() -> None:
    client = make.seller()
    answer = client.get(f"{reverse('quote-new', args=['economics'])}?{make.TEAM}&price=700")
    assert answer.context["form"]["agreed_eur"].value() == "700"
    quote = make.drafted(client, f"{make.TEAM}&price=700", agreed_eur="700", reason="as on the phone")
    assert "price=" not in quote.query and quote.agreed_eur == Decimal(700)


def test_an_unknown_cost_gives_no_margin_and_a_price_below_the_list_then_needs_approval() -> None:
    client = make.seller()
    at_list = make.drafted(client)
    assert margin_of(client, at_list) == "Coût de revient inconnu : la marge n’est pas calculée."
    assert make.send(client, at_list).status_code == 200
    below = make.drafted(client, discount_ratio="1", reason="x")
    refused = make.send(client, below)
    assert refused.status_code == 422 and "demande l’accord" in text_of(refused)
    assert Quote.objects.get(pk=below.pk).sequence is None
    assert Quote.objects.get(pk=at_list.pk).margin_ratio is None


def test_the_margin_is_that_of_the_price_over_the_recorded_cost_of_the_same_month(settings) -> None:  # type: ignore[no-untyped-def]
    settings.QUOTE_MARGIN_FLOOR_PERCENT = 20
    make.recorded_cost("0.95")
    make.recorded_cost("0.90")
    client = make.seller()
    at_list = make.drafted(client)
    # 0.90 × 720 = 648; (830.64 − 648) ÷ 830.64 = 21.99 %; at 747.58: 13.32 %.
    assert margin_of(client, at_list) == "Marge sur la location : 22,0 % ; plancher : 20 %."
    assert make.send(client, at_list).status_code == 200
    below = make.drafted(client, discount_ratio="10", reason="x")
    assert margin_of(client, below) == "Marge sur la location : 13,3 % ; plancher : 20 %."
    assert make.send(client, below).status_code == 422
    kept = Quote.objects.get(pk=at_list.pk)
    assert (kept.cost_eur_per_h, kept.floor_ratio) == (Decimal("0.9"), Decimal("0.2"))
    assert kept.margin_ratio == Decimal("0.219879")


def test_somebody_else_of_the_approvers_agrees_with_a_reason_and_then_it_may_go() -> None:
    client, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    quote = make.drafted(client, discount_ratio="30", reason="pilot")
    assert client.post(reverse("quote-approve", args=[quote.pk]), {"reason": "me"}).status_code == 403
    assert approve(quote, approver, reason=" ") == 422
    assert approve(quote, approver) == 303
    assert make.send(client, quote).status_code == 200
    kept = Quote.objects.get(pk=quote.pk)
    assert kept.approved_by is not None and kept.approved_by.username == "carol"
    assert kept.events.get(action="approved").reason == "strategic"


def test_nobody_approves_their_own_quote_superusers_included() -> None:
    both = make.as_person(make.person("dan", "sales", "approver"))
    root = make.as_person(make.person("root", is_superuser=True))
    for client in (both, root):
        quote = make.drafted(client, discount_ratio="30", reason="pilot")
        assert approve(quote, client) == 422
        assert make.send(client, quote).status_code == 422


def test_an_approval_holds_for_the_terms_that_it_was_given_to() -> None:
    client, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    quote = make.drafted(client, discount_ratio="30", reason="pilot")
    assert approve(quote, approver) == 303
    changed = client.post(reverse("quote-edit", args=[quote.pk]), make.texts(discount_ratio="40", reason="pilot"))
    assert changed.status_code == 303
    assert make.send(client, quote).status_code == 422
    back = client.post(reverse("quote-edit", args=[quote.pk]), make.texts(discount_ratio="30", reason="pilot"))
    assert back.status_code == 303 and make.send(client, quote).status_code == 200


LATER = (timezone.localdate() + dt.timedelta(days=60)).isoformat()


@pytest.mark.parametrize(
    "changes",
    [{"name": "Another customer"}, {"reason": "another reason"}, {"valid_until": LATER}],
    ids=["customer", "reason", "validity"],
)
def test_an_approval_is_for_one_customer_one_reason_and_one_validity(changes: dict[str, str]) -> None:
    client, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    terms = {"discount_ratio": "30", "reason": "pilot"}
    quote = make.drafted(client, **terms)
    assert approve(quote, approver) == 303
    edit = reverse("quote-edit", args=[quote.pk])
    assert client.post(edit, make.texts(**{**terms, **changes})).status_code == 303
    assert make.send(client, quote).status_code == 422
    assert client.post(edit, make.texts(**terms)).status_code == 303
    assert make.send(client, quote).status_code == 200


def test_what_changed_since_the_approver_read_it_is_not_agreed_to() -> None:
    """The seller goes from 50 % to 90 % while the page of 50 % is open: the click on it agrees to neither."""
    make.recorded_cost("1.0")
    seller, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    quote = make.drafted(seller, discount_ratio="50", reason="launch")
    read = approver.get(reverse("quote", args=[quote.pk]))
    terms = read.context["terms"]
    assert len(terms) == 64 and f'name="terms" value="{terms}"' in read.content.decode()
    edit = reverse("quote-edit", args=[quote.pk])
    assert seller.post(edit, make.texts(discount_ratio="90", reason="launch")).status_code == 303
    assert approve(quote, approver, terms=terms) == 422
    assert make.send(seller, quote).status_code == 422
    assert seller.post(edit, make.texts(discount_ratio="50", reason="launch")).status_code == 303
    assert approve(quote, approver, terms=terms) == 303
    assert make.send(seller, quote).status_code == 200


def test_an_approver_finds_the_drafts_that_wait_for_agreement() -> None:
    client, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    make.drafted(client)
    waiting = make.drafted(client, discount_ratio="30", reason="pilot")
    found = approver.get(reverse("quotes"), {"state": "waiting"}).context["rows"]
    assert [row.pk for row in found] == [waiting.pk]


def test_an_approver_may_refuse_and_the_draft_stays() -> None:
    client, approver = make.seller(), make.as_person(make.person("carol", "approver"))
    quote = make.drafted(client, discount_ratio="30", reason="pilot")
    assert approve(quote, approver, refuse="1") == 303
    assert quote.events.get(action="refused").actor.username == "carol"
    assert make.send(client, quote).status_code == 422


def test_neither_cost_nor_margin_leaves_the_house() -> None:
    make.recorded_cost("0.8765")
    quote, path = make.sent(make.seller())
    for address in (path, f"{path}/quote.json", f"{path}/quote.csv", f"{path}/change"):
        told = Client().get(address).content.decode()
        for secret in ("0,8765", "0.8765", "Marge sur la location", "margin", "plancher"):
            assert secret not in told
    assert quote.cost_eur_per_h == Decimal("0.8765")


def test_costs_are_recorded_with_their_source_by_those_who_may() -> None:
    assert make.seller().get(reverse("quote-costs")).status_code == 403
    client = make.as_person(make.person("paula", "pricing"))
    for data in ({"sku": "GPU-PRO", "eur_per_h": "0", "source": "x"}, {"sku": "NONE", "eur_per_h": "1", "source": "x"},
                 {"sku": "GPU-PRO", "eur_per_h": "1", "source": ""}):  # fmt: skip
        assert client.post(reverse("quote-costs"), data).status_code == 422
    assert not SkuCost.objects.exists()


def negotiated(amount: str) -> None:
    version = factories.make_version()
    factories.make_price(
        CatalogItem.objects.get(code="GPU-PRO"), "instance_month", amount, mode="reserved", audience=Audience.SALES,
        origin="negotiated", note="Ateliers Durand", valid_from=factories.NOW - dt.timedelta(days=1),
        catalog_version=version,
    )  # fmt: skip


def test_a_negotiated_price_is_offered_to_sellers_and_shown_on_that_quote_alone() -> None:
    negotiated("701.23")
    client = make.seller()
    form = client.get(f"{reverse('quote-new', args=['economics'])}?{make.TEAM}")
    assert "701,23" in text_of(form)
    quote, path = make.sent(client, is_negotiated="on", reason="framework contract 12")
    assert make.line_of(quote)[3] == Decimal("701.23")
    assert "701,23 €" in text_of(Client().get(path))
    other, other_path = make.sent(client)
    assert make.line_of(other)[3] == Decimal("830.64")
    for address in (other_path, f"{other_path}/quote.json", reverse("economics"), reverse("skus")):
        told = Client().get(address).content.decode()
        assert "701,23" not in told and "701.23" not in told


def test_a_negotiated_price_needs_no_second_person_but_a_discount_on_it_does() -> None:
    negotiated("701.23")
    client = make.seller()
    quote = make.drafted(client, is_negotiated="on", discount_ratio="5", reason="framework contract 12")
    assert make.send(client, quote).status_code == 422
