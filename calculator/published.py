"""Reads for the home and price pages that the formulas do not need: measured figures as news, names of an API."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from calculator import figures
from calculator.domain.offers import Throughput
from calculator.domain.provenance import Kind
from calculator.figures import Figures
from calculator.models import ItemAlias


@dataclass(frozen=True, slots=True)
class Measured:
    """A published measurement: the SKU it was taken on and its throughput with run and conditions."""

    sku: str
    throughput: Throughput
    published_at: dt.datetime


def latest_measured(at: dt.datetime, limit: int, known: Figures | None = None) -> tuple[Measured, ...]:
    """The newest measured output rates that stand at `at`; test models and test hosts are no news.

    `known` are the figures as read already, else they are asked for.
    """
    found = (
        Measured(figure.sku.code, throughput, figure.published_at)
        for figure, throughput in (known or figures.current()).standing(at)
        if figure.kind == Kind.MEASURED.value and not figure.test_model and not figure.sku.is_test_host
    )
    return tuple(islice(found, limit))


def aliases(version: int, at: dt.datetime) -> Mapping[str, tuple[str, ...]]:
    """The other names that each item's code answers to at `at`; a name that has moved belongs to its newest item."""
    known = ItemAlias.objects.filter(catalog_version__lte=version, valid_from__lte=at)
    owner = {row.alias: row.item.code for row in known.select_related("item").order_by("valid_from")}
    found: dict[str, list[str]] = {}
    for alias, code in sorted(owner.items()):
        found.setdefault(code, []).append(alias)
    return {code: tuple(names) for code, names in found.items()}
