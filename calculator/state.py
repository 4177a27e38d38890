"""What of the catalogue changes while a process lives: the newest version, and the figures that came or went.

Everything else is kept in memory under these numbers, so one small query is all that a warm answer asks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from django.db import connection

# Plain SQL, since it is asked at every key that is pressed.
QUERY = """
SELECT (SELECT MAX(number) FROM calculator_catalogversion), COALESCE(MAX(id), 0), COUNT(*), COUNT(withdrawn_at)
FROM calculator_figure
"""


class State(NamedTuple):
    """The newest version's number (None in an empty catalogue), and three numbers that change with every change of the
    append-only figures: the newest id, how many there are, how many of them are withdrawn."""

    newest_version: int | None
    newest_figure: int
    figure_count: int
    withdrawn_count: int

    @property
    def figures(self) -> tuple[int, int, int]:
        """What tells one state of the figures from another."""
        return self.newest_figure, self.figure_count, self.withdrawn_count


_asked: ContextVar[list[State] | None] = ContextVar("asked", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Within it the state is asked once: a page shows the catalogue as it was when the page was asked for."""
    before = _asked.set([])
    try:
        yield
    finally:
        _asked.reset(before)


def current() -> State:
    """The state as the database has it now, or had it when it was first asked within `read_once`."""
    kept = _asked.get()
    if kept is None:
        return _read()
    if not kept:
        kept.append(_read())
    return kept[0]


def _read() -> State:
    with connection.cursor() as cursor:
        cursor.execute(QUERY)
        return State(*cursor.fetchone())
