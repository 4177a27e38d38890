"""How a client is polite to somebody else's server: a rate that it keeps to, and pauses after a refusal."""

import asyncio
import datetime as dt
from collections.abc import Callable
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 529})
BASE_S = 0.5
PAUSE_MAX_S = 60.0
Draw = Callable[[], float]


class RateLimit:
    """At most so many starts a second, evenly apart; `None` does not limit. Those who wait keep their order."""

    def __init__(self, per_s: float | None, clock: Callable[[], float]) -> None:
        self._gap_s = 1 / per_s if per_s else 0.0
        self._clock = clock
        self._next_s = 0.0

    async def wait(self) -> None:
        if not self._gap_s:
            return
        now_s = self._clock()
        at_s = max(now_s, self._next_s)
        self._next_s = at_s + self._gap_s
        if at_s > now_s:
            await asyncio.sleep(at_s - now_s)


def retry_after_s(header: str | None, now: dt.datetime) -> float | None:
    """Seconds that a Retry-After header asks for (a number or an HTTP date); None when it says nothing readable."""
    text = (header or "").strip()
    if text.replace(".", "", 1).isdigit() and text.isascii():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=dt.UTC)
    return max(0.0, (at - now).total_seconds())


def pause_s(attempt: int, asked_s: float | None, draw: Draw) -> float | None:
    """How long to wait after attempt number `attempt` (from 1); None to give up because too long a pause is asked.

    The server's own wish, else 0.5 s doubled each time, at most a minute; up to a quarter more at random keeps
    several clients from coming back together.
    """
    if asked_s is not None and asked_s > PAUSE_MAX_S:
        return None
    wanted = min(PAUSE_MAX_S, BASE_S * 2 ** (attempt - 1)) if asked_s is None else asked_s
    return wanted * (1 + draw() / 4)
