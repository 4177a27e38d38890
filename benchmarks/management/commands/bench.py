"""`manage.py bench serving|probe … [--wait] [--json]`: a measurement from a shell, with the names of the page's form.

Status 0: queued, or with --wait over and eligible. 1: over and not eligible, or nobody there to measure. 2: refused.
"""

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import override

from benchmarks import exports, queries
from benchmarks.benchcommand import probe, serving, waiting
from benchmarks.models import BenchmarkRun

BRANCHES: Mapping[str, ModuleType] = {"serving": serving, "probe": probe}
NOT_ELIGIBLE = 1


class Command(BaseCommand):
    help = "Queues a measurement; --wait follows it and ends with 1 when it is not eligible."

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="branch", required=True, metavar="|".join(BRANCHES))
        for name, branch in BRANCHES.items():
            kind = kinds.add_parser(name, help=str(branch.__doc__).partition("\n")[0])
            kind.add_argument("--wait", action="store_true", help="follow the run to its end, a line a second")
            kind.add_argument("--json", action="store_true", help="the run as JSON on stdout, all else on stderr")
            kind.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")
            branch.add_arguments(kind)

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            runs: list[BenchmarkRun] = BRANCHES[options["branch"]].ask(options)
            unserved = waiting.unserved(runs[0])
            self._say(unserved)
            if options["wait"] and not unserved:
                self._follow(runs)
            self._show(runs, as_json=options["json"])
            if options["wait"] and not all(map(waiting.eligible, runs)):
                raise SystemExit(NOT_ELIGIBLE)

    def _follow(self, runs: list[BenchmarkRun]) -> None:
        for run in runs:
            for line in waiting.lines(run):
                self._say(line)
            for line in waiting.verdict(run):
                self._say(line)

    def _say(self, line: str) -> None:
        """On stderr, so that stdout holds the result alone."""
        if line:
            self.stderr.write(line, str)
            self.stderr.flush()

    def _show(self, runs: list[BenchmarkRun], *, as_json: bool) -> None:
        """The code of each run, or all of it as JSON: an object for one run, a list for several."""
        if not as_json:
            self.stdout.write("\n".join(run.code for run in runs))
            return
        found = [json.loads(exports.to_json(queries.run_view(run.code), queries.samples(run))) for run in runs]
        self.stdout.write(json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=1))
