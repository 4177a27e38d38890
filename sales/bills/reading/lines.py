"""One row of any export as a line of usage."""

from decimal import Decimal

from calculator.domain.apibill import Usage
from sales.bills.reading import cells
from sales.bills.reading.cells import Held
from sales.bills.reading.formats import Format, Meaning
from sales.domain.bills import UsageLine, tokens_of


def line(held: Held, known: Format) -> UsageLine | None:
    """The row's usage; None where it counts nothing and names no day, or cannot be read."""
    before = len(held.problems.found) + held.problems.more
    cells.remarks(held)
    usage, start_end, amount = _usage(held, known), cells.days(held), cells.amount(held)
    model, mode, over, requests = cells.model(held), cells.mode(held), cells.context(held), _requests(held)
    if not model and (tokens_of(usage) or amount):
        held.problems.add(held.place, held.one(Meaning.MODEL)[0], "model_missing")
    if len(held.problems.found) + held.problems.more > before:
        return None
    currency = known.currency if amount is not None else ""
    return UsageLine(model, mode, usage, *start_end, requests, amount, currency, over)


def _requests(held: Held) -> int | None:
    return cells.count(held, Meaning.REQUESTS) if held.one(Meaning.REQUESTS)[1] else None


def _usage(held: Held, known: Format) -> Usage:
    """The tokens as the formulas count them: an input with everything that a cache served or stored in it."""
    given, read = cells.count(held, Meaning.INPUT), cells.count(held, Meaning.CACHE_READ)
    short, long = cells.count(held, Meaning.WRITE_5M), cells.count(held, Meaning.WRITE_1H)
    output = cells.count(held, Meaning.OUTPUT)
    cached = read + short + long
    if known.includes_cache and cached > given:
        held.wrong(held.one(Meaning.CACHE_READ)[0], "cached_over_input", f"{cached} > {given}")
        return Usage()
    total = given if known.includes_cache else given + cached
    return Usage(Decimal(total), Decimal(read), Decimal(short), Decimal(long), Decimal(output))
