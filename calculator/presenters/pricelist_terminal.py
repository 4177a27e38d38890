"""A compared price file for a terminal and for scripts: the same facts as lines of text and as JSON."""

import datetime as dt
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, decimals, plain
from calculator.language import gettext as _
from calculator.listing.history import MODE_NAMES
from calculator.presenters import pricelist, pricelist_guards
from calculator.presenters.labels import component_name
from calculator.pricelist.contract import ParsedFile
from calculator.pricelist.guards import Guard
from calculator.pricelist.plan import Diff, Entry, Verdict

WORDS: Mapping[str, Text] = {
    Verdict.NEW: gettext_lazy("nouveau"),
    Verdict.CHANGED: gettext_lazy("modifié"),
    Verdict.WITHDRAWN: gettext_lazy("retiré"),
    Verdict.UNCHANGED: gettext_lazy("inchangé"),
    Verdict.ERROR: gettext_lazy("erreur"),
}
OUTCOMES: Mapping[str, Text] = {
    "would_apply": gettext_lazy("Rien n’est écrit. Ce fichier peut être appliqué tel quel."),
    "would_need_second_person": gettext_lazy(
        "Rien n’est écrit. Des lignes sont bloquées\u00a0: il faudra l’accord d’une deuxième personne."
    ),
    "nothing_to_change": gettext_lazy("0 changement\u00a0: le catalogue dit déjà la même chose."),
    "errors": gettext_lazy("Rien n’est appliqué\u00a0: corrigez ces lignes et recommencez."),
    "waiting": gettext_lazy(
        "Le fichier est reçu (n° %(upload)s) et attend l’accord d’une deuxième personne\u00a0: rien n’est appliqué."
    ),
    "applied": gettext_lazy("Appliqué\u00a0: liste de prix n° %(version)s."),
    "refused": gettext_lazy("Rien n’est appliqué."),
}


def outcome(code: str, **values: int) -> str:
    """What became of the file."""
    return str(OUTCOMES[code]) % values


def read_as(file: ParsedFile) -> str:
    """How the file was read: kind, format, encoding, delimiter, decimal mark."""
    marks = {",": _("virgule décimale"), ".": _("point décimal"), "": ""}
    shown = {"\t": "TAB"}.get(file.delimiter, file.delimiter)
    parts = (file.kind.value, file.format.value, file.encoding, shown, marks[file.decimal_mark])
    return " · ".join(part for part in parts if part)


def counted(diff: Diff) -> str:
    """How many lines of each verdict."""
    return ", ".join(f"{WORDS[verdict]} {diff.counts.get(verdict.value, 0)}" for verdict in Verdict)


KIND_WORDS: Mapping[str, Text] = {
    "free": gettext_lazy("gratuit"),
    "variable": gettext_lazy("prix variable"),
    "withdrawn": gettext_lazy("retiré"),
}


def _amount(entry: Entry, value: Decimal | None, kind: str) -> str:
    if kind in KIND_WORDS:
        return str(KIND_WORDS[kind])
    if value is None:
        return "–"
    if entry.component == "rate":
        return f"{formats.number(value)} {entry.item}"
    return formats.money(value, entry.currency or "EUR", max(2, decimals(value)))


def change(entry: Entry) -> str:
    """One change: what, from which amount to which, in percent, from when."""
    mode = str(MODE_NAMES.get(entry.mode, entry.mode))
    what = " ".join(part for part in (entry.item, component_name(entry.component), mode) if part)
    if entry.context_over:
        what += f" > {formats.number(entry.context_over)}"
    values = f"{_amount(entry, entry.old, entry.old_kind)} → {_amount(entry, entry.new, entry.new_kind)}"
    if entry.component in ("item", "sheet"):
        values = f"{entry.before} → {entry.after}".strip(" →") if entry.before or entry.after else ""
    moved = "" if entry.percent is None else f" ({formats.percent(entry.percent / 100, 1, signed=True)})"
    return f"{entry.line_no:>6}  {WORDS[entry.verdict]}  {what}  {values}{moved}{_start(entry)}"


def _start(entry: Entry) -> str:
    """When it begins, in Paris; a rate has a day and no hour."""
    if entry.valid_from is None:
        return ""
    if entry.component == "rate":
        return f", {formats.date(entry.valid_from.astimezone(dt.UTC).date())}"
    return f", {formats.instant(entry.valid_from)} (Paris)"


def old_rate(day: dt.date) -> str:
    """What a shell says where a page asks for a tick: the exchange rate is old."""
    return _("Le cours de change, du %(day)s, est ancien\u00a0: déposez le plus récent.") % {"day": formats.date(day)}


def old_rate_asks(day: dt.date) -> str:
    """The same where the file would be applied: it is not, until that is accepted."""
    told = _("Rien n’est appliqué\u00a0: relancez avec --accept-old-rate pour appliquer quand même.")
    return f"{old_rate(day)} {told}"


def lines(file: ParsedFile, diff: Diff, guards: tuple[Guard, ...]) -> Iterator[str]:
    """Everything that there is to say: how it was read, what changes, what is odd, what is wrong."""
    yield read_as(file)
    yield counted(diff)
    yield from (change(entry) for entry in diff.entries if entry.writes or entry.voids)
    for guard in guards:
        where = _("ligne %(line)s") % {"line": guard.line_no}
        yield formats.labelled(f"{pricelist_guards.level_name(guard.level)}, {where}", pricelist_guards.sentence(guard))
    yield from pricelist.sentences(diff.problems)


def document(file: ParsedFile, diff: Diff, guards: tuple[Guard, ...]) -> dict[str, Any]:
    """The same as JSON; decimals are text."""
    return {
        "kind": file.kind.value,
        "format": file.format.value,
        "encoding": file.encoding,
        "delimiter": file.delimiter,
        "decimal_mark": file.decimal_mark,
        "rows": file.rows_count,
        "base_version": diff.version,
        "counts": {verdict.value: diff.counts.get(verdict.value, 0) for verdict in Verdict},
        "changes": [_change(entry) for entry in diff.entries if entry.writes or entry.voids],
        "guards": [
            {
                "line": guard.line_no,
                "code": guard.code,
                "level": guard.level.value,
                "message": pricelist_guards.sentence(guard),
            }
            for guard in guards
        ],
        "problems": [
            {
                "line": problem.line_no,
                "column": problem.column,
                "code": problem.code,
                "severity": problem.severity.value,
                "message": pricelist.sentence(problem),
            }
            for problem in diff.problems
        ],
    }


def _change(entry: Entry) -> dict[str, Any]:
    return {
        "line": entry.line_no,
        "verdict": entry.verdict.value,
        "item": entry.item,
        "component": entry.component,
        "mode": entry.mode,
        "context_over_tokens": entry.context_over,
        "currency": entry.currency,
        "unit": entry.unit,
        "old": None if entry.old is None else plain(entry.old),
        "new": None if entry.new is None else plain(entry.new),
        "old_kind": entry.old_kind,
        "new_kind": entry.new_kind,
        "percent": entry.percent,
        "valid_from": entry.valid_from.isoformat() if entry.valid_from else None,
        "before": entry.before,
        "after": entry.after,
    }
