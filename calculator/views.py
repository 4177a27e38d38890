"""Pages of the calculators: the form and its live result, the exports of the same scenario, saved estimates."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_http_methods, require_safe

from calculator import answers, catalog, exports, language, pagestate, registry, saved, savedfiles, state
from calculator.tool import Calculator, Outcome

logger = logging.getLogger(__name__)
View = Callable[..., HttpResponse]
VARY = ("HX-Request", "HX-History-Restore-Request")


def needs_catalogue(view: View) -> View:
    """The view, or a page that says what the catalogue lacks for it: everything, or one offer that the page is about
    (503: nothing can be answered yet)."""

    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, **kwargs)
        except catalog.NotFound as error:
            lacking = answers.absence(error.kind, error).message if error.code else ""
            return render(request, "calculator/empty.html", {"lacking": lacking}, status=503)

    return wrapped


@require_safe
@needs_catalogue
@language.one_language()
@state.read_once()
def calculator(request: HttpRequest, name: str) -> HttpResponse:
    """A calculator's page. A submitted form leads to its canonical link; htmx gets the result and its address."""
    tool = open_calculator(name)
    if "form" not in request.GET:
        return shown(request, tool, answers.from_link(tool, request.GET))
    outcome = answers.from_form(tool, request.GET)
    if outcome.answer is None or wants_fragment(request):
        return shown(request, tool, outcome)
    query = pagestate.with_carried(outcome.answer.query, pagestate.carried(request.GET))
    return HttpResponseRedirect(pagestate.address(tool.name, query))


def open_calculator(name: str) -> Calculator:
    """The calculator of that name; 404 where there is none."""
    if name not in registry.CALCULATORS:
        raise Http404(name)
    return registry.CALCULATORS[name]


def wants_fragment(request: HttpRequest) -> bool:
    """True for htmx's own requests; going back in history wants the whole page."""
    htmx = getattr(request, "htmx", None)
    return bool(htmx) and htmx is not None and not htmx.history_restore_request


def shown(request: HttpRequest, tool: Calculator, outcome: Outcome, status: int = 200) -> HttpResponse:
    """A calculator's whole page or, for htmx, its part."""
    context = pagestate.context(tool, outcome, pagestate.carried(request.GET))
    return part_shown(request, pagestate.TEMPLATE, context, outcome, status)


def part_shown(
    request: HttpRequest, page: str, context: dict[str, Any], outcome: Outcome, status: int = 200
) -> HttpResponse:
    """The whole `page` or, for htmx, its #result with the address `here`; an input that cannot be read leaves the old
    result in place. `page` is the calculators' template or one that extends it."""
    fragment = wants_fragment(request)
    # While someone types, nothing may take the focus from his field; once he submits, the errors do.
    values = {**context, "is_fragment": fragment, "is_live": fragment and "go" not in request.GET}
    if not fragment:
        response = render(request, page, values, status=status)
    elif outcome.answer is None:
        response = render(request, f"{pagestate.TEMPLATE}#problems", values)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#problems", "innerHTML"
    else:
        response = render(request, f"{pagestate.TEMPLATE}#result", values)
        response.headers["HX-Push-Url" if "go" in request.GET else "HX-Replace-Url"] = values["here"]
    patch_vary_headers(response, VARY)
    patch_cache_control(response, private=True, no_cache=True)
    return response


@require_safe
@needs_catalogue
def export(request: HttpRequest, name: str, suffix: str) -> HttpResponse:
    """The same scenario as a file."""
    return file_of(request, open_calculator(name), suffix)


def file_of(request: HttpRequest, tool: Calculator, suffix: str) -> HttpResponse:
    """The answer to a link as a file; one that cannot be answered leads to the page that says why."""
    outcome = answers.from_link(tool, request.GET)
    if outcome.answer is not None:
        permalink = request.build_absolute_uri(pagestate.address(tool.name, outcome.answer.query))
        return exports.response(tool, outcome.answer, outcome, suffix, permalink)
    if suffix == "json":
        return exports.problems(outcome.problems)
    return HttpResponseRedirect(pagestate.address(tool.name, request.GET.urlencode()))


@require_http_methods(["GET", "HEAD", "POST"])
@needs_catalogue
def save(request: HttpRequest, name: str) -> HttpResponse:
    """Keep the estimate of the posted link as it is now, and lead to its own address.

    A refused saving shows the page at this address: its links, a reload and the other language then lead to the page.
    """
    tool = open_calculator(name)
    if request.method != "POST":
        return HttpResponseRedirect(pagestate.address(tool.name, request.GET.urlencode()))
    outcome = answers.from_link(tool, QueryDict(request.POST.get("query", "")))
    if outcome.answer is None or any(notice.code == "unknown_keys" for notice in outcome.notices):
        return shown(request, tool, outcome, status=422)
    if saved.is_full(timezone.now()):
        return shown(request, tool, answers.too_many_saved(outcome), status=429)
    try:
        snapshot = saved.save(tool, outcome.answer)
    except OperationalError:
        logger.exception("An estimate could not be saved.")
        return shown(request, tool, answers.not_saved(outcome), status=503)
    return HttpResponseRedirect(reverse("estimate-saved", args=[snapshot.slug]), status=303)


@require_safe
def estimate_saved(request: HttpRequest, slug: str) -> HttpResponse:
    """A saved estimate as it was; asked to, today's beside it."""
    snapshot = saved.find(slug)
    if snapshot is None:
        raise Http404(slug)
    shown_again = saved.recalculated(snapshot) if "recalculate" in request.GET else saved.opened(snapshot)
    return render(request, "calculator/saved.html", {"saved": shown_again})


@require_safe
def estimate_file(request: HttpRequest, slug: str, suffix: str) -> HttpResponse:
    """The saved state as a file, as it was."""
    snapshot = saved.find(slug)
    if snapshot is None:
        raise Http404(slug)
    address = request.build_absolute_uri(reverse("estimate-saved", args=[slug]))
    return savedfiles.response(snapshot, saved.document_of(snapshot), suffix, address)


@require_safe
def coming(request: HttpRequest, name: str) -> HttpResponse:
    """The door of a calculator that is announced."""
    if name in registry.CALCULATORS:
        return HttpResponseRedirect(reverse(name))
    if name not in registry.DOORS:
        raise Http404(name)
    return render(request, "calculator/coming.html", {"door": registry.DOORS[name]})
