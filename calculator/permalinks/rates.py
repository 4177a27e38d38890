"""The exchange rate in a link: written down where the catalogue gave it, let go of where it is only the catalogue's."""

from dataclasses import replace
from typing import Any


def pinned[S](scenario: S, facts: Any) -> S:
    """`scenario` with the exchange rate that it took from the catalogue written down."""
    listed = facts.usd_per_eur.value if facts.usd_per_eur else None
    own: Any = scenario
    found: S = replace(own, usd_per_eur=own.usd_per_eur or listed)
    return found


def released[S](scenario: S, facts: Any) -> S:
    """`scenario` without an exchange rate that is only the catalogue's own, so that its source stays named."""
    own: Any = scenario
    if facts.usd_per_eur is None or own.usd_per_eur != facts.usd_per_eur.value:
        return scenario
    found: S = replace(own, usd_per_eur=None)
    return found
