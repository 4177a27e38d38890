"""`manage.py stale_prices`: prices that nobody has checked for long, and how old the exchange rate is; for cron.

Exit status: 0 all fresh, 1 something is to be checked, 3 something is too old for a quote. It only reads.
"""

import datetime as dt
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from calculator import catalog
from calculator.snapshots import PARIS
from calculator.staleness import RED

FRESH, TO_CHECK, BAD_INPUT, TOO_OLD = 0, 1, 2, 3


class Command(BaseCommand):
    help = "Lists prices not checked for long and says how old the exchange rate is; exit status 0, 1 or 3."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="the list as JSON")
        parser.add_argument("--on", help="the day to look from, YYYY-MM-DD (today)")

    def handle(self, *args: Any, **options: Any) -> None:
        now = moment_of(options["on"])
        try:
            found = document(now)
        except catalog.NotFound:
            raise CommandError("The catalogue is empty: run manage.py seed.", returncode=BAD_INPUT) from None
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1) if options["json"] else as_text(found))
        if status := status_of(found):
            raise SystemExit(status)


def moment_of(text: str | None) -> dt.datetime:
    """Noon in Paris of a day, or now."""
    if not text:
        return timezone.now()
    try:
        return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(12), tzinfo=PARIS)
    except ValueError:
        raise CommandError(f"--on {text}: not a day, write YYYY-MM-DD.", returncode=BAD_INPUT) from None


def document(now: dt.datetime) -> dict[str, Any]:
    """Everything that is old at `now`. Raises catalog.NotFound in an empty catalogue."""
    version = catalog.latest_version()
    rate = catalog.latest_rate(version, now)
    dated = None if rate is None or rate.date is None else rate.date
    return {
        "on": now.astimezone(PARIS).date().isoformat(),
        "version": version,
        "rate_date": None if dated is None else dated.isoformat(),
        "rate_mark": RED if dated is None else catalog.rate_mark(dated, now),
        "prices": [
            {
                "kind": price.kind,
                "code": price.code,
                "component": price.component,
                "mode": price.mode,
                "checked_on": price.checked_on.isoformat(),
                "age_days": price.age_days,
                "out_of_quotes": price.is_out_of_quotes,
            }
            for price in catalog.stale_prices(now, version)
        ],
    }


def status_of(found: dict[str, Any]) -> int:
    """The exit status: the worst of prices and rate."""
    if found["rate_mark"] == RED or any(price["out_of_quotes"] for price in found["prices"]):
        return TOO_OLD
    return TO_CHECK if found["prices"] or found["rate_mark"] else FRESH


def as_text(found: dict[str, Any]) -> str:
    """One line for the rate, one for each price, the oldest first."""
    mark = {"": "fresh", "amber": "old", RED: "too old"}[found["rate_mark"]]
    lines = [f"Exchange rate of {found['rate_date'] or 'no day'}: {mark}."]
    lines += [
        f"{price['code']} {price['component']} {price['mode']}: checked on {price['checked_on']}, "
        f"{price['age_days']} days ago{', out of quotes' if price['out_of_quotes'] else ''}."
        for price in found["prices"]
    ]
    return "\n".join(lines if found["prices"] else [*lines, "No price is old."])
