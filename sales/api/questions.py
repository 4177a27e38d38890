"""What can be asked beside the calculators, in the notation of their links: the same keys, limits, rules, sentences.

A question is a frozen dataclass with its `Notation`; absent keys take its defaults, and catalogue version and instant
those of today.
"""

import datetime as dt
from dataclasses import dataclass

from calculator.domain.offers import Mode
from calculator.fields import Quantity, limits
from calculator.models import MODES_OF_GPU
from calculator.models.figures import RATES, UNITS
from calculator.permalinks.notation import (
    Key,
    Notation,
    catalogue_state,
    code,
    flag,
    name,
    number,
    parse_choice,
    parse_instant,
    write_instant,
)
from calculator.snapshots import KINDS

MOST_ITEMS = 500
LIMIT = Quantity(limits("1", str(MOST_ITEMS)), whole=True)
OFFSET = Quantity(limits("0", "1000000"), whole=True)
MODES = (*(mode.value for mode in Mode), *MODES_OF_GPU)
METRICS = (*RATES, *(metric for metrics in UNITS.values() for metric in metrics if metric not in RATES))


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """A part of a list."""

    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueQuestion(ListQuestion):
    """A part of a list of the catalogue at one version and instant."""

    catalog_version: int
    at: dt.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiModelsQuestion(CatalogueQuestion):
    """API models, those retired at the instant too where asked for."""

    with_retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesQuestion(CatalogueQuestion):
    """Prices in force, of one kind and of one mode where asked for."""

    kind: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresQuestion(ListQuestion):
    """Published figures that stand at an instant, of one SKU, model or metric where asked for."""

    at: dt.datetime
    sku: str = ""
    model: str = ""
    metric: str = ""


PART: tuple[Key, ...] = (number("limit", "limit", LIMIT), number("offset", "offset", OFFSET))
LIST = Notation(ListQuestion, PART)
CATALOGUE = Notation(CatalogueQuestion, (*catalogue_state(), *PART))
API_MODELS = Notation(ApiModelsQuestion, (*catalogue_state(), flag("retired", "with_retired"), *PART))
PRICES = Notation(
    PricesQuestion,
    (
        *catalogue_state(),
        Key("kind", "kind", parse_choice(tuple(KINDS))),
        Key("mode", "mode", parse_choice(MODES)),
        *PART,
    ),
    frozenset({"kind", "mode"}),
)
FIGURES = Notation(
    FiguresQuestion,
    (
        Key("at", "at", parse_instant, write_instant),
        code("sku", "sku"),
        name("model", "model"),
        Key("metric", "metric", parse_choice(METRICS)),
        *PART,
    ),
    frozenset({"sku", "model", "metric"}),
)
ITEM: tuple[Key, ...] = (Key("kind", "kind", parse_choice(tuple(KINDS))), name("code", "code"))
"""What a path names."""
