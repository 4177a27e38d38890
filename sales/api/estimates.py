"""The estimates of every calculator: the document of the page's JSON file, row for row, for the keys of its link."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse, QueryDict
from ninja import Router

from calculator import answers, language, pagestate, registry, state
from calculator.document import document
from calculator.tool import Calculator
from sales.api import questions, schemas
from sales.api.asking import asked, part, query_of, unknown
from sales.api.problems import RefusedError

router = Router()
OPERATION = "estimate_{name}"
TAG_CHARACTERS = 32
View = Callable[[HttpRequest], JsonResponse]


def estimate(request: HttpRequest, tool: Calculator) -> JsonResponse:
    """The answer of one calculator as a response."""
    held = answered(tool, query_of(request), request.build_absolute_uri)
    return JsonResponse(held, json_dumps_params={"ensure_ascii": False}, headers={"ETag": tag_of(held)})


def tag_of(held: Mapping[str, Any]) -> str:
    """The tag of an answer: weak, for two answers that differ by the instant they were made at alone are the same in
    substance, and a client's copy then stays right about its own."""
    lasting = {name: value for name, value in held.items() if name != "created_at"}
    text = json.dumps(lasting, ensure_ascii=False, sort_keys=True)
    return f'W/"{hashlib.sha256(text.encode()).hexdigest()[:TAG_CHARACTERS]}"'


def answered(tool: Calculator, query: QueryDict, address: Callable[[str], str]) -> dict[str, Any]:
    """The answer of one calculator; absent keys take their documented defaults, which the answer lists.

    `address` makes the page's address of its path. RefusedError names every key that is wrong.
    """
    wrong = unknown(tool.notation, query)
    with language.one_language(), state.read_once():
        outcome = answers.from_link(tool, query)
        if wrong or outcome.answer is None:
            raise RefusedError((*wrong, *outcome.problems))
        page = address(pagestate.address(tool.name, outcome.answer.query))
        return document(tool, outcome.answer, page, outcome.defaults, outcome.notices)


def operation(tool: Calculator) -> View:
    """The view of one calculator."""

    def view(request: HttpRequest) -> Any:
        return estimate(request, tool)

    return view


@router.get(
    "/calculators",
    response=schemas.Calculators,
    url_name="api-calculators",
    operation_id="calculators",
    summary="Calculators and their cases",
)
def calculators(request: HttpRequest) -> dict[str, Any]:
    """What can be estimated, with worked cases to start from."""
    question = asked(request, questions.LIST)
    return part(request, questions.LIST, question, map(calculator_data, registry.TOOLS))


def calculator_data(tool: Calculator) -> dict[str, Any]:
    """A calculator with its cases."""
    cases = [{"code": one.code, "title": str(one.title), "query": one.query} for one in tool.presets]
    return {"name": tool.name, "title": str(tool.title), "presets": cases}


for tool in registry.TOOLS:
    router.get(
        f"/estimates/{tool.name}",
        response=schemas.Estimate,
        url_name=f"api-estimate-{tool.name}",
        operation_id=OPERATION.format(name=tool.name),
        by_alias=True,
        summary=f"Estimate: {tool.name}",
        description="The keys are those of the page's link. Absent ones take their defaults, which `defaults` lists.",
    )(operation(tool))
