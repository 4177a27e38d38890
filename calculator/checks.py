"""System checks on what the catalogue holds: an empty catalogue, prices nobody has checked, an old exchange rate.

They read the database, so they run with `manage.py check --database default` and after migrations, not at every start.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register
from django.db import DatabaseError, transaction
from django.utils import timezone

from calculator import catalog, staleness

PRICES_NAMED = 3


def stale_price_messages(now: dt.datetime) -> list[CheckMessage]:
    """A warning that counts the prices not checked for long and names the oldest; one for those out of quotes."""
    stale = catalog.stale_prices(now)
    out = tuple(price for price in stale if price.is_out_of_quotes)
    found: list[CheckMessage] = []
    if stale:
        text = f"{len(stale)} prices in force were last checked more than {staleness.price_days()} days ago"
        hint = "Check them at their source and record the new prices; manage.py stale_prices lists them."
        found.append(Warning(f"{text}: {named(stale)}.", hint=hint, id="calculator.W002"))
    if out:
        text = f"{len(out)} prices are too old to enter a quote: {named(out)}."
        found.append(Warning(text, hint="Check them before anybody asks for one.", id="calculator.W003"))
    return found


def named(stale: Sequence[catalog.StalePrice]) -> str:
    """The oldest of some prices with the day they were last checked."""
    first = ", ".join(f"{price.code} {price.component} ({price.checked_on})" for price in stale[:PRICES_NAMED])
    return f"{first}{'…' if len(stale) > PRICES_NAMED else ''}"


def rate_messages(version: int, now: dt.datetime) -> list[CheckMessage]:
    """A note when there is no exchange rate, or none of the last working days that the settings allow."""
    rate = catalog.latest_rate(version, now)
    if rate is None or rate.date is None:
        return [Info("No USD exchange rate: euro figures of API prices cannot be shown.", id="calculator.I002")]
    age = (timezone.localdate(now) - rate.date).days
    if staleness.rate_mark(rate.date, timezone.localdate(now)) != staleness.RED:
        return []
    return [
        Info(
            f"The newest ECB exchange rate is {age} days old ({rate.date}).",
            hint="Load a newer one; pages say how old it is.",
            id="calculator.I001",
        )
    ]


@register(Tags.database)
def check_catalogue(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """What is missing or old in the catalogue; silent when the tables cannot be read, which other messages say."""
    if not databases or "default" not in databases:
        return []
    now = timezone.now()
    try:
        with transaction.atomic():
            version = catalog.latest_version()
            return [*stale_price_messages(now), *rate_messages(version, now)]
    except catalog.NotFound:
        return [Warning("The catalogue is empty.", hint="Run manage.py seed.", id="calculator.W001")]
    except DatabaseError:
        return []


@register()
def check_limits(**kwargs: Any) -> list[CheckMessage]:
    """Limits of age that contradict each other."""
    wrong = staleness.contradiction()
    return [Error(wrong, hint="The second limit must not be below the first.", id="calculator.E001")] if wrong else []
