"""What the database itself refuses about quotes, whoever writes: on SQLite and on PostgreSQL alike."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from sales.models import (
    Quote,
    QuoteCustomer,
    QuoteEvent,
    QuoteLine,
    QuoteLink,
    QuoteProposal,
    QuoteYear,
    SkuCost,
)
from tests import factories
from tests.append_only import refused

pytestmark = pytest.mark.django_db
SENT = {
    "sent_at": factories.NOW,
    "total_eur": Decimal("2491.92"),
    "vat_eur": Decimal("498.38"),
    "total_ttc_eur": Decimal("2990.30"),
}


def owner() -> User:
    return User.objects.get_or_create(username="seller")[0]


def make_quote(**values: Any) -> Quote:
    """A draft, with its customer and one line."""
    defaults = {
        "owner": owner(),
        "calculator": "economics",
        "query": "v=1",
        "catalog_version": factories.newest_version(),
        "language": "fr",
        "valid_until": dt.date(2026, 12, 30),
        "vat_ratio": Decimal("0.2"),
    }
    quote = Quote.objects.create(**{**defaults, **values})
    QuoteCustomer.objects.create(quote=quote, name="Ateliers Durand", contact="p.durand@exemple.fr", reference="A-7")
    QuoteLine.objects.create(
        quote=quote, position=1, kind="rental", sku="GPU-PRO", unit="month", count=3, quantity=3,
        unit_eur=Decimal("830.64"), amount_eur=Decimal("2491.92"),
    )  # fmt: skip
    return quote


def numbered(quote: Quote, sequence: int = 1, year: int = 2026) -> Quote:
    Quote.objects.filter(pk=quote.pk).update(**{**SENT, "year": year, "sequence": sequence})
    return Quote.objects.get(pk=quote.pk)


def test_a_quote_is_not_born_with_a_number() -> None:
    refused(make_quote, year=2026, sequence=1, **SENT)


def test_numbers_of_a_year_have_no_gap_and_each_year_begins_at_one() -> None:
    first, second = make_quote(), make_quote()
    refused(numbered, first, 2)
    numbered(first, 1)
    refused(numbered, second, 1)
    refused(numbered, second, 3)
    numbered(second, 2)
    assert str(numbered(make_quote(), 1, year=2027)) == "2027-0001"


@pytest.mark.parametrize(
    "change",
    [
        {"valid_until": dt.date(2027, 1, 30)},
        {"total_eur": Decimal("1.00")},
        {"results": {"fr": {}}},
        {"query": "v=1&volume=1"},
        {"year": None, "sequence": None, "sent_at": None},
        {"terms": "others"},
        {"sequence": 2},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_numbered_quote_never_changes(change: dict[str, Any]) -> None:
    quote = numbered(make_quote())
    refused(Quote.objects.filter(pk=quote.pk).update, **change)


def test_a_draft_may_change_and_no_quote_is_deleted() -> None:
    quote = make_quote()
    assert Quote.objects.filter(pk=quote.pk).update(valid_until=dt.date(2027, 1, 1)) == 1
    with connection.cursor() as cursor:
        refused(cursor.execute, "DELETE FROM sales_quote WHERE id = %s", [quote.pk])


def test_the_lines_of_a_numbered_quote_are_closed() -> None:
    quote = numbered(make_quote())
    refused(QuoteLine.objects.filter(quote=quote).update, amount_eur=Decimal(1))
    refused(
        QuoteLine.objects.create, quote=quote, position=2, kind="storage", unit="month", quantity=1, unit_eur=1,
        amount_eur=1,
    )  # fmt: skip
    with connection.cursor() as cursor:
        refused(cursor.execute, "DELETE FROM sales_quoteline WHERE quote_id = %s", [quote.pk])


def test_the_customer_of_a_numbered_quote_can_only_be_erased_and_not_written_again() -> None:
    quote = numbered(make_quote())
    customers = QuoteCustomer.objects.filter(quote=quote)
    refused(customers.update, name="Somebody else")
    refused(customers.update, name="", contact="", reference="")
    assert customers.update(name="", contact="", reference="", erased_at=timezone.now()) == 1
    refused(customers.update, erased_at=timezone.now() + dt.timedelta(days=1))
    refused(customers.update, name="Ateliers Durand")


def test_a_link_is_opened_and_revoked_once_and_keeps_its_secret() -> None:
    quote = make_quote()
    link = QuoteLink.objects.create(quote=quote, token_hash="a" * 64, created_by=owner())
    links = QuoteLink.objects.filter(pk=link.pk)
    assert links.update(first_opened_at=factories.NOW) == 1
    refused(links.update, first_opened_at=factories.NOW + dt.timedelta(hours=1))
    assert links.update(revoked_at=factories.NOW) == 1
    refused(links.update, revoked_at=None)
    refused(links.update, token_hash="b" * 64)
    refused(links.update, quote=make_quote())


def test_a_proposal_only_loses_its_comment() -> None:
    quote = make_quote()
    link = QuoteLink.objects.create(quote=quote, token_hash="a" * 64, created_by=owner())
    made = QuoteProposal.objects.create(quote=quote, link=link, query="v=1", comment="Durand", results={"fr": {}})
    proposals = QuoteProposal.objects.filter(pk=made.pk)
    refused(proposals.update, comment="somebody else")
    refused(proposals.update, query="v=1&volume=2")
    refused(proposals.update, results={"fr": {"a": 1}})
    assert proposals.update(comment="") == 1


def test_events_and_costs_never_change() -> None:
    quote = make_quote()
    event = QuoteEvent.objects.create(quote=quote, actor=owner(), action="created")
    refused(QuoteEvent.objects.filter(pk=event.pk).update, reason="other")
    cost = SkuCost.objects.create(
        sku=factories.make_sku(), eur_per_h=Decimal("0.9"), source="invoice", recorded_by=owner()
    )
    refused(SkuCost.objects.filter(pk=cost.pk).update, eur_per_h=Decimal("0.1"))
    refused(SkuCost.objects.create, sku=cost.sku, eur_per_h=Decimal(0), source="x", recorded_by=owner())


def test_the_counter_of_a_year_moves_one_by_one() -> None:
    refused(QuoteYear.objects.create, year=2026, last=7)
    QuoteYear.objects.create(year=2026)
    years = QuoteYear.objects.filter(year=2026)
    assert years.update(last=1) == 1
    refused(years.update, last=3)
    refused(years.update, last=1)


def test_a_discount_or_a_price_has_who_and_why() -> None:
    refused(make_quote, discount_ratio=Decimal("0.1"))
    refused(make_quote, agreed_eur=Decimal(700), priced_by=owner(), priced_at=factories.NOW)
    refused(make_quote, is_negotiated=True, reason="framework contract")
    made = make_quote(discount_ratio=Decimal("0.1"), reason="launch", priced_by=owner(), priced_at=factories.NOW)
    assert made.pk
    refused(make_quote, discount_ratio=Decimal(1), reason="all", priced_by=owner(), priced_at=factories.NOW)


def test_nobody_approves_their_own_quote() -> None:
    refused(make_quote, approved_by=owner(), approved_at=factories.NOW, approved_terms="x")
    other = User.objects.create_user("approver")
    assert make_quote(approved_by=other, approved_at=factories.NOW, approved_terms="x").pk


def test_total_and_vat_add_up() -> None:
    refused(make_quote, total_eur=Decimal(100), vat_eur=Decimal(20), total_ttc_eur=Decimal("120.01"))
