"""What the templates of quotes are given, in words."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from calculator import catalog, formats, registry
from calculator.pagestate import ExportLink, address
from calculator.tool import Answer
from sales.models import Quote, QuoteEvent
from sales.quoting import difference, offers, queries, rights, sheet, waiting, words
from sales.quoting.offers import Margin, Offer

SUFFIXES = ("csv", "json")
Numbers = tuple[Decimal | None, Decimal | None, Decimal | None]
"""Price of an instance, total without and with VAT."""


@dataclass(frozen=True, slots=True)
class Row:
    """One quote in the list."""

    pk: int
    number: str
    customer: str
    reference: str
    owner: str
    tool: str
    total: str
    until: str
    tag: str
    state: str


@dataclass(frozen=True, slots=True)
class EventLine:
    """One line of what was done."""

    at: str
    what: str
    by: str
    reason: str


def list_context(person: User, words_asked: str, state: str, owner: str) -> dict[str, Any]:
    """The list with its filters, and for who may agree to a low price how many drafts wait for that."""
    today = timezone.localdate()
    asks, approves = state == queries.WAITING, person.has_perm(rights.APPROVE)
    waits = waiting.waiting(today) if asks or approves else None
    found = queries.listed(words_asked, state, owner, today, waits.keys if waits and asks else None)
    shown = found[: queries.MOST_SHOWN]
    return {
        "rows": [_row(quote, today) for quote in shown],
        "has_more": len(found) > len(shown),
        "most": queries.MOST_SHOWN,
        "asked": {"q": words_asked, "state": state, "owner": owner},
        "states": [*((code, words.state(code)) for code in queries.STATES), (queries.WAITING, words.WAITING)],
        "waiting": words.waiting(len(waits.keys)) if waits and approves else "",
        "waiting_state": queries.WAITING if waits and waits.keys and not asks else "",
        "waiting_most": waiting.MOST_WEIGHED if waits and waits.is_cut else 0,
        "owners": queries.owners(),
    }


def _row(quote: Quote, today: dt.date) -> Row:
    state = queries.state_of(quote, today)
    return Row(
        pk=quote.pk,
        number=str(quote) if quote.sequence is not None else _("brouillon"),
        customer=customer_name(quote),
        reference=quote.customer.reference,
        owner=quote.owner.get_username(),
        tool=str(registry.CALCULATORS[quote.calculator].title),
        total=formats.money(quote.total_eur) if quote.total_eur is not None else "–",
        until=formats.date(quote.valid_until),
        tag=str(words.STATES[state][0]),
        state=words.state(state),
    )


def customer_name(quote: Quote) -> str:
    """Who a quote is for, or that he was erased."""
    return _("client effacé") if quote.customer.erased_at else quote.customer.name


def quote_context(quote: Quote, person: User, link: str = "") -> dict[str, Any]:
    """The page of one quote for those who work with it; `link` is the secret address just made."""
    today = timezone.localdate()
    is_draft = quote.sequence is None
    offer = offers.offer(quote) if is_draft else None
    state = queries.state_of(quote, today)
    margin = offers.margin(quote, offer) if offer else _frozen_margin(quote)
    now, proposals = offers.today(quote), queries.proposals(quote)
    return {
        "quote": quote,
        "number": str(quote) if not is_draft else _("Brouillon de devis"),
        "tag": words.STATES[state][0],
        "state": words.state(state),
        "state_code": state,
        "is_draft": is_draft and state != "withdrawn",
        "is_standing": not is_draft and state != "withdrawn",
        "customer": customer_name(quote),
        "is_erased": bool(quote.customer.erased_at) and not any(item.comment for item in proposals),
        "document": sheet.html(quote, sheet.held(quote, offer), today),
        "files": files_of("quote-file", quote.pk),
        "events": [event_line(event) for event in queries.events(quote)],
        "link": link,
        "has_link": queries.live_link(quote) is not None,
        "calculator_link": address(quote.calculator, quote.query),
        "is_owner": quote.owner_id == person.pk,
        "may_make": person.has_perm(rights.MAKE),
        "today": today_lines(quote, offer, now),
        "asks_rate": offer is not None and offers.rate_is_red(offer, today),
        "proposals": [difference.proposal(quote, item) for item in proposals],
        **margin_context(quote, offer, margin, person),
    }


def files_of(name: str, key: int | str) -> tuple[ExportLink, ...]:
    """The quote as files, at the page's own path with a suffix."""
    return tuple(ExportLink(suffix, suffix.upper(), reverse(name, args=[key, suffix])) for suffix in SUFFIXES)


def event_line(event: QuoteEvent) -> EventLine:
    """What was done, by whom, why; without a person it was the customer."""
    by = event.actor.get_username() if event.actor else _("par le lien ou une commande")
    return EventLine(formats.instant(event.at), str(words.EVENTS[event.action]), by, event.reason)


def _frozen_margin(quote: Quote) -> Margin:
    return Margin(quote.cost_eur_per_h, quote.margin_ratio, quote.floor_ratio or Decimal(0), needs_approval=False)


def margin_context(quote: Quote, offer: Offer | None, kept: Margin | None, person: User) -> dict[str, Any]:
    """The margin in words and whether a second person is needed; never part of the document."""
    needs = kept is not None and kept.needs_approval
    approved = offer is not None and offers.is_approved(quote, offer)
    may = person.has_perm(rights.APPROVE)
    return {
        "margin": _margin_sentence(kept),
        "needs_approval": needs and not approved,
        "approved_by": quote.approved_by if approved or quote.sequence is not None else None,
        "may_approve": needs and not approved and may and quote.owner_id != person.pk,
        "terms": offers.terms_hash(quote, offer) if offer is not None else "",
        "own_approval": needs and not approved and may and quote.owner_id == person.pk,
    }


def _margin_sentence(kept: Margin | None) -> str:
    if kept is None:
        return _("Pas de prix, donc pas de marge.")
    if kept.ratio is None:
        return _("Coût de revient inconnu\u00a0: la marge n’est pas calculée.")
    told = {"ratio": formats.percent(kept.ratio, 1), "floor": formats.percent(kept.floor)}
    return _("Marge sur la location\u00a0: %(ratio)s\u00a0; plancher\u00a0: %(floor)s.") % told


@dataclass(frozen=True, slots=True)
class TodayLine:
    """One number as the quote has it and as it would be today."""

    label: str
    then: str
    now: str
    has_changed: bool


def today_lines(quote: Quote, offer: Offer | None, now: Offer | None) -> dict[str, Any]:
    """Today's numbers beside the quote's; None where the question cannot be put to today's catalogue."""
    if now is None:
        return {"lines": (), "problem": _("Aujourd’hui, ce calcul n’est plus possible\u00a0: un article a disparu.")}
    then, version = _then(quote, offer)
    today = _numbers(now)
    names = (_("Prix d’une instance, HT"), _("Total HT"), _("Total TTC"))
    lines = [
        TodayLine(_("Liste de prix"), str(version), str(now.answer.scenario.catalog_version),
                  version != now.answer.scenario.catalog_version)
    ]  # fmt: skip
    lines += [
        TodayLine(name, formats.money(old), formats.money(new), old != new)
        for name, old, new in zip(names, then, today, strict=True)
    ]
    return {"lines": lines, "sentence": now.tool.sentence(now.answer.estimate), "problem": ""}


def _then(quote: Quote, offer: Offer | None) -> tuple[Numbers, int]:
    """The quote's own numbers and the price list that they are of."""
    if quote.sequence is None and offer is not None:
        return _numbers(offer), offer.answer.scenario.catalog_version
    return (quote.lines.all()[0].unit_eur, quote.total_eur, quote.total_ttc_eur), quote.catalog_version_id


def _numbers(found: Offer) -> Numbers:
    totals = found.totals
    unit = found.lines[0].unit_eur if found.lines else None
    return unit, totals.total_eur if totals else None, totals.total_ttc_eur if totals else None


def form_context(name: str, query: str, offer: Offer | None, form: Any, quote: Quote | None = None) -> dict[str, Any]:
    """The form of a quote beside what it is made from."""
    tool = registry.CALCULATORS[name]
    price = offer.rental.price if offer and offer.rental else None
    return {
        "form": form,
        "tool": tool,
        "quote": quote,
        "query": query,
        "sentence": tool.sentence(offer.answer.estimate) if offer else "",
        "calculator_link": address(name, query),
        "list_price": formats.unit_price(price.value if price else None, unknown=_("sur devis")),
        "unit": words.unit_name(offer.rental.unit.value) if offer and offer.rental else "",
        "negotiated": formats.unit_price(form.negotiated) if form.negotiated is not None else "",
        "valid_days": settings.QUOTE_VALID_DAYS,
    }


def no_quote_context(name: str, found: Answer, obstacle: str) -> dict[str, Any]:
    """The page that says why a calculation leads to no quote."""
    tool = registry.CALCULATORS[name]
    return {
        "tool": tool,
        "sentence": tool.sentence(found.estimate),
        "calculator_link": address(name, found.query),
        "obstacle": words.OBSTACLES[obstacle],
    }


def costs_context(form: Any) -> dict[str, Any]:
    """The recorded costs: the newest of each configuration counts."""
    rows, seen = [], set()
    for cost in queries.costs():
        rows.append(
            {
                "sku": cost.sku.code,
                "amount": formats.unit_price(cost.eur_per_h),
                "source": cost.source,
                "at": formats.instant(cost.recorded_at),
                "by": cost.recorded_by.get_username(),
                "counts": cost.sku.code not in seen,
            }
        )
        seen.add(cost.sku.code)
    return {"form": form, "rows": rows}


def sku_options() -> tuple[tuple[str, str], ...]:
    """The configurations for sale, test hosts left out."""
    scenario = catalog.default_scenario()
    offered = catalog.sku_choices(scenario.catalog_version, scenario.at)
    return tuple((sku.code, sku.code) for sku in offered if not sku.is_test_host)
