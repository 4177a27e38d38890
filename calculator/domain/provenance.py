"""Where a number comes from, and how far a result made of several numbers can be trusted."""

import datetime as dt
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cache
from typing import Any, Self

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
    assumption. A visitor's scenario value (volume, lengths) has kind INPUT and does not rank at all; `untouched` says
    that nobody typed it: it is the documented default, shown as the assumption that it is. `exception` is the
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
    untouched: bool = False

    @property
    def rank_kind(self) -> Kind | None:
        """The kind this value counts as in `weakest`, or None where it does not rank."""
        if self.kind is not Kind.INPUT:
            return self.kind
        return Kind.ASSUMPTION if self.replaces else None

    @property
    def shown_kind(self) -> Kind:
        """The kind a reader is told: a default that nobody typed is an assumption."""
        return Kind.ASSUMPTION if self.untouched else self.kind

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


@cache
def _defaults(scenario: Any) -> Mapping[str, object]:
    return {field.name: field.default for field in fields(scenario)}


def is_default(scenario: Any, attribute: str) -> bool:
    """Whether an input is as its documented default: in a link, which carries every key, nothing else tells that the
    visitor left it alone."""
    kind: Any = type(scenario)
    return bool(getattr(scenario, attribute) == _defaults(kind)[attribute])


def asked_kind(scenario: Any, attribute: str) -> Kind:
    """What an input is called: the visitor's own, or the assumption that an untouched default is."""
    return Kind.ASSUMPTION if is_default(scenario, attribute) else Kind.INPUT


def assumed[T: (Decimal, float, int)](scenario: Any, attribute: str, value: T, unit: str, label: str) -> Sourced[T]:
    """An input that ranks as an assumption whoever set it (utilisation, hours of a month); typed, it is called so."""
    if is_default(scenario, attribute):
        return Sourced(value, unit, Kind.ASSUMPTION, label)
    return Sourced(value, unit, Kind.INPUT, label, replaces=True)


def with_defaults(steps: Iterable[Step], scenario: Any, attributes: Mapping[str, tuple[str, ...]]) -> tuple[Step, ...]:
    """The steps with every term that rests on untouched defaults alone marked so.

    `attributes` names the inputs behind a term's label; a label that is not named is computed from the steps before,
    and untouched as long as all of theirs are.
    """
    found, alone = [], True
    for step in steps:
        terms = []
        for term in step.terms:
            source, names = term.source, attributes.get(term.source.label)
            if source.kind is Kind.INPUT and not source.replaces:
                kept = alone if names is None else all(is_default(scenario, name) for name in names)
                alone = alone and kept
                source = replace(source, untouched=kept)
            terms.append(Term(term.symbol, source))
        found.append(replace(step, terms=tuple(terms)))
    return tuple(found)
