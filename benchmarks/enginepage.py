"""What the page of a run says of its engine: what the server counted, its arguments, and its log for operators."""

from typing import Any

from django.utils.translation import gettext as _

from benchmarks.models import BenchmarkRun
from calculator import formats


def context(run: BenchmarkRun, *, may_operate: bool) -> dict[str, Any]:
    return {
        "counters": counters(run),
        "engine_arguments": run.engine_arguments,
        "engine_log": run.engine_log if may_operate else "",
    }


def counters(run: BenchmarkRun) -> list[tuple[str, str]]:
    """Both sides' counts of the same requests, warm-up included; nothing where the server offers none."""
    if run.server_output_tokens is None:
        return []
    found = [(_("Tokens écrits"), both(run.server_output_tokens, run.client_output_tokens))]
    if run.server_prompt_tokens is not None:
        found.append((_("Tokens lus"), both(run.server_prompt_tokens, run.client_prompt_tokens)))
    if run.server_prefix_queries is not None:
        said = _("%(hits)s trouvés sur %(queries)s cherchés") % {
            "hits": formats.number(run.server_prefix_hits),
            "queries": formats.number(run.server_prefix_queries),
        }
        found.append((_("Cache de préfixes"), said))
    if run.server_preemptions_count is not None:
        found.append((_("Requêtes remises en attente"), formats.number(run.server_preemptions_count)))
    return found


def both(server: int | None, client: int | None) -> str:
    return _("%(server)s, client : %(client)s") % {
        "server": formats.number(server),
        "client": formats.number(client),
    }
