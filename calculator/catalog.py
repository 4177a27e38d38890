"""The only reads of the catalogue: database rows → domain objects, for one catalogue version and one instant.

The visitor's own prices, rates and throughputs are not applied here: the formulas do that. Figures carry no version
and are always asked for; everything else comes from the version's snapshot.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.utils import timezone

from calculator import figures, language
from calculator.domain.offers import ApiModel, Basis, EconomicsFacts, Mode, Rates, Sku, Throughput, Varies
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import EconomicsScenario
from calculator.figures import Figures
from calculator.ledger import (
    PriceChange,
    PricePoint,
    StalePrice,
    latest_changes,
    price_history,
    prices_in_force,
    rate_mark,
    stale_prices,
    versions,
)
from calculator.models import CatalogItem, Figure, FxRate, LanguageModel, PriceRow
from calculator.sheets import gpu_sheets, language_models
from calculator.snapshots import (
    API,
    EMBEDDING,
    KINDS,
    PARIS,
    SKU,
    NotFound,
    PriceKey,
    Snapshot,
    canonical_code,
    current_rows,
    forget,
    is_retired,
    item_called,
    label_of,
    latest_version,
    nearest_code,
    note_of,
    snapshot,
    unread_modes,
    without_trailing_zeros,
)

__all__ = [
    "NotFound",
    "PriceChange",
    "PricePoint",
    "StalePrice",
    "api_choices",
    "as_sold",
    "canonical_code",
    "default_scenario",
    "embedding_choices",
    "first_visit",
    "for_economics",
    "forget",
    "gpu_sheets",
    "language_models",
    "latest_changes",
    "latest_rate",
    "latest_version",
    "price_history",
    "prices_in_force",
    "rate_mark",
    "retirement",
    "sku_choices",
    "stale_prices",
    "throughputs",
    "usual",
    "versions",
]

COMPONENT_OF_BASIS = {Basis.HOUR: ("instance_hour", "on_demand"), Basis.MONTH: ("instance_month", "reserved")}
API_COMPONENTS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def first_visit[S](scenario: Callable[..., S], at: dt.datetime | None = None) -> S:
    """A scenario with its defaults: newest version, `at` or now, in UTC to the second; what is sold no more gives way
    to what is."""
    moment = (at or timezone.now()).astimezone(dt.UTC).replace(microsecond=0)
    return as_sold(scenario(catalog_version=latest_version(), at=moment))


def as_sold[S](made: S) -> S:
    """`made` with the first offers for sale in place of those that its version does not sell at its instant.

    A SKU gives way to the first one with a price, and is then billed as it is sold. Where nothing is for sale, and
    where no code is asked for, it stays.
    """
    named: Any = made
    version, at = named.catalog_version, named.at
    found: dict[str, Any] = {}
    skus = [sku for sku in sku_choices(version, at) if not sku.is_test_host]
    if getattr(named, "sku", "") and skus:
        sku = next((one for one in skus if one.code == named.sku), None) or _first_priced(skus)
        found |= _as_billed(named, sku)
    apis = [api.code for api in api_choices(version, at)]
    if getattr(named, "apis", ()) and apis:
        kept = tuple(code for code in named.apis if code in apis)
        found["apis"] = kept or tuple(apis[: len(named.apis)])
    if getattr(named, "reference", "") and apis and named.reference not in apis:
        found["reference"] = found.get("apis", apis)[0]
    embeddings = [one.code for one in embedding_choices(version, at)]
    if getattr(named, "embedding", "") and embeddings and named.embedding not in embeddings:
        found["embedding"] = embeddings[0]
    changed: S = replace(named, **found)
    return changed


def usual[S](scenario: S) -> S:
    """The defaults at the version and instant of `scenario`."""
    named: Any = scenario
    kind: Callable[..., S] = type(scenario)
    return as_sold(kind(catalog_version=named.catalog_version, at=named.at))


def _first_priced(skus: Sequence[Sku]) -> Sku:
    return next((sku for sku in skus if sku.prices), skus[0])


def _as_billed(scenario: Any, sku: Sku) -> dict[str, Any]:
    """The SKU's code, and the basis that it is sold at where the scenario's is another."""
    basis = getattr(scenario, "basis", None)
    if basis is None or basis in sku.prices or not sku.prices:
        return {"sku": sku.code}
    return {"sku": sku.code, "basis": next(iter(sku.prices))}


def default_scenario(at: dt.datetime | None = None) -> EconomicsScenario:
    """The economics scenario of a first visit."""
    return first_visit(EconomicsScenario, at)


def sourced_price(row: PriceRow, unit: str, label: str) -> Sourced[Decimal] | None:
    """A price row as a list price with its origin; None for a row without amount."""
    if row.amount is None:
        return None
    amount = without_trailing_zeros(row.amount)
    return Sourced(
        amount, unit, Kind.LIST_PRICE, label, reference=row.source_url, date=row.checked_on, note=note_of(row)
    )


def sku_of(known: Snapshot, item: CatalogItem, at: dt.datetime, throughput: Throughput | None = None) -> Sku:
    """A SKU with its prices in force; a basis without a price is absent (on request)."""
    key = (item.pk, known.period(at), language.active())
    sku: Sku = known.once(key, lambda: _priced_sku(known, item, at))
    return sku if throughput is None else replace(sku, throughput=throughput)


def _priced_sku(known: Snapshot, item: CatalogItem, at: dt.datetime) -> Sku:
    rows = current_rows(known, item, at)
    prices = {
        basis: price
        for basis, (component, mode) in COMPONENT_OF_BASIS.items()
        if (row := rows.get((component, mode, 0, "EUR"))) is not None
        and (price := sourced_price(row, f"EUR/{basis.value}", f"sku_price_{basis.value}")) is not None
    }
    return Sku(
        code=item.code,
        label=label_of(item),
        gpu=item.gpu.name if item.gpu else "",
        gpu_count=item.gpu_count or 1,
        vram_gb=item.vram_gb or 0.0,
        prices=prices,
        is_test_host=item.is_test_host,
    )


def rates_of(rows: Mapping[PriceKey, PriceRow], mode: Mode, context_over: int) -> Rates:
    """One mode's rates in one context tier, USD per million tokens."""
    sold = {
        component: row
        for component in API_COMPONENTS
        if (row := rows.get((component, mode.value, context_over, "USD"))) is not None
    }
    return Rates(
        context_over_tokens=context_over,
        varying={
            component: Varies(row.source_url, row.checked_on, note_of(row))
            for component, row in sold.items()
            if row.kind == PriceRow.Kind.VARIABLE
        },
        **{component: sourced_price(row, "USD/Mtok", f"api_rate_{component}") for component, row in sold.items()},
    )


def api_of(known: Snapshot, item: CatalogItem, at: dt.datetime) -> ApiModel:
    """An API model with the modes and tiers in force, tiers in rising order."""
    key = (item.pk, known.period(at), language.active())
    api: ApiModel = known.once(key, lambda: _priced_api(known, item, at))
    return api


def _priced_api(known: Snapshot, item: CatalogItem, at: dt.datetime) -> ApiModel:
    rows = current_rows(known, item, at)
    tiers = {(mode, over) for component, mode, over, currency in rows if currency == "USD"}
    modes = {
        mode: tuple(rates_of(rows, mode, over) for over in sorted(over for sold, over in tiers if sold == mode.value))
        for mode in Mode
        if any(sold == mode.value for sold, _over in tiers)
    }
    return ApiModel(
        code=item.code,
        label=label_of(item),
        provider=item.provider,
        modes=modes,
        retired_on=item.retired_on,
        context_window_tokens=item.context_window,
        unread=frozenset(Mode(mode) for mode in unread_modes(known, item, at)),
    )


def sku_choices(version: int, at: dt.datetime) -> tuple[Sku, ...]:
    """Every SKU in catalogue order with its prices, test hosts included; throughputs are asked for apart."""
    known = snapshot(version)
    found: tuple[Sku, ...] = known.once(
        ("skus", known.era(at), language.active()),
        lambda: tuple(sku_of(known, item, at) for item in known.of_kind(SKU) if not is_retired(item, at)),
    )
    return found


def api_choices(version: int, at: dt.datetime, include_retired: bool = False) -> tuple[ApiModel, ...]:
    """API models in catalogue order; those retired at the instant only when asked for."""
    known = snapshot(version)
    offered = (item for item in known.of_kind(API) if include_retired or not is_retired(item, at))
    found: tuple[ApiModel, ...] = known.once(
        ("apis", include_retired, known.era(at), language.active()),
        lambda: tuple(api_of(known, item, at) for item in offered),
    )
    return found


def embedding_choices(version: int, at: dt.datetime) -> tuple[ApiModel, ...]:
    """Embedding models in catalogue order, those retired at the instant left out. They sell input only."""
    known = snapshot(version)
    return tuple(api_of(known, item, at) for item in known.of_kind(EMBEDDING) if not is_retired(item, at))


def retirement(kind: str, code: str, version: int, at: dt.datetime) -> dt.date | None:
    """The day from which an item is sold no more, None where none is known; `kind` is one of KINDS. NotFound."""
    return item_called(snapshot(version), KINDS[kind], code, at).retired_on


def rate_of(rates: Iterable[FxRate], day: dt.date, source: str, quote: str = "USD") -> Sourced[Decimal] | None:
    """The latest rate of one source dated on or before `day`; None when there is none."""
    dated = [rate for rate in rates if rate.quote == quote and rate.source == source and rate.rate_date <= day]
    if not dated:
        return None
    rate = max(dated, key=lambda one: one.rate_date)
    kind = Kind.LIST_PRICE if rate.source == FxRate.Source.ECB else Kind.ASSUMPTION
    return Sourced(
        without_trailing_zeros(rate.rate),
        f"{quote}/EUR",
        kind,
        "usd_per_eur",
        reference=rate.source,
        date=rate.rate_date,
        note=note_of(rate),
    )


def latest_rate(version: int, at: dt.datetime, source: str = FxRate.Source.ECB) -> Sourced[Decimal] | None:
    """Dollars for one euro: the last rate that `source` dated on or before the day of `at` in Paris."""
    known = snapshot(version)
    found: Sourced[Decimal] | None = known.once(
        ("rate", source, known.era(at), language.active()),
        lambda: rate_of(known.rates, at.astimezone(PARIS).date(), source),
    )
    return found


def throughputs(
    sku_code: str, at: dt.datetime, include_test: bool = False, known: Figures | None = None
) -> tuple[Throughput, ...]:
    """The throughputs of one SKU valid at the instant, newest first; test models only when asked for.

    `known` are the figures as read already, else they are asked for.
    """
    folded = sku_code.casefold()
    return tuple(
        throughput
        for figure, throughput in (known or figures.current()).standing(at)
        if figure.sku.code.casefold() == folded and figure.sku.kind == SKU and (include_test or not figure.test_model)
    )


def first_of(
    found: Iterable[tuple[Figure, Throughput]], matches: Callable[[Figure, Throughput], bool]
) -> Throughput | None:
    """The newest throughput that matches."""
    return next((throughput for figure, throughput in found if matches(figure, throughput)), None)


def model_named(scenario: EconomicsScenario, found: Iterable[tuple[Figure, Throughput]]) -> None:
    """Raise NotFound when the scenario names a model that the catalogue does not know."""
    asked = scenario.model.casefold()
    if not asked or any(throughput.model.casefold() == asked for _figure, throughput in found):
        return
    names = list(LanguageModel.objects.values_list("name", flat=True))
    if asked not in (name.casefold() for name in names):
        raise NotFound("model", scenario.model, nearest_code(scenario.model, names))


def chosen_throughput(
    scenario: EconomicsScenario, item: CatalogItem, found: Iterable[tuple[Figure, Throughput]]
) -> Throughput | None:
    """The figure asked for by id, which must be the SKU's own, else the newest of the scenario's model.

    A test model's figure is given only to a scenario that names this SKU and this model.
    """
    model = scenario.model.casefold()

    def allowed(figure: Figure, throughput: Throughput) -> bool:
        named = throughput.model.casefold() == model
        return figure.sku_id == item.pk and (named or not figure.test_model)

    if scenario.figure_id is None:
        return first_of(found, lambda one, rate: allowed(one, rate) and rate.model.casefold() == model)
    chosen = first_of(found, lambda one, rate: allowed(one, rate) and one.pk == scenario.figure_id)
    if chosen is None:
        raise NotFound("figure", str(scenario.figure_id))
    return chosen


def overview_throughputs(
    scenario: EconomicsScenario, found: Iterable[tuple[Figure, Throughput]], model: str
) -> Mapping[int, Throughput]:
    """The newest throughput of `model` for each SKU; test models enter no overview."""
    rates: dict[int, Throughput] = {}
    for figure, throughput in found:
        if not figure.test_model and throughput.model.casefold() == model:
            rates.setdefault(figure.sku_id, throughput)
    return rates


def for_economics(scenario: EconomicsScenario, known_figures: Figures | None = None) -> EconomicsFacts:
    """Prices, throughputs and the exchange rate for one scenario, as its version and instant know them.

    The overview holds every SKU for sale at the scenario's model; a test model shows the vendors' own figures there.
    Raises NotFound for a version, SKU, API (the reference too), model or figure that does not exist.
    """
    known, at = snapshot(scenario.catalog_version), scenario.at
    item = item_called(known, SKU, scenario.sku, at)
    asked = {item_called(known, API, code, at).pk for code in scenario.apis}
    if scenario.reference not in scenario.apis:
        item_called(known, API, scenario.reference, at)
    found = (known_figures or figures.current()).standing(at)
    model_named(scenario, found)
    throughput = chosen_throughput(scenario, item, found)
    tested = throughput is not None and throughput.test_model
    rates = overview_throughputs(scenario, found, "" if tested else scenario.model.casefold())
    return EconomicsFacts(
        catalog_version=known.number,
        catalog_date=known.date,
        at=at,
        sku=sku_of(known, item, at, throughput),
        skus=tuple(
            sku_of(known, one, at, rates.get(one.pk))
            for one in known.of_kind(SKU)
            if not one.is_test_host and not is_retired(one, at)
        ),
        apis=tuple(api_of(known, one, at) for one in known.of_kind(API) if one.pk in asked),
        usd_per_eur=latest_rate(known.number, at),
        day=at.astimezone(PARIS).date(),
    )
