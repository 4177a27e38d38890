"""The OpenAPI 3.1 document: the operations as the framework knows them, their keys as the notations have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.translation import override

from calculator import registry
from calculator.forms.base import ScenarioForm
from calculator.permalinks import Key, Notation
from sales.api import advice, questions
from sales.api.estimates import OPERATION
from sales.api.interface import api
from sales.api.parameters import parameters, path_parameters
from sales.api.problems import PROBLEM_TYPE
from sales.api.schemas import ProblemDocument


@dataclass(frozen=True, slots=True)
class Asked:
    """What an operation is asked with: its notation, the form whose labels explain it, what its path names."""

    notation: Notation
    form: type[ScenarioForm] | None = None
    path: tuple[Key, ...] = ()


ASKED: Mapping[str, Asked] = {
    "skus": Asked(questions.CATALOGUE),
    "gpus": Asked(questions.LIST),
    "language_models": Asked(questions.LIST),
    "api_models": Asked(questions.API_MODELS),
    "versions": Asked(questions.LIST),
    "figures": Asked(questions.FIGURES),
    "prices": Asked(questions.PRICES),
    "price_history": Asked(questions.CATALOGUE, path=questions.ITEM),
    "calculators": Asked(questions.LIST),
    **{OPERATION.format(name=tool.name): Asked(tool.notation, tool.form) for tool in registry.TOOLS},
    advice.OPERATION: Asked(advice.NOTATION, advice.FORM),
}
"""By operation id."""
ERRORS = {
    HTTPStatus.BAD_REQUEST: "The request cannot be read at all.",
    HTTPStatus.NOT_FOUND: "What was asked for is not in the catalogue.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "A key is unknown, empty, unreadable, or contradicts another one.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this address; Retry-After says for how many seconds.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The answer failed; the error is noted.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Nothing can be answered at the moment.",
}


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The whole document, in English; made once a process."""
    with override("en"):
        found: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=reverse("api-root")))
        for operations in found["paths"].values():
            complete(operations["get"])
    found["components"]["schemas"]["ProblemDocument"] = inlined(ProblemDocument.model_json_schema())
    return found


def complete(operation: dict[str, Any]) -> None:
    """Add to one operation its keys and its errors."""
    asked = ASKED[operation["operationId"]]
    operation["parameters"] = [*path_parameters(asked.path), *parameters(asked.notation, asked.form)]
    for status, words in ERRORS.items():
        schema = {"$ref": "#/components/schemas/ProblemDocument"}
        operation["responses"][str(status.value)] = {
            "description": words,
            "content": {PROBLEM_TYPE: {"schema": schema}},
        }


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of two levels with its inner one in its place."""
    inner = schema.pop("$defs")
    schema["properties"]["errors"]["items"] = inner["Fault"]
    return schema


def openapi(request: HttpRequest) -> JsonResponse:
    """The document as JSON."""
    del request
    return JsonResponse(document(), json_dumps_params={"ensure_ascii": False})


def index(request: HttpRequest) -> JsonResponse:
    """Where everything is."""
    paths = {name: request.build_absolute_uri(name) for name in document()["paths"]}
    return JsonResponse({"openapi": request.build_absolute_uri(reverse("api-openapi")), "paths": paths})
