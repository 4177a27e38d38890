"""Files of the price pages. What somebody uploaded goes back as bytes to keep, never as something that runs."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header

from calculator import catalog, formats
from calculator.exports import BYTE_ORDER_MARK, CSV_TYPE, XLSX_TYPE, guarded
from calculator.models import PriceUpload
from calculator.pricelist import writing
from calculator.pricelist.contract import FileKind

NAME_CHARACTERS = 120
NOT_IN_A_NAME = re.compile(r"[^\w .()+-]+")
SANDBOX = "default-src 'none'; sandbox"


def attached(content: bytes, content_type: str, name: str) -> HttpResponse:
    """A file to keep: a browser neither shows it, nor guesses what it is, nor runs anything in it."""
    headers = {
        "Content-Disposition": content_disposition_header(True, safe_name(name)) or "attachment",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": SANDBOX,
        "Cache-Control": "private, no-store",
    }
    return HttpResponse(content, content_type=content_type, headers=headers)


def original(upload: PriceUpload) -> HttpResponse:
    """The bytes as they came, whatever they are."""
    return attached(bytes(upload.content), "application/octet-stream", upload.original_name)


TYPES = {"csv": CSV_TYPE, "xlsx": XLSX_TYPE, "json": "application/json"}


def template(kind: str, suffix: str, *, french: bool) -> HttpResponse:
    """An empty file of a kind. Http404 for a kind or a format that there is none of."""
    known = _kind(kind, suffix)
    return attached(writing.template(known, suffix, french), TYPES[suffix], f"{kind}-template.{suffix}")


def current(kind: str, suffix: str, *, french: bool) -> HttpResponse:
    """The list in force as a file that can be uploaded again."""
    known, now = _kind(kind, suffix), timezone.now()
    number = catalog.latest_version()
    content = writing.catalogue(known, number, now, suffix, french)
    return attached(content, TYPES[suffix], f"{kind}-{number}.{suffix}")


def _kind(kind: str, suffix: str) -> FileKind:
    if kind not in set(FileKind) or suffix not in TYPES:
        raise Http404(f"{kind}.{suffix}")
    return FileKind(kind)


def safe_name(name: str) -> str:
    """A file name without folders, quotes or control characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return NOT_IN_A_NAME.sub("_", last).strip(". ")[-NAME_CHARACTERS:] or "file"


def table(header: Iterable[str], rows: Iterable[Iterable[str]], name: str) -> StreamingHttpResponse:
    """Rows as CSV in the reader's habit, sent as they are read; formulas are disarmed."""
    delimiter = ";" if formats.is_french() else ","
    response = StreamingHttpResponse(_lines(header, rows, delimiter), content_type=CSV_TYPE)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _lines(header: Iterable[str], rows: Iterable[Iterable[str]], delimiter: str) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    yield BYTE_ORDER_MARK
    for row in chain((header,), rows):
        writer.writerow([guarded(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
