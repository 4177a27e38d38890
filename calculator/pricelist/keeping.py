"""The lines of a validated file as they are kept: what each asks for, with everything that was said about it."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from calculator.models import PriceUpload, PriceUploadLine
from calculator.pricelist.contract import LineProblem, ParsedFile, Severity
from calculator.pricelist.guards import Guard, Level
from calculator.pricelist.plan import Diff, Entry, Verdict

Message = dict[str, Any]
MOST_LINES = 5_000
"""Lines that are kept of one file: nobody reads more, and the stored bytes hold them all."""


def lines_of(upload: PriceUpload, file: ParsedFile, diff: Diff, guards: Iterable[Guard]) -> list[PriceUploadLine]:
    """Unsaved rows for the lines that change something or that something is said about, in the order of the file.

    Of a very large file those are kept first that something is said about, then changes, then what is new.
    """
    problems, remarks = by_line(diff.problems), by_line(guards)
    raw = {line.line_no: line.raw for line in file.lines if line.line_no in problems}
    told = {entry.line_no for entry in diff.entries}
    worth = [entry for entry in diff.entries if entry.verdict is not Verdict.UNCHANGED or entry.line_no in problems]

    def place(entry: Entry) -> tuple[bool, bool]:
        return entry.line_no not in problems and entry.line_no not in remarks, entry.verdict is Verdict.NEW

    first = sorted(worth, key=place)[:MOST_LINES] if len(worth) > MOST_LINES else worth
    kept = [line_of(upload, entry, problems.get(entry.line_no, ()), remarks.get(entry.line_no, ())) for entry in first]
    kept += [
        unread(upload, number, raw.get(number, ""), found) for number, found in problems.items() if number not in told
    ]
    return sorted(kept, key=lambda line: line.line_no)


def by_line[T: (LineProblem, Guard)](found: Iterable[T]) -> Mapping[int, list[T]]:
    """Problems or remarks by the number of their line."""
    lines: dict[int, list[T]] = {}
    for one in found:
        lines.setdefault(one.line_no, []).append(one)
    return lines


def line_of(
    upload: PriceUpload, entry: Entry, problems: Iterable[LineProblem], guards: Iterable[Guard]
) -> PriceUploadLine:
    """One compared line."""
    problems, guards = list(problems), list(guards)
    failed = any(problem.severity is Severity.ERROR for problem in problems)
    return PriceUploadLine(
        upload=upload,
        line_no=entry.line_no,
        raw=entry.raw,
        verdict=PriceUploadLine.Verdict.ERROR if failed else entry.verdict.value,
        item=entry.item[:120],
        component=entry.component[:60],
        mode=entry.mode,
        context_over=entry.context_over,
        currency=entry.currency,
        unit=entry.unit,
        valid_from=entry.valid_from,
        current_row_id=entry.current_row,
        old_amount=entry.old,
        new_amount=entry.new,
        change_percent=entry.percent,
        is_blocked=any(guard.level is Level.BLOCK for guard in guards),
        has_warning=bool(problems) or any(guard.level is Level.WARN for guard in guards),
        messages=[*map(of_problem, problems), *map(of_guard, guards)],
    )


def unread(upload: PriceUpload, line_no: int, raw: str, problems: Iterable[LineProblem]) -> PriceUploadLine:
    """A line that could not be read, or the file as a whole (line 0)."""
    found = list(problems)
    failed = any(problem.severity is Severity.ERROR for problem in found)
    return PriceUploadLine(
        upload=upload,
        line_no=line_no,
        raw=raw,
        verdict=PriceUploadLine.Verdict.ERROR if failed else PriceUploadLine.Verdict.UNCHANGED,
        has_warning=True,
        messages=[of_problem(problem) for problem in found],
    )


def of_problem(problem: LineProblem) -> Message:
    """A problem as it is kept."""
    return {
        "from": "reading",
        "level": problem.severity.value,
        "code": problem.code,
        "column": problem.column,
        "values": {name: plain(value) for name, value in problem.values.items()},
    }


def of_guard(guard: Guard) -> Message:
    """A remark as it is kept."""
    values = {name: plain(value) for name, value in guard.values.items()}
    return {"from": "guard", "level": guard.level.value, "code": guard.code, "column": "", "values": values}


def plain(value: Any) -> Any:
    """A value that JSON can hold: exact decimals as text, tuples as lists."""
    if isinstance(value, Decimal):
        return str(value)
    return list(value) if isinstance(value, tuple) else value
