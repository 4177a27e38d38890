"""The comparison as a file: the same rows as the page, unrounded."""

import csv
import datetime as dt
import io
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from calculator import exports, formats
from calculator.document import ROUNDING, scenario_values
from calculator.jsonable import data
from sales.comparing.board import Board, Column, Line, name_of
from sales.comparing.quantities import Raw

SCHEMA = 1
STEM = "vmcloud-comparison"


def csv_text(shown: Board, permalink: str) -> str:
    """The comparison as CSV in the active language."""
    french = formats.is_french()
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if french else ",")
    for cells in (*_about(shown, permalink), [], _heads(shown)):
        writer.writerow([exports.guarded(str(cell)) for cell in cells])
    for section, lines in ((_("Saisies"), shown.inputs), (_("Résultats"), shown.results)):
        for line in lines:
            writer.writerow([exports.csv_cell(cell, french) for cell in _cells(section, line)])
    return exports.BYTE_ORDER_MARK + out.getvalue()


def _about(shown: Board, permalink: str) -> Iterable[list[str]]:
    yield [_("Document"), _("VMCloud calculator, comparaison de scénarios")]
    yield [_("Établi le"), formats.instant(timezone.now())]
    yield [_("Lien"), permalink]
    for column in shown.columns:
        said = "; ".join(column.problems) or column.asked.text
        yield [_("Scénario %(letter)s") % {"letter": column.letter.upper()}, name_of(column), said]


def _heads(shown: Board) -> list[str]:
    letters = [column.letter.upper() for column in shown.columns]
    return [_("Section"), _("Grandeur"), _("Unité"), *letters, _("Diffère"), _("Meilleur")]


def _cells(section: str, line: Line) -> list[exports.Cell]:
    best = ", ".join("ABCD"[place] for place in sorted(line.best))
    return [section, line.label, line.unit, *map(_cell, line.values), _("oui") if line.differs else "", best]


def _cell(value: Raw) -> exports.Cell:
    if value is None:
        return _("inconnu")
    return _("sans objet") if value == "" else value  # type: ignore[return-value]


def document(shown: Board, permalink: str) -> dict[str, Any]:
    """The comparison as data: decimals are strings, unknown is null, what does not apply is absent."""
    return {
        "schema": SCHEMA,
        "created_at": timezone.now().astimezone(dt.UTC).isoformat(timespec="seconds"),
        "permalink": permalink,
        "rounding": ROUNDING,
        "is_mixed": shown.is_mixed,
        "same_work": shown.same_work,
        "columns": [_column(column) for column in shown.columns],
        "inputs": [_line(line, shown) for line in shown.inputs],
        "results": [_line(line, shown) for line in shown.results],
    }


def _column(column: Column) -> dict[str, Any]:
    return {
        "letter": column.letter,
        "name": name_of(column),
        "calculator": column.asked.calculator,
        "query": column.asked.query,
        "problems": list(column.problems),
        "scenario": scenario_values(column.answer) if column.answer else None,
    }


def _line(line: Line, shown: Board) -> dict[str, Any]:
    letters = [column.letter for column in shown.columns]
    values = {letter: data(value) for letter, value in zip(letters, line.values, strict=True) if value != ""}
    best = [letters[place] for place in sorted(line.best)]
    return {
        "code": line.code,
        "label": line.label,
        "unit": line.unit,
        "values": values,
        "differs": line.differs,
        "best": best,
    }


def response(shown: Board, suffix: str, permalink: str) -> HttpResponse:
    """The file with that suffix."""
    if suffix == "json":
        return JsonResponse(document(shown, permalink), json_dumps_params={"ensure_ascii": False})
    found = HttpResponse(csv_text(shown, permalink).encode(), content_type=exports.CSV_TYPE)
    found.headers["Content-Disposition"] = f'attachment; filename="{STEM}.csv"'
    return found
