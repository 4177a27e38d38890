"""Pages of the probes: asking for one, its lines, and carrying its figures over to the calculator."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks import (
    forecast,
    probeforecast,
    probeforms,
    probeorders,
    probepublishing,
    probing,
    publicationwords,
    publishing,
    queries,
    tasks,
)
from benchmarks.views import download, operators_only, published_or_operators, to_run

TEMPLATE = "benchmarks/probe_new.html"


@require_safe
@operators_only
def probe_new(request: HttpRequest) -> HttpResponse:
    """The form, filled with sensible values, and what these would take."""
    form = probeforms.ProbeForm(initial=probeforms.INITIAL)
    return render(request, TEMPLATE, {"form": form, "forecast": told(probeforms.ProbeForm(probeforms.INITIAL))})


def told(form: probeforms.ProbeForm) -> dict[str, Any]:
    """Time and cost of what a form asks for, in words; nothing for one that cannot be read."""
    return forecast.words(probeforecast.forecast_of(form.to_config())) if form.is_valid() else {}


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def probe_start(request: HttpRequest) -> HttpResponse:
    """Queue a probe and lead to its page; what cannot be read comes back with its sentence, and a question about time
    and cost with the answer."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("probe-new"))
    form = probeforms.ProbeForm(request.POST)
    if not form.is_valid():
        return render(request, TEMPLATE, {"form": form}, status=422)
    if "forecast" in request.POST:
        return render(request, TEMPLATE, {"form": form, "forecast": told(form)})
    run = probeorders.create_probe(form.to_config(), request.user.pk)
    if not probeorders.torch_is_served(run.queue):
        messages.warning(request, _("Aucun worker de cette file n’a de Python avec torch : réglez GPU_PYTHON."))
    tasks.submit(run)
    return to_run(run.code)


@require_safe
@published_or_operators
def probe_lines(request: HttpRequest, code: str) -> HttpResponse:
    """The lines that the probe wrote, as it wrote them; 404 where this host has none."""
    text = probing.lines_text(queries.run_view(code).run)
    if text is None:
        raise Http404(code)
    return download(text, "application/jsonl; charset=utf-8", f"probe-{code}.jsonl")


@require_POST
@operators_only
def probe_publish(request: HttpRequest, code: str) -> HttpResponse:
    """Carry the probe's figures over as measured roofs; a refusal is a sentence on the run's page."""
    try:
        probepublishing.publish(queries.run_id(code))
    except publishing.NotPublishableError as refusal:
        messages.error(request, publicationwords.refusal(refusal.code))
    else:
        messages.success(request, _("Plafonds publiés : les calculateurs les emploient pour cette offre."))
    return to_run(code)
