"""A compared file as its page shows it: what must be dealt with first, then every other change."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, decimals
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.models import UNIT_OF_COMPONENT, PriceRow, PriceUpload, PriceUploadLine
from calculator.presenters.labels import component_name
from calculator.pricing.rows import person, what_of

VERDICTS: Mapping[str, Text] = {
    "new": gettext_lazy("nouveau"),
    "changed": gettext_lazy("modifié"),
    "withdrawn": gettext_lazy("retiré"),
    "unchanged": gettext_lazy("inchangé"),
    "error": gettext_lazy("illisible"),
}
VERDICT_TAGS: Mapping[str, str] = {"new": "gpu", "changed": "good", "withdrawn": "idle", "error": "bad"}
# Components of the comparison that are not prices.
OTHER_THINGS: Mapping[str, Text] = {
    "item": gettext_lazy("article"),
    "sheet": gettext_lazy("fiche"),
    "rate": gettext_lazy("cours, pour 1 €"),
}
DASH = "–"


class Stat(NamedTuple):
    """One count above the tables."""

    word: str
    number: str
    is_bad: bool


class Row(NamedTuple):
    """One line of the file. `sentences` say what is odd or wrong about it."""

    line_no: str
    item: str
    what: str
    old: str
    new: str
    percent: str
    word: str
    tag: str
    css: str
    sentences: tuple[str, ...]
    start: str


class Head(NamedTuple):
    """What stands above the tables."""

    number: int
    name: str
    detail: str
    lead: str
    lead_rest: str
    stats: tuple[Stat, ...]


def stats(upload: PriceUpload) -> tuple[Stat, ...]:
    """The counts of the comparison; wrong and blocked lines only where there are some."""
    good = (
        (upload.new_count, ngettext("ligne nouvelle", "lignes nouvelles", upload.new_count)),
        (upload.changed_count, ngettext("modifiée", "modifiées", upload.changed_count)),
        (upload.withdrawn_count, ngettext("retirée", "retirées", upload.withdrawn_count)),
        (upload.unchanged_count, ngettext("inchangée", "inchangées", upload.unchanged_count)),
    )
    bad = (
        (upload.blocked_count, ngettext("bloquée", "bloquées", upload.blocked_count)),
        (upload.error_count, ngettext("illisible", "illisibles", upload.error_count)),
    )
    shown = [Stat(word, formats.number(count), is_bad=False) for count, word in good]
    return (*shown, *(Stat(word, formats.number(count), is_bad=True) for count, word in bad if count))


def head(upload: PriceUpload, says: tuple[str, str]) -> Head:
    """Number, name, who and when, compared with what; and the one sentence that matters."""
    parts = [
        upload.original_name,
        _("déposé le %(at)s par %(by)s")
        % {"at": formats.instant(upload.uploaded_at), "by": person(upload.uploaded_by)},
    ]
    if upload.base_version_id:
        parts.append(_("comparé à la liste n° %(number)s") % {"number": upload.base_version_id})
    if upload.encoding:
        parts.append(upload.encoding)
    if upload.decimal_mark:
        parts.append(_("virgule décimale") if upload.decimal_mark == "," else _("point décimal"))
    return Head(upload.pk, upload.original_name, " · ".join(parts), *says, stats(upload))


def amount(line: PriceUploadLine, value: Decimal | None) -> str:
    """An amount of the line; a rate has no currency sign of a price."""
    if value is None:
        return DASH
    if line.component == "rate":
        return f"{formats.number(value)} {line.currency}"
    return formats.money(value, line.currency, max(2, decimals(value))) if value else _("gratuit")


def percent(value: float | None) -> str:
    """The change with its sign; × above +1000 %, a dash where there is nothing to compare with."""
    if value is None:
        return DASH
    return formats.percent(Decimal(str(value)) / 100, 0 if abs(value) >= 10 else 1, signed=True)


def row(line: PriceUploadLine, sentences: Sequence[str]) -> Row:
    """One line with what is said of it."""
    is_bad = line.is_blocked or line.verdict == PriceUploadLine.Verdict.ERROR
    word, tag = str(VERDICTS[line.verdict]), VERDICT_TAGS.get(line.verdict, "idle")
    if line.is_blocked:
        word, tag = _("bloqué"), "bad"
    elif line.has_warning and not is_bad:
        word, tag = _("à vérifier"), "warn"
    return Row(
        line_no=formats.number(line.line_no) if line.line_no else DASH,
        item=line.item or line.raw[:80],
        what=_what(line),
        old=_old(line),
        new=_new(line),
        percent=percent(line.change_percent),
        word=word,
        tag=tag,
        css="rowbad" if is_bad else "rowwarn" if line.has_warning else "",
        sentences=tuple(sentences),
        start=_start(line),
    )


def _old(line: PriceUploadLine) -> str:
    varied = line.current_row is not None and line.current_row.kind == PriceRow.Kind.VARIABLE
    return _("prix variable") if varied else amount(line, line.old_amount)


def _new(line: PriceUploadLine) -> str:
    """What the line gives; a price that is written without an amount is one that varies."""
    verdict = PriceUploadLine.Verdict
    if line.verdict == verdict.WITHDRAWN:
        return _("retiré")
    is_written = line.component in UNIT_OF_COMPONENT and line.verdict in (verdict.NEW, verdict.CHANGED)
    return _("prix variable") if is_written and line.new_amount is None else amount(line, line.new_amount)


def _start(line: PriceUploadLine) -> str:
    """When a price begins, in Paris; a rate has a day and no hour."""
    if line.valid_from is None:
        return ""
    if line.component == "rate":
        return formats.date(line.valid_from.astimezone(dt.UTC).date())
    return _("%(at)s (Paris)") % {"at": formats.instant(line.valid_from)}


def _what(line: PriceUploadLine) -> str:
    if line.component in OTHER_THINGS:
        return str(OTHER_THINGS[line.component])
    return what_of(line.component, line.mode, line.context_over) if line.component else ""


def component(code: str) -> str:
    """A component in words, rates, items and data sheets included."""
    return str(OTHER_THINGS[code]) if code in OTHER_THINGS else component_name(code)


def error_cells(found: Iterable[tuple[PriceUploadLine, Sequence[str]]]) -> Iterable[list[str]]:
    """Lines that are wrong or blocked, as rows of a file for whoever corrects it."""
    for line, sentences in found:
        for said in sentences or ("",):
            yield [str(line.line_no), line.item, _what(line), said, line.raw]
