"""What the bill's template is given, in each of its states."""

from typing import Any

from calculator import formats
from sales.bills import result as results
from sales.bills import shown, totals, words
from sales.bills.asking import COLUMN, CURRENCIES, NAME, Asked
from sales.bills.reading.delimited import folded
from sales.bills.reading.formats import GUESSES, MAPPED
from sales.bills.reading.limits import FILE_BYTES, ROWS
from sales.bills.reading.problems import ReportError
from sales.bills.result import NotComparable, Result

MEGABYTE = 10**6


def megabytes(count: int) -> str:
    """A limit in whole megabytes."""
    return str(count // MEGABYTE)


def empty(refusal: str = "") -> dict[str, Any]:
    """The form alone, with the reason why nothing was read."""
    return {
        "refusal": refusal,
        "limit": megabytes(FILE_BYTES),
        "most_rows": formats.number(ROWS),
        "formats": words.FORMATS.values(),
    }


def refused(error: ReportError) -> dict[str, Any]:
    """The form after a refusal."""
    return empty(words.refusal(error))


def not_comparable(error: NotComparable) -> dict[str, Any]:
    """The form after a traffic that nothing can be compared for."""
    said = words.refusal(ReportError(error.code))
    return empty(" ".join((said, *error.sentences)))


def unread(asked: Asked) -> dict[str, Any]:
    """The form with every problem, and with the columns that wait for their names or have them already."""
    report, named = asked.report, asked.named
    found = report.problems if report else ()
    header = report.header if report else ()
    return {
        **empty(words.refusal(asked.refusal) if asked.refusal else ""),
        "problems": [(words.place(each), each.column, words.problem(each)) for each in found],
        "more_count": report.more_count if report else 0,
        "columns": [
            (f"{COLUMN}{number}", f"{NAME}{number}", name, chosen(name, asked)) for number, name in enumerate(header)
        ],
        "is_beside": named is not None and not named.includes_cache,
        "currency": named.currency if named else CURRENCIES[0],
        "meanings": [(meaning.value, words.MEANINGS[meaning]) for meaning in MAPPED],
        "currencies": CURRENCIES,
        "waiting": asked.waiting,
    }


def chosen(name: str, asked: Asked) -> str:
    """What a column is called: by the visitor, else what its header proposes; "" for nothing."""
    known = GUESSES if asked.named is None else asked.named.columns
    return known.get(folded(name), "")


def answered(result: Result, asked: Asked, may_quote: bool) -> dict[str, Any]:
    """The priced bill."""
    report = asked.report
    return {
        **empty(),
        "result": result,
        "lead": shown.lead(result),
        "stats": shown.stats(result),
        "lines": [shown.line(line, result) for line in result.lines],
        "total": (shown.usd(shown.listed_usd(result)), shown.billed_total(result)),
        "options": [shown.option(option) for option in result.options],
        "ways": shown.ways(result),
        "reference": shown.reference_label(result),
        "machines": [shown.machine(machine, result, may_quote) for machine in result.machines],
        "side_by_side": shown.side_by_side(result),
        "notes": shown.notes(result),
        "remarks": [words.remark(each) for each in report.remarks] if report else [],
        "format": words.FORMATS.get(report.code, "") if report else "",
        "totals": totals.written(result.totals),
        "models": results.model_names(),
    }
