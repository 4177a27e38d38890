"""Our API prices beside those of genai-prices, rate by rate: what differs, what only one of the two has, what is not
compared and why. It only reads, and nothing follows from it by itself.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator.ledger import amount_of
from calculator.models import CatalogItem, PriceRow
from calculator.pricelist.inforce import RowKey, current_at
from calculator.pricelist.library import CONTEXT_OF, CURRENCY, SOLD, STANDARD, Found, found_for, items_of
from calculator.snapshots import WITHDRAWN, is_retired, snapshot

SAME, DIFFERS, ONLY_OURS, ONLY_THEIRS, NOT_COMPARED = "same", "differs", "only_ours", "only_theirs", "not_compared"
TOKEN_MODES = (STANDARD, *CONTEXT_OF)


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One rate. `percent` = theirs against ours, of which `our_price_varies` says that it has no amount; `reason` is
    why an item as a whole is not compared."""

    code: str
    provider: str
    verdict: str
    component: str = ""
    mode: str = ""
    context_over_tokens: int = 0
    currency: str = CURRENCY
    ours: Decimal | None = None
    theirs: Decimal | None = None
    percent: Decimal | None = None
    our_start: dt.datetime | None = None
    our_checked_on: dt.date | None = None
    our_origin: str = ""
    their_start: dt.datetime | None = None
    source_url: str = ""
    reason: str = ""
    our_price_varies: bool = False


def report(version: int, at: dt.datetime) -> tuple[Discrepancy, ...]:
    """Every rate of every API model and embedding of a version at an instant, in catalogue order."""
    known = snapshot(version)
    return tuple(line for item in items_of(version) for line in of_item(item, current_at(known, item, at), at))


def of_item(item: CatalogItem, standing: Mapping[RowKey, PriceRow], at: dt.datetime) -> Iterator[Discrepancy]:
    """The rates of one item."""
    found = Found(reason="retired") if is_retired(item, at) else found_for(item, at)
    if found.reason:
        yield Discrepancy(item.code, item.provider, NOT_COMPARED, source_url=found.source_url, reason=found.reason)
        return
    now = {offer.key: offer.amount for offer in found.offers if offer.valid_from is None}
    ours = {key: row for key, row in standing.items() if _is_compared(item, key) and row.kind != WITHDRAWN}
    for key in sorted({*now, *ours}):
        yield _line(item, key, ours.get(key), now.get(key), found)
    for offer in found.offers:
        if offer.valid_from is not None:
            before = amount_of(ours.get(offer.key))
            verdict = SAME if before == offer.amount else DIFFERS
            yield _told(item, offer.key, verdict, ours.get(offer.key), offer.amount, found, offer.valid_from)


def _is_compared(item: CatalogItem, key: RowKey) -> bool:
    return key[0] in SOLD[item.kind] and key[1] in TOKEN_MODES


def _line(item: CatalogItem, key: RowKey, row: PriceRow | None, theirs: Decimal | None, found: Found) -> Discrepancy:
    if row is None:
        return _told(item, key, ONLY_THEIRS, None, theirs, found)
    if theirs is None:
        return _told(item, key, ONLY_OURS, row, None, found)
    return _told(item, key, SAME if row.amount == theirs else DIFFERS, row, theirs, found)


def _told(
    item: CatalogItem,
    key: RowKey,
    verdict: str,
    row: PriceRow | None,
    theirs: Decimal | None,
    found: Found,
    their_start: dt.datetime | None = None,
) -> Discrepancy:
    component, mode, _region, context_over, _window, currency = key
    ours = amount_of(row)
    return Discrepancy(
        code=item.code,
        provider=item.provider,
        verdict=verdict,
        component=component,
        mode=mode,
        context_over_tokens=context_over,
        currency=currency,
        ours=ours,
        theirs=theirs,
        percent=(theirs - ours) / ours * 100 if ours and theirs is not None else None,
        our_start=row.valid_from if row else None,
        our_checked_on=row.checked_on if row else None,
        our_origin=row.origin if row else "",
        their_start=their_start,
        source_url=found.source_url,
        our_price_varies=row is not None and row.kind == PriceRow.Kind.VARIABLE,
    )


def counts(lines: Iterable[Discrepancy]) -> Mapping[str, int]:
    """How many lines of each verdict."""
    return Counter(line.verdict for line in lines)


def worth_a_look(lines: Iterable[Discrepancy]) -> tuple[Discrepancy, ...]:
    """The lines that a person should look at: all but those that agree."""
    return tuple(line for line in lines if line.verdict != SAME)
