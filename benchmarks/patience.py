"""Writing to a database that may be away for a while: what cannot be written now waits in order, and is written later.

A measurement goes on meanwhile: its raw file is on this host, only its rows are late. Whoever waits at the end gives up
after AWAY_LIMIT_S.
"""

import logging
import time
from collections import deque
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
AWAY = (OperationalError, InterfaceError)
AWAY_LIMIT_S = 600.0
PAUSE_S = 1.0


class Patience:
    """Writes in the order in which they came, each once, as far as the database takes them."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], object]] = deque()

    def write(self, action: Callable[[], object]) -> None:
        """Write now, or when the database is back; never before what came earlier."""
        self._waiting.append(action)
        self.catch_up()

    def catch_up(self) -> bool:
        """Write what waits; False while the database is away."""
        while self._waiting:
            try:
                self._waiting[0]()
            except AWAY as error:
                gone(error)
                return False
            self._waiting.popleft()
        return True

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    def finish(self) -> None:
        """Write everything, however long the database is away within the limit."""
        while self._waiting:
            insist(self._waiting[0])
            self._waiting.popleft()


def insist[T](action: Callable[[], T]) -> T:
    """Do `action` until the database has taken it; its result.

    Raises what the database said when it stays away longer than AWAY_LIMIT_S. `action` must bear to be done twice: the
    answer to the first time may have been lost.
    """
    until = time.monotonic() + AWAY_LIMIT_S
    while True:
        try:
            return action()
        except AWAY as error:
            gone(error)
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE_S)


def guess[T](question: Callable[[], T], otherwise: T) -> T:
    """The answer of the database, or `otherwise` while it is away."""
    try:
        return question()
    except AWAY as error:
        gone(error)
        return otherwise


def gone(error: Exception) -> None:
    """Forget the broken connection, so that the next attempt makes a new one."""
    logger.warning("The database is away: %s", str(error).strip())
    connection.close()
