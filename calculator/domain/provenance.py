"""Where a number comes from, and how far a result made of several numbers can be trusted."""

import datetime as dt
import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Self

from calculator.domain.units import Number


class Kind(enum.StrEnum):
    """The eight badges. The order of RANK, not of this class, says which is stronger."""

    MEASURED = "measured"
    PUBLISHED = "published"
    DATA_SHEET = "data_sheet"
    LIST_PRICE = "list_price"
    ESTIMATE = "estimate"
    CLAIM = "claim"
    ASSUMPTION = "assumption"
    INPUT = "input"


RANK: dict[Kind, int] = {
    Kind.MEASURED: 0,
    Kind.PUBLISHED: 1,
    Kind.DATA_SHEET: 2,
    Kind.LIST_PRICE: 2,
    Kind.ESTIMATE: 3,
    Kind.CLAIM: 4,
    Kind.ASSUMPTION: 5,
}


@dataclass(frozen=True, slots=True)
class Sourced[T: (Decimal, float, int)]:
    """A number with its unit and its origin.

    `label` is a message code (`sku_price_hour`, `utilisation`…) or a proper name; `reference` is an address, a run
    number or a document; `date` is the day the value was published, measured or checked.
    `replaces` marks a visitor's entry that stands in place of a price, rate or throughput: it then ranks as an
    assumption. A visitor's scenario value (volume, lengths) has kind INPUT and does not rank at all. `exception` is the
    reason for which somebody published a figure although it did not meet every condition; it is shown wherever it is.
    """

    value: T
    unit: str
    kind: Kind
    label: str = ""
    reference: str = ""
    date: dt.date | None = None
    replaces: bool = False
    note: str = ""
    exception: str = ""

    @property
    def rank_kind(self) -> Kind | None:
        """The kind this value counts as in `weakest`, or None where it does not rank."""
        if self.kind is not Kind.INPUT:
            return self.kind
        return Kind.ASSUMPTION if self.replaces else None

    def scaled(self, value: T, *, label: str = "") -> Self:
        """The same origin with another value; what is scaled from a measurement is an estimate, never measured."""
        kind = Kind.ESTIMATE if self.kind in (Kind.MEASURED, Kind.PUBLISHED) else self.kind
        return replace(self, value=value, kind=kind, label=label or self.label)


def weakest(inputs: Iterable["Sourced[Decimal] | Sourced[float] | Sourced[int]"]) -> Kind | None:
    """The kind of the least trustworthy input; None when no input ranks (all are scenario values)."""
    return weakest_kind(item.rank_kind for item in inputs)


def weakest_kind(kinds: Iterable[Kind | None]) -> Kind | None:
    """The least trustworthy of `kinds`; None stands for what does not rank."""
    return max((kind for kind in kinds if kind is not None), key=RANK.__getitem__, default=None)


def stated[T: (Decimal, float, int)](value: T, unit: str, label: str) -> Sourced[T]:
    """A scenario value of the visitor as a term: it does not rank."""
    return Sourced(value, unit, Kind.INPUT, label)


def derived[T: (Decimal, float, int)](
    value: T, unit: str, label: str, inputs: "Iterable[Sourced[Decimal] | Sourced[float] | Sourced[int] | None]"
) -> Sourced[T]:
    """A computed value as a term: it is worth its weakest input, and does not rank if none of them does."""
    return Sourced(value, unit, weakest(item for item in inputs if item is not None) or Kind.INPUT, label)


@dataclass(frozen=True, slots=True)
class Term:
    """One symbol of a formula with the value it takes for this visitor."""

    symbol: str
    source: "Sourced[Decimal] | Sourced[float] | Sourced[int]"


@dataclass(frozen=True, slots=True)
class Step:
    """One formula shown with the visitor's numbers: its code, its terms, its result and the result's trust."""

    code: str
    terms: tuple[Term, ...]
    result: Number
    unit: str

    @property
    def trust(self) -> Kind | None:
        """The weakest kind among the terms."""
        return weakest(term.source for term in self.terms)
