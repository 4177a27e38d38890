"""What genai-prices knows of the API models in the catalogue: a proposal, never a price.

The library ships its data and is read offline, for an instant that is always stated. A mode counts only where the
library really has it: an unknown one would silently be answered with the standard price. Prices that change with the
hour of the day are not proposed, nor is anything for a model that is retired, or against a price that was entered by
hand or negotiated.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.metadata import version as installed_version

from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, Provider, StartDateConstraint, TieredPrices, TimeOfDateConstraint

from calculator.models import ANY_REGION, CatalogItem, PriceRow
from calculator.pricelist.contract import FileKind
from calculator.pricelist.inforce import RowKey, current_at
from calculator.pricelist.priceline import WITHOUT_AMOUNT
from calculator.pricelist.writing import FileRow, rendered, start_text
from calculator.snapshots import API, EMBEDDING, is_retired, snapshot

LIBRARY = "genai-prices"
CURRENCY, UNIT, WINDOW = "USD", "mtok", "all"
PRICE_OF: Mapping[str, str] = {
    "input": "input_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write_5m": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
    "output": "output_mtok",
}
"""The library's name of each component."""
STANDARD = "standard"
CONTEXT_OF: Mapping[str, Mapping[str, str]] = {
    "batch": {"processing": "batch"},
    "flex": {"service_tier": "flex"},
    "priority": {"service_tier": "priority"},
}
"""How a request asks for a mode that is not the standard one."""
SOLD: Mapping[str, tuple[str, ...]] = {API: tuple(PRICE_OF), EMBEDDING: ("input",)}
BY_HAND = (PriceRow.Origin.MANUAL, PriceRow.Origin.NEGOTIATED)
SOURCE = "https://github.com/pydantic/genai-prices/blob/main/prices/providers/{provider}.yml"


@dataclass(frozen=True, slots=True)
class Offer:
    """One price of the library. `valid_from` None = it holds at the instant asked for."""

    component: str
    mode: str
    context_over: int
    amount: Decimal
    valid_from: dt.datetime | None = None

    @property
    def key(self) -> RowKey:
        """The same key as a price row's."""
        return (self.component, self.mode, ANY_REGION, self.context_over, WINDOW, CURRENCY)


@dataclass(frozen=True, slots=True)
class Found:
    """What the library has of one item, or the code of why it has nothing that can be compared."""

    offers: tuple[Offer, ...] = ()
    source_url: str = ""
    reason: str = ""


def release() -> str:
    """The installed release of the library."""
    return installed_version(LIBRARY)


@cache
def _providers() -> Mapping[str, Provider]:
    """The library's own data, by the provider's id and name in small letters."""
    found: dict[str, Provider] = {}
    for provider in get_snapshot().providers:
        found.setdefault(provider.name.casefold(), provider)
    for provider in get_snapshot().providers:
        found[provider.id.casefold()] = provider
    return found


def found_for(item: CatalogItem, at: dt.datetime) -> Found:
    """Every price of one item at an instant, and those announced for later.

    The reasons for none: provider_unknown, model_unknown, other_model (only a rule matches the name), daily_window.
    """
    provider = _providers().get(item.provider.casefold())
    if provider is None:
        return Found(reason="provider_unknown")
    source = SOURCE.format(provider=provider.id)
    model = provider.find_model(item.code)
    if model is None:
        return Found(source_url=source, reason="model_unknown")
    if model.id.casefold() != item.code.casefold():
        return Found(source_url=source, reason="other_model")
    if has_daily_window(model):
        return Found(source_url=source, reason="daily_window")
    wanted = SOLD[item.kind]
    return Found(tuple(offer for offer in _offers(model, at) if offer.component in wanted), source)


def has_daily_window(model: ModelInfo) -> bool:
    """Whether some price of the model depends on the hour of the day."""
    conditions = [] if isinstance(model.prices, ModelPrice) else [price.constraint for price in model.prices]
    conditions += [variant.constraint for variant in model.price_variants or ()]
    return any(isinstance(condition, TimeOfDateConstraint) for condition in conditions)


def _offers(model: ModelInfo, at: dt.datetime) -> Iterator[Offer]:
    yield from _rates(model.get_prices(at), STANDARD)
    for mode, context in CONTEXT_OF.items():
        for variant in model.price_variants or ():
            if variant.when == context and (variant.constraint is None or variant.constraint.active(at)):
                yield from _rates(variant.prices, mode)
                break
    yield from _announced(model, at)


def _rates(prices: ModelPrice, mode: str, valid_from: dt.datetime | None = None) -> Iterator[Offer]:
    for component, name in PRICE_OF.items():
        rate = getattr(prices, name, None)
        if isinstance(rate, TieredPrices):
            yield Offer(component, mode, 0, rate.base, valid_from)
            for tier in rate.tiers:
                yield Offer(component, mode, tier.start, tier.price, valid_from)
        elif rate is not None:
            yield Offer(component, mode, 0, rate, valid_from)


def _announced(model: ModelInfo, at: dt.datetime) -> Iterator[Offer]:
    """Standard prices that start after the instant; the library counts its days in UTC."""
    if isinstance(model.prices, ModelPrice):
        return
    for price in model.prices:
        if isinstance(price.constraint, StartDateConstraint):
            start = dt.datetime.combine(price.constraint.start_date, dt.time(), dt.UTC)
            if start > at:
                yield from _rates(price.prices, STANDARD, start)


def items_of(version: int) -> tuple[CatalogItem, ...]:
    """The items of a version that are sold by the token."""
    known = snapshot(version)
    return (*known.of_kind(API), *known.of_kind(EMBEDDING))


def proposed_rows(version: int, at: dt.datetime) -> list[FileRow]:
    """The library's prices that may be proposed, as rows of an API file."""
    known = snapshot(version)
    rows: list[FileRow] = []
    for item in items_of(version):
        if not is_retired(item, at):
            standing = current_at(known, item, at)
            found = found_for(item, at)
            rows += [
                _row(item, offer, found.source_url)
                for offer in found.offers
                if may_propose(standing.get(offer.key), offer)
            ]
    return rows


def may_propose(standing: PriceRow | None, offer: Offer) -> bool:
    """Whether a price of the library may be proposed where `standing` is in force: not against a decision of ours.

    A price entered by hand, a negotiated one, a withdrawal and a price that is said to vary are decisions. A free model
    of the library is left to a person too, and so is a number below zero, which some lists write for a variable price.
    """
    if offer.amount <= 0:
        return False
    return standing is None or (standing.origin not in BY_HAND and standing.kind not in WITHOUT_AMOUNT)


def _row(item: CatalogItem, offer: Offer, source_url: str) -> FileRow:
    return {
        "model": item.code,
        "item_kind": item.kind,
        "component": offer.component,
        "mode": offer.mode,
        "context_over": Decimal(offer.context_over),
        "amount": offer.amount,
        "currency": CURRENCY,
        "unit": UNIT,
        "valid_from": start_text(offer.valid_from) if offer.valid_from else None,
        "source_url": source_url,
        "note": f"{LIBRARY} {release()}",
    }


def proposal(version: int, at: dt.datetime) -> tuple[str, bytes]:
    """The proposal as a file to receive like any other (with the origin `library`): its name and its bytes."""
    return f"{LIBRARY}-{release()}.json", rendered(FileKind.LLM, proposed_rows(version, at), "json", french=False)
