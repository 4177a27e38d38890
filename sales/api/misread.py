"""Messages to the server for assistants that are no request: each is told so, since a client waits for its answer.

The SDK drops what it cannot read, half of a character pair in a text among it, and the client would wait for ever.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
"""Codes of JSON-RPC 2.0."""
WORDS = {
    PARSE_ERROR: "Parse error: the message is no JSON.",
    INVALID_REQUEST: "Invalid request: no JSON-RPC 2.0 message, or a text holds half of a surrogate pair.",
}
type Message = "SessionMessage | Exception"


async def told(
    reading: ObjectReceiveStream[Message],
    passing: ObjectSendStream[Message],
    writing: ObjectSendStream["SessionMessage"],
) -> None:
    """Pass on what was read, and answer what could not be."""
    from mcp.shared.message import SessionMessage

    async with passing:
        try:
            async for item in reading:
                if isinstance(item, Exception):
                    await writing.send(SessionMessage(refusal(item)))
                else:
                    await passing.send(item)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return


def refusal(error: Exception) -> "JSONRPCError":
    """The answer to a message that could not be read, to its own id where it has one."""
    import mcp_types as types

    code, request_id = PARSE_ERROR, None
    for found in objects_in(error):
        code, request_id = INVALID_REQUEST, id_of(found)
        break
    return types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=WORDS[code]))


def objects_in(error: Exception) -> Iterator[Any]:
    """What a message holds, read as leniently as JSON can be; nothing where it is none."""
    for one in getattr(error, "errors", list)():
        given = one.get("input")
        if not isinstance(given, str | bytes):
            yield given
            continue
        try:
            yield json.loads(given)
        except (ValueError, RecursionError):
            continue


def id_of(message: Any) -> str | int | None:
    """The id of a message, None where it has none that can be sent back."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return found if found.encode(errors="ignore").decode() == found else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None
