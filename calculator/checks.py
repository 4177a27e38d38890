"""System checks on what the catalogue holds: an empty catalogue, prices nobody has checked, an old exchange rate.

They read the database, so they run with `manage.py check --database default` and after migrations, not at every start.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Info, Tags, Warning, register
from django.db import DatabaseError, transaction
from django.utils import timezone

from calculator import catalog

OLD_RATE_DAYS = 10
PRICES_NAMED = 3


def stale_price_messages(now: dt.datetime) -> list[CheckMessage]:
    """One warning that counts the prices not checked for over 90 days and names the oldest."""
    stale = catalog.stale_prices(now)
    if not stale:
        return []
    named = ", ".join(f"{price.code} {price.component} ({price.checked_on})" for price in stale[:PRICES_NAMED])
    return [
        Warning(
            f"{len(stale)} prices in force were last checked more than 90 days ago: {named}"
            f"{'…' if len(stale) > PRICES_NAMED else ''}.",
            hint="Check them at their source and record the new prices.",
            id="calculator.W002",
        )
    ]


def rate_messages(version: int, now: dt.datetime) -> list[CheckMessage]:
    """A note when there is no exchange rate, or none of the last ten days."""
    rate = catalog.latest_rate(version, now)
    if rate is None or rate.date is None:
        return [Info("No USD exchange rate: euro figures of API prices cannot be shown.", id="calculator.I002")]
    age = (timezone.localdate(now) - rate.date).days
    if age <= OLD_RATE_DAYS:
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
