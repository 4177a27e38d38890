"""`manage.py fit_calibration`: fit the constants to published measurements; writes fixtures/calibration.json, and
beside it what the check then finds, accuracy.json."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from calculator.accuracy import record, store
from calculator.accuracy.calibrate import ITERATIONS, document, document_with_new_bands
from calculator.accuracy.report import run


class Command(BaseCommand):
    help = "Fits the efficiency constants to fixtures/measurements, without the held-out rows (minutes)."

    def add_arguments(self, parser: CommandParser) -> None:
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        parser.add_argument("--data", type=Path, default=fixtures / "measurements", help="folder of the CSV files")
        parser.add_argument("--output", type=Path, default=fixtures / "calibration.json")
        parser.add_argument("--bands-only", action="store_true", help="keep the constants, draw only the bands anew")
        parser.add_argument("--iterations", type=int, default=ITERATIONS)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["data"].is_dir():
            raise CommandError(f"{options['data']} is not a folder.")
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        fitted = self._redrawn(fixtures, options) if options["bands_only"] else self._fitted(fixtures, options)
        store.write(options["output"], fitted)
        report = run(fixtures, options["data"], store.read(options["output"]))
        record.write(options["output"].with_name(record.FILE), report, options["data"])
        self.stdout.write(f"{options['output']}: {fitted['data_hash'][:12]}")

    def _fitted(self, fixtures: Path, options: dict[str, Any]) -> dict[str, Any]:
        today = dt.datetime.now(dt.UTC).date()
        return document(fixtures, options["data"], today, options["iterations"], self.stdout.write)

    def _redrawn(self, fixtures: Path, options: dict[str, Any]) -> dict[str, Any]:
        try:
            record = json.loads(options["output"].read_text(encoding="utf-8"))
            return document_with_new_bands(fixtures, options["data"], record)
        except (OSError, KeyError, ValueError) as error:
            raise CommandError(f"{options['output']}: no bands drawn ({error}).") from error
