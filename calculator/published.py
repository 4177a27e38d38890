"""Reads for the home and price pages that the formulas do not need: measured figures as news, names of an API."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from calculator import figures
from calculator.domain.offers import Throughput
from calculator.domain.provenance import Kind
from calculator.figures import Figures
from calculator.models import ApiLatency, Figure, ItemAlias


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


def standing_figures(at: dt.datetime, sku: str = "", model: str = "", metric: str = "") -> tuple[Figure, ...]:
    """The figures that stand at the instant, newest first; what is given is compared in any case, empty takes all.

    Those of a test host show only to whoever names the SKU, those of test models only to whoever names both.
    """
    end, asked_sku, asked_model = at + dt.timedelta(seconds=1), sku.casefold(), model.casefold()

    def asked(figure: Figure) -> bool:
        name = figure.language_model.name if figure.language_model else ""
        shown = (asked_sku or not figure.sku.is_test_host) and ((asked_sku and asked_model) or not figure.test_model)
        fits = asked_sku in ("", figure.sku.code.casefold()) and asked_model in ("", name.casefold())
        return bool(shown) and fits and metric in ("", figure.metric)

    return tuple(figure for figure in figures.current().rows if figures.stands(figure, end) and asked(figure))


@dataclass(frozen=True, slots=True)
class Latencies:
    """What is known of an API's latency: the newest measurement of each region, and its vendor's claim."""

    measured: tuple["MeasuredLatency", ...] = ()
    claim: "ClaimedLatency | None" = None


@dataclass(frozen=True, slots=True)
class MeasuredLatency:
    """What a run saw of an API from here: first token, time per further token, where, when, at which lengths."""

    region: str
    measured_at: dt.datetime
    ttft_p50_ms: float
    ttft_p95_ms: float
    tpot_p50_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    requests_count: int | None
    run: str


@dataclass(frozen=True, slots=True)
class ClaimedLatency:
    """What a vendor says, and what it leaves open, in English and in French."""

    claimed_ms: float
    as_of: dt.date
    note: str
    note_fr: str


def latencies(at: dt.datetime) -> Mapping[str, Latencies]:
    """By code of the model, what stands at `at`: published, and not withdrawn by then."""
    rows = ApiLatency.objects.filter(published_at__lte=at).select_related("item").order_by("-published_at", "-id")
    measured: dict[str, dict[str, MeasuredLatency]] = {}
    claims: dict[str, ClaimedLatency] = {}
    for row in rows:
        if row.withdrawn_at is not None and row.withdrawn_at <= at:
            continue
        if row.kind == ApiLatency.Kind.CLAIM:
            claims.setdefault(row.item.code, columns(ClaimedLatency, row))
        else:
            measured.setdefault(row.item.code, {}).setdefault(row.region, columns(MeasuredLatency, row))
    codes = measured.keys() | claims.keys()
    return {code: Latencies(tuple(measured.get(code, {}).values()), claims.get(code)) for code in codes}


def columns[T](kind: type[T], row: ApiLatency) -> T:
    """The columns of a row that have a field of the same name in the dataclass `kind`."""
    return kind(**{name: getattr(row, name) for name in kind.__annotations__})


def aliases(version: int, at: dt.datetime) -> Mapping[str, tuple[str, ...]]:
    """The other names that each item's code answers to at `at`; a name that has moved belongs to its newest item."""
    known = ItemAlias.objects.filter(catalog_version__lte=version, valid_from__lte=at)
    owner = {row.alias: row.item.code for row in known.select_related("item").order_by("valid_from")}
    found: dict[str, list[str]] = {}
    for alias, code in sorted(owner.items()):
        found.setdefault(code, []).append(alias)
    return {code: tuple(names) for code, names in found.items()}
