"""The tables of the economics page, ready to print: one dataclass a row, every number already text."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import batched
from typing import NamedTuple

from calculator import formats, permalinks
from calculator.domain.provenance import Kind, weakest_kind
from calculator.domain.scenario import (
    Comparison,
    EconomicsEstimate,
    EconomicsScenario,
    GpuBill,
    OverviewRow,
    UtilisationCell,
    Verdict,
    VolumeRow,
)
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.presenters import counted, labels, words
from calculator.presenters.badges import Badge, badge, of_kind, word
from calculator.presenters.words import Mark

CELLS_KEPT = 8192
OF_ANOTHER_GPU = dict.fromkeys(
    (
        "figure_id",
        "price_eur",
        "rate_tok_per_s",
        "rate_concurrency",
        "rate_origin",
        "prefill_tok_per_s",
        "instances_per_set",
    )
)
"""What belongs to one GPU only."""
# Upper bounds of the ten classes of the heat table, dearest first: GPU ÷ API − 1.
HEAT_ABOVE = (Decimal(2), Decimal(1), Decimal("0.4"))
HEAT_BELOW = (Decimal("-0.15"), Decimal("-0.30"), Decimal("-0.42"), Decimal("-0.52"))


class Offer(NamedTuple):
    """One line of “against each API”: an offer, its bar (per cent of the longest), its cost and its verdict."""

    name: str
    is_gpu: bool
    width: str
    month: str
    per_mtok: str
    mark: Mark
    badge: Badge | None
    reasons: tuple[str, ...] = ()
    incomplete: bool = False


class OfferTable(NamedTuple):
    """The offers from the cheapest up; `line` is where the GPU's dashed line stands, empty if its cost is unknown."""

    rows: tuple[Offer, ...]
    line: str


def offers(estimate: EconomicsEstimate, reasons: Mapping[str, tuple[str, ...]]) -> OfferTable:
    """The chosen GPU among the APIs, sorted by monthly cost, unknown costs last."""
    costs = [row.bill.eur for row in estimate.comparisons] + [estimate.gpu.total_eur]
    top = max((cost for cost in costs if cost is not None), default=Decimal(0))
    keyed = [(row.bill.eur, _api_offer(row, top, reasons)) for row in estimate.comparisons]
    keyed.append((estimate.gpu.total_eur, _gpu_offer(estimate, top, reasons)))
    keyed.sort(key=lambda pair: (pair[0] is None, pair[0] or Decimal(0)))
    return OfferTable(tuple(offer for _cost, offer in keyed), _share(estimate.gpu.total_eur, top))


def _share(value: Decimal | None, top: Decimal) -> str:
    """`value` as a per cent of `top` for an SVG attribute: a dot, one decimal."""
    return "" if value is None or not top else f"{value / top * 100:.1f}%"


def _api_offer(row: Comparison, top: Decimal, reasons: Mapping[str, tuple[str, ...]]) -> Offer:
    bill = row.bill
    usd = "" if bill.usd is None else _("%(amount)s, taux indisponible") % {"amount": formats.money(bill.usd, "USD")}
    return Offer(
        name=bill.api.label,
        is_gpu=False,
        width=_share(bill.eur, top),
        month=usd if bill.eur is None and usd else formats.money(bill.eur),
        per_mtok=words.bare(formats.unit_price(bill.eur_per_mtok)),
        mark=words.verdict(row.verdict, row.difference_ratio),
        badge=of_kind(bill.trust),
        reasons=reasons.get(bill.api.code, ()),
        incomplete=row.incomplete and row.verdict is not Verdict.UNKNOWN,
    )


def _gpu_offer(estimate: EconomicsEstimate, top: Decimal, reasons: Mapping[str, tuple[str, ...]]) -> Offer:
    gpu = estimate.gpu
    count = gpu.instances or 1
    name = counted.named(count, gpu.sku)
    return Offer(
        name=name,
        is_gpu=True,
        width=_share(gpu.total_eur, top),
        month=_gpu_unknown(gpu) if gpu.total_eur is None else formats.money(gpu.total_eur),
        per_mtok=words.bare(formats.unit_price(gpu.eur_per_mtok)),
        mark=Mark(_("référence"), ""),
        badge=of_kind(gpu.trust) or badge(gpu.price),
        reasons=reasons.get(labels.GPU_CODE, ()),
    )


def _gpu_unknown(gpu: GpuBill) -> str:
    return _("sur devis") if gpu.price is None else _("inconnu")


class Column(NamedTuple):
    """An API as a column head, with its cost at the visitor's volume."""

    name: str
    month: str


class SkuRow(NamedTuple):
    """One GPU at one price basis against every API. `on_request` rows show a sentence in place of numbers."""

    code: str
    detail: str
    price: str
    gpus: str
    month: str
    per_mtok: str
    cells: tuple[Mark, ...]
    on_request: bool
    is_current: bool
    kind: Badge | None
    query: str


def columns(estimate: EconomicsEstimate) -> tuple[Column, ...]:
    """The compared APIs in their order."""
    return tuple(Column(row.bill.api.label, formats.money(row.bill.eur, decimals=0)) for row in estimate.comparisons)


def overview(estimate: EconomicsEstimate) -> tuple[SkuRow, ...]:
    """Every GPU of the catalogue, the chosen one marked."""
    return tuple(_sku_row(row, estimate) for row in estimate.overview)


def _sku_row(row: OverviewRow, estimate: EconomicsEstimate) -> SkuRow:
    gpu = row.gpu
    return SkuRow(
        code=gpu.sku.name,
        detail=gpu.sku.label,
        price=words.price(gpu.sku, gpu.basis),
        gpus=formats.number(gpu.instances) if gpu.instances is not None else "",
        month=_gpu_unknown(gpu) if gpu.total_eur is None else words.bare(formats.money(gpu.total_eur)),
        per_mtok=words.bare(formats.unit_price(gpu.eur_per_mtok)),
        cells=tuple(words.delta(verdict, difference) for _code, verdict, difference in row.verdicts),
        on_request=gpu.price is None,
        is_current=gpu.sku.code == estimate.gpu.sku.code and gpu.basis is estimate.gpu.basis,
        kind=badge(gpu.throughput.output_tok_per_s) if gpu.throughput else None,
        query=permalinks.write(estimate.scenario, **_chosen_instead(gpu, estimate.scenario)),
    )


def _chosen_instead(gpu: GpuBill, scenario: EconomicsScenario) -> dict[str, object]:
    """What changes when another GPU is chosen: what was typed in place of this one's catalogue values is let go."""
    if gpu.sku.code == scenario.sku:
        return {} if gpu.basis is scenario.basis else {"basis": gpu.basis, "price_eur": None}
    return {"sku": gpu.sku.code, "basis": gpu.basis, **OF_ANOTHER_GPU}


class Amount(NamedTuple):
    """A cell of the volume table; `best` underlines the cheapest."""

    text: str
    best: bool


class VolumeLine(NamedTuple):
    """One volume: the GPU's bill, each API's, and the reading in words."""

    volume: str
    gpu: Amount
    gpus: str
    cells: tuple[Amount, ...]
    reading: Mark
    is_current: bool


def volumes(estimate: EconomicsEstimate) -> tuple[VolumeLine, ...]:
    """The volume table, whole euros."""
    return tuple(_volume_line(row) for row in estimate.volumes)


def _volume_line(row: VolumeRow) -> VolumeLine:
    count, french = row.gpu.instances or 1, formats.is_french()
    total = row.gpu.total_eur
    month = _gpu_unknown(row.gpu) if total is None else _whole_euros(total, french)
    return VolumeLine(
        volume=formats.tokens(row.volume_tokens),
        gpu=Amount(month, row.cheapest == labels.GPU_CODE),
        gpus=counted.instances(count, row.gpu.sku) if count > 1 else "",
        cells=tuple(Amount(_whole_euros(amount, french), row.cheapest == code) for code, amount, _kind in row.cells),
        reading=reading(tuple(verdict for _code, _amount, verdict in row.cells)),
        is_current=row.is_current,
    )


@lru_cache(maxsize=CELLS_KEPT)
def _whole_euros(amount: Decimal | None, french: bool) -> str:
    """A cell of the volume table: all its lines but one stay while a volume is typed."""
    del french
    return words.bare(formats.money(amount, decimals=0))


def reading(verdicts: tuple[Verdict, ...]) -> Mark:
    """A line of the volume table in words: how many APIs the GPU beats, or that it beats none."""
    known = [verdict for verdict in verdicts if verdict is not Verdict.UNKNOWN]
    wins, ties = known.count(Verdict.GPU), known.count(Verdict.EQUIVALENT)
    if not known:
        return Mark(_("inconnu"), "")
    if wins:
        text = ngettext("GPU devant %(count)s API", "GPU devant %(count)s API", wins)
        return Mark(_("GPU devant toutes") if wins == len(verdicts) > 1 else text % {"count": wins}, "win")
    if ties:
        text = ngettext("équivalent à %(count)s API", "équivalent à %(count)s API", ties)
        return Mark(text % {"count": ties}, "tie")
    return Mark(_("API moins chère"), "lose")


class HeatCell(NamedTuple):
    """One cell: its colour class, and the same in words."""

    css: str
    text: str


class HeatTable(NamedTuple):
    """Utilisation down, volume across, against the reference API."""

    volumes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]


def heat(estimate: EconomicsEstimate) -> HeatTable:
    """The utilisation × volume table; the visitor's own cell carries the class `you`. Empty where nothing is known."""
    cells = estimate.utilisations
    if all(cell.verdict is Verdict.UNKNOWN for cell in cells):
        return HeatTable((), ())
    width = sum(cell.utilisation_ratio == cells[0].utilisation_ratio for cell in cells)
    counts = tuple(formats.tokens(cell.volume_tokens) for cell in cells[:width])
    return HeatTable(counts, tuple(_heat_row(row) for row in batched(cells, width)))


def _heat_row(cells: tuple[UtilisationCell, ...]) -> tuple[str, tuple[HeatCell, ...]]:
    french = formats.is_french()
    row = (_heat_cell(cell.verdict, cell.difference_ratio, cell.is_current, french) for cell in cells)
    return formats.percent(cells[0].utilisation_ratio), tuple(row)


@lru_cache(maxsize=CELLS_KEPT)
def _heat_cell(verdict: Verdict, difference: Decimal | None, is_own: bool, french: bool) -> HeatCell:
    """Most cells stay as they were before the last key was pressed; `french` is only part of the key."""
    del french
    css = heat_class(verdict, difference)
    return HeatCell(f"{css} you" if is_own else css, words.delta(verdict, difference).text)


def heat_class(verdict: Verdict, difference: Decimal | None) -> str:
    """h0 (GPU far dearer) … h4 (equivalent) … h9 (GPU far cheaper); empty where unknown."""
    if verdict is Verdict.UNKNOWN or difference is None:
        return ""
    if verdict is Verdict.EQUIVALENT:
        return "h4"
    if difference > 0:
        return f"h{sum(difference <= bound for bound in HEAT_ABOVE)}"
    return f"h{5 + sum(difference < bound for bound in HEAT_BELOW)}"


class YearLine(NamedTuple):
    """Month, year and saving of one alternative against the chosen reference."""

    name: str
    month: str
    year: str
    saving: str
    share: str
    is_gpu: bool
    is_reference: bool


def years(estimate: EconomicsEstimate) -> tuple[YearLine, ...]:
    """A year of each alternative; a saving that is a loss carries a minus."""
    return tuple(
        YearLine(
            name=labels.alternative(row.code, estimate),
            month=words.bare(formats.money(row.month_eur)),
            year=words.bare(formats.money(row.year_eur)),
            saving=words.bare(formats.money(row.saving_year_eur)),
            share=formats.percent(row.saving_ratio),
            is_gpu=row.code == labels.GPU_CODE,
            is_reference=row.code == estimate.headline.values["reference"],
        )
        for row in estimate.years
    )


def overview_reserve(estimate: EconomicsEstimate) -> str:
    """What the verdicts of “each GPU” leave out or compare unevenly; empty if nothing."""
    return " ".join(text for text in (mixed_reserve(estimate), missing_reserve(estimate)) if text)


def mixed_reserve(estimate: EconomicsEstimate) -> str:
    """Which GPU stands with a typed or handed rate, where the catalogue's beside it are one request at a time."""
    chosen = estimate.gpu.throughput
    others = (row.gpu.throughput for row in estimate.overview if row.gpu.sku.code != estimate.gpu.sku.code)
    if estimate.scenario.rate_tok_per_s is None or chosen is None or chosen.single_stream:
        return ""
    if not any(rate is not None and rate.single_stream for rate in others):
        return ""
    return _(
        "%(gpu)s est compté au débit saisi ou repris (%(kind)s), les autres GPU au débit annoncé en un seul flux\u00a0"
        ": leurs lignes ne se comparent pas à la sienne."
    ) % {"gpu": estimate.gpu.sku.name, "kind": word(chosen.output_tok_per_s.kind)}


def missing_reserve(estimate: EconomicsEstimate) -> str:
    """The GPUs whose prompt time is not counted, by name where it is not all of them; empty if none."""
    judged = [row for row in estimate.overview if any(kind is not Verdict.UNKNOWN for _api, kind, _gap in row.verdicts)]
    short = dict.fromkeys(row.gpu.sku.code for row in judged if row.incomplete)
    if not short:
        return ""
    if all(row.incomplete for row in judged):
        return _prompt_reserve()
    return _("Temps du prompt non compté pour %(gpus)s\u00a0: verdicts incomplets.") % {"gpus": ", ".join(short)}


def chosen_reserve(estimate: EconomicsEstimate) -> str:
    """What the tables about the chosen GPU leave out; empty if nothing."""
    kinds = (kind for row in estimate.volumes if row.incomplete for _api, _eur, kind in row.cells)
    return _prompt_reserve() if any(kind is not Verdict.UNKNOWN for kind in kinds) else ""


def _prompt_reserve() -> str:
    return _("Temps du prompt non compté\u00a0: verdicts incomplets.")


class Total(NamedTuple):
    """A total with its tax, computed once on the total."""

    net: str
    rate: str
    gross: str


def total(estimate: EconomicsEstimate) -> Total | None:
    """The GPU's month without and with VAT; None where it has no cost."""
    if estimate.gpu.total_eur is None:
        return None
    return Total(
        formats.money(estimate.gpu.total_eur),
        formats.percent(estimate.scenario.vat_ratio, 1 if estimate.scenario.vat_ratio * 100 % 1 else 0),
        formats.money(estimate.gpu.total_ttc_eur),
    )


def has_single_stream(estimate: EconomicsEstimate) -> bool:
    """Whether some throughput of the overview was obtained with one request at a time."""
    return any(row.gpu.throughput is not None and row.gpu.throughput.single_stream for row in estimate.overview)


def weakest_throughput(estimate: EconomicsEstimate) -> Badge | None:
    """The badge of the least trustworthy throughput that the catalogue lends the overview."""
    rates = (row.gpu.throughput for row in estimate.overview)
    kinds = (rate.output_tok_per_s.kind for rate in rates if rate is not None)
    return of_kind(weakest_kind(kind for kind in kinds if kind is not Kind.INPUT))
