"""Pages of the runs. Reading is open to all; starting, cancelling and publishing need the operator's right."""

from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks import (
    exports,
    forms,
    newrunpage,
    pagestate,
    publicationwords,
    publishing,
    queries,
    runlist,
    series,
    services,
    tasks,
    workerpage,
)
from calculator import guards
from calculator.views import VARY, View, wants_fragment

OPERATE = "benchmarks.operate_benchmarks"
APPROVE = "benchmarks.approve_results"
REASON_CHARACTERS = 300


operators_only = guards.needs(
    lambda request: request.user.has_perm(OPERATE),
    "runs",
    gettext_lazy("Lancer, annuler et publier des mesures est réservé aux opérateurs."),
)


def published_or_operators(view: View) -> View:
    """What was published is for everybody; the rest is asked for by those who may start measurements."""
    words = gettext_lazy("Cette mesure n’est pas publiée : elle est réservée aux opérateurs.")
    hidden = guards.needs(lambda request: request.user.has_perm(OPERATE), "runs", words)(view)

    @wraps(view)
    def guarded(request: HttpRequest, code: str) -> HttpResponse:
        shown = request.user.has_perm(OPERATE) or not runlist.hidden(code)
        return view(request, code) if shown else hidden(request, code)

    return guarded


def to_run(code: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("run", args=[code]), status=303)


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """The runs that match the filters, a page at a time; without any, what a run is."""
    may_operate = request.user.has_perm(OPERATE)
    found = runlist.listing(request.GET.dict(), may_operate)
    return render(request, "benchmarks/runs.html", pagestate.list_context(found, may_operate))


@require_safe
@operators_only
def run_new(request: HttpRequest) -> HttpResponse:
    """The form, filled for an offer, with a vLLM configuration or sensible values, and what these would take."""
    filled = newrunpage.first(request.GET.get("sku", ""), request.GET.get("config", ""))
    return render(request, "benchmarks/run_new.html", filled)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def run_start(request: HttpRequest) -> HttpResponse:
    """Queue a series and lead to its first run; what cannot be read comes back with its sentence, and a question
    about time and cost with the answer.

    A refused form stands at this address: a reload and the other language then lead to a new one.
    """
    if request.method != "POST":
        return HttpResponseRedirect(reverse("run-new"))
    form = forms.RunForm(request.POST)
    if not form.is_valid():
        return render(request, "benchmarks/run_new.html", newrunpage.context(form), status=422)
    if "forecast" in request.POST:
        return render(request, "benchmarks/run_new.html", newrunpage.context(form) | newrunpage.told(form))
    runs = series.create(form.to_config(), request.user.pk, form.repeats_count())
    for run in runs:
        tasks.submit(run)
    return to_run(runs[0].code)


@require_safe
@operators_only
def workers(request: HttpRequest) -> HttpResponse:
    """The machines that measure, and the runs that wait for one."""
    return render(request, "benchmarks/workers.html", workerpage.context())


@require_safe
@published_or_operators
def run(request: HttpRequest, code: str) -> HttpResponse:
    """One run; htmx polls the #run part of it while the run lives."""
    view = queries.run_view(code)
    template = pagestate.template_of(view)
    fragment = wants_fragment(request)
    rights = {"may_operate": request.user.has_perm(OPERATE), "may_approve": request.user.has_perm(APPROVE)}
    context = pagestate.run_context(view, **rights)
    response = render(request, f"{template}#run" if fragment else template, {**context, "fragment": fragment})
    patch_vary_headers(response, VARY)
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_safe
@published_or_operators
def run_csv(request: HttpRequest, code: str) -> HttpResponse:
    """Every request of the run, one line each."""
    view = queries.run_view(code)
    text = exports.to_csv(view.run, queries.samples(view.run), french=get_language() == "fr")
    return download(text, "text/csv; charset=utf-8", f"run-{code}.csv")


@require_safe
@published_or_operators
def run_jsonl(request: HttpRequest, code: str) -> HttpResponse:
    """Every request of the run as raw data, one JSON object a line."""
    view = queries.run_view(code)
    return download(exports.to_jsonl(view.run, queries.samples(view.run)), "application/jsonl", f"run-{code}.jsonl")


@require_safe
@published_or_operators
def run_json(request: HttpRequest, code: str) -> HttpResponse:
    """The whole run as data."""
    view = queries.run_view(code)
    return download(exports.to_json(view, queries.samples(view.run)), "application/json", f"run-{code}.json")


def download(text: str, content_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=content_type, headers=headers)


@require_POST
@operators_only
def run_cancel(request: HttpRequest, code: str) -> HttpResponse:
    """Ask a live run to stop, or all of its series; for one that is over, say so."""
    cancel = series.cancel_all if "series" in request.POST else services.request_cancel
    if not cancel(queries.run_id(code)):
        messages.warning(request, _("Cette mesure était déjà terminée : rien n’a été annulé."))
    return to_run(code)


@require_POST
@operators_only
def run_publish(request: HttpRequest, code: str) -> HttpResponse:
    """Carry the run's rates over to the calculator; a refusal is a sentence on the run's page."""
    try:
        publishing.publish(queries.run_id(code), approval_of(request))
    except publishing.NotPublishableError as refusal:
        messages.error(request, publicationwords.refusal(refusal.code))
    else:
        messages.success(request, _("Mesure publiée : la page Économie l’emploie dès maintenant."))
    return to_run(code)


def approval_of(request: HttpRequest) -> publishing.Approval | None:
    """The reason given by somebody who may answer for a closed gate; None from anybody else, and without a reason."""
    reason = " ".join(request.POST.get("reason", "").replace("\x00", "").split())[:REASON_CHARACTERS]
    if not reason or not request.user.has_perm(APPROVE):
        return None
    return publishing.Approval(request.user.pk or 0, request.user.get_username(), reason)


@require_POST
@operators_only
def run_withdraw(request: HttpRequest, code: str) -> HttpResponse:
    """Take the run's rates out of the calculator."""
    if publishing.withdraw(queries.run_id(code)):
        messages.success(request, _("Mesure retirée : le calculateur ne l’emploie plus."))
    else:
        messages.warning(request, _("Cette mesure n’était pas publiée."))
    return to_run(code)
