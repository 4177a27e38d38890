"""`manage.py price_record [--json] [--private]`: the whole record of what people did to prices, the oldest first.

CSV unless JSON is asked for (one object a line), in English and UTC, formulas disarmed in CSV. Private prices are left
out unless they are asked for. It only reads, row by row.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from calculator.exports import guarded
from calculator.models import Audience, PriceEvent

EVENTS_AT_ONCE = 2_000
COLUMNS = (
    *("id", "at", "actor", "action", "audience", "version", "upload", "file", "sha256", "subject", "valid_from"),
    *("before", "after", "reason", "request_id"),
)


class Command(BaseCommand):
    help = "Writes the whole record of price changes to standard output, as CSV or as JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--private", action="store_true", help="private prices too")

    def handle(self, *args: Any, **options: Any) -> None:
        audiences = [Audience.PUBLIC, Audience.SALES] if options["private"] else [Audience.PUBLIC]
        if options["json"]:
            for row in rows(audiences):
                self.stdout.write(json.dumps(row, ensure_ascii=False))
            return
        self.stdout.write(line_of(COLUMNS), ending="")
        for row in rows(audiences):
            self.stdout.write(line_of(row.values()), ending="")


def line_of(values: Iterable[Any]) -> str:
    """One line of CSV."""
    buffer = io.StringIO()
    cells = ["" if value is None else guarded(str(value)) for value in values]
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


def rows(audiences: list[Audience]) -> Iterator[dict[str, Any]]:
    """Every event of some audiences with the names of person and file."""
    found = PriceEvent.objects.filter(audience__in=audiences).order_by("id").select_related("actor", "upload")
    for event in found.defer("upload__content").iterator(chunk_size=EVENTS_AT_ONCE):
        yield dict(zip(COLUMNS, values_of(event), strict=True))


def values_of(event: PriceEvent) -> tuple[Any, ...]:
    """One event in the order of COLUMNS."""
    return (
        event.pk,
        event.at.isoformat(),
        event.actor.get_username() if event.actor else None,
        event.action,
        event.audience,
        event.version_id,
        event.upload_id,
        event.upload.original_name if event.upload else None,
        event.upload.sha256 if event.upload else None,
        event.subject,
        event.valid_from.isoformat() if event.valid_from else None,
        event.before,
        event.after,
        event.reason,
        event.request_id,
    )
