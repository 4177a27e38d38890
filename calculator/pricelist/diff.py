"""A file against a version of the catalogue: what is new, what changes by how much, what stays. It only reads."""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from calculator.pricelist.contract import LineProblem, ParsedFile, ParsedLine, Price, Rate, Severity, Sheet
from calculator.pricelist.itemdiff import Items, sheet_entry
from calculator.pricelist.known import Known, Start
from calculator.pricelist.plan import Diff, Entry, PlannedPrice, PlannedRate, PriceKey, Verdict, percent_of
from calculator.pricelist.progress import Stage, Tell, nobody, told
from calculator.pricelist.timeline import Timeline


def compare(
    file: ParsedFile, known: Known, at: dt.datetime, now: dt.datetime | None = None, tell: Tell = nobody
) -> Diff:
    """Every line of `file` against `known`. Prices without a start begin at `at`; before `now` (default `at`) is past.

    A file is a patch: what it does not name stays as it is, and only a line of kind withdrawn takes anything away.
    Nothing is written, whatever the file holds.
    """
    items = Items(known, at)
    problems = list(file.problems)
    placed: dict[int, Entry] = {}
    grouped: dict[PriceKey, list[tuple[int, ParsedLine, Price]]] = {}
    for index, line in enumerate(told(file.lines, tell, Stage.COMPARING, len(file.lines))):
        content = line.content
        if isinstance(content, Rate):
            placed[index] = rate_entry(line, content, known, problems)
        elif isinstance(content, Sheet):
            placed[index], wrong = sheet_entry(line, content, file.kind, known)
            problems += wrong
        else:
            place = items.place(line, content)
            if isinstance(content, Price):
                grouped.setdefault(price_key(place, content), []).append((index, line, content))
            else:
                placed[index] = Entry(line.line_no, line.raw, Verdict.UNCHANGED, content.code, "item")
    for key, lines in grouped.items():
        placed.update(_laid(key, lines, known, at, now or at, problems))
    of_items = items.entries()
    problems += items.problems
    stated = {entry.line_no for entry in of_items}
    kept = [entry for _index, entry in sorted(placed.items()) if not (_is_bare(entry) and entry.line_no in stated)]
    return finished(known, at, [*of_items, *kept], problems)


def _is_bare(entry: Entry) -> bool:
    """A line of an item that says nothing itself, because the entry of its item says it."""
    return entry.component == "item" and not entry.writes


def price_key(place: tuple[str, str], price: Price) -> PriceKey:
    """The key of a price whose item is known by kind and code."""
    return PriceKey(*place, price.component, price.mode, price.region, price.context_over, price.window, price.currency)


def _laid(
    key: PriceKey,
    lines: Sequence[tuple[int, ParsedLine, Price]],
    known: Known,
    at: dt.datetime,
    now: dt.datetime,
    problems: list[LineProblem],
) -> dict[int, Entry]:
    """All lines of one price, in the order of their starts."""
    starts: list[Start] = list(known.starts.get(key, ()))
    timeline = Timeline(key, starts, at, now, known.public.get(key, ()))
    ordered = sorted(lines, key=lambda one: one[2].valid_from or at)
    entries = {index: timeline.lay(line, price) for index, line, price in ordered}
    problems += timeline.problems
    return entries


def rate_entry(line: ParsedLine, rate: Rate, known: Known, problems: list[LineProblem]) -> Entry:
    """One exchange rate against the recorded one of its day; a day that is recorded otherwise is corrected."""
    recorded = known.rates.get((rate.quote, rate.source), ())
    same_day = next((one for one in recorded if one.rate_date == rate.rate_date), None)
    entry = Entry(
        line.line_no,
        line.raw,
        Verdict.NEW,
        item=rate.quote,
        component="rate",
        currency=rate.quote,
        valid_from=dt.datetime.combine(rate.rate_date, dt.time(), tzinfo=dt.UTC),
        new=rate.rate,
        after=f"{rate.rate_date} {rate.source}",
        writes=(PlannedRate(rate),),
    )
    if same_day is None:
        return entry
    if same_day.rate == rate.rate:
        return replace(entry, verdict=Verdict.UNCHANGED, old=same_day.rate, writes=())
    problems.append(LineProblem(line.line_no, "rate", "rate_corrected", {}, Severity.WARNING))
    percent = percent_of(same_day.rate, rate.rate)
    return replace(entry, verdict=Verdict.CHANGED, old=same_day.rate, percent=percent, voids=(same_day.pk,))


def finished(known: Known, at: dt.datetime, entries: Sequence[Entry], problems: Iterable[LineProblem]) -> Diff:
    """The diff with its counts and its digest."""
    ordered = sorted(problems, key=lambda problem: problem.line_no)
    counts = Counter(entry.verdict.value for entry in entries)
    counts["warning"] = sum(problem.severity is Severity.WARNING for problem in ordered)
    counts["error"] = sum(problem.severity is Severity.ERROR for problem in ordered)
    return Diff(
        version=known.version,
        audience=known.audience,
        at=at,
        entries=tuple(entries),
        problems=tuple(ordered),
        digest=digest_of(known, entries),
        counts=counts,
    )


def digest_of(known: Known, entries: Iterable[Entry]) -> str:
    """One hash of all that would be written, and of what it was compared with."""
    said = hashlib.sha256(f"{known.version} {known.audience}".encode())
    for entry in entries:
        said.update(repr((entry.line_no, entry.verdict.value, entry.old, entry.new, entry.voids)).encode())
        for write in entry.writes:
            told = (write.kind, write.amount, write.valid_from, write.key) if isinstance(write, PlannedPrice) else write
            said.update(repr(told).encode())
    return said.hexdigest()
