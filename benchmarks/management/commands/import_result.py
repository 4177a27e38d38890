"""`manage.py import_result FILE`: keep a result that vLLM bench serve, guidellm, aiperf or llama-bench measured."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from benchmarks import foreignwords, importing
from benchmarks.foreign import ForeignError
from benchmarks.foreign.reading import READ_BYTES


class Command(BaseCommand):
    """Prints the number of each run that was made of the file."""

    help = "Import a benchmark result of another tool (JSON)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tool-version", default="", help="the tool's version where the file does not say it")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            with path.open("rb") as file:
                raw = file.read(READ_BYTES)
            runs = importing.import_bytes(raw, path.name, None, options["tool_version"])
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except ForeignError as error:
            raise CommandError(foreignwords.sentence(error)) from error
        for run in runs:
            self.stdout.write(f"{run.code} {run.import_tool} {run.model_name}".strip())
