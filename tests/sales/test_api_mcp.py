"""The tools for assistants: the SDK's own client asks a real process, and gets the numbers of the interface."""

import json
import os
import subprocess
import sys
from typing import Any

import anyio
import jsonschema_rs
import pytest
from django.conf import settings

from calculator import registry
from sales.api import assistant, misread
from sales.api.openapi import ASKED
from sales.api.problems import RefusedError
from tests.prepared import Copy
from tests.sales.apisite import keys, refused, told

PATH = {"PATH": os.environ.get("PATH", "")}
AT = "2026-11-30T14:00:00Z"
BELONGS = pytest.mark.django_db


def named(error: RefusedError) -> list[tuple[str, str]]:
    return [(one.key, one.code) for one in error.problems]


@pytest.mark.parametrize("tool", assistant.described(), ids=lambda tool: tool.name)
def test_each_tool_says_what_it_takes(tool: assistant.Described) -> None:
    jsonschema_rs.meta.validate(dict(tool.schema))
    assert tool.schema["additionalProperties"] is False
    assert {*ASKED[tool.name].notation.by_name, "lang"} <= set(tool.schema["properties"])
    assert len(tool.description) > 20


def test_there_is_a_tool_for_every_operation() -> None:
    assert {*assistant.LOOKUPS, *assistant.TOOL_OF_OPERATION} == set(ASKED)
    assert [tool.name for tool in assistant.described()] == list(ASKED)


@BELONGS
def test_typed_arguments_give_the_answer_of_the_interface(seeded: None) -> None:
    arguments = {
        "volume": 1e8,
        "util": 0.65,
        "sku": "GPU-PRO",
        "at": AT,
        "api": ["gpt-5.4"],
        "lang": "en",
        "whole": True,
    }
    found = assistant.answer("estimate_economics", arguments)
    asked = told(f"estimates/economics?volume=100000000&util=0.65&sku=GPU-PRO&at={AT}&api=gpt-5.4&lang=en")
    for document in (found, asked):
        document.pop("created_at")
        document["permalink"] = document["permalink"].removeprefix("http://testserver")
    assert json.loads(json.dumps(found)) == asked
    assert found["eur_per_mtok"]["month"]["at_volume"] == "8.3064"


@BELONGS
def test_rows_alone_are_given_unless_the_whole_is_asked_for(seeded: None) -> None:
    short = assistant.answer("estimate_tokens", {"docs": 1000, "at": AT})
    whole = assistant.answer("estimate_tokens", {"docs": 1000, "at": AT, "whole": True})
    assert set(short) < {*whole, "answer"}
    assert (short["rows"], short["answer"]) == (whole["rows"], whole["answer"]["sentence"])


@BELONGS
@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"volume": -1}, "volume=-1"),
        ({"volume": None}, "volume="),
        ({"volume": float("inf")}, "volume=inf"),
        ({"volume": "1e9"}, "volume=1e9"),
        ({"colour": "red"}, "colour=red"),
        ({"sku": "GPU-PRX"}, "sku=GPU-PRX"),
        ({"traffic": "requests"}, "traffic=requests"),
        ({"lang": "de"}, "lang=de"),
    ],
)
def test_what_the_interface_refuses_is_refused_alike(seeded: None, arguments: dict[str, Any], path: str) -> None:
    with pytest.raises(RefusedError) as caught:
        assistant.answer("estimate_economics", arguments)
    status = caught.value.status.value
    assert named(caught.value) == keys(refused(f"estimates/economics?{path}", status))


@BELONGS
def test_lists_are_looked_up_part_by_part(seeded: None) -> None:
    found = assistant.answer("prices", {"kind": "sku", "limit": 2})
    assert (len(found["items"]), found["has_more"], "next" in found) == (2, True, False)
    history = assistant.answer("price_history", {"kind": "sku", "code": "gpu-pro"})
    assert (history["code"], history["has_more"]) == ("GPU-PRO", False)
    with pytest.raises(RefusedError) as caught:
        assistant.answer("price_history", {"kind": "sku"})
    assert named(caught.value) == [("code", "missing")]


@pytest.mark.parametrize(
    ("value", "text"), [(0.65, "0.65"), (1e15, "1000000000000000"), (1e-4, "0.0001"), (3, "3"), (True, "1"), ("a", "a")]
)
def test_an_argument_is_written_as_in_a_link(value: Any, text: str) -> None:
    assert assistant.text_of(value) == text


def test_the_web_process_and_the_worker_never_load_the_sdk() -> None:
    code = (
        "import sys, vmcloud.wsgi, vmcloud.celery; from django.urls import get_resolver; get_resolver().url_patterns;"
        "import sales.api.assistant, sales.management.commands.mcp;"
        "print([name for name in ('mcp', 'starlette', 'uvicorn', 'cryptography') if name in sys.modules])"
    )
    assert run(["-c", code], dict(os.environ)).strip() == "[]"


async def conversation(environment: dict[str, str]) -> dict[str, Any]:
    """What a client of the SDK sees of a real process."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable, args=["manage.py", "mcp", "--lang", "en"], env=environment, cwd=settings.BASE_DIR
    )
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        begun = await session.initialize()
        listed = await session.list_tools()
        right = await session.call_tool("estimate_economics", {"volume": 100_000_000, "sku": "GPU-PRO", "at": AT})
        wrong = await session.call_tool("estimate_economics", {"volume": 0})
        none = await session.call_tool("alchemy", {})
        history = await session.call_tool("price_history", {"kind": "sku", "code": "GPU-PRO"})
    return {"begun": begun, "listed": listed, "right": right, "wrong": wrong, "none": none, "history": history}


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory, with_catalogue: Copy) -> dict[str, str]:
    """A folder of data of its own with the catalogue in it, as environment of a process."""
    folder = tmp_path_factory.mktemp("var")
    with_catalogue(folder)
    return {"VMCLOUD_TEST_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "tests.settings", "DATABASE_URL": "", **PATH}


def run(arguments: list[str], environment: dict[str, str], given: str = "") -> str:
    """What a command of this Python writes on its standard output."""
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, check=True, timeout=90,
        cwd=settings.BASE_DIR, env=environment,
    )  # fmt: skip
    return done.stdout


def conversed(arguments: list[str], environment: dict[str, str], sent: list[str], answers_count: int) -> list[Any]:
    """What a command answers to lines, read before its input ends: an input that ends is a client that has left."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        cwd=settings.BASE_DIR, env=environment,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n".join([*sent, ""]))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _turn in range(answers_count)]
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == ""
    return answers


def test_a_client_of_the_sdk_is_answered_by_a_real_process(var: dict[str, str]) -> None:
    found = anyio.run(conversation, var)
    assert found["begun"].server_info.name == "vmcloud-calculator"
    assert {tool.name for tool in found["listed"].tools} == set(ASKED)
    answered = json.loads(found["right"].content[0].text)
    assert not found["right"].is_error
    assert "€830.64" in answered["answer"]
    assert answered["permalink"].startswith("/en/economics?v=1&catalog=1&at=2026-11-30T14:00:00Z&sku=GPU-PRO")
    assert found["wrong"].is_error
    assert json.loads(found["wrong"].content[0].text)["errors"][0]["key"] == "volume"
    assert found["none"].is_error
    assert "830.64" in found["history"].content[0].text


def test_standard_output_carries_the_protocol_and_nothing_else(var: dict[str, str]) -> None:
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    sent = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "estimate_tokens", "arguments": {"n": 0}},
        },
    )
    lines = run(["manage.py", "mcp"], var, "".join(f"{json.dumps(line)}\n" for line in sent)).splitlines()
    assert lines
    assert {json.loads(line)["jsonrpc"] for line in lines} == {"2.0"}


def test_every_calculator_has_its_tool() -> None:
    assert {*(tool.name for tool in registry.TOOLS), "advice"} == {
        name.removeprefix("estimate_") for name in assistant.TOOL_OF_OPERATION
    }
    assert set(assistant.ANSWERED) == set(assistant.TOOL_OF_OPERATION)


def test_a_message_that_cannot_be_read_is_told_so_and_the_next_is_answered(var: dict[str, str]) -> None:
    """Half of a surrogate pair in an argument, in an id, a text that is no JSON, and one that is no request."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    half = {"name": "estimate_tokens", "arguments": {"sku": "\ud800"}}
    sent = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({**call, "id": 7, "params": half}),
        json.dumps({**call, "id": "\udfff", "params": half}),
        "{not json",
        json.dumps({"id": "q", "question": "?"}),
        json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/list"}),
    ]
    told = conversed(["manage.py", "mcp"], var, sent, answers_count=6)
    errors = [(one["id"], one["error"]["code"]) for one in told if "error" in one]
    assert sorted(errors, key=str) == sorted([(7, -32600), (None, -32600), (None, -32700), ("q", -32600)], key=str)
    assert [one["id"] for one in told if "result" in one] == [1, 9]


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"id": 7}, 7),
        ({"id": "a"}, "a"),
        ({"id": "a\ud800"}, None),
        ({"id": True}, None),
        ({"id": 1.5}, None),
        ({"id": None}, None),
        ({}, None),
        ([1], None),
        ("id", None),
    ],
)
def test_only_an_id_that_can_be_sent_back_is(message: Any, found: str | int | None) -> None:
    assert misread.id_of(message) == found
