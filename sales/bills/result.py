"""What a bill's traffic costs on every option: each API at its list prices, each GPU offer with a model of one's own.

Amounts of options are those of the economics calculator for one scenario, so that each leads to the page that shows
it. The bill itself is priced line by line, with the same formula and at the same prices.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from django.http import QueryDict
from django.utils import timezone

from calculator import catalog, permalinks
from calculator.domain.apibill import ZERO
from calculator.domain.offers import ApiModel, Basis, Mode, Sku
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import Comparison, EconomicsScenario, GpuBill, TrafficBy, Verdict
from calculator.domain.units import half_up, to_decimal, usd_to_eur
from calculator.tool import Answer
from calculator.tools import economics, inference
from sales.bills.totals import Totals
from sales.domain import bills
from sales.domain.bills import Month, Traffic

APIS_AT_MOST = 40
LENGTH_DECIMALS, RATIO_DECIMALS = 6, 12
SAME_RATIO = Decimal("0.005")
"""An amount this close to the list price is the list price: providers round their lines."""


@dataclass(frozen=True, slots=True)
class BillLine:
    """One model and mode of the bill. `list_usd` at today's prices, `then_usd` at those of the first day; None where a
    model or a component has no price, which `missing` names."""

    traffic: Traffic
    api: ApiModel | None
    nearest: str
    list_usd: Decimal | None
    then_usd: Decimal | None
    over_tokens: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """The month on one API: without a cache, with the bill's cache hits, and in batch. None = unknown or not sold."""

    api: ApiModel
    plain_eur: Decimal | None
    cached_eur: Decimal | None
    batch_eur: Decimal | None
    is_yours: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """The month on one GPU offer. `reason` says why there is no figure."""

    sku: Sku
    answer: Answer | None
    reason: str = ""

    @property
    def gpu(self) -> GpuBill | None:
        return self.answer.estimate.gpu if self.answer else None


@dataclass(frozen=True, slots=True)
class Result:
    """The whole answer. `ways` are the economics answers behind the options, in the order of their amounts; `cached`
    is the one that verdicts are given in: with the bill's cache, in its mode.

    `is_complete` = every line of the bill has a list price.
    """

    totals: Totals
    lines: tuple[BillLine, ...]
    month: Month
    usd_per_eur: Sourced[Decimal] | None
    cached: Answer
    ways: tuple[Answer, Answer, Answer]
    options: tuple[Option, ...]
    machines: tuple[Machine, ...]
    model: str
    reference: str
    at: dt.datetime
    own_month_eur: Decimal | None

    @property
    def is_complete(self) -> bool:
        return all(line.list_usd is not None for line in self.lines)

    @property
    def mode(self) -> Mode:
        """The mode in which GPUs and APIs are held against each other."""
        found: Mode = self.cached.scenario.mode
        return found

    def month_eur(self, option: Option) -> Decimal | None:
        """An API's month with the bill's cache, in its mode."""
        return option.batch_eur if self.mode is Mode.BATCH else option.cached_eur


class NotComparable(Exception):  # noqa: N818  (what happened, as catalog.NotFound)
    """Traffic that the calculators price nothing for; `code` is worded by sales.bills.words."""

    def __init__(self, code: str, *sentences: str) -> None:
        super().__init__(code)
        self.code, self.sentences = code, sentences


def priced(totals: Totals, model: str = "") -> Result:
    """The result for a bill, with `model` served on the GPUs ("" = the inference calculator's own). NotComparable."""
    default = catalog.default_scenario()
    rate = catalog.latest_rate(default.catalog_version, default.at)
    lines = tuple(_line(each, default, totals.period.start) for each in totals.traffic)
    try:
        month = bills.month(totals.traffic, totals.period.days, default.hours_per_month_h, default.output_tokens)
    except ValueError:
        raise NotComparable("no_output") from None
    current = _current(default)
    reference = _reference(lines, current) or default.reference
    base = scenario(month, default, tuple(api.code for api in current), reference, _mode(totals.traffic))
    ways = _ways(base)
    cached = ways[2] if base.mode is Mode.BATCH else ways[1]
    named = model if model in model_names() else inference.default_scenario().model
    return Result(
        totals=totals,
        lines=lines,
        month=month,
        usd_per_eur=rate,
        cached=cached,
        ways=ways,
        options=options(ways, base.mode, lines),
        machines=tuple(machines(cached.scenario, named)),
        model=named,
        reference=reference,
        at=default.at,
        own_month_eur=_own_month(lines, totals, default.hours_per_month_h, rate),
    )


def model_names() -> tuple[str, ...]:
    """The open models that a GPU may serve."""
    first = inference.default_scenario()
    return tuple(model.name for model in inference.choices(first, inference.TOOL.reads()).models)


def _line(traffic: Traffic, default: EconomicsScenario, start: dt.date | None) -> BillLine:
    """One line at today's list price, and at that of its first day."""
    at, version = default.at, default.catalog_version
    try:
        code = catalog.canonical_code("api", traffic.model, version, at)
    except catalog.NotFound as error:
        return BillLine(traffic, None, error.nearest, None, None, missing=("model",))
    api = _api(code, version, at)
    now = bills.list_cost(traffic, api.modes.get(traffic.mode, ()))
    then = None
    if start is not None and start <= timezone.localdate(at):
        first = dt.datetime.combine(start, dt.time(12), dt.UTC)
        then = bills.list_cost(traffic, _api(code, version, first).modes.get(traffic.mode, ())).usd
    missing = ("mode",) if now.missing == ("all",) else now.missing
    return BillLine(traffic, api, "", now.usd, then, now.over_tokens, missing)


def _api(code: str, version: int, at: dt.datetime) -> ApiModel:
    return next(api for api in catalog.api_choices(version, at, include_retired=True) if api.code == code)


def _current(default: EconomicsScenario) -> tuple[ApiModel, ...]:
    """What is sold today."""
    return catalog.api_choices(default.catalog_version, default.at)[:APIS_AT_MOST]


def _reference(lines: Iterable[BillLine], current: Iterable[ApiModel]) -> str:
    """The bill's largest model that is still sold."""
    sold = {api.code for api in current}
    return next((line.api.code for line in lines if line.api and line.api.code in sold), "")


def _mode(traffic: Iterable[Traffic]) -> Mode:
    """Batch where the whole bill is batch; else standard: a mode that few APIs sell would compare with few."""
    return Mode.BATCH if {each.mode for each in traffic} == {Mode.BATCH} else Mode.STANDARD


def scenario(
    month: Month, default: EconomicsScenario, apis: tuple[str, ...], reference: str, mode: Mode
) -> EconomicsScenario:
    """The month as an economics scenario. NotComparable where a value lies beyond what the calculator takes."""
    found = replace(
        default,
        traffic=TrafficBy.TOKENS,
        volume_tokens=half_up(month.output_tokens, 0),
        input_tokens=half_up(month.request_input_tokens, LENGTH_DECIMALS),
        output_tokens=half_up(month.request_output_tokens, LENGTH_DECIMALS),
        prefix_hit_ratio=half_up(month.hit_ratio, RATIO_DECIMALS),
        cache_write_ratio=half_up(month.write_ratio, RATIO_DECIMALS),
        cache_write_ttl="1h" if month.write_1h else "5m",
        mode=mode,
        apis=apis,
        reference=reference,
    )
    problems = permalinks.read(QueryDict(permalinks.write(found)), default).problems
    if problems:
        raise NotComparable("beyond", *(problem.message for problem in problems))
    return found


def _ways(base: EconomicsScenario) -> tuple[Answer, Answer, Answer]:
    """The month on every API: standard without a cache, standard with the bill's, batch with the bill's."""
    standard = replace(base, mode=Mode.STANDARD)
    plain = economics.answer(replace(standard, prefix_hit_ratio=ZERO, cache_write_ratio=ZERO))
    return plain, economics.answer(standard), economics.answer(replace(base, mode=Mode.BATCH))


def options(ways: tuple[Answer, Answer, Answer], mode: Mode, lines: Iterable[BillLine]) -> tuple[Option, ...]:
    """Each API in each way of buying it, the cheapest in the bill's mode first, unknown ones last."""
    yours = {line.api.code for line in lines if line.api}
    by_code = [_eur_by_code(found) for found in ways]
    found = []
    for api in (row.bill.api for row in ways[0].estimate.comparisons):
        without, with_cache, in_batch = (amounts[api.code] for amounts in by_code)
        found.append(Option(api, without, with_cache, in_batch, api.code in yours))
    ranked = by_code[2] if mode is Mode.BATCH else by_code[1]
    return tuple(sorted(found, key=lambda each: (ranked[each.api.code] is None, ranked[each.api.code] or ZERO)))


def _eur_by_code(answer: Answer) -> dict[str, Decimal | None]:
    return {row.bill.api.code: row.bill.eur for row in answer.estimate.comparisons}


def machines(base: EconomicsScenario, model: str) -> Iterable[Machine]:
    """Each GPU offer serving `model` for this traffic, the cheapest month first."""
    known = inference.TOOL.reads()
    skus = catalog.sku_choices(base.catalog_version, base.at)
    found = [_machine(sku, base, model, known) for sku in skus if not sku.is_test_host]
    return sorted(found, key=partial(_rank))


def _rank(machine: Machine) -> tuple[bool, Decimal]:
    total = machine.gpu.total_eur if machine.gpu else None
    return total is None, total or ZERO


def _machine(sku: Sku, base: EconomicsScenario, model: str, known: object) -> Machine:
    """One offer: the serving point that inference estimates, then its month as economics bills it."""
    basis = Basis.MONTH if Basis.MONTH in sku.prices else Basis.HOUR
    asked = replace(
        inference.default_scenario(),
        model=model,
        sku=sku.code,
        basis=basis,
        prompt_tokens=max(1, round(base.input_tokens)),
        output_tokens=max(1, round(base.output_tokens)),
        prefix_hit_ratio=base.prefix_hit_ratio,
    )
    served = inference.TOOL.answer(asked, known)
    query = inference.economics_query(served)
    if not query:
        return Machine(sku, None, "does_not_fit" if not served.estimate.chosen.fits else "not_sized")
    point = permalinks.read(QueryDict(query), base).kept
    kept = ("volume_tokens", "input_tokens", "output_tokens", "prefix_hit_ratio", "utilisation_ratio")
    answer = economics.answer(replace(point, **{name: getattr(base, name) for name in kept}, figure_id=None))
    return Machine(sku, answer, "" if answer.estimate.gpu.price else "on_request")


def cheapest(answer: Answer) -> Comparison | None:
    """The API that costs least for the same traffic, with its verdict against this GPU."""
    known = [row for row in answer.estimate.comparisons if row.bill.eur is not None]
    return min(known, key=lambda row: row.bill.eur or ZERO, default=None)


def against(answer: Answer, code: str) -> Comparison | None:
    """One API beside this GPU."""
    return next((row for row in answer.estimate.comparisons if row.bill.api.code == code), None)


def best_machine(result: Result) -> Machine | None:
    """The GPU offer with the cheapest month."""
    return next((machine for machine in result.machines if machine.gpu and machine.gpu.total_eur is not None), None)


def outcome(result: Result) -> str:
    """`gpu` = cheaper than every API, `own` = cheaper than the bill's own model but not than the cheapest API, `api`,
    `tie`, or `unknown`."""
    best = best_machine(result)
    row = cheapest(best.answer) if best and best.answer else None
    own = against(best.answer, result.reference) if best and best.answer else None
    if row is None or row.verdict is Verdict.UNKNOWN:
        return "unknown"
    if row.verdict is Verdict.GPU:
        return "gpu"
    if own is not None and own.verdict is Verdict.GPU and own.bill.api.code != row.bill.api.code:
        return "own"
    return "tie" if row.verdict is Verdict.EQUIVALENT else "api"


def _own_month(
    lines: tuple[BillLine, ...], totals: Totals, hours_per_month_h: Decimal, rate: Sourced[Decimal] | None
) -> Decimal | None:
    """A month of the bill as it is, at today's list prices; None where a line has none."""
    if rate is None or any(line.list_usd is None for line in lines):
        return None
    usd = sum((line.list_usd for line in lines if line.list_usd is not None), ZERO)
    return usd_to_eur(usd * hours_per_month_h / (bills.DAY_H * totals.period.days), rate.value)


def billed_usd(line: BillLine, rate: Sourced[Decimal] | None) -> Decimal | None:
    """What the provider charged, in dollars; None where the report does not say it, or in another currency."""
    amount, currency = line.traffic.amount, line.traffic.currency
    if amount is None or (currency == "EUR" and rate is None):
        return None
    if currency == "EUR" and rate is not None:
        return amount * to_decimal(rate.value)
    return amount if currency == "USD" else None


def explained(line: BillLine, rate: Sourced[Decimal] | None) -> str:
    """Why the bill and the list price differ: `same`, `old_price`, `discount`, `dearer`; "" where one is unknown."""
    billed = billed_usd(line, rate)
    if billed is None or not line.list_usd:
        return ""
    if _is_same(billed, line.list_usd):
        return "same"
    if line.then_usd and _is_same(billed, line.then_usd):
        return "old_price"
    return "discount" if billed < line.list_usd else "dearer"


def _is_same(one: Decimal, two: Decimal) -> bool:
    return abs(one - two) <= SAME_RATIO * two
