"""Sends quotes in processes of their own, on a real database: many at once, or killed after any statement.

python -m tests.sales.sendprocess prepare COUNT    so many drafts of one seller
python -m tests.sales.sendprocess send QUOTE GO    wait for the file GO, send, print the number
python -m tests.sales.sendprocess crash QUOTE      send in forks that kill themselves
python -m tests.sales.sendprocess state            the numbers as they stand
"""

import json
import os
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from calculator import catalog, permalinks  # noqa: E402
from sales.models import Quote, QuoteLine, QuoteLink, QuoteYear  # noqa: E402
from sales.quoting import forms, queries, writing  # noqa: E402
from sales.quoting.refusals import Refused  # noqa: E402
from tests.pricelist.applyprocess import close_all, killed_after, wait_for  # noqa: E402
from tests.sales import quotefactory  # noqa: E402


def prepare(count: int) -> dict[str, list[int]]:
    """The seeded catalogue and drafts of the usual scenario."""
    call_command("seed", verbosity=0)
    by, scenario = quotefactory.person("alice", "sales"), catalog.default_scenario()
    values = {
        "calculator": "economics",
        "query": permalinks.write(scenario),
        "catalog_version_id": scenario.catalog_version,
        "language": "fr",
        "valid_until": forms.usual_validity(),
        "vat_ratio": Decimal("0.2"),
    }
    return {"quotes": [writing.create(by, values, quotefactory.CUSTOMER).pk for _each in range(count)]}


def send(pk: int) -> dict[str, str]:
    """Send, and say what came of it."""
    quote = queries.quote(pk)
    assert quote is not None
    try:
        writing.send(quote, quote.owner, accepts_old_rate=True)
    except Refused as refused:
        return {"refused": refused.code}
    return {"number": str(Quote.objects.get(pk=pk))}


def state() -> dict[str, Any]:
    """What two processes can compare."""
    year = timezone.localdate().year
    counter = QuoteYear.objects.filter(year=year).first()
    return {
        "last": counter.last if counter else 0,
        "numbers": list(Quote.objects.filter(year=year).order_by("sequence").values_list("sequence", flat=True)),
        "lines": QuoteLine.objects.count(),
        "links": QuoteLink.objects.count(),
    }


def crash(pk: int) -> dict[str, Any]:
    """Send again and again, killed one statement later each time, until it is not killed; the states between."""
    before, states, killed = state(), [], 0
    while True:
        close_all()
        child = os.fork()
        if child == 0:
            with connection.execute_wrapper(killed_after(killed + 1)):
                send(pk)
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            return {"before": before, "killed": killed, "states": states, "after": state(), "status": status}
        killed += 1
        states.append(state())


def main(name: str, *arguments: str) -> dict[str, Any]:
    """One of the commands above."""
    if name == "prepare":
        return prepare(int(arguments[0]))
    if name == "state":
        return state()
    if name == "crash":
        return crash(int(arguments[0]))
    wait_for(Path(arguments[1]))
    return send(int(arguments[0]))


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
