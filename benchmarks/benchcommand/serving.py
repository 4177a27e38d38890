"""`manage.py bench serving`: a measurement of an engine or of somebody's server, with the fields of the page's form."""

from typing import Any

from django.core.management.base import CommandParser

from benchmarks import series, tasks
from benchmarks.benchcommand import asking
from benchmarks.forms import INITIAL, RunForm
from benchmarks.models import BenchmarkRun


def add_arguments(parser: CommandParser) -> None:
    asking.add_fields(parser, RunForm)


def ask(options: dict[str, Any]) -> list[BenchmarkRun]:
    """The queued runs, one a repeat."""
    form = RunForm(asking.data_of(RunForm, INITIAL, options))
    if not form.is_valid():
        raise asking.refusal(*asking.sentences(form))
    runs = series.create(form.to_config(), None, int(form.cleaned_data.get("repeats") or 1))
    for run in runs:
        tasks.submit(run)
    return runs
