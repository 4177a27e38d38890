"""The id of the request that is being answered: in every line of the log and of the record of prices that it causes."""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""What is taken from a proxy; anything else gets an id of our own."""
_current: ContextVar[str] = ContextVar("request_id", default="")


def current() -> str:
    """The id, "" outside of a request."""
    return _current.get()


def begin(given: str = "") -> None:
    """A new request in this thread: under the id that a proxy gave, or a new one, until the next request.

    It is not taken back at the end of the answer, since Django writes its own line about the answer after that.
    """
    _current.set(given if GIVEN.fullmatch(given) else uuid.uuid4().hex)


@contextmanager
def told(request_id: str) -> Iterator[None]:
    """Within, `request_id` is the current one: a worker goes on under the id of the request that asked for the work."""
    before = _current.set(request_id)
    try:
        yield
    finally:
        _current.reset(before)
