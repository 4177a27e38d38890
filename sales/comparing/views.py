"""The comparison's page and files."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from calculator import language, state
from calculator.views import needs_catalogue
from sales.comparing import files, links, shown
from sales.comparing.board import asked_of, board


@require_safe
@needs_catalogue
@language.one_language()
@state.read_once()
def compare(request: HttpRequest) -> HttpResponse:
    """The scenarios side by side; what was asked for leads to the link of the comparison that it makes."""
    acted = links.acted(request.GET)
    is_done = acted.left is None and not acted.unreadable
    if links.acts(request.GET) and is_done:
        return HttpResponseRedirect(shown.address(acted.columns))
    context = shown.context(board(acted.columns), acted, request.GET.get(links.PASTED, ""))
    response = render(request, "sales/compare.html", context)
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_safe
@needs_catalogue
@language.one_language()
@state.read_once()
def compare_file(request: HttpRequest, suffix: str) -> HttpResponse:
    """The same rows as a file."""
    found = board(links.read(request.GET))
    return files.response(found, suffix, request.build_absolute_uri(shown.address(asked_of(found))))
