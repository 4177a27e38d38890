"""The page of foresight: a calculator's scenario, and suppositions about tomorrow."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from calculator import answers, language, pagestate, registry
from calculator.views import needs_catalogue
from sales.foresight import page
from sales.foresight.forms import SUPPOSED, TomorrowForm


@require_safe
@needs_catalogue
@language.one_language()
def foresight(request: HttpRequest, name: str) -> HttpResponse:
    """What gives way first; a scenario that cannot be read leads to its calculator, which says why."""
    tool = registry.CALCULATORS[name]
    asked = request.GET.copy()
    for key in SUPPOSED[name]:
        asked.pop(key, None)
    outcome = answers.from_link(tool, asked)
    if outcome.answer is None:
        return HttpResponseRedirect(pagestate.address(name, asked.urlencode()))
    form = TomorrowForm(name, request.GET)
    context = {
        "calculator": tool,
        "form": form,
        "kept": [(key, value) for key, values in sorted(query_of(outcome.answer.query)) for value in values],
        "back": pagestate.address(name, outcome.answer.query),
        "summary": tool.sentence(outcome.answer.estimate),
        "page": page.told(name, outcome.answer, form.values()) if form.is_valid() else None,
    }
    response = render(request, "sales/foresight.html", context)
    patch_cache_control(response, private=True, no_cache=True)
    return response


def query_of(query: str) -> list[tuple[str, list[str]]]:
    """The canonical keys with their values, for the form that carries them along."""
    return list(QueryDict(query).lists())
