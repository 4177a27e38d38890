"""The interface for assistants: each operation as a tool of the Model Context Protocol, over standard input and output.

The tools take the keys of the links, typed as the OpenAPI document types them, and answer what the interface answers.
The SDK is imported when serving begins: no other process of the product loads it (docs/decisions/0096).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest, QueryDict
from django.utils.translation import override

from calculator import fields, registry
from calculator.answers import absence
from calculator.catalog import NotFound
from calculator.permalinks.notation import Problem, take
from sales.advising.tool import TOOL as ADVISOR
from sales.api import advice, catalogue, estimates, misread
from sales.api.estimates import OPERATION
from sales.api.frame import LANGUAGE
from sales.api.interface import VERSION
from sales.api.openapi import ASKED, Asked
from sales.api.parameters import WORDS, one_value, properties
from sales.api.problems import RefusedError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

NAME = "vmcloud-calculator"
WHOLE = "whole"
"""The argument that asks for all sections of an estimate, not only for its rows."""
SHORT = ("calculator", "permalink", "catalog", "at", "tax", "defaults", "notices", "rows")
INSTRUCTIONS = (
    "Costs of language models on dedicated VMCloud GPUs and on commercial APIs. Prices are without VAT unless a row "
    "says otherwise; each number has its kind (measured to assumption) and its source: pass them on. Numbers are "
    "unrounded; `defaults` lists what was not asked and therefore assumed; null means unknown, never zero."
)
type Arguments = Mapping[str, Any]
type View = Callable[..., dict[str, Any]]
LOOKUPS: Mapping[str, View] = {
    "skus": catalogue.skus,
    "gpus": catalogue.gpus,
    "language_models": catalogue.language_models,
    "api_models": catalogue.api_models,
    "versions": catalogue.versions,
    "figures": catalogue.figures,
    "prices": catalogue.prices,
    "price_history": catalogue.price_history,
    "calculators": estimates.calculators,
}
TOOL_OF_OPERATION = {**{OPERATION.format(name=tool.name): tool for tool in registry.TOOLS}, advice.OPERATION: ADVISOR}
type Answered = Callable[[QueryDict, Callable[[str], str]], dict[str, Any]]
ANSWERED: Mapping[str, Answered] = {
    **{OPERATION.format(name=tool.name): partial(estimates.answered, tool) for tool in registry.TOOLS},
    advice.OPERATION: advice.answered,
}


@dataclass(frozen=True, slots=True)
class Described:
    """A tool as a client sees it."""

    name: str
    description: str
    schema: Mapping[str, Any]


@cache
def described() -> tuple[Described, ...]:
    """Every tool with the schema of its input, in English."""
    with override("en"):
        return tuple(Described(name, description_of(name), schema_of(name, asked)) for name, asked in ASKED.items())


def description_of(name: str) -> str:
    """What a tool answers."""
    if name in LOOKUPS:
        return " ".join(str(LOOKUPS[name].__doc__).split())
    tool = TOOL_OF_OPERATION[name]
    cases = "; ".join(f"{case.title}: {case.query}" for case in tool.presets)
    return f"{tool.document_title}. Absent keys take documented defaults, which the answer lists. Cases: {cases}"


def schema_of(name: str, asked: Asked) -> dict[str, Any]:
    """The JSON Schema of a tool's input; no other key is taken."""
    own: dict[str, Any] = {key.name: {"description": WORDS[key.name], **one_value(key)} for key in asked.path}
    own |= properties(asked.notation, asked.form)
    own[LANGUAGE.name] = {"description": WORDS["lang"], **one_value(LANGUAGE)}
    if name in TOOL_OF_OPERATION:
        own[WHOLE] = {"type": "boolean", "default": False, "description": "All sections and formulas, not only rows."}
    required = [key.name for key in asked.path]
    return {"type": "object", "properties": own, "required": required, "additionalProperties": False}


def answer(name: str, arguments: Arguments, language: str = settings.LANGUAGE_CODE) -> dict[str, Any]:
    """What a tool answers. RefusedError names every key that is wrong, KeyError a tool that is none."""
    given = dict(arguments)
    asked, whole = ASKED[name], bool(given.pop(WHOLE, False)) if name in TOOL_OF_OPERATION else False
    path = {key.name: str(given.pop(key.name, "")) for key in asked.path}
    with override(language_of(given.pop(LANGUAGE.name, language))):
        try:
            if name in LOOKUPS:
                return looked_up(LOOKUPS[name], query_of(given), path)
            held = ANSWERED[name](query_of(given), str)
        except NotFound as error:
            raise RefusedError([absence("catalog", error)]) from error
    return held if whole else {"answer": held["answer"]["sentence"], **{part: held[part] for part in SHORT}}


def language_of(text: Any) -> str:
    """The language asked for; RefusedError for what is none."""
    values: dict[str, object] = {}
    wrong: list[Problem] = []
    take(LANGUAGE, [text_of(text)], values, wrong)
    if wrong:
        raise RefusedError(wrong)
    return str(values[LANGUAGE.attribute])


def looked_up(view: View, query: QueryDict, path: Mapping[str, str]) -> dict[str, Any]:
    """A part of a list; in place of the next part's address stands whether there is more."""
    request = HttpRequest()
    request.GET = query  # type: ignore[assignment]
    request.META = {"SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    held = view(request, **path)
    return {**{name: value for name, value in held.items() if name != "next"}, "has_more": held["next"] is not None}


def query_of(arguments: Arguments) -> QueryDict:
    """Typed arguments as the query that they mean."""
    query = QueryDict(mutable=True)
    for name, value in arguments.items():
        query.setlist(name, [text_of(item) for item in (value if isinstance(value, list) else [value])])
    return query


def text_of(value: Any) -> str:
    """One argument in the notation of the links; what is no value of any key stays as it is and will be refused."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float) and abs(value) != float("inf") and value == value:
        return fields.plain(Decimal(repr(value)))
    return "" if value is None else str(value)


def replied(name: str, arguments: Arguments, language: str) -> tuple[str, bool]:
    """The text that goes back, and whether it says what is wrong; runs in a thread with a connection of its own."""
    close_old_connections()
    try:
        return json.dumps(answer(name, arguments, language), ensure_ascii=False), False
    except RefusedError as error:
        faults = [{"key": one.key, "code": one.code, "message": one.message} for one in error.problems]
        return json.dumps({"errors": faults}, ensure_ascii=False), True
    except KeyError:
        return json.dumps({"errors": [{"key": "", "code": "unknown", "message": f"no tool {name!r}"}]}), True
    finally:
        close_old_connections()


def server(language: str) -> "Server[dict[str, Any]]":
    """The server with its two handlers."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    one_at_a_time = anyio.CapacityLimiter(1)

    async def tools(_context: Any, _params: Any) -> types.ListToolsResult:
        listed = [
            types.Tool(name=one.name, description=one.description, input_schema=dict(one.schema)) for one in described()
        ]
        return types.ListToolsResult(tools=listed)

    async def call(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        text, is_error = await to_thread.run_sync(
            replied, params.name, params.arguments or {}, language, limiter=one_at_a_time
        )
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)

    return Server(NAME, version=VERSION, instructions=INSTRUCTIONS, on_list_tools=tools, on_call_tool=call)


async def serve(language: str) -> None:
    """Answer on standard input and output until the client closes them."""
    from mcp.server.stdio import stdio_server

    made = server(language)
    async with stdio_server() as (reading, writing), anyio.create_task_group() as group:
        passing, kept = anyio.create_memory_object_stream[misread.Message](0)
        group.start_soon(misread.told, reading, passing, writing)
        await made.run(kept, writing, made.create_initialization_options())
        group.cancel_scope.cancel()
