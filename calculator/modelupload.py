"""A visitor's config.json: read within the request, turned into the inference page's link, and kept nowhere."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from calculator import fields, modelconfig, pagestate, permalinks
from calculator.modelconfig import ModelConfigError
from calculator.permalinks.inference import PRECISION_CODES
from calculator.presenters import count_problems
from calculator.presenters import modelconfig as words
from calculator.tool import Calculator
from calculator.uploads import announced_bytes, is_length_unsaid
from calculator.views import needs_catalogue, open_calculator

TARGET = "inference"
ENVELOPE_BYTES = 200_000
"""What a posted form holds beside the file: names, the link of the page, the token."""
BODY_LIMIT_BYTES = modelconfig.LIMIT_BYTES + ENVELOPE_BYTES


@dataclass(frozen=True, slots=True)
class Upload:
    """What was sent, kept for the page that says why it gives no model."""

    query: str = ""
    text: str = ""
    name: str = ""
    error: str = ""


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@needs_catalogue
def model_config(request: HttpRequest) -> HttpResponse:
    """The form for a config.json, and what becomes of one. A body that is announced too large is not read at all,
    not even for its token, which the inner view checks."""
    tool = open_calculator(TARGET)
    if request.method != "POST":
        return shown(request, Upload(query=request.GET.urlencode()))
    if is_length_unsaid(request):
        return shown(request, Upload(error=count_problems.without_length()), status=411)
    if announced_bytes(request) > BODY_LIMIT_BYTES:
        return shown(request, Upload(error=words.sentence(too_big())), status=413)
    return received(request, tool)


@csrf_protect
def received(request: HttpRequest, tool: Calculator) -> HttpResponse:
    """303 to the link that carries the model's dimensions, or the form again with the reason."""
    sent = request.FILES.get("file")
    upload = Upload(
        query=request.POST.get("query", ""), text=request.POST.get("config", ""), name=request.POST.get("name", "")
    )
    try:
        model = modelconfig.read(sent.read() if sent else upload.text, upload.name)
        link = link_of(tool, upload.query, modelconfig.typed(model), modelconfig.precision_code(model))
    except ModelConfigError as error:
        return shown(request, replace(upload, error=words.sentence(error)), status=422)
    return HttpResponseRedirect(pagestate.address(TARGET, link), status=303)


def shown(request: HttpRequest, upload: Upload, status: int = 200) -> HttpResponse:
    """The form on a page of its own, never kept by anyone: it may show what the visitor sent."""
    context = {"upload": upload, "query": upload.query, "back": pagestate.address(TARGET, upload.query)}
    response = render(request, "calculator/inference_model.html", context, status=status)
    patch_cache_control(response, private=True, no_store=True)
    return response


def too_big() -> ModelConfigError:
    """The refusal of a body that is not read."""
    return ModelConfigError("too_big", limit=str(modelconfig.LIMIT_BYTES))


def link_of(tool: Calculator, query: str, dimensions: dict[str, Any], precision: str | None) -> str:
    """The link of the scenario that was on the page, with the visitor's model in place of its own.

    Raises ModelConfigError where a dimension lies beyond what the link takes.
    """
    default = tool.default()
    kept = permalinks.read(QueryDict(query), default).kept
    offered = precision if precision in PRECISION_CODES else kept.precision
    link = permalinks.write(replace(kept, **dimensions, precision=offered))
    problems = permalinks.read(QueryDict(link), default).problems
    if problems:
        raise ModelConfigError("not_carried", problems[0].key, value=fields.printable(problems[0].message))
    return link
