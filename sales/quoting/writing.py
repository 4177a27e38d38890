"""Every step with a quote: who may take it, what it writes, and the event that it leaves. None knows of HTTP."""

import datetime as dt
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models, transaction
from django.utils import timezone

from calculator.domain.units import half_up
from calculator.models import CatalogItem
from sales.models import Quote, QuoteCustomer, QuoteEvent, QuoteLine, QuoteLink, QuoteProposal, QuoteYear, SkuCost
from sales.quoting import offers, queries
from sales.quoting.offers import Offer
from sales.quoting.refusals import Refused

TOKEN_BYTES = 32
RATE_DECIMALS, MARGIN_DECIMALS = 8, 6
MOST_COUNTED = 2**31
"""The first whole number that PostgreSQL's columns do not hold."""
Action = QuoteEvent.Action
PRICE_FIELDS = ("agreed_eur", "is_negotiated", "discount_ratio", "reason")
TERM_FIELDS = ("query", "catalog_version_id", "language", "valid_until", "vat_ratio", *PRICE_FIELDS)


def record(quote: Quote, by: User | None, action: str, reason: str = "") -> None:
    """One line of the record."""
    QuoteEvent.objects.create(quote=quote, actor=by, action=action, reason=reason[:500])


@transaction.atomic
def create(by: User, values: Mapping[str, Any], customer: Mapping[str, str]) -> Quote:
    """A draft of `by`."""
    quote = Quote.objects.create(owner=by, **{**values, **_priced(values, by)})
    QuoteCustomer.objects.create(quote=quote, **customer)
    record(quote, by, Action.CREATED)
    return quote


def _priced(values: Mapping[str, Any], by: User) -> dict[str, Any]:
    """Who set the seller's own price, and when; nobody where there is none."""
    own = values.get("agreed_eur") is not None or values.get("discount_ratio")
    return {"priced_by": by if own else None, "priced_at": timezone.now() if own else None}


def own_draft(quote: Quote, by: User) -> None:
    """Refuse whoever is not its owner, and what is no draft any more."""
    if quote.owner_id != by.pk:
        raise Refused("not_owner")
    if quote.sequence is not None or getattr(quote, "is_withdrawn", False):
        raise Refused("not_draft")
    if quote.customer.erased_at is not None:
        raise Refused("erased_already")


@transaction.atomic
def edit(quote: Quote, by: User, values: Mapping[str, Any], customer: Mapping[str, str]) -> None:
    """Change a draft; an approval was given to other terms then, which its hash shows."""
    own_draft(quote, by)
    changed = {name: value for name, value in values.items() if name in TERM_FIELDS}
    if any(getattr(quote, name) != changed.get(name, getattr(quote, name)) for name in PRICE_FIELDS):
        changed |= _priced(values, by)
    if not Quote.objects.filter(pk=quote.pk, sequence__isnull=True).update(**changed):
        raise Refused("not_draft")
    QuoteCustomer.objects.filter(quote=quote).update(**customer)
    record(quote, by, Action.EDITED)


@transaction.atomic
def duplicate(quote: Quote, by: User, query: str, catalog_version_id: int, valid_until: dt.date) -> Quote:
    """A draft of `by` with the same question and customer at the list price: a concession is not handed on."""
    customer = quote.customer
    copy = Quote.objects.create(
        owner=by,
        duplicate_of=quote,
        calculator=quote.calculator,
        query=query,
        catalog_version_id=catalog_version_id,
        language=quote.language,
        valid_until=valid_until,
        vat_ratio=quote.vat_ratio,
    )
    QuoteCustomer.objects.create(quote=copy, name=customer.name, contact=customer.contact, reference=customer.reference)
    record(copy, by, Action.CREATED, str(quote))
    return copy


def check_ready(quote: Quote, found: Offer, at: dt.datetime, *, accepts_old_rate: bool) -> None:
    """Refuse a quote that may not go out as it stands."""
    if not quote.customer.name:
        raise Refused("no_customer")
    offers.check_sellable(found, at, accepts_old_rate)
    if quote.valid_until < timezone.localdate(at):
        raise Refused("validity_past")
    kept = offers.margin(quote, found)
    if kept is not None and kept.needs_approval and not offers.is_approved(quote, found):
        raise Refused("needs_approval")


def send(quote: Quote, by: User, *, accepts_old_rate: bool = False) -> str:
    """Give the draft its number, freeze it, and return the secret of its link, which is kept nowhere.

    The number is the last thing taken, under the lock of its year's row: a step that fails leaves no gap, and two at
    once take turns.
    """
    own_draft(quote, by)
    now, found = timezone.now(), offers.offer(quote)
    check_ready(quote, found, now, accepts_old_rate=accepts_old_rate)
    frozen = _frozen(quote, found, now)
    check_fits(Quote, frozen)
    for line in found.lines:
        check_fits(QuoteLine, asdict(line))
    with transaction.atomic():
        locked = Quote.objects.select_for_update().get(pk=quote.pk)
        if any(getattr(locked, name) != getattr(quote, name) for name in (*TERM_FIELDS, "approved_terms")):
            raise Refused("not_draft")
        own_draft(queries.quote(quote.pk) or quote, by)
        QuoteLine.objects.bulk_create(
            QuoteLine(quote=quote, position=position, **asdict(line)) for position, line in enumerate(found.lines, 1)
        )
        year = timezone.localdate(now).year
        Quote.objects.filter(pk=quote.pk).update(**frozen, year=year, sequence=next_number(year))
        record(quote, by, Action.SENT)
        return _linked(quote, by)


def check_fits(model: type[models.Model], values: Mapping[str, Any]) -> None:
    """Refuse a number that its column cannot hold: SQLite would keep it, and no page could read the row again."""
    for column in model._meta.concrete_fields:
        value = values.get(column.name)
        if isinstance(column, models.DecimalField):
            most = 10 ** ((column.max_digits or 0) - (column.decimal_places or 0))
        elif isinstance(column, models.PositiveIntegerField):
            most = MOST_COUNTED
        else:
            continue
        if value is not None and abs(value) >= most:
            raise Refused("too_large")


def next_number(year: int) -> int:
    """The next number of a year, its row locked until the transaction ends."""
    QuoteYear.objects.get_or_create(year=year)
    counter = QuoteYear.objects.select_for_update().get(year=year)
    QuoteYear.objects.filter(year=year).update(last=counter.last + 1)
    return counter.last + 1


def _frozen(quote: Quote, found: Offer, now: dt.datetime) -> dict[str, Any]:
    """The columns that are written with the number."""
    totals, rate, kept = found.totals, offers.rate_of(found), offers.margin(quote, found)
    assert totals is not None
    return {
        "sent_at": now,
        "seller_name": settings.SELLER_NAME,
        "seller_address": settings.SELLER_ADDRESS,
        "seller_legal": settings.SELLER_LEGAL,
        "seller_contact": settings.SELLER_CONTACT,
        "terms": settings.SELLER_TERMS,
        "usd_per_eur": None if rate is None else half_up(rate.value, RATE_DECIMALS),
        "rate_date": None if rate is None else rate.date,
        "cost_eur_per_h": None if kept is None else kept.cost_eur_per_h,
        "margin_ratio": None if kept is None or kept.ratio is None else half_up(kept.ratio, MARGIN_DECIMALS),
        "floor_ratio": None if kept is None else kept.floor,
        "results": offers.in_every_language(found),
        **asdict(totals),
    }


def hashed(token: str) -> str:
    """How the secret of a link is kept. It is long and random: a plain hash cannot be turned round."""
    return hashlib.sha256(token.encode()).hexdigest()


def _linked(quote: Quote, by: User) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    QuoteLink.objects.create(quote=quote, token_hash=hashed(token), created_by=by)
    record(quote, by, Action.LINKED)
    return token


def _standing(quote: Quote) -> None:
    if quote.sequence is None or getattr(quote, "is_withdrawn", False):
        raise Refused("not_sent")


@transaction.atomic
def new_link(quote: Quote, by: User) -> str:
    """Another secret; the one before opens nothing any more."""
    _standing(quote)
    _revoked(quote, by)
    return _linked(quote, by)


@transaction.atomic
def revoke(quote: Quote, by: User) -> None:
    """Let no link open the quote."""
    if not _revoked(quote, by):
        raise Refused("no_link")


def _revoked(quote: Quote, by: User) -> bool:
    closed = QuoteLink.objects.filter(quote=quote, revoked_at__isnull=True).update(revoked_at=timezone.now())
    if closed:
        record(quote, by, Action.REVOKED)
    return bool(closed)


@transaction.atomic
def withdraw(quote: Quote, by: User, reason: str) -> None:
    """End a quote or a draft: its number stays, its links open nothing any more. A sending waits, and sees it."""
    Quote.objects.select_for_update().get(pk=quote.pk)
    if getattr(queries.quote(quote.pk), "is_withdrawn", False):
        raise Refused("withdrawn_already")
    if not reason.strip():
        raise Refused("reason_missing")
    if quote.sequence is None and quote.owner_id != by.pk and not by.is_superuser:
        raise Refused("not_owner")
    _revoked(quote, by)
    record(quote, by, Action.WITHDRAWN, reason)


@transaction.atomic
def erase(quote: Quote, by: User | None) -> None:
    """Empty who the quote was for, and what he wrote, then or since through a link still open; figures stay."""
    nothing = {"name": "", "contact": "", "reference": "", "erased_at": timezone.now()}
    emptied = QuoteCustomer.objects.filter(quote=quote, erased_at__isnull=True).update(**nothing)
    if not quote.proposals.exclude(comment="").update(comment="") and not emptied:
        raise Refused("erased_already")
    record(quote, by, Action.ERASED)


@transaction.atomic
def approve(quote: Quote, by: User, reason: str, seen: str = "") -> None:
    """A second person agrees to exactly these terms, and says why. Nobody approves their own, superusers included.

    `seen` = the terms on the page that was answered: a draft that its maker changed meanwhile is not agreed to.
    """
    if quote.owner_id == by.pk:
        raise Refused("own_quote")
    if quote.sequence is not None or getattr(quote, "is_withdrawn", False):
        raise Refused("not_draft")
    if not reason.strip():
        raise Refused("reason_missing")
    terms = offers.terms_hash(quote, offers.offer(quote))
    if seen and seen != terms:
        raise Refused("not_draft")
    given = {"approved_by": by, "approved_at": timezone.now(), "approved_terms": terms}
    if not Quote.objects.filter(pk=quote.pk, sequence__isnull=True).update(**given):
        raise Refused("not_draft")
    record(quote, by, Action.APPROVED, reason)


@transaction.atomic
def decline(quote: Quote, by: User, reason: str) -> None:
    """A second person does not agree; the draft stays with its owner."""
    if quote.owner_id == by.pk:
        raise Refused("own_quote")
    if quote.sequence is not None or getattr(quote, "is_withdrawn", False):
        raise Refused("not_draft")
    if not reason.strip():
        raise Refused("reason_missing")
    taken = {"approved_by": None, "approved_at": None, "approved_terms": ""}
    if not Quote.objects.filter(pk=quote.pk, sequence__isnull=True).update(**taken):
        raise Refused("not_draft")
    record(quote, by, Action.REFUSED, reason)


def record_cost(by: User, sku: str, eur_per_h: Decimal, source: str) -> SkuCost:
    """Record what an hour of a configuration costs; the records before stay."""
    item = CatalogItem.objects.get(code=sku, kind=CatalogItem.Kind.GPU_SKU)
    return SkuCost.objects.create(sku=item, eur_per_h=eur_per_h, source=source, recorded_by=by)


def mark_opened(link: QuoteLink) -> None:
    """Keep the first instant at which a link was opened, and nothing else of whoever opened it."""
    first = QuoteLink.objects.filter(pk=link.pk, first_opened_at__isnull=True)
    with transaction.atomic():
        if first.update(first_opened_at=timezone.now()):
            record(link.quote, None, Action.OPENED)


def propose(quote: Quote, link: QuoteLink, found: Offer | None, comment: str) -> QuoteProposal:
    """Keep what a customer sends back; so many a link and day, and none for a quote that has ended."""
    now = timezone.now()
    if quote.valid_until < timezone.localdate(now):
        raise Refused("expired")
    if found is None or found.totals is None:
        raise Refused("no_answer")
    check_fits(QuoteProposal, {"total_eur": found.totals.total_eur})
    results = offers.in_every_language(found)
    with transaction.atomic():
        QuoteLink.objects.select_for_update().get(pk=link.pk)
        if queries.proposals_since(link, now - dt.timedelta(days=1)) >= settings.QUOTE_PROPOSALS_PER_DAY:
            raise Refused("too_many")
        made = QuoteProposal.objects.create(
            quote=quote,
            link=link,
            query=found.answer.query,
            comment=comment,
            total_eur=found.totals.total_eur,
            results=results,
        )
        record(quote, None, Action.PROPOSED)
    return made
