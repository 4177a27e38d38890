"""The advisor's page, its live result and its files."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from calculator import answers, exports, language, pagestate, state
from calculator.tool import Outcome
from calculator.views import VARY, needs_catalogue, wants_fragment
from sales.advising.tool import NAME, TOOL

PAGE = "sales/advice.html"


@require_safe
@needs_catalogue
@language.one_language()
@state.read_once()
def advice(request: HttpRequest) -> HttpResponse:
    """The form and its answer. A submitted form leads to its canonical link; htmx gets the result and its address."""
    if "form" not in request.GET:
        return shown(request, answers.from_link(TOOL, request.GET))
    outcome = answers.from_form(TOOL, request.GET)
    if outcome.answer is None or wants_fragment(request):
        return shown(request, outcome)
    return HttpResponseRedirect(pagestate.address(NAME, outcome.answer.query))


def shown(request: HttpRequest, outcome: Outcome) -> HttpResponse:
    """The whole page or, for htmx, its part; an input that cannot be read leaves the old result in place."""
    fragment = wants_fragment(request)
    context = {
        **pagestate.context(TOOL, outcome),
        **{"is_fragment": fragment, "is_live": fragment and "go" not in request.GET},
        **{"form_template": "sales/advice_form.html", "result_template": "sales/advice_result.html"},
        "exports": files(outcome),
    }
    if not fragment:
        response = render(request, PAGE, context)
    elif outcome.answer is None:
        response = render(request, f"{pagestate.TEMPLATE}#problems", context)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#problems", "innerHTML"
    else:
        response = render(request, f"{pagestate.TEMPLATE}#result", context)
        header = "HX-Push-Url" if "go" in request.GET else "HX-Replace-Url"
        response.headers[header] = context["permalink"]
    patch_vary_headers(response, VARY)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def files(outcome: Outcome) -> tuple[pagestate.ExportLink, ...]:
    """The advice as files."""
    if outcome.answer is None:
        return ()
    query = outcome.answer.query
    return tuple(
        pagestate.ExportLink(suffix, suffix.upper(), f"{reverse('advice-file', args=[suffix])}?{query}")
        for suffix in pagestate.SUFFIXES
    )


@require_safe
@needs_catalogue
def advice_file(request: HttpRequest, suffix: str) -> HttpResponse:
    """The same advice as a file; a link that cannot be answered leads to the page that says why."""
    outcome = answers.from_link(TOOL, request.GET)
    if outcome.answer is not None:
        permalink = request.build_absolute_uri(pagestate.address(NAME, outcome.answer.query))
        return exports.response(TOOL, outcome.answer, outcome, suffix, permalink)
    if suffix == "json":
        return exports.problems(outcome.problems)
    return HttpResponseRedirect(pagestate.address(NAME, request.GET.urlencode()))
