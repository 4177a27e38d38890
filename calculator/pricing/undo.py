"""Taking a list back, cancelling a planned price: what would happen, in rows; and our prices beside genai-prices."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from calculator import formats
from calculator.language import gettext as _
from calculator.models import Audience, CatalogVersion, PriceRow
from calculator.presenters import pricelist_discrepancies as told
from calculator.pricelist import discrepancies
from calculator.pricelist.discrepancies import DIFFERS, NOT_COMPARED, Discrepancy
from calculator.pricelist.rollback import RollbackPlan
from calculator.pricing.rows import amount_of, what_of

SHOWN_AT_MOST = 200


class Move(NamedTuple):
    """One price that taking a list back moves: from what to what."""

    code: str
    what: str
    now: str
    then: str


class Compared(NamedTuple):
    """One rate of ours beside the library's."""

    code: str
    what: str
    ours: str
    theirs: str
    percent: str
    word: str
    tag: str
    note: str
    href: str


def rollback_context(planned: RollbackPlan, audiences: Sequence[str]) -> dict[str, Any]:
    """What taking a list back would do; a private list shows nothing to people without the right."""
    is_hidden = planned.is_private and Audience.SALES not in audiences
    moves = [] if is_hidden else moves_of(planned)
    return {
        "version": planned.version,
        "is_hidden": is_hidden,
        "is_empty": planned.is_empty,
        "is_seed": planned.version.kind == CatalogVersion.Kind.SEED,
        "moves": moves[:SHOWN_AT_MOST],
        "more": max(len(moves) - SHOWN_AT_MOST, 0),
        "touched": () if is_hidden else planned.touched,
        "rates": formats.number(len(planned.rates_voided)),
        "items": formats.number(len(planned.items)),
    }


def moves_of(planned: RollbackPlan) -> list[Move]:
    """Prices in force that give way, planned ones that go, planned ones that come back."""
    gone = _("annulé")
    found = [_move(one.row, _amount(one.row), _amount(one.earlier)) for one in planned.restored]
    found += [_move(row, _planned(row), gone) for row in planned.voided]
    return found + [_move(row, gone, _planned(row)) for row in planned.planned_again]


def _move(row: PriceRow, now: str, then: str) -> Move:
    return Move(row.item.code, what_of(row.component, row.mode, row.context_over), now, then)


def _amount(row: PriceRow | None) -> str:
    return amount_of(row.kind, row.amount, row.currency) if row is not None else _("retiré de la vente")


def _planned(row: PriceRow) -> str:
    return _("%(amount)s à partir du %(start)s") % {
        "amount": _amount(row),
        "start": formats.instant(row.valid_from),
    }


def comparison_context(version: int, at: dt.datetime, verdict: str) -> dict[str, Any]:
    """Our rates beside the library's, those that differ first; `verdict` chooses."""
    found = discrepancies.report(version, at)
    counts = discrepancies.counts(found)
    asked = verdict if verdict in told.VERDICTS else DIFFERS
    return {
        "summary": told.summary(version, at, found),
        "doors": [
            (code, told.verdict_name(code), formats.number(counts[code]), code == asked) for code in told.VERDICTS
        ],
        "lines": [compared(line) for line in found if line.verdict == asked],
        "is_compared": asked != NOT_COMPARED,
    }


def compared(line: Discrepancy) -> Compared:
    """One rate in words."""
    parts = [told.reason_name(line.reason)]
    if line.their_start:
        parts.append(_("annoncé pour le %(day)s") % {"day": formats.date(line.their_start)})
    if line.our_checked_on:
        parts.append(_("vérifié le %(day)s") % {"day": formats.date(line.our_checked_on)})
    return Compared(
        code=line.code,
        what=told.rate_name(line) if line.component else line.provider,
        ours=told.amount(line.ours, line.currency) if line.component else "",
        theirs=told.amount(line.theirs, line.currency) if line.component else "",
        percent=formats.percent(line.percent / 100, 1, signed=True) if line.percent else "",
        word=told.verdict_name(line.verdict),
        tag="warn" if line.verdict == DIFFERS else "idle",
        note=", ".join(part for part in parts if part),
        href=line.source_url,
    )
