"""Price tables: one service level at a time, dollars and euros in columns of their own, each row with its source."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.offers import ApiModel, Basis, Mode, Rates, Sku, Varies
from calculator.domain.provenance import Sourced
from calculator.domain.units import usd_to_eur
from calculator.fields import decimals
from calculator.listing.latencies import LatencyLine
from calculator.listing.tables import Cell, unknown
from calculator.presenters import words
from calculator.staleness import is_stale_price

USD_COLUMNS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
EUR_COLUMNS = ("input", "output")


class Checked(NamedTuple):
    """Where a row's prices come from and the day the oldest of them was checked."""

    host: str
    href: str
    date: str
    is_stale: bool
    note: str


class Split(NamedTuple):
    """The models to show, and how many retired ones there are; `with_retired` when these are shown too."""

    shown: tuple[ApiModel, ...]
    retired_count: int
    with_retired: bool


class ModeChoice(NamedTuple):
    """One service level as a link, with how many models are sold at it."""

    code: str
    name: str
    models: str
    is_current: bool


class ApiRow(NamedTuple):
    """One model at one context tier: USD cells, then EUR cells."""

    code: str
    label: str
    detail: str
    tier: str
    retired: str
    is_retired: bool
    is_first: bool
    cells: tuple[Cell, ...]
    checked: Checked | None
    latency: tuple[LatencyLine, ...] = ()


class GpuPriceRow(NamedTuple):
    """One SKU with its prices by the hour and by the month."""

    code: str
    detail: str
    cells: tuple[Cell, ...]
    checked: Checked | None


def mode_asked(text: str) -> Mode:
    """The service level that ?mode= names; standard where it names none."""
    return Mode(text) if text in {mode.value for mode in Mode} else Mode.STANDARD


def by_retirement(apis: Iterable[ApiModel], today: dt.date, *, with_retired: bool) -> Split:
    """The models on sale, and the retired ones after them where they are asked for."""
    every = tuple(apis)
    retired = tuple(api for api in every if is_retired(api, today))
    offered = tuple(api for api in every if not is_retired(api, today))
    return Split(offered + retired if with_retired else offered, len(retired), with_retired)


def is_retired(api: ApiModel, today: dt.date) -> bool:
    """Retired from its day on."""
    return api.retired_on is not None and api.retired_on <= today


def mode_choices(apis: Iterable[ApiModel], current: Mode) -> tuple[ModeChoice, ...]:
    """Every service level that some model is sold at, and the one now shown."""
    counts = dict.fromkeys(Mode, 0)
    for api in apis:
        for mode in {*api.modes, *api.unread}:
            counts[mode] += 1
    shown = [mode for mode in Mode if counts[mode] or mode is current]
    return tuple(
        ModeChoice(mode.value, words.mode_name(mode), formats.number(counts[mode]), mode is current) for mode in shown
    )


def api_rows(
    apis: Iterable[ApiModel],
    mode: Mode,
    names: Mapping[str, tuple[str, ...]],
    usd_per_eur: Sourced[Decimal] | None,
    today: dt.date,
    latencies: Mapping[str, tuple[LatencyLine, ...]] | None = None,
) -> tuple[ApiRow, ...]:
    """The models sold at `mode`, one row for each context tier."""
    rate = usd_per_eur.value if usd_per_eur else None
    known = latencies or {}
    return tuple(
        _api_row(api, tiers, names.get(api.code, ()), rate, today, is_first=place == 0)._replace(
            latency=known.get(api.code, ())
        )
        for api in apis
        for place, tiers in enumerate(api.modes.get(mode, ()))
    )


def not_sold(apis: Iterable[ApiModel], mode: Mode) -> tuple[str, ...]:
    """The models that have no price at `mode`: named, never priced at another one."""
    return tuple(api.label for api in apis if mode not in api.modes and mode not in api.unread)


def unread(apis: Iterable[ApiModel], mode: Mode) -> tuple[tuple[str, str], ...]:
    """Code and name of the models whose only prices at `mode` are none of the table's."""
    return tuple((api.code, api.label) for api in apis if mode not in api.modes and mode in api.unread)


def _api_row(
    api: ApiModel, rates: Rates, names: tuple[str, ...], rate: Decimal | None, today: dt.date, *, is_first: bool
) -> ApiRow:
    found: list[Sourced[Decimal] | None] = [getattr(rates, name) for name in USD_COLUMNS]
    return ApiRow(
        code=api.code,
        label=api.label,
        detail=", ".join((api.provider, *names)),
        tier=_tier(rates.context_over_tokens),
        retired=_retirement(api.retired_on, today),
        is_retired=is_retired(api, today),
        is_first=is_first,
        cells=tuple(_cells(rates, rate)),
        checked=checked((*(item for item in found if item is not None), *rates.varying.values()), today),
    )


def _cells(rates: Rates, rate: Decimal | None) -> Iterator[Cell]:
    """USD by component, then the euros of input and output; what is sold at no price known beforehand says so."""
    varies = unknown(_("variable"))
    for name in USD_COLUMNS:
        yield varies if name in rates.varying else _usd(getattr(rates, name))
    for name in EUR_COLUMNS:
        yield varies if name in rates.varying else _eur(getattr(rates, name), rate)


def _tier(over: int) -> str:
    if not over:
        return ""
    return _("entrée > %(count)s tokens") % {"count": formats.number(over)}


def _retirement(day: dt.date | None, today: dt.date) -> str:
    if day is None:
        return ""
    text = _("retiré le %(date)s") if day <= today else _("retrait le %(date)s")
    return text % {"date": formats.date(day)}


def _usd(item: Sourced[Decimal] | None) -> Cell:
    return unknown(_("sans prix")) if item is None else Cell(_amount(item.value))


def _eur(item: Sourced[Decimal] | None, rate: Decimal | None) -> Cell:
    if item is None:
        return unknown(_("sans prix"))
    return (
        unknown(_("sans cours")) if rate is None else Cell(formats.number(usd_to_eur(item.value, rate), _places(item)))
    )


def _places(item: Sourced[Decimal]) -> int:
    return 4 if item.value < Decimal("0.10") else 2


def _amount(value: Decimal) -> str:
    """An exact price: two decimals, all of them where it has more."""
    return formats.number(value, max(2, decimals(value)))


def checked(items: Iterable[Sourced[Decimal] | Varies], today: dt.date) -> Checked | None:
    """The source that was checked the longest ago; None without any."""
    dated = [item for item in items if item.date is not None]
    if not dated:
        return None
    oldest = min(dated, key=lambda item: item.date or today)
    return source_of(oldest.reference, oldest.date or today, oldest.note, today)


def source_of(reference: str, day: dt.date, note: str, today: dt.date) -> Checked:
    """A source as a link by its host; stale after 90 days."""
    is_address = reference.startswith(("https://", "http://"))
    return Checked(
        host=(urlsplit(reference).hostname or reference) if is_address else reference,
        href=reference if is_address else "",
        date=formats.date(day),
        is_stale=is_stale_price(day, today),
        note=note,
    )


def gpu_rows(skus: Iterable[Sku], today: dt.date) -> tuple[GpuPriceRow, ...]:
    """The SKUs for sale; a price on request is said in words. Test hosts have no price list."""
    return tuple(
        GpuPriceRow(
            code=sku.code,
            detail=sku.label,
            cells=tuple(_gpu_cells(sku)),
            checked=checked(sku.prices.values(), today),
        )
        for sku in skus
        if not sku.is_test_host
    )


def _gpu_cells(sku: Sku) -> Iterator[Cell]:
    missing = _("non proposé") if sku.prices else _("sur devis")
    for basis in (Basis.HOUR, Basis.MONTH):
        found = sku.prices.get(basis)
        yield unknown(missing) if found is None else Cell(_amount(found.value))
