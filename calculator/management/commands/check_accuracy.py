"""`manage.py check_accuracy`: predict every published measurement with the functions that the pages use."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from calculator.accuracy import record, store
from calculator.accuracy.causes import Missed, missed
from calculator.accuracy.report import Report, damaged, document, row_fields, rows, run, table


class Command(BaseCommand):
    help = "Compares the estimates with published measurements, by file, metric, engine class and precision."

    def add_arguments(self, parser: CommandParser) -> None:
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        parser.add_argument("--data", type=Path, default=fixtures / "measurements", help="folder of the CSV files")
        parser.add_argument("--json", type=Path, help="write the statistics to this file")
        parser.add_argument("--rows", type=Path, help="write every prediction to this CSV file")
        parser.add_argument(
            "--misses", type=Path, help="write every row beyond its limit, with the reason, to this CSV"
        )
        parser.add_argument("--write", action="store_true", help="write fixtures/accuracy.json for the Accuracy page")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["data"].is_dir():
            raise CommandError(f"{options['data']} is not a folder.")
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        try:
            calibration = store.read(fixtures / "calibration.json")
        except (OSError, KeyError, ValueError) as error:
            raise CommandError(f"No usable calibration ({error}); run fit_calibration first.") from error
        report = run(fixtures, options["data"], calibration)
        found = tuple(missed(record.checked(report, options["data"])))
        self.stdout.write(f"{table(report)}\n{by_cause(found)}")
        try:
            written(report, fixtures, options)
            if options["misses"]:
                write_misses(options["misses"], found)
        except OSError as error:
            raise CommandError(f"Not written: {error}") from error
        if lost := damaged(options["data"]):
            raise CommandError(f"Not read, for they are no CSV in UTF-8: {', '.join(lost)}.")


def by_cause(found: tuple[Missed, ...]) -> str:
    """How many rows miss, by file, metric and cause."""
    counts = Counter((one.row.result.file, one.row.result.metric, one.cause) for one in found)
    lines = [f"    {count:5} {' · '.join(key)}" for key, count in sorted(counts.items())]
    return "\n".join([f"Rows beyond their limit (the goal's p90): {len(found)}", *lines])


def write_misses(path: Path, found: tuple[Missed, ...]) -> None:
    """One line for each of them: where it stands, how far it is off, what is allowed, why."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["file", "line", "metric", "engine_class", "error", "limit", "cause", "not_stated"])
        for one in found:
            result = one.row.result
            place = (result.file, result.line, result.metric, result.engine_class)
            writer.writerow([*place, f"{one.error_ratio:.6g}", one.limit_ratio, one.cause, " ".join(one.unstated)])


def written(report: Report, fixtures: Path, options: dict[str, Any]) -> None:
    """The files that the options ask for. Raises OSError where one cannot be written."""
    if options["write"]:
        record.write(fixtures / record.FILE, report, options["data"])
    if options["json"]:
        text = json.dumps(document(report), indent=1, ensure_ascii=False)
        options["json"].write_text(text + "\n", encoding="utf-8")
    if options["rows"]:
        with options["rows"].open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, row_fields(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows(report))
