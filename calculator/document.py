"""An answer as data: what the JSON file, the command's --json and a saved estimate hold.

Decimals are strings, unrounded. Keys and codes are stable English; sentences and labels are in the active language,
beside their codes. Each calculator adds its own sections.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from calculator import permalinks
from calculator.jsonable import row_data
from calculator.permalinks.notation import written
from calculator.tool import Answer, Calculator, Notice

SCHEMA = 1
ROUNDING = "unrounded; half-up on display"


def document(
    tool: Calculator, answer: Answer, permalink: str, defaults: Iterable[str] = (), notices: Iterable[Notice] = ()
) -> dict[str, Any]:
    """The whole answer; `defaults` names the keys that the question left to their documented default."""
    scenario = scenario_values(answer)
    return {
        "calculator": tool.name,
        "schema": SCHEMA,
        "created_at": timezone.now().astimezone(dt.UTC).isoformat(timespec="seconds"),
        "permalink": permalink,
        "catalog": {"version": answer.facts.catalog_version, "date": answer.facts.catalog_date.isoformat()},
        "at": permalinks.write_instant(answer.scenario.at),
        "tax": "excluded unless ttc is named",
        "rounding": ROUNDING,
        "defaults": {name: scenario[name] for name in defaults},
        "notices": [{"code": notice.code, "text": notice.text} for notice in notices],
        "scenario": scenario,
        **tool.sections(answer),
        "rows": [row_data(row) for row in tool.rows(answer.estimate)],
    }


def scenario_values(answer: Answer) -> dict[str, Any]:
    """Every key of the link with its canonical text; unknown is null."""
    found: dict[str, Any] = {"v": permalinks.VERSION}
    for key in permalinks.notation_of(answer.scenario).keys:
        value = getattr(answer.scenario, key.attribute)
        if key.many:
            found[key.name] = [key.write(item) for item in value]
        else:
            found[key.name] = written(key, value) or None
    return found
