"""The outlook's page, its live result, and the same rows as files."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from calculator import answers, language, pagestate, state
from calculator.tool import Outcome
from calculator.views import file_of, needs_catalogue, part_shown, wants_fragment
from sales.outlook.notation import economics_query
from sales.outlook.tool import TOOL

TEMPLATE = "sales/outlook.html"


@require_safe
@needs_catalogue
@language.one_language()
@state.read_once()
def outlook(request: HttpRequest) -> HttpResponse:
    """A submitted form leads to its canonical link; htmx gets the result and its address."""
    if "form" not in request.GET:
        return shown(request, answers.from_link(TOOL, request.GET))
    outcome = answers.from_form(TOOL, request.GET)
    if outcome.answer is None or wants_fragment(request):
        return shown(request, outcome)
    return HttpResponseRedirect(pagestate.address(TOOL.name, outcome.answer.query))


def context(outcome: Outcome) -> dict[str, Any]:
    """What the templates read: that of a calculator, with this page's own files, and the way back."""
    found = pagestate.context(TOOL, outcome)
    scenario = outcome.answer.scenario if outcome.answer else outcome.form.base
    return {
        **found,
        "form_template": "sales/outlook_form.html",
        "result_template": "sales/outlook_result.html",
        "exports": export_links(found["query"]) if outcome.answer else (),
        "save_url": "",
        "economics_url": pagestate.address("economics", economics_query(scenario)),
    }


def export_links(query: str) -> tuple[pagestate.ExportLink, ...]:
    """The same outlook as files."""
    return tuple(
        pagestate.ExportLink(suffix, suffix.upper(), f"{reverse('outlook-export', args=[suffix])}?{query}")
        for suffix in pagestate.SUFFIXES
    )


def shown(request: HttpRequest, outcome: Outcome) -> HttpResponse:
    """The whole page or, for htmx, its #result."""
    return part_shown(request, TEMPLATE, context(outcome), outcome)


@require_safe
@needs_catalogue
def export(request: HttpRequest, suffix: str) -> HttpResponse:
    """The same outlook as a file."""
    return file_of(request, TOOL, suffix)
