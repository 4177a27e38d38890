"""The vLLM configuration of an inference answer as a resource of its own: a page, and for htmx what it holds.

A live answer is sent at every key pressed, and this is a fifth of it that few readers open: it leads here instead.
"""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from calculator import answers, pagestate
from calculator.views import VARY, needs_catalogue, open_calculator, wants_fragment

TARGET = "inference"
TEMPLATE = "calculator/deploy_page.html"


@require_safe
@needs_catalogue
def deploy(request: HttpRequest) -> HttpResponse:
    """The configuration of the link's answer; a link without one leads to the calculator, which says why."""
    tool = open_calculator(TARGET)
    found = answers.from_link(tool, request.GET).answer
    page = tool.page(found) if found else None
    if found is None or page is None or page.deploy is None:
        return HttpResponseRedirect(pagestate.address(TARGET, request.GET.urlencode()))
    context = {"deploy": page.deploy, "page": page, "back": pagestate.address(TARGET, found.query)}
    part = "#config" if wants_fragment(request) else ""
    response = render(request, f"{TEMPLATE}{part}", context)
    patch_vary_headers(response, VARY)
    patch_cache_control(response, private=True, no_cache=True)
    return response
