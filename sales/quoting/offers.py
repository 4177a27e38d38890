"""From a quote to what it offers: the scenario at the seller's price, estimated; its lines, totals and margin."""

import datetime as dt
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from calculator import answers, catalog, formats, permalinks, registry, staleness
from calculator.document import document
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import EconomicsScenario
from calculator.models import Audience
from calculator.snapshots import SKU, current_rows, item_called, snapshot
from calculator.tool import Answer, Calculator
from sales.domain import quoting
from sales.domain.quoting import Line, Rental, Totals
from sales.models import Quote
from sales.quoting import queries
from sales.quoting.refusals import Refused

PERCENT = 100


@dataclass(frozen=True, slots=True)
class Offer:
    """A quote's scenario estimated at the seller's price. `listed` is the rental at the catalogue's price, None where
    that is the price; without a `rental` whose amount is known there is nothing to sign."""

    tool: Calculator
    answer: Answer
    rental: Rental | None
    listed: Rental | None
    lines: tuple[Line, ...]
    totals: Totals | None

    @property
    def period(self) -> str:
        return self.rental.period.value if self.rental else ""


def scenario_of(calculator: str, query: str) -> Any:
    """The scenario of a canonical query, which carries every key."""
    return permalinks.read(QueryDict(query), registry.CALCULATORS[calculator].default()).kept


def without_price(scenario: Any) -> Any:
    """`scenario` without a price that somebody typed: in a quote that is the seller's own price, with who and why."""
    return replace(scenario, price_eur=None) if has(scenario, "price_eur") else scenario


def has(scenario: Any, name: str) -> bool:
    return any(field.name == name for field in fields(scenario))


def default_vat(scenario: Any) -> Decimal:
    """The scenario's rate of VAT; calculators without one take the documented default of the economics scenario."""
    default = next(field.default for field in fields(EconomicsScenario) if field.name == "vat_ratio")
    return Decimal(str(getattr(scenario, "vat_ratio", default)))


def taxed(quote: Quote, scenario: Any) -> Any:
    return replace(scenario, vat_ratio=quote.vat_ratio) if has(scenario, "vat_ratio") else scenario


def has_own_price(quote: Quote) -> bool:
    """Whether the seller changed anything about the price."""
    return quote.agreed_eur is not None or bool(quote.discount_ratio)


def priced(quote: Quote, scenario: Any, listed: Rental | None) -> Any:
    """The scenario at the seller's price; unchanged where there is no price to start from."""
    base = quote.agreed_eur
    if base is None and listed is not None and listed.price is not None:
        base = listed.price.value
    if base is None or listed is None:
        return scenario
    agreed = quoting.agreed_price(base, quote.discount_ratio, listed.unit)
    basis = {"basis": listed.unit} if has(scenario, "basis") else {}
    return replace(scenario, price_eur=agreed, **basis)


def offer(quote: Quote, scenario: Any = None) -> Offer:
    """What the quote offers for its scenario, or for another `scenario` (today's, the customer's) on its terms."""
    tool = registry.CALCULATORS[quote.calculator]
    known, asked = tool.reads(), taxed(quote, scenario or scenario_of(quote.calculator, quote.query))
    answer = tool.answer(asked, known)
    if not has_own_price(quote):
        return of_answer(quote, tool, answer)
    listed = quoting.rental(answer.estimate)
    return of_answer(quote, tool, tool.answer(priced(quote, asked, listed), known), listed)


def of_answer(quote: Quote, tool: Calculator, answer: Answer, listed: Rental | None = None) -> Offer:
    """The offer of an answer that has the seller's price in it already."""
    rental = quoting.rental(answer.estimate)
    total = rental.total_eur if rental else None
    return Offer(
        tool=tool,
        answer=answer,
        rental=rental,
        listed=listed,
        lines=quoting.lines(rental, listed) if rental else (),
        totals=None if total is None else quoting.totals(total, quote.vat_ratio),
    )


def today(quote: Quote) -> Offer | None:
    """The same question on the same terms at today's catalogue; None where something of it vanished."""
    tool = registry.CALCULATORS[quote.calculator]
    default, known = tool.default(), tool.reads()
    try:
        then = tool.answer(scenario_of(quote.calculator, quote.query), known)
        return offer(quote, answers.recalculated(tool, then, default))
    except catalog.NotFound:
        return None


def in_language(found: Offer, code: str) -> dict[str, Any]:
    """The whole answer in one language with its numbered notes."""
    with override(code):
        again = found.tool.answer(found.answer.scenario, found.tool.reads())
        address = f"{reverse(found.tool.name)}?{found.answer.query}"
        held = document(found.tool, again, address, (), found.tool.notices(again))
        notes = [str(note) for note in found.tool.page(again).assumptions]
        return {**held, "assumptions": notes, "period": found.period}


def in_every_language(found: Offer) -> dict[str, Any]:
    """What is frozen with the number: the quote's language is apart from the page's, and both must reopen."""
    return {code: in_language(found, code) for code, _name in settings.LANGUAGES}


def negotiated_price(calculator: str, scenario: Any) -> Decimal | None:
    """The private price of the rental's own unit as the catalogue has it, for those who may see it; else None."""
    tool = registry.CALCULATORS[calculator]
    try:
        sold = quoting.rental(tool.answer(scenario, tool.reads()).estimate)
    except catalog.NotFound:
        return None
    if sold is None:
        return None
    known = snapshot(scenario.catalog_version, Audience.SALES)
    component, mode = catalog.COMPONENT_OF_BASIS[sold.unit]
    row = current_rows(known, item_called(known, SKU, sold.sku, scenario.at), scenario.at).get(
        (component, mode, 0, "EUR")
    )
    return row.amount if row is not None and row.audience == Audience.SALES else None


def check_sellable(found: Offer, at: dt.datetime, accepts_old_rate: bool) -> None:
    """Refuse what cannot be offered: no amount, test figures, a price of nothing, what is sold no more, prices too old;
    an old rate unless it is accepted."""
    if found.totals is None or not found.lines:
        raise Refused("no_price")
    if _is_a_test(found.answer.estimate, found.rental):
        raise Refused("test_figures")
    if found.rental and found.rental.price and not found.rental.price.value:
        raise Refused("price_nothing")
    day = timezone.localdate(at)
    _check_on_sale(found, day)
    old = {
        code
        for code, price in quoting.prices(found.answer.estimate)
        if price.date is not None and staleness.is_out_of_quotes(price.date, day)
    }
    if old:
        raise Refused("stale_price", codes=", ".join(sorted(old)))
    if rate_is_red(found, day) and not accepts_old_rate:
        raise Refused("old_rate")


def _check_on_sale(found: Offer, day: dt.date) -> None:
    scenario, sold = found.answer.scenario, found.rental
    if sold is None:
        return
    retired = catalog.retirement("sku", sold.sku, scenario.catalog_version, scenario.at)
    if retired is not None and retired <= day:
        raise Refused("no_longer_sold", sku=sold.sku, day=formats.date(retired))


def _is_a_test(estimate: Any, rented: Rental | None) -> bool:
    """Whether an estimate rests on a machine or a model for tests."""
    offered = catalog.sku_choices(estimate.scenario.catalog_version, estimate.scenario.at)
    code = rented.sku if rented else ""
    return quoting.uses_test_figures(estimate) or any(sku.is_test_host for sku in offered if sku.code == code)


def obstacle(name: str, estimate: Any) -> str:
    """Why no quote of an estimate could ever be sent, "" where one could: it rents nothing, rests on something for
    tests, or lacks what a price of the seller's own would be multiplied by. A price on request is no obstacle."""
    rented = quoting.rental(estimate)
    if rented is None:
        return "nothing_rented"
    if _is_a_test(estimate, rented):
        return "for_tests"
    return "" if rented.amount_eur is not None or _is_billed(name, estimate.scenario, rented) else "no_amount"


def _is_billed(name: str, scenario: Any, rented: Rental) -> bool:
    """Whether a scenario would have a bill, were there a price."""
    tool, basis = registry.CALCULATORS[name], {"basis": rented.unit} if has(scenario, "basis") else {}
    again = tool.answer(replace(scenario, price_eur=Decimal(1), **basis), tool.reads())
    found = quoting.rental(again.estimate)
    return found is not None and found.amount_eur is not None


def rate_of(found: Offer) -> Sourced[Decimal] | None:
    """The exchange rate of an answer that has one."""
    return getattr(found.answer.estimate, "usd_per_eur", None)


def rate_is_red(found: Offer, day: dt.date) -> bool:
    """Whether the exchange rate is so old that somebody has to say that it may be used."""
    rate = rate_of(found)
    return rate is not None and rate.date is not None and staleness.rate_mark(rate.date, day) == staleness.RED


@dataclass(frozen=True, slots=True)
class Margin:
    """The margin of the rental's price. `ratio` None: the cost is not known, so nobody can say."""

    cost_eur_per_h: Decimal | None
    ratio: Decimal | None
    floor: Decimal
    needs_approval: bool


def margin(quote: Quote, found: Offer, cost_of: Callable[[str], Decimal | None] = queries.cost_of) -> Margin | None:
    """What is left of the price; None where there is no price, or where rounding leaves nothing of it. The catalogue's
    negotiated price counts as a list price: it went through an approval of its own."""
    sold = found.rental
    if sold is None or sold.price is None or not sold.price.value:
        return None
    floor = Decimal(settings.QUOTE_MARGIN_FLOOR_PERCENT) / PERCENT
    cost = cost_of(sold.sku)
    hours = getattr(found.answer.scenario, "hours_per_month_h", Decimal(1))
    ratio = None
    if cost is not None:
        ratio = quoting.margin_ratio(sold.price.value, quoting.unit_cost(cost, sold.unit, hours))
    return Margin(cost, ratio, floor, quoting.is_below(sold.price.value, _reference(quote, found), ratio, floor))


def _reference(quote: Quote, found: Offer) -> Decimal | None:
    """The price that is nobody's concession: the list's, or the catalogue's negotiated one."""
    if quote.is_negotiated:
        return quote.agreed_eur
    source = found.listed or found.rental
    return None if source is None or source.price is None else source.price.value


def terms_hash(quote: Quote, found: Offer) -> str:
    """What an approval is given to: the question, the price and its reason, the total, for whom and until when."""
    total = found.totals.total_eur if found.totals else None
    told = (
        quote.query,
        quote.vat_ratio.normalize(),
        quote.agreed_eur,
        quote.discount_ratio,
        quote.is_negotiated,
        quote.reason,
        total,
        quote.customer.name,
        quote.valid_until,
    )
    normal = (item.normalize() if isinstance(item, Decimal) else item for item in told)
    return hashlib.sha256("\n".join(map(str, normal)).encode()).hexdigest()


def is_approved(quote: Quote, found: Offer) -> bool:
    """Whether somebody else agreed to exactly these terms."""
    return bool(quote.approved_terms) and quote.approved_terms == terms_hash(quote, found)
