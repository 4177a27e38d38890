"""The product's addresses, and the baseline for the live result: the same template, nothing to compute or look up."""

from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path

from calculator import answers, pagestate, registry
from vmcloud.urls import urlpatterns as product


@lru_cache(maxsize=1)
def rows() -> dict[str, Any]:
    """The context of the default answer, made once a process."""
    tool = registry.CALCULATORS[registry.ECONOMICS]
    return pagestate.context(tool, answers.from_link(tool, QueryDict("")))


def ready(request: HttpRequest) -> HttpResponse:
    return render(request, f"{pagestate.TEMPLATE}#result", rows())


urlpatterns = [path("bench/ready", ready), *product]
