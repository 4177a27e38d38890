"""Published factors of power grids, to be chosen: none is assumed, since the regions of the offer are not named."""

import json
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings

from calculator import formats, permalinks
from calculator.domain.provenance import Kind, Sourced
from calculator.language import gettext as _
from calculator.presenters.badges import Badge, badge
from sales.domain.outlook import OutlookScenario

FILE = "grid_factors.json"


class Factor(NamedTuple):
    """A factor as a link that fills the field, marked where it is the one now counted, with its source."""

    title: str
    query: str
    is_current: bool
    badge: Badge | None


@lru_cache(maxsize=1)
def record() -> tuple[dict[str, Any], ...]:
    """fixtures/grid_factors.json, read once a process."""
    found = json.loads((settings.BASE_DIR / "fixtures" / FILE).read_text(encoding="utf-8"))
    return tuple(found["factors"])


def factors(scenario: OutlookScenario) -> tuple[Factor, ...]:
    """Every published factor, each a link to the same outlook with it."""
    return tuple(_factor(row, scenario) for row in record())


def _factor(row: dict[str, Any], scenario: OutlookScenario) -> Factor:
    value = Decimal(row["g_per_kwh"])
    title = _("%(region)s, %(year)s\u00a0: %(value)s g/kWh (%(publisher)s)") % {
        "region": row["name_fr"] if formats.is_french() else row["name_en"],
        "year": row["year"],
        "value": formats.number(value),
        "publisher": row["publisher"],
    }
    sourced = Sourced(value, "g/kWh", Kind.PUBLISHED, row["code"], reference=row["source_url"])
    query = permalinks.write(scenario, grid_g_per_kwh=value)
    return Factor(title, query, scenario.grid_g_per_kwh == value, badge(sourced))
