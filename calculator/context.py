"""What the frame of every page shows: the seller, the catalogue in force, its exchange rate, the hours of a month."""

import datetime as dt
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cached_property

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from calculator import catalog, snapshots
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import EconomicsScenario


@dataclass(frozen=True, slots=True)
class Seller:
    """The seller block as the settings give it; an empty part is said by the templates, never invented."""

    name: str
    address: str
    legal: str
    contact: str
    terms: str


class Site:
    """Read only when a template asks: one query for the newest version unless the page knows it, the rest is in memory.

    A page that has asked for the newest version puts a Site of its own into its context as `in_force`.
    """

    def __init__(self, known_version: int | None = None) -> None:
        self.known_version = known_version

    @cached_property
    def catalog_version(self) -> int | None:
        """None in an empty catalogue: the footer then leaves the list out."""
        return self.known_version or snapshots.newest_number()

    @property
    def catalog_date(self) -> dt.date | None:
        return snapshots.snapshot(self.catalog_version).date if self.catalog_version else None

    @property
    def rate(self) -> Sourced[Decimal] | None:
        return catalog.latest_rate(self.catalog_version, timezone.now()) if self.catalog_version else None

    @property
    def hours(self) -> Decimal:
        """The default of the scenario: the one convention that every page starts from."""
        default = next(field.default for field in fields(EconomicsScenario) if field.name == "hours_per_month_h")
        return Decimal(str(default))


def site(request: HttpRequest) -> dict[str, object]:
    """The context processor named in the settings."""
    seller = Seller(
        name=settings.SELLER_NAME,
        address=settings.SELLER_ADDRESS,
        legal=settings.SELLER_LEGAL,
        contact=settings.SELLER_CONTACT,
        terms=settings.SELLER_TERMS,
    )
    return {"in_force": Site(), "seller": seller}
