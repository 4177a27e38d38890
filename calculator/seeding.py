"""Loads fixtures/*.json into the catalogue: what is missing is appended under a new version, nothing is overwritten.

Data sheets and labels follow the fixtures; prices, rates and figures are append-only. A fixture that gives another
amount for a start already recorded is refused: a new price needs a start of its own.
"""

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models, transaction

from calculator.models import (
    ANY_REGION,
    ApiLatency,
    Audience,
    CatalogItem,
    CatalogVersion,
    Figure,
    FxRate,
    Gpu,
    ItemAlias,
    LanguageModel,
    PriceRow,
)
from calculator.snapshots import PARIS

Row = dict[str, Any]
AMOUNT_FIELDS = ("kind", "amount", "unit")


class SeedError(Exception):
    """A fixture that cannot be loaded, as one sentence."""


def instant(text: str) -> dt.datetime:
    """A fixture's start: a plain day begins at midnight in Paris, an instant must carry its offset."""
    moment = dt.datetime.fromisoformat(text)
    if len(text) == len("2026-11-30"):
        return moment.replace(tzinfo=PARIS).astimezone(dt.UTC)
    if moment.tzinfo is None:
        raise SeedError(f"“{text}” is an instant without an offset: add Z or +01:00.")
    return moment.astimezone(dt.UTC)


def day(text: str | None) -> dt.date | None:
    """A calendar day, or None where the fixture has none."""
    return dt.date.fromisoformat(text) if text else None


@dataclass(slots=True)
class Load:
    """One seeding: the version, created only when something is to be appended, and what was added or changed."""

    fixtures: Path
    counts: Counter[str] = field(default_factory=Counter)
    created: CatalogVersion | None = None

    def read(self, name: str) -> Any:
        """The content of one fixture."""
        return json.loads((self.fixtures / f"{name}.json").read_text(encoding="utf-8"))

    def version(self) -> CatalogVersion:
        """The version that new rows belong to."""
        if self.created is None:
            latest = CatalogVersion.objects.aggregate(latest=models.Max("number"))["latest"] or 0
            self.created = CatalogVersion.objects.create(
                number=latest + 1, kind=CatalogVersion.Kind.SEED, summary="Fixtures loaded"
            )
        return self.created


def differing(record: models.Model, values: Mapping[str, Any]) -> list[str]:
    """The names of the fields in which a stored record differs from the fixture."""
    return [name for name, value in values.items() if getattr(record, name) != value]


def follow[M: models.Model](
    load: Load, name: str, known: Mapping[Any, M], key: Any, values: Row, create: Callable[[], M]
) -> M:
    """Create the record of `key`, or bring its changed fields in line with the fixture."""
    record = known.get(key)
    if record is None:
        load.counts[name] += 1
        return create()
    if changed := differing(record, values):
        for attribute in changed:
            setattr(record, attribute, values[attribute])
        record.save(update_fields=changed)
        load.counts[f"{name} changed"] += 1
    return record


def seed_sheets(load: Load, name: str, model: type[Gpu] | type[LanguageModel]) -> None:
    """Data sheets by name."""
    known = {record.name: record for record in model.objects.all()}
    for row in load.read(name):
        follow(load, name, known, row["name"], row, partial(model.objects.create, **row))


def item_values(kind: str, row: Row, gpus: Mapping[str, Gpu]) -> Row:
    """The fields of a catalogue item as the fixture gives them."""
    values: Row = {"kind": kind, "note": "", "is_test_host": False, "status": "offered", "interconnect": "", **row}
    for absent in ("aliases", "replaced_by"):
        values.pop(absent, None)
    values["retired_on"] = day(row.get("retired_on"))
    values["gpu"] = gpus[row["gpu"]] if row.get("gpu") else None
    return values


def seed_items(load: Load, name: str, kind: str) -> dict[str, CatalogItem]:
    """SKUs, API or embedding models by code; any change opens a new version, because readers cache by version."""
    known = {item.code: item for item in CatalogItem.objects.filter(kind=kind).select_related("gpu")}
    gpus = {gpu.name: gpu for gpu in Gpu.objects.all()}
    for row in load.read(name):
        values = item_values(kind, row, gpus)
        record = known.get(row["code"])
        if record is None or differing(record, values):
            load.version()

        def create(values: Row = values) -> CatalogItem:
            return CatalogItem.objects.create(**values, catalog_version=load.version())

        known[row["code"]] = follow(load, name, known, row["code"], values, create)
    seed_successors(load, name, known)
    return known


def seed_successors(load: Load, name: str, items: Mapping[str, CatalogItem]) -> None:
    """What replaces a retired item, once all items exist."""
    for row in load.read(name):
        successor = items[row["replaced_by"]] if row.get("replaced_by") else None
        item = items[row["code"]]
        if item.replaced_by_id != (successor.pk if successor else None):
            item.replaced_by = successor
            item.save(update_fields=["replaced_by"])
            load.version()


def seed_aliases(load: Load, items: Mapping[str, CatalogItem]) -> None:
    """Exact other names, stored case-folded with the instant from which they hold."""
    known = set(ItemAlias.objects.values_list("alias", "valid_from"))
    for row in load.read("api_models"):
        for entry in row["aliases"]:
            alias, start = entry["alias"].casefold(), instant(entry["valid_from"])
            if (alias, start) not in known:
                ItemAlias.objects.create(
                    item=items[row["code"]], alias=alias, valid_from=start, catalog_version=load.version()
                )
                load.counts["aliases"] += 1


def price_fields(row: Row) -> Row:
    """What all components of one fixture row share."""
    return {
        "mode": row["mode"],
        "region": row.get("region", ANY_REGION),
        "context_over": row.get("context_over", 0),
        "window": row.get("window", PriceRow.Window.ALL),
        "kind": row["kind"],
        "currency": row["currency"],
        "unit": row["unit"],
        "valid_from": instant(row["valid_from"]),
        "origin": row["origin"],
        "source_url": row.get("source_url", ""),
        "checked_on": day(row["checked_on"]),
        "note": row.get("note", ""),
        "note_fr": row.get("note_fr", ""),
    }


def prices_of_gpu(row: Row, items: Mapping[str, CatalogItem]) -> Iterable[Row]:
    """One component of one SKU."""
    yield {
        **price_fields(row),
        "item": items[row["sku"]],
        "component": row["component"],
        "amount": Decimal(row["amount"]) if row.get("amount") is not None else None,
    }


def prices_of_api(row: Row, items: Mapping[str, CatalogItem]) -> Iterable[Row]:
    """The components of one API model in one mode and tier: amounts by component, or the components that have none
    since they are withdrawn or vary."""
    amounts: dict[str, str | None] = row.get("amounts") or dict.fromkeys(row["components"])
    for component, text in amounts.items():
        amount = None if text is None else Decimal(text)
        yield {**price_fields(row), "item": items[row["model"]], "component": component, "amount": amount}


def price_key(row: Row | PriceRow) -> tuple[Any, ...]:
    """What makes a price row one of a kind: item, component, conditions, currency and start."""
    read = row.get if isinstance(row, dict) else partial(getattr, row)
    item = row["item"].pk if isinstance(row, dict) else row.item_id
    names = ("component", "mode", "region", "context_over", "window", "currency", "valid_from")
    return (item, *(read(name) for name in names))


def append[M: models.Model](
    load: Load, name: str, model: type[M], known: Mapping[Any, M], key: Any, row: Row, fixed: Iterable[str]
) -> M | None:
    """A new unsaved record, None when it is already recorded; SeedError when recorded with another content."""
    if (record := known.get(key)) is not None:
        if differing(record, {name: row[name] for name in fixed}):
            raise SeedError(
                f"{record} is recorded and cannot change: give the new value a start of its own in the fixture."
            )
        return None
    load.counts[name] += 1
    new = model(**row)
    try:
        new.clean_fields()
    except ValidationError as error:
        raise SeedError(f"{new} cannot be recorded: {'; '.join(error.messages)}") from error
    return new


def seed_prices(load: Load, items: Mapping[str, CatalogItem]) -> None:
    """Price rows of GPUs and API models; a voided row counts as recorded and is not put back."""
    public = PriceRow.objects.filter(audience=Audience.PUBLIC)
    known = {price_key(row): row for row in public.select_related("item").order_by("id")}
    rows = [price for row in load.read("gpu_rates") for price in prices_of_gpu(row, items)]
    for name in ("api_rates", "embedding_rates"):
        rows += [price for row in load.read(name) for price in prices_of_api(row, items)]
    missing = []
    for row in rows:
        if price_key(row) not in known:
            row["catalog_version"] = load.version()
        missing.append(append(load, "prices", PriceRow, known, price_key(row), row, AMOUNT_FIELDS))
    PriceRow.objects.bulk_create(row for row in missing if row is not None)


def seed_rates(load: Load) -> None:
    """Exchange rates by day."""
    known = {(rate.quote, rate.rate_date, rate.source): rate for rate in FxRate.objects.order_by("id")}
    fixture = load.read("fx_rates")
    shared = {name: fixture[name] for name in ("base", "quote", "source", "source_url", "note", "note_fr")}
    missing = []
    for text, rate in fixture["rates"].items():
        row = {**shared, "rate_date": dt.date.fromisoformat(text), "rate": Decimal(rate)}
        key = (row["quote"], row["rate_date"], row["source"])
        if key not in known:
            row["catalog_version"] = load.version()
        missing.append(append(load, "rates", FxRate, known, key, row, ("rate",)))
    FxRate.objects.bulk_create(rate for rate in missing if rate is not None)


def seed_figures(load: Load, items: Mapping[str, CatalogItem]) -> None:
    """Published figures by SKU, metric, label and start; a withdrawn one counts as recorded."""
    known = {
        (figure.sku_id, figure.metric, figure.label, figure.published_at): figure
        for figure in Figure.objects.select_related("sku")
    }
    missing = []
    for entry in load.read("figures"):
        sku, start = items[entry["sku"]], instant(entry["published_at"])
        row = {**entry, "sku": sku, "published_at": start, "as_of": day(entry["as_of"])}
        key = (sku.pk, row["metric"], row["label"], start)
        missing.append(append(load, "figures", Figure, known, key, row, ("value", "scope", "kind")))
    Figure.objects.bulk_create(figure for figure in missing if figure is not None)


def seed_latencies(load: Load, items: Mapping[str, CatalogItem]) -> None:
    """What vendors claim of their APIs, by model, label and start; what runs measured comes from their publication."""
    claims = ApiLatency.objects.filter(kind=ApiLatency.Kind.CLAIM)
    known = {(found.item_id, found.label, found.published_at): found for found in claims}
    missing = []
    for entry in load.read("api_latencies"):
        item, start = items[entry["api"]], instant(entry["published_at"])
        values = {name: value for name, value in entry.items() if name != "api"}
        row = {**values, "item": item, "published_at": start, "as_of": day(entry["as_of"])}
        key = (item.pk, row["label"], start)
        missing.append(append(load, "latencies", ApiLatency, known, key, row, ("claimed_ms", "kind")))
    ApiLatency.objects.bulk_create(found for found in missing if found is not None)


def latest_number() -> int:
    """The newest version's number, 0 in an empty catalogue."""
    newest = CatalogVersion.objects.order_by("-number").first()
    return newest.number if newest else 0


@transaction.atomic
def seed(fixtures: Path | None = None) -> str:
    """Load every fixture, all or nothing, and say in one line what was added; "0 changes" when nothing was.

    Raises SeedError for a fixture that contradicts what is recorded.
    """
    load = Load(fixtures or settings.BASE_DIR / "fixtures")
    seed_sheets(load, "gpus", Gpu)
    seed_sheets(load, "models", LanguageModel)
    skus = seed_items(load, "skus", CatalogItem.Kind.GPU_SKU)
    apis = seed_items(load, "api_models", CatalogItem.Kind.LLM_MODEL)
    embeddings = seed_items(load, "embedding_models", CatalogItem.Kind.EMBEDDING)
    seed_aliases(load, apis)
    seed_prices(load, {**skus, **apis, **embeddings})
    seed_rates(load)
    seed_figures(load, skus)
    seed_latencies(load, apis)
    said = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in load.counts.items())
    return f"Catalogue v{latest_number()}: {said or '0 changes'}."
