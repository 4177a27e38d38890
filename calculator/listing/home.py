"""The dashboard: the answer line, the five doors, the state of the data, the latest changes and measurements."""

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from calculator import formats, ledger, registry
from calculator.domain import scenario as economics
from calculator.domain.offers import Mode, Sku
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import EconomicsScenario, Verdict
from calculator.fields import Text, decimals
from calculator.forms import EconomicsForm
from calculator.ledger import PriceChange, StalePrice
from calculator.listing.skus import basis_sold, estimate_href
from calculator.presenters import badges, counted, stats, tables, words
from calculator.presenters.labels import component_name, rate_source, throughput_conditions
from calculator.presenters.words import Mark
from calculator.published import Measured
from calculator.tool import Answer

FIELDS = ("volume", "sku", "ref", "util")
CHANGES_SHOWN = 5
STALE_SHOWN = 3
RUNS_SHOWN = 4
MODES = {mode.value for mode in Mode}

QUESTIONS = {
    "inference": gettext_lazy("Quel GPU pour quelle latence, et combien de requêtes à la fois ?"),
    "training": gettext_lazy("Combien d’heures et d’euros pour affiner ou entraîner un modèle ?"),
    "parallelism": gettext_lazy("Que gagne-t-on vraiment à passer de un à huit GPU ?"),
    "tokens": gettext_lazy("Combien de tokens dans mes documents ?"),
}


class AnswerLine(NamedTuple):
    """The comparison in one line: both amounts, the verdict, the page that explains it."""

    gpu: str
    api: str
    name: str
    mark: Mark
    verdict: str
    badge: SafeString
    href: str
    incomplete: bool


class Door(NamedTuple):
    """A calculator: open with a computed figure, or announced without any."""

    title: str
    question: str
    href: str
    figure: str
    note: str
    is_open: bool = False


class DataState(NamedTuple):
    """The state of the price list and of the exchange rate."""

    version: str
    date: str
    rate: str
    rate_date: str
    rate_source: str
    rate_mark: str
    stale_count: str
    stale: tuple["StaleLine", ...]


class StaleLine(NamedTuple):
    """A price that nobody has checked for a while."""

    label: str
    what: str
    age: str
    href: str


class ChangeLine(NamedTuple):
    """What began at one instant for one item."""

    label: str
    mode: str
    amounts: tuple[str, ...]
    start: str
    href: str
    is_ahead: bool


class RunLine(NamedTuple):
    """A published measurement."""

    sku: str
    rate: str
    conditions: str
    date: str
    badge: SafeString
    run: str
    href: str


class TableRow(NamedTuple):
    """One GPU at one price basis against every API."""

    code: str
    price: str
    month: str
    gpus: str
    cells: tuple[Mark, ...]
    on_request: bool
    is_current: bool
    href: str


class Comparison(NamedTuple):
    """The answer line and the table SKU × API, with the volume and utilisation that they are about."""

    line: AnswerLine | None
    volume: str
    utilisation: str
    mode: str
    columns: tuple[tables.Column, ...]
    rows: tuple[TableRow, ...]
    reserve: str
    single_stream: bool
    throughput: SafeString


class ShownField(NamedTuple):
    """A field of the form with the unit beside it."""

    bound: BoundField
    unit: Text
    is_select: bool
    text: str
    options: tuple[tuple[str, Text], ...]


def on_sale(skus: Iterable[Sku]) -> tuple[Sku, ...]:
    """The SKUs that the dashboard offers: test hosts have no place in a comparison."""
    return tuple(sku for sku in skus if not sku.is_test_host)


def fields(form: EconomicsForm) -> tuple[ShownField, ...]:
    """The four fields of the dashboard's form."""
    return tuple(_field(form, name) for name in FIELDS)


def _field(form: EconomicsForm, name: str) -> ShownField:
    bound = form[name]
    options = tuple(getattr(bound.field, "choices", ()))
    if name == "sku":
        options = tuple((sku.code, f"{sku.code} — {sku.label}") for sku in form.choices.skus)
    if name == "ref":
        mode = words.mode_name(form.base.mode)
        options = tuple((api.code, f"{api.label}, {mode}") for api in form.choices.apis)
    return ShownField(bound, getattr(bound.field, "unit", ""), bool(options), form.texts(name)[0], options)


def comparison(found: Answer) -> Comparison:
    """Each SKU against each API, from the tables that the economics page shows."""
    estimate = found.estimate
    return Comparison(
        line=answer_line(found),
        volume=formats.tokens_before(estimate.volume_tokens),
        utilisation=formats.percent(estimate.utilisation.value),
        mode=words.mode_name(estimate.scenario.mode),
        columns=tables.columns(estimate),
        rows=tuple(_table_row(row, estimate.scenario) for row in estimate.overview),
        reserve=tables.overview_reserve(estimate),
        single_stream=tables.has_single_stream(estimate),
        throughput=badges.html(tables.weakest_throughput(estimate)),
    )


def _table_row(row: economics.OverviewRow, scenario: EconomicsScenario) -> TableRow:
    gpu = row.gpu
    count = gpu.instances or 1
    return TableRow(
        code=gpu.sku.code,
        price=words.price(gpu.sku, gpu.basis),
        month=formats.money(gpu.total_eur, decimals=0),
        gpus=counted.instances(count, gpu.sku) if count > 1 else "",
        cells=tuple(words.delta(verdict, difference) for _code, verdict, difference in row.verdicts),
        on_request=gpu.price is None,
        is_current=gpu.sku.code == scenario.sku and gpu.basis is scenario.basis,
        href=estimate_href(scenario, gpu.sku),
    )


def asked(query: QueryDict, default: EconomicsScenario, skus: Iterable[Sku]) -> QueryDict:
    """The dashboard's four fields as a form of the economics page.

    Its reference API is always among those compared, and a GPU is billed as it is sold: the form does not ask how.
    """
    form = QueryDict(mutable=True)
    for name in FIELDS:
        if name in query:
            form.setlist(name, query.getlist(name))
    reference = query.get("ref", default.reference)
    chosen = query.get("sku", default.sku)
    for sku in skus:
        if sku.code == chosen:
            form["basis"] = basis_sold(sku, default.basis).value
    form.setlist("api", list(dict.fromkeys((*default.apis, reference))))
    return form


def answer_line(found: Answer) -> AnswerLine | None:
    """The chosen GPU against the reference API; None where no API is compared."""
    estimate = found.estimate
    row = stats.reference(estimate)
    if row is None:
        return None
    return AnswerLine(
        gpu="" if estimate.gpu.total_eur is None else formats.money(estimate.gpu.total_eur),
        api=formats.money(row.bill.eur),
        name=f"{row.bill.api.label} ({words.mode_name(row.bill.mode)})",
        mark=words.verdict(row.verdict, row.difference_ratio),
        verdict=_verdict(row),
        badge=badges.html(badges.of_kind(estimate.trust)),
        href=f"{reverse('economics')}?{found.query}",
        incomplete=row.incomplete,
    )


def _verdict(row: economics.Comparison) -> str:
    """The verdict as the end of the sentence."""
    if row.verdict is Verdict.UNKNOWN:
        return _("comparaison impossible, il manque un prix ou un cours")
    if row.verdict is Verdict.EQUIVALENT:
        return _("coûts équivalents")
    return _("le GPU coûte %(much)s") % {"much": words.verdict(row.verdict, row.difference_ratio).text}


def doors(found: Answer | None) -> tuple[Door, ...]:
    """The five calculators; only the first has a figure here."""
    others = (
        Door(str(tool.title), str(QUESTIONS[tool.name]), reverse(tool.name), "", "", is_open=True)
        for tool in registry.TOOLS
        if tool.name != registry.ECONOMICS
    )
    announced = (
        Door(str(door.title), str(QUESTIONS[door.name]), reverse("coming", args=[door.name]), "", "")
        for door in registry.DOORS.values()
    )
    return (_economics(found), *others, *announced)


def _economics(found: Answer | None) -> Door:
    title, href = str(registry.CALCULATORS[registry.ECONOMICS].title), reverse("economics")
    if found is None:
        return Door(title, _("GPU dédié ou API ?"), href, "", "", is_open=True)
    gpu, volume = found.estimate.gpu, formats.tokens_before(found.estimate.volume_tokens)
    return Door(
        title=title,
        question=_("%(volume)s tokens par mois : %(sku)s ou API ?") % {"volume": volume, "sku": gpu.sku.code},
        href=f"{href}?{found.query}",
        figure=formats.unit_price(gpu.eur_per_mtok),
        note=_("HT par million de tokens"),
        is_open=True,
    )


def data_state(
    version: int, date: dt.date, rate: Sourced[Decimal] | None, stale: tuple[StalePrice, ...], now: dt.datetime
) -> DataState:
    """What the data panel says."""
    return DataState(
        version=formats.number(version),
        date=formats.date(date),
        rate=formats.money(rate.value, "USD", 4) if rate else "",
        rate_date=formats.date(rate.date) if rate else "",
        rate_source=rate_source(rate) if rate else "",
        rate_mark=ledger.rate_mark(rate.date, now) if rate and rate.date else "",
        stale_count=formats.number(len(stale)) if stale else "",
        stale=tuple(map(_stale_line, stale[:STALE_SHOWN])),
    )


def _stale_line(price: StalePrice) -> StaleLine:
    age = ngettext("%(count)s jour", "%(count)s jours", price.age_days) % {"count": formats.number(price.age_days)}
    what = ", ".join(filter(None, (component_name(price.component), _mode(price.mode))))
    return StaleLine(price.label, what, age, reverse("price-history", args=[price.kind, price.code]))


def _mode(code: str) -> str:
    return words.mode_name(Mode(code)) if code in MODES else ""


def changes(found: Iterable[PriceChange], now: dt.datetime) -> tuple[ChangeLine, ...]:
    """The latest starts, announced ones marked."""
    return tuple(
        ChangeLine(
            label=change.code if change.kind == "sku" else change.label,
            mode=_mode(change.mode),
            amounts=tuple(_change(change, *amounts) for amounts in change.amounts),
            start=formats.date(change.valid_from),
            href=reverse("price-history", args=[change.kind, change.code]),
            is_ahead=change.valid_from > now,
        )
        for change in found
    )


def _change(change: PriceChange, component: str, before: Decimal | None, after: Decimal | None) -> str:
    """“output 15,00 $”, or both amounts where one replaces another; what is free, variable or withdrawn says so."""
    shown = _("prix variable") if component in change.varying else _amount(change, after, _("retiré"))
    if before is not None and before != after:
        shown = f"{_amount(change, before, '')} → {shown}"
    return f"{component_name(component)}{formats.NBSP}{shown}"


def _amount(change: PriceChange, value: Decimal | None, unknown: str) -> str:
    if value is None:
        return unknown
    return formats.money(value, change.currency, max(2, decimals(value))) if value else _("gratuit")


def runs(found: Iterable[Measured]) -> tuple[RunLine, ...]:
    """The latest published measurements."""
    return tuple(
        RunLine(
            sku=one.sku,
            rate=formats.number(formats.significant(one.throughput.output_tok_per_s.value, 3).normalize()),
            conditions=throughput_conditions(one.throughput),
            date=formats.date(one.published_at),
            badge=badges.html(badges.badge(one.throughput.output_tok_per_s)),
            run=one.throughput.run,
            href=badges.href(one.throughput.output_tok_per_s),
        )
        for one in found
    )
