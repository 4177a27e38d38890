"""One streamed answer, read event by event into its record. No clock and no network of its own."""

from typing import Any

import orjson

from benchmarks.load.framing import Framer
from benchmarks.load.records import Request

DONE = b"[DONE]"
COUNT_MAX = 2**31 - 1  # What a row of the database can hold.


class Stream:
    """Fills `request` from the reads of one response body; `feed` takes the instant the socket was read."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._framer = Framer()
        self._cumulative: list[int | None] = []
        self._failed = False

    def feed(self, read_ns: int, chunk: bytes) -> int:
        """Take one read; the number of token-bearing events in it."""
        before = len(self.request.arrivals_ns)
        for data in self._framer.feed(chunk):
            if not self._failed:
                self._event(read_ns, data)
        return len(self.request.arrivals_ns) - before

    def finish(self, end_ns: int) -> None:
        """The body ended cleanly at `end_ns`."""
        self.request.end_ns = end_ns
        self._count()
        if not self._failed and not self.request.finish_reason:
            self.fail("truncated", "the answer ended without a finish_reason")

    def abort(self, end_ns: int, kind: str, message: str) -> None:
        """The body did not end: connection lost, time-out, cancelled."""
        self.request.end_ns = end_ns
        self._count()
        if not self._failed:
            self.fail(kind, message)

    def fail(self, kind: str, message: str) -> None:
        self._failed = True
        self.request.error_kind = kind
        self.request.error_message = message[:500]

    def _event(self, read_ns: int, data: bytes) -> None:
        if data == DONE:
            self.request.done_seen = True
            return
        try:
            event = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            self.fail("bad_event", str(error))
            return
        if not isinstance(event, dict):
            self.fail("bad_event", "an event is not a JSON object")
        elif event.get("error"):
            self.fail("stream_error", error_text(event["error"]))
        else:
            try:
                self._tokens(read_ns, event)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                # Somebody else's server may send any JSON; one such answer fails, the measurement goes on.
                self.fail("bad_event", f"{type(error).__name__}: {error}")

    def _tokens(self, read_ns: int, event: dict[str, Any]) -> None:
        usage = event.get("usage") or {}
        choice = (event.get("choices") or [{}])[0]
        thought, answer = spoken(choice)
        if thought or answer:
            self._cumulative.append(token_count(usage.get("completion_tokens")) if usage else None)
            self.request.arrivals_ns.append(read_ns)
        if answer and self.request.answer_ns is None:
            self.request.answer_ns = read_ns
        if choice.get("finish_reason"):
            self.request.finish_reason = str(choice["finish_reason"])
        if usage:
            self._usage(usage)

    def _usage(self, usage: dict[str, Any]) -> None:
        details = usage.get("prompt_tokens_details") or {}
        if (written := token_count(usage.get("completion_tokens"))) is not None:
            self.request.output_tokens = written
            self.request.token_source = "usage"  # noqa: S105
        if (read := token_count(usage.get("prompt_tokens"))) is not None:
            self.request.prompt_tokens = read
        if (cached := token_count(details.get("cached_tokens"))) is not None:
            self.request.cached_tokens = cached

    def _count(self) -> None:
        """Settle the counts once all is read: usage decides, else one token an event, and that is said."""
        if self.request.output_tokens is None and (self.request.arrivals_ns or self.request.finish_reason):
            self.request.output_tokens = len(self.request.arrivals_ns)
            self.request.token_source = "events"  # noqa: S105
        totals = [total for total in self._cumulative if total is not None]
        if totals and len(totals) == len(self._cumulative):
            before = [0, *totals[:-1]]
            self.request.arrival_tokens = [now - then for now, then in zip(totals, before, strict=True)]


def token_count(value: object) -> int | None:
    """A number of tokens that a server tells; None where it tells none, ValueError for what is no such number."""
    if value is None or (type(value) is int and 0 <= value <= COUNT_MAX):
        return value
    if type(value) is float and value.is_integer() and 0 <= value <= COUNT_MAX:
        return int(value)
    raise ValueError(f"no number of tokens: {value!r}")


def spoken(choice: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the event carries reasoning, and whether it carries answer text, tool arguments or listed tokens.

    vLLM holds the text of tokens back while a letter is incomplete; asked to, it lists them in the event all the same.
    """
    delta = choice.get("delta") or {}
    thought = bool(delta.get("reasoning") or delta.get("reasoning_content"))
    if delta.get("content") or choice.get("text") or choice.get("token_ids"):
        return thought, True
    calls = delta.get("tool_calls") or ()
    return thought, any((call.get("function") or {}).get("arguments") for call in calls)


def error_text(error: object) -> str:
    """The message of an OpenAI-style error object, or the whole of it."""
    if isinstance(error, dict) and error.get("message"):
        return str(error["message"])
    return str(error)
