"""Our prices beside genai-prices' as sentences and as data: for a page, a terminal and a script."""

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, decimals, plain
from calculator.language import gettext as _
from calculator.presenters.labels import component_name
from calculator.pricelist import discrepancies
from calculator.pricelist.discrepancies import DIFFERS, NOT_COMPARED, ONLY_OURS, ONLY_THEIRS, SAME, Discrepancy
from calculator.pricelist.library import LIBRARY, release

VERDICTS: Mapping[str, Text] = {
    SAME: gettext_lazy("identique"),
    DIFFERS: gettext_lazy("différent"),
    ONLY_OURS: gettext_lazy("chez nous seulement"),
    ONLY_THEIRS: gettext_lazy("dans la bibliothèque seulement"),
    NOT_COMPARED: gettext_lazy("non comparé"),
}
REASONS: Mapping[str, Text] = {
    "retired": gettext_lazy("modèle retiré"),
    "provider_unknown": gettext_lazy("fournisseur absent de la bibliothèque"),
    "model_unknown": gettext_lazy("modèle absent de la bibliothèque"),
    "other_model": gettext_lazy("la bibliothèque ne connaît ce nom que par une règle, pour un autre modèle"),
    "daily_window": gettext_lazy("le prix de la bibliothèque dépend de l’heure du jour"),
}


def verdict_name(verdict: str) -> str:
    """A verdict in words."""
    return str(VERDICTS[verdict])


def reason_name(reason: str) -> str:
    """Why a model is not compared, "" where it is."""
    return str(REASONS[reason]) if reason else ""


def amount(value: Decimal | None, currency: str) -> str:
    """An amount with all its digits; a word where there is none."""
    return _("aucun") if value is None else formats.money(value, currency, max(2, decimals(value)))


def rate_name(line: Discrepancy) -> str:
    """Which rate of the model: component, mode, context tier."""
    tier = f" > {formats.number(line.context_over_tokens)}" if line.context_over_tokens else ""
    return f"{component_name(line.component)}, {line.mode}{tier}"


def sentence(line: Discrepancy) -> str:
    """One line of the report."""
    if line.verdict == NOT_COMPARED:
        return formats.labelled(line.code, f"{verdict_name(line.verdict)} ({reason_name(line.reason)})")
    parts = [
        _("chez nous %(ours)s, %(library)s %(theirs)s")
        % {
            "ours": _("prix variable") if line.our_price_varies else amount(line.ours, line.currency),
            "library": LIBRARY,
            "theirs": amount(line.theirs, line.currency),
        }
    ]
    if line.percent is not None and line.percent:
        parts.append(formats.percent(line.percent / 100, 1, signed=True))
    if line.our_checked_on:
        parts.append(_("vérifié le %(day)s") % {"day": formats.date(line.our_checked_on)})
    if line.their_start:
        parts.append(_("annoncé pour le %(day)s") % {"day": formats.date(line.their_start)})
    return formats.labelled(f"{line.code}, {rate_name(line)}", ", ".join((verdict_name(line.verdict), *parts)))


def summary(version: int, at: dt.datetime, found: Iterable[Discrepancy]) -> str:
    """What was compared with what, and how many lines of each verdict."""
    counts = discrepancies.counts(found)
    head = _("Liste de prix n° %(version)s au %(at)s, %(library)s %(release)s") % {
        "version": version,
        "at": formats.instant(at),
        "library": LIBRARY,
        "release": release(),
    }
    return formats.labelled(head, ", ".join(f"{verdict_name(one)} {counts[one]}" for one in VERDICTS))


def document(
    version: int, at: dt.datetime, shown: Iterable[Discrepancy], found: Iterable[Discrepancy]
) -> dict[str, Any]:
    """The report as JSON; decimals are text."""
    return {
        "catalog_version": version,
        "at": at.isoformat(),
        "library": LIBRARY,
        "release": release(),
        "counts": dict(discrepancies.counts(found)),
        "rates": [_rate(line) for line in shown],
    }


def _rate(line: Discrepancy) -> dict[str, Any]:
    return {
        "model": line.code,
        "provider": line.provider,
        "verdict": line.verdict,
        "component": line.component,
        "mode": line.mode,
        "context_over_tokens": line.context_over_tokens,
        "currency": line.currency,
        "ours": None if line.ours is None else plain(line.ours),
        "our_price_varies": line.our_price_varies,
        "theirs": None if line.theirs is None else plain(line.theirs),
        "our_start": line.our_start.isoformat() if line.our_start else None,
        "our_checked_on": line.our_checked_on.isoformat() if line.our_checked_on else None,
        "our_origin": line.our_origin,
        "their_start": line.their_start.isoformat() if line.their_start else None,
        "source_url": line.source_url,
        "reason": line.reason,
    }
