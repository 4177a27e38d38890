"""What a version of the catalogue holds, arranged so that each line of a file finds its place at once."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator import snapshots
from calculator.models import Audience, CatalogItem, FxRate, Gpu, ItemAlias, LanguageModel, PriceRow
from calculator.pricelist.contract import ITEM_NOT_SAID
from calculator.pricelist.plan import PriceKey

NOTHING = snapshots.Snapshot(0, dt.date.min, (), {}, ())
TOKEN_KINDS = (CatalogItem.Kind.LLM_MODEL, CatalogItem.Kind.EMBEDDING)


@dataclass(frozen=True, slots=True)
class Start:
    """One start in the life of a price. `row` is None for a start that the file itself plans."""

    valid_from: dt.datetime
    kind: str
    amount: Decimal | None
    row: int | None


@dataclass(frozen=True, slots=True)
class Known:
    """One version as one audience sees it. `starts` are those of the audience's own prices, by key, in order.

    `public` are those that a private price is compared with where there is no private one; empty for the public.
    """

    version: int
    audience: str
    items: Mapping[tuple[str, str], CatalogItem]
    aliases: Mapping[tuple[str, str], tuple[tuple[dt.datetime, CatalogItem], ...]]
    starts: Mapping[PriceKey, list[Start]]
    public: Mapping[PriceKey, list[Start]]
    rates: Mapping[tuple[str, str], tuple[FxRate, ...]]
    gpus: Mapping[str, Gpu]
    models: Mapping[str, LanguageModel]

    def item(self, kind: str, code: str, at: dt.datetime) -> CatalogItem | None:
        """The item of a code or of a name that holds at `at`, in any case. Without a kind: what is sold by tokens."""
        for one in TOKEN_KINDS if kind == ITEM_NOT_SAID else (kind,):
            place = (str(one), code.casefold())
            if place in self.items:
                return self.items[place]
            named = [item for start, item in self.aliases.get(place, ()) if start <= at]
            if named:
                return named[-1]
        return None


def key_of(row: PriceRow, item: CatalogItem) -> PriceKey:
    """The key of a recorded price."""
    return PriceKey(
        item.kind,
        item.code.casefold(),
        row.component,
        row.mode,
        row.region,
        row.context_over,
        row.window,
        row.currency,
    )


def arranged(known: snapshots.Snapshot, audience: str) -> dict[PriceKey, list[Start]]:
    """The starts of one audience's prices by key, in order."""
    found: dict[PriceKey, list[Start]] = {}
    for item in known.items:
        for row in known.rows.get(item.pk, ()):
            if row.audience == audience:
                start = Start(row.valid_from, row.kind, row.amount, row.pk)
                found.setdefault(key_of(row, item), []).append(start)
    return found


def _aliases(
    version: int, by_pk: Mapping[int, CatalogItem]
) -> dict[tuple[str, str], tuple[tuple[dt.datetime, CatalogItem], ...]]:
    found: dict[tuple[str, str], list[tuple[dt.datetime, CatalogItem]]] = {}
    for alias in ItemAlias.objects.filter(catalog_version__lte=version).order_by("valid_from", "id"):
        item = by_pk[alias.item_id]
        found.setdefault((item.kind, alias.alias), []).append((alias.valid_from, item))
    return {place: tuple(names) for place, names in found.items()}


def _rates(known: snapshots.Snapshot) -> dict[tuple[str, str], tuple[FxRate, ...]]:
    found: dict[tuple[str, str], list[FxRate]] = {}
    for rate in known.rates:
        found.setdefault((rate.quote, rate.source), []).append(rate)
    return {place: tuple(rates) for place, rates in found.items()}


def known_of(version: int, audience: str = Audience.PUBLIC) -> Known:
    """A version as `audience` sees it; 0 is the empty catalogue. Reads only. Raises snapshots.NotFound."""
    known = snapshots.snapshot(version, audience) if version else NOTHING
    return Known(
        version=version,
        audience=audience,
        items={(item.kind, item.code.casefold()): item for item in known.items},
        aliases=_aliases(version, {item.pk: item for item in known.items}),
        starts=arranged(known, audience),
        public=arranged(known, Audience.PUBLIC) if audience == Audience.SALES else {},
        rates=_rates(known),
        gpus={gpu.name: gpu for gpu in Gpu.objects.all()},
        models={model.name: model for model in LanguageModel.objects.all()},
    )
