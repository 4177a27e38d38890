"""The same answer as a file: CSV, a workbook, JSON. All of them hold unrounded numbers; rounding is for pages.

The CSV follows the language: `;` and a decimal comma in French, `,` and a dot in English. Text that a spreadsheet
would run as a formula gets an apostrophe in front, which `restored` takes away again; numbers stay numbers.
"""

import csv
import io
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from calculator import fields, formats
from calculator.document import document
from calculator.permalinks import Problem
from calculator.presenters.row import Row
from calculator.tool import Answer, Calculator, Notice, Outcome

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
GUARD = "'"
CSV_TYPE = "text/csv; charset=utf-8"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Excel reads UTF-8 only with this mark at the head of the file.
BYTE_ORDER_MARK = "\ufeff"
NOT_IN_SHEET_NAMES = re.compile(r"[\\/*?:\[\]]")
SHEET_NAME_CHARACTERS = 31
COLUMN_WIDTHS = (28, 46, 24, 26, 18, 60, 12)
Cell = Decimal | str


def guarded(text: str) -> str:
    """`text` as a spreadsheet shows it rather than runs it; text that begins with the guard gets it twice."""
    return f"{GUARD}{text}" if text.startswith((*FORMULA_STARTS, GUARD)) else text


def restored(text: str) -> str:
    """The text that `guarded` was given."""
    return text.removeprefix(GUARD)


def header(
    tool: Calculator, answer: Answer, permalink: str, notices: Iterable[Notice] = ()
) -> tuple[tuple[str, str], ...]:
    """What every file says of itself before its rows."""
    return (
        (_("Document"), str(tool.document_title)),
        (_("Établi le"), formats.instant(timezone.now())),
        (_("Prix du"), formats.instant(answer.scenario.at)),
        (_("Liste de prix"), str(answer.scenario.catalog_version)),
        (_("Lien"), permalink),
        (_("Prix"), _("hors taxes (HT) sauf mention TTC")),
        *((_("Remarque"), notice.text) for notice in notices),
    )


def columns() -> tuple[str, ...]:
    """The head of the rows."""
    return (_("Section"), _("Grandeur"), _("Valeur"), _("Unité"), _("Origine"), _("Source"), _("Date"))


def cells(row: Row) -> tuple[Cell, ...]:
    """One row; what is unknown is a word, never 0."""
    value: Cell = _("inconnu") if row.value is None else row.value
    day = row.date.isoformat() if row.date else ""
    return (row.section, row.label, value, row.unit, row.kind, row.source, day)


def csv_text(tool: Calculator, answer: Answer, permalink: str, notices: Iterable[Notice] = ()) -> str:
    """The answer as CSV in the active language."""
    return csv_of(header(tool, answer, permalink, notices), tool.rows(answer.estimate))


def csv_of(head: Iterable[tuple[str, str]], rows: Iterable[Row]) -> str:
    """A head and rows as CSV in the active language."""
    french = formats.babel_locale() == "fr_FR"
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if french else ",")
    writer.writerows([guarded(name), guarded(value)] for name, value in head)
    writer.writerow([])
    writer.writerow(columns())
    for row in rows:
        writer.writerow([csv_cell(cell, french) for cell in cells(row)])
    return BYTE_ORDER_MARK + out.getvalue()


def csv_cell(cell: Cell, french: bool) -> str:
    """One cell as text: numbers with the decimal mark of the language, words never as a formula."""
    if isinstance(cell, Decimal):
        return fields.plain(cell).replace(".", ",") if french else fields.plain(cell)
    return guarded(cell)


def workbook(tool: Calculator, answer: Answer, permalink: str, notices: Iterable[Notice] = ()) -> bytes:
    """The answer as an XLSX file; numbers are numbers, text is never a formula."""
    return workbook_of(str(tool.title), header(tool, answer, permalink, notices), tool.rows(answer.estimate))


def workbook_of(title: str, head: Iterable[tuple[str, str]], rows: Iterable[Row]) -> bytes:
    """A head and rows as an XLSX file."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(sheet_name(title))
    for letter, width in zip("ABCDEFG", COLUMN_WIDTHS, strict=True):
        sheet.column_dimensions[letter].width = width
    lines: list[Iterable[Cell]] = [*head, (), columns()]
    lines += [cells(row) for row in rows]
    for line in lines:
        sheet.append([_xlsx_cell(sheet, cell) for cell in line])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _xlsx_cell(sheet: Any, cell: Cell) -> Any:
    if isinstance(cell, Decimal):
        return WriteOnlyCell(sheet, value=float(cell))
    text = WriteOnlyCell(sheet, value=fields.UNPRINTABLE.sub(" ", cell))
    text.data_type = "s"
    return text


def response(tool: Calculator, answer: Answer, outcome: Outcome, suffix: str, permalink: str) -> HttpResponse:
    """The file with that suffix; `permalink` is the absolute address of the page that shows the same."""
    notices = outcome.notices
    if suffix == "json":
        found_data = document(tool, answer, permalink, outcome.defaults, notices)
        return JsonResponse(found_data, json_dumps_params={"ensure_ascii": False})
    content = _spreadsheet(tool, answer, suffix, permalink, notices)
    found = HttpResponse(content, content_type=CSV_TYPE if suffix == "csv" else XLSX_TYPE)
    found.headers["Content-Disposition"] = f'attachment; filename="{tool.file_stem(answer)}.{suffix}"'
    return found


def _spreadsheet(tool: Calculator, answer: Answer, suffix: str, permalink: str, notices: Iterable[Notice]) -> bytes:
    if suffix == "csv":
        return csv_text(tool, answer, permalink, notices).encode()
    return workbook(tool, answer, permalink, notices)


def sheet_name(title: str) -> str:
    """A title as a workbook takes it: no more than 31 characters, none of those that it refuses."""
    return NOT_IN_SHEET_NAMES.sub(" ", title)[:SHEET_NAME_CHARACTERS]


def problems(found: Iterable[Problem]) -> JsonResponse:
    """What a link cannot be answered for, as JSON with the status of a bad request."""
    listed = [{"key": problem.key, "message": problem.message} for problem in found]
    return JsonResponse({"errors": listed}, status=400, json_dumps_params={"ensure_ascii": False})
