"""`manage.py fit_calibration`: fit the constants to published measurements; writes fixtures/calibration.json."""

import datetime as dt
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from calculator.accuracy import store
from calculator.accuracy.calibrate import ITERATIONS, document


class Command(BaseCommand):
    help = "Fits the efficiency constants to fixtures/measurements, without the held-out rows (minutes)."

    def add_arguments(self, parser: CommandParser) -> None:
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        parser.add_argument("--data", type=Path, default=fixtures / "measurements", help="folder of the CSV files")
        parser.add_argument("--output", type=Path, default=fixtures / "calibration.json")
        parser.add_argument("--iterations", type=int, default=ITERATIONS)

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["data"].is_dir():
            raise CommandError(f"{options['data']} is not a folder.")
        today = dt.datetime.now(dt.UTC).date()
        fixtures = Path(settings.BASE_DIR) / "fixtures"
        record = document(fixtures, options["data"], today, options["iterations"], self.stdout.write)
        store.write(options["output"], record)
        self.stdout.write(f"{options['output']}: {record['data_hash'][:12]}")
