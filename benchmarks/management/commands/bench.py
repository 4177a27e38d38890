"""`manage.py bench serving|probe … [--wait] [--json]`: a measurement from a shell, with the names of the page's form.

Status 0: queued, or with --wait over and eligible. 1: a run over and not eligible, or nobody there to measure it.
2: refused. 3: the --deadline of the wait has passed, and the runs go on.
"""

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import override

from benchmarks import exports, queries
from benchmarks.benchcommand import asking, probe, serving, waiting
from benchmarks.models import BenchmarkRun

BRANCHES: Mapping[str, ModuleType] = {"serving": serving, "probe": probe}
LONGEST_S = 30 * 24 * 3600.0


def seconds(text: str) -> float:
    """A time to wait, above zero and at most 30 days; argparse makes a sentence of the error."""
    found = float(text)
    if not 0 < found <= LONGEST_S:
        raise ValueError(text)
    return found


class Command(BaseCommand):
    help = "Queues a measurement; --wait follows it and ends with 1 when it is not eligible."

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="branch", required=True, metavar="|".join(BRANCHES))
        for name, branch in BRANCHES.items():
            kind = kinds.add_parser(name, help=str(branch.__doc__).partition("\n")[0])
            kind.add_argument("--wait", action="store_true", help="follow the runs to their end, a line a second")
            kind.add_argument(
                "--deadline", type=seconds, metavar="SECONDS", help="with --wait: end with 3 when it takes longer"
            )
            kind.add_argument("--json", action="store_true", help="the run as JSON on stdout, all else on stderr")
            kind.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="fr")
            branch.add_arguments(kind)

    def handle(self, *args: Any, **options: Any) -> None:
        with override(options["lang"]):
            if options["deadline"] and not options["wait"]:
                raise asking.refusal(_("--deadline\u00a0: seulement avec --wait."))
            runs: list[BenchmarkRun] = BRANCHES[options["branch"]].ask(options)
            unserved = waiting.unserved(runs[0])
            self._say(unserved)
            status = 0
            if options["wait"]:
                status = waiting.NOT_ELIGIBLE if unserved else self._follow(runs, options["deadline"])
            self._show(runs, as_json=options["json"])
            if status:
                raise SystemExit(status)

    def _follow(self, runs: list[BenchmarkRun], deadline_s: float | None) -> int:
        """Tell what happens until all runs are over and what each found; the status that says how it ended."""
        wait = waiting.Wait(deadline_s)
        try:
            for run in runs:
                for line in waiting.lines(run, wait):
                    self._say(line)
        except waiting.GivenUpError as given_up:
            self._say(str(given_up))
            return given_up.status
        believed = [waiting.eligible(run) for run in runs]
        for line in (line for run in runs for line in waiting.verdict(run)):
            self._say(line)
        return 0 if all(believed) else waiting.NOT_ELIGIBLE

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
