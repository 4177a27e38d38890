"""What the pages of quotes read."""

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from sales.models import Quote, QuoteEvent, QuoteLink, QuoteProposal, SkuCost

MOST_SHOWN = 100
STATES = ("draft", "sent", "opened", "expired", "withdrawn")
WAITING = "waiting"
"""A filter beside the states: drafts that wait for the agreement of a second person (`waiting.waiting`)."""
BULKY = ("results",)


def quotes() -> "QuerySet[Quote]":
    """Every quote with its customer, its owner, and whether it was withdrawn or opened."""
    withdrawn = QuoteEvent.objects.filter(quote=OuterRef("pk"), action=QuoteEvent.Action.WITHDRAWN)
    opened = QuoteLink.objects.filter(quote=OuterRef("pk"), first_opened_at__isnull=False)
    found = Quote.objects.select_related("owner", "customer")
    return found.annotate(is_withdrawn=Exists(withdrawn), is_opened=Exists(opened))


def state_of(quote: Quote, today: dt.date) -> str:
    """One of STATES. Expired is a matter of the date, whatever happened before; withdrawn wins over all."""
    if getattr(quote, "is_withdrawn", False):
        return "withdrawn"
    if quote.sequence is None:
        return "draft"
    if quote.valid_until < today:
        return "expired"
    return "opened" if getattr(quote, "is_opened", False) else "sent"


def in_state(state: str, today: dt.date) -> Q:
    """The quotes that `state_of` calls so; anything else is no filter."""
    standing = Q(is_withdrawn=False, sequence__isnull=False)
    return {
        "withdrawn": Q(is_withdrawn=True),
        "draft": Q(is_withdrawn=False, sequence__isnull=True),
        "expired": standing & Q(valid_until__lt=today),
        "opened": standing & Q(valid_until__gte=today, is_opened=True),
        "sent": standing & Q(valid_until__gte=today, is_opened=False),
    }.get(state, Q())


def listed(words: str, state: str, owner: str, today: dt.date, only: Iterable[int] | None = None) -> list[Quote]:
    """The newest quotes that match: words in customer, reference, SKU line, owner or number; of `only` these rows."""
    found = quotes().filter(in_state(state, today)).defer(*BULKY)
    if only is not None:
        found = found.filter(pk__in=only)
    for word in words.split():
        found = found.filter(_mentions(word))
    if owner:
        found = found.filter(owner__username=owner)
    return list(found.order_by("-id")[: MOST_SHOWN + 1])


def _mentions(word: str) -> Q:
    told = Q(customer__name__icontains=word) | Q(customer__reference__icontains=word)
    told |= Q(customer__contact__icontains=word) | Q(owner__username__icontains=word) | Q(calculator__icontains=word)
    year, _dash, sequence = word.partition("-")
    if year.isdecimal() and sequence.isdecimal() and len(word) < 15:
        told |= Q(year=int(year), sequence=int(sequence))
    return told


def may_wait(today: dt.date, skus: Sequence[str], most: int) -> list[Quote]:
    """The newest drafts that an agreement could be missing for: at a price of the seller's own, or, where a cost of
    one of `skus` is recorded, at any. Left out is what waits for its owner: declined and not changed since, past its
    validity, without a customer."""
    decided = (QuoteEvent.Action.REFUSED, QuoteEvent.Action.EDITED)
    last = QuoteEvent.objects.filter(quote=OuterRef("pk"), action__in=decided).order_by("-id").values("action")[:1]
    found = quotes().filter(in_state("draft", today), valid_until__gte=today, customer__erased_at__isnull=True)
    if not skus:
        found = found.filter(priced_by__isnull=False)
    kept = found.annotate(last=Subquery(last)).filter(Q(last__isnull=True) | ~Q(last=QuoteEvent.Action.REFUSED))
    return list(kept.order_by("-id")[:most])


def owners() -> list[str]:
    """Who has quotes, by name."""
    return list(Quote.objects.order_by("owner__username").values_list("owner__username", flat=True).distinct())


def quote(pk: int) -> Quote | None:
    """One quote; None where there is none."""
    return quotes().filter(pk=pk).first()


def events(shown: Quote) -> list[QuoteEvent]:
    """What was done to a quote, the oldest first."""
    return list(shown.events.select_related("actor"))


def live_link(shown: Quote) -> QuoteLink | None:
    """The link that opens it now."""
    return shown.links.filter(revoked_at__isnull=True).first()


def proposals(shown: Quote) -> list[QuoteProposal]:
    """What the customer sent back, the newest first."""
    return list(shown.proposals.all())


def cost_of(sku: str) -> Decimal | None:
    """What an hour of that configuration costs the seller; None where nobody has recorded it."""
    newest = SkuCost.objects.filter(sku__code=sku).order_by("-id").first()
    return None if newest is None else newest.eur_per_h


def newest_costs() -> dict[str, Decimal]:
    """What an hour of each configuration costs, for those that have a record."""
    return {cost.sku.code: cost.eur_per_h for cost in SkuCost.objects.select_related("sku").order_by("id")}


def costs() -> list[SkuCost]:
    """The costs as they stand, the newest of each configuration first, then those before."""
    return list(SkuCost.objects.select_related("sku", "recorded_by").order_by("sku__code", "-id"))


def link_by(token_hash: str) -> QuoteLink | None:
    """The link with that secret, whether it opens anything or not."""
    return QuoteLink.objects.filter(token_hash=token_hash).first()


def proposals_since(link: QuoteLink, at: dt.datetime) -> int:
    """How many proposals came by a link since an instant."""
    return link.proposals.filter(at__gt=at).count()


def to_erase(number: str, name: str) -> list[Quote]:
    """The quotes with that number, or with a customer of that name, where anything of his is left."""
    written = QuoteProposal.objects.filter(quote=OuterRef("pk")).exclude(comment="")
    found = quotes().filter(Q(customer__erased_at__isnull=True) | Exists(written))
    if name:
        return list(found.filter(customer__name__iexact=name).order_by("id"))
    year, _dash, sequence = number.partition("-")
    if not (year.isdecimal() and sequence.isdecimal()):
        return []
    return list(found.filter(year=int(year), sequence=int(sequence)))
