"""What customers would see of a file: verdicts, break-evens and saved estimates that move, with numbers."""

import datetime as dt
from decimal import Decimal
from typing import NamedTuple

from django.core.cache import cache

from calculator import formats, registry
from calculator.domain.scenario import BreakEven, Outcome, Verdict
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.models import PriceUpload
from calculator.pricelist import publish
from calculator.pricelist.contract import PriceFileError
from calculator.pricelist.effects import Effects, NumberMove, SavedMove, VerdictMove, effects_of
from calculator.pricelist.refusals import Refused
from calculator.pricing import comparing

CASES_SHOWN = 24
KEPT_S = 600
MOST_CHANGES = 20_000
"""Lines that change something and are still read again for a page: a few seconds."""
CSS = {Verdict.GPU: "win", Verdict.API: "lose", Verdict.EQUIVALENT: "tie", Verdict.UNKNOWN: "note"}


class Case(NamedTuple):
    """One case against one API, before and after."""

    case: str
    api: str
    api_before: str
    api_after: str
    gpu_before: str
    gpu_after: str
    sign: str
    verdict: str
    was: str
    turns: bool


class Saved(NamedTuple):
    """A saved estimate that would come out otherwise."""

    slug: str
    name: str
    at: str
    numbers: tuple[str, ...]


class Impact(NamedTuple):
    """The section of the page. `turned` counts verdicts that change sides."""

    note: str
    turned: str
    rows: tuple[Case, ...]
    saved: tuple[Saved, ...]


def is_shown(upload: PriceUpload) -> bool:
    """Whether there is something to compute: a compared file that is not decided yet."""
    return upload.status == PriceUpload.Status.VALIDATED


def is_too_large(upload: PriceUpload) -> bool:
    """Whether a file changes so much that a page could not wait for what customers would see."""
    return upload.new_count + upload.changed_count + upload.withdrawn_count > MOST_CHANGES


def too_large() -> str:
    """Why nothing is computed, and what to do."""
    said = _(
        "Au-delà de %(most)s changements, ce que verront les clients n’est pas calculé\u00a0: "
        "déposez d’abord, à part, les articles des cas types."
    )
    return said % {"most": formats.number(MOST_CHANGES)}


def is_quick(upload: PriceUpload) -> bool:
    """Whether it is computed before the answer; a larger file is read again for it, so its page asks later."""
    return is_too_large(upload) or not comparing.is_large(upload) or _key(upload) in cache


def impact(upload: PriceUpload) -> Impact | None:
    """What would move, from memory where it was computed of late; None where nothing can be said."""
    found: Effects | None = cache.get(_key(upload))
    if found is None and is_too_large(upload):
        return Impact(too_large(), "", (), ())
    if found is None:
        try:
            found = effects_of(publish.preview(upload).diff)
        except (Refused, PriceFileError):
            return None
        cache.set(_key(upload), found, KEPT_S)
    return shown(found)


def _key(upload: PriceUpload) -> str:
    return f"impact-{upload.pk}-{upload.base_version_id}-{upload.diff_hash}"


def shown(found: Effects) -> Impact:
    """Cases whose verdict turns first, then the others."""
    ordered = sorted(found.verdicts, key=lambda move: not move.turns)
    turned = len(found.turned)
    told = ngettext("%(count)s verdict change.", "%(count)s verdicts changent.", turned)
    return Impact(
        note=_note(found, len(ordered)),
        turned=told % {"count": formats.number(turned)} if turned else "",
        rows=tuple(_case(move) for move in ordered[:CASES_SHOWN]),
        saved=tuple(_saved(move) for move in found.saved),
    )


def _note(found: Effects, count: int) -> str:
    """What was computed, and how much of it is shown."""
    parts = [
        _("Cas types recalculés au %(at)s par le calcul de la page Économie, en € HT par mois.")
        % {"at": formats.instant(found.at)}
    ]
    if not found.verdicts and not found.saved:
        parts.append(_("Aucun verdict, aucun seuil et aucune estimation enregistrée ne bouge."))
    if count > CASES_SHOWN:
        parts.append(_("%(count)s autres cas bougent aussi.") % {"count": formats.number(count - CASES_SHOWN)})
    if found.saved_concerned > found.saved_looked_at:
        parts.append(
            _("Estimations enregistrées : les %(seen)s dernières sur %(all)s.")
            % {"seen": formats.number(found.saved_looked_at), "all": formats.number(found.saved_concerned)}
        )
    return " ".join(parts)


def _case(move: VerdictMove) -> Case:
    before, after = verdict(move.before), verdict(move.after)
    break_evens = tuple(threshold(one) for one in move.break_even)
    same = _("inchangé") if break_evens[0] == break_evens[1] else ""
    told = _("avant : %(verdict)s") % {"verdict": before} if move.turns else same
    if break_evens[0] != break_evens[1]:
        change = _("seuil : %(before)s → %(after)s") % {"before": break_evens[0], "after": break_evens[1]}
        told = ", ".join(part for part in (told, change) if part)
    return Case(
        case=_title(move),
        api=move.api,
        api_before=_money(move.api_eur[0]),
        api_after=_money(move.api_eur[1]),
        gpu_before=_money(move.gpu_eur[0]),
        gpu_after=_money(move.gpu_eur[1]),
        sign=CSS[move.after],
        verdict=after,
        was=told,
        turns=move.turns,
    )


def _title(move: VerdictMove) -> str:
    presets = {preset.code: str(preset.title) for preset in registry.CALCULATORS["economics"].presets}
    return f"{presets[move.preset]}, {move.sku}" if move.preset else move.sku


def verdict(kind: Verdict) -> str:
    """Who is cheaper, in words."""
    return {
        Verdict.GPU: _("GPU moins cher"),
        Verdict.API: _("API moins chère"),
        Verdict.EQUIVALENT: _("équivalent"),
        Verdict.UNKNOWN: _("inconnu"),
    }[kind]


def threshold(found: BreakEven) -> str:
    """From which monthly volume the GPU costs less."""
    if found.outcome is Outcome.NEVER:
        return _("jamais")
    if found.outcome is Outcome.ALWAYS:
        return _("toujours")
    if not found.intervals:
        return _("inconnu")
    return formats.tokens(found.intervals[0].start_tokens, digits=3)


def _money(value: Decimal | None) -> str:
    return formats.money(value)


def _saved(move: SavedMove) -> Saved:
    tool = registry.CALCULATORS[move.calculator]
    return Saved(move.slug, str(tool.title), _day(move.saved_at), tuple(_number(one) for one in move.numbers))


def _day(at: dt.datetime) -> str:
    return formats.date(at)


def _number(one: NumberMove) -> str:
    return f"{formats.labelled(one.label, _value(one.before))} → {_value(one.after)} {one.unit}".strip()


def _value(value: Decimal | str | None) -> str:
    return formats.number(formats.significant(value, 4)) if isinstance(value, Decimal) else value or _("inconnu")
