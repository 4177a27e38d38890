"""`manage.py bench probe NAME`: one roof of a GPU, by the GPU's own Python; the processor, small, with --gpus 0."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from benchmarks import probeorders, tasks
from benchmarks.benchcommand import asking
from benchmarks.models import BenchmarkRun
from benchmarks.probeforms import INITIAL, ProbeForm
from benchmarks.probing import PROBES


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("probe", metavar="NAME", help=", ".join(PROBES))
    for name, field in ProbeForm.base_fields.items():
        if name != "probe":
            parser.add_argument(asking.option(name), dest=name, metavar="…", help=str(field.label).replace("%", "%%"))


def ask(options: dict[str, Any]) -> list[BenchmarkRun]:
    """The queued probe; refused where no live worker of its queue has a Python with torch."""
    form = ProbeForm(asking.data_of(ProbeForm, INITIAL, options))
    if not form.is_valid():
        raise asking.refusal(*asking.sentences(form))
    config = form.to_config()
    if probeorders.torch_is_missing(config):
        raise asking.refusal(_("Aucun worker de cette file n’a de Python avec torch\u00a0: réglez GPU_PYTHON."))
    run = probeorders.create_probe(config, None)
    tasks.submit(run)
    return [run]
