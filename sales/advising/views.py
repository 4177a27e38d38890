"""The advisor's page, its live result and its files."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from calculator import answers, language, pagestate, state
from calculator.tool import Outcome
from calculator.views import file_of, needs_catalogue, part_shown, wants_fragment
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
    """The whole page or, for htmx, its part."""
    context = {
        **pagestate.context(TOOL, outcome),
        **{"form_template": "sales/advice_form.html", "result_template": "sales/advice_result.html"},
        "exports": files(outcome),
    }
    return part_shown(request, PAGE, context, outcome)


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
    """The same advice as a file."""
    return file_of(request, TOOL, suffix)
