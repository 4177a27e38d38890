"""What the run templates get: every sentence, row and figure ready to print."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from benchmarks import (
    charts,
    details,
    enginepage,
    flagwords,
    foreignwords,
    latencypage,
    presenters,
    probepage,
    publishing,
    results,
    runlist,
    selfchecks,
    seriespage,
    wording,
)
from benchmarks.models import BenchmarkRun
from benchmarks.publishing import TEST_HOST_CODE
from benchmarks.queries import RunView
from calculator import formats

POLL_S = 2
POLL_LATER_S = 5
POLL_LATER_AFTER_S = 60


def list_context(found: runlist.Listing, may_operate: bool) -> dict[str, Any]:
    return {"rows": presenters.list_rows(list(found.page)), **runlist.context(found, may_operate)}


def template_of(view: RunView) -> str:
    """A probe has figures of its GPUs where a served run has steps: each has a page of its own."""
    return "benchmarks/probe.html" if view.run.kind == BenchmarkRun.Kind.PROBE else "benchmarks/run.html"


def run_context(view: RunView, *, may_operate: bool, may_approve: bool = False) -> dict[str, Any]:
    """Everything the page of one run shows; the live part or the result, never both."""
    run = view.run
    if run.kind == BenchmarkRun.Kind.PROBE:
        return probepage.context(view, may_operate=may_operate)
    common = {
        "run": run,
        "title": presenters.title(view),
        "live": view.live,
        "tag": wording.TAGS[run.status],
        "status": wording.status_word(run.status),
        "conditions": presenters.conditions(run),
        "trouble": wording.trouble(view),
        "may_operate": may_operate,
        "environment": results.environment(run) if run.started_at else [],
        "imported": foreignwords.facts(run) if run.import_tool else [],
        "definition": foreignwords.definition(run.import_definition),
        "target": results.target_facts(run, may_operate=may_operate),
        "flags": flagwords.flags(run),
        **enginepage.context(run, may_operate=may_operate),
    }
    series = seriespage.context(view, may_operate=may_operate, may_approve=may_approve)
    return common | series | (live_context(view) if view.live else result_context(view))


def live_context(view: RunView) -> dict[str, Any]:
    now = timezone.now()
    age_s = (now - view.run.created_at).total_seconds()
    return {
        "poll_s": POLL_S if age_s < POLL_LATER_AFTER_S else POLL_LATER_S,
        "percent": int(presenters.progress_ratio(view) * 100),
        "percent_text": formats.percent(presenters.progress_ratio(view)),
        "position": presenters.position_words(view),
        "elapsed": presenters.elapsed(view, now),
        "stages": presenters.stages(view),
        "log": presenters.log(view),
        "facts": presenters.now_facts(view),
        "live_rate": wording.tok_per_s(view.ticks[-1].tok_per_s) if view.ticks else "",
        "live_figure": charts.live_rate(view),
        "cancelling": view.run.cancel_requested_at is not None,
    }


def result_context(view: RunView) -> dict[str, Any]:
    run = view.run
    obstacle = publishing.obstacle(run)
    return details.context(view) | {
        "headline": results.headline(view),
        "stats": results.stats(view),
        "pace_rows": [] if run.import_tool else results.pace_rows(view),
        "goodput": results.goodput_words(view),
        "search_words": results.search_words(run),
        "rows": results.step_rows(view) if run.import_tool or any(step.measured_count for step in view.steps) else [],
        "errors": results.error_rows(view.errors),
        "figure": charts.rate_and_latency(view),
        "published": run.published_at is not None and run.withdrawn_at is None,
        "publishable": not obstacle and run.published_at is None and view.figures_count > 0,
        "ineligible": refusal(obstacle) if run.status == "succeeded" and obstacle else "",
        "self_checks": [] if run.import_tool else selfchecks.sentences(view.steps),
        "figures_count": view.figures_count,
        "calculator_href": published_href(run),
        "latency": latencypage.context(run),
    }


def published_href(run: BenchmarkRun) -> str:
    """Where what a run published is shown."""
    if run.target_url:
        return reverse("prices")
    return f"{reverse('economics')}?sku={run.sku_code or TEST_HOST_CODE}"


def refusal(code: str) -> str:
    """Why a run cannot be published, and what to do."""
    known = {
        "not_succeeded": _("Seule une mesure terminée se publie."),
        "withdrawn": _("Cette mesure a été retirée : lancez-en une nouvelle pour publier."),
        "no_rate": _("Aucun palier n’a de débit : il n’y a rien à publier."),
        "target": _(
            "Cette mesure porte sur un serveur extérieur : elle reste lisible ici, mais ne devient pas un débit du"
            " catalogue."
        ),
        "open_loop": _(
            "Cette mesure suit un rythme d’arrivée : elle n’a pas de nombre de flux, et ne devient pas un débit du"
            " catalogue. Mesurez en boucle fermée pour publier."
        ),
        "client_bound": _(
            "Le client de mesure a pris du retard : ces chiffres décrivent peut-être le client, pas le serveur. La"
            " mesure ne se publie pas ; relancez-la sur une machine moins chargée."
        ),
        "prefix_cache_warm": _(
            "Le cache de préfixes du serveur a répondu à une partie des prompts : la mesure ne se publie pas."
            " Relancez-la avec une graine nouvelle."
        ),
        "repeat": _("Une répétition se publie avec la première mesure de sa série."),
        "repeats_live": _("Toutes les répétitions de la série ne sont pas terminées : publiez quand elles le seront."),
        "imported": _(
            "Ce résultat vient d’un autre outil, avec ses propres définitions : il se compare ici, mais ne devient pas"
            " un débit du catalogue."
        ),
        "probe": _("Une sonde ne mesure pas un serveur : elle ne devient pas un débit du catalogue."),
        "gates": _(
            "Une condition de publication n’est pas remplie. Une personne habilitée peut publier par exception, avec"
            " une raison."
        ),
        "no_model": _("Le catalogue ne connaît pas le modèle mesuré : il n’y a pas de débit où l’inscrire."),
        "no_sku": _("Le catalogue ne contient pas « cette machine (CPU) » : chargez-le, puis publiez."),
    }
    return known.get(code) or flagwords.barred(code)
