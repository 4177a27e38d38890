"""Saved estimates: kept exactly as they were, reopened as they were, recalculated only beside themselves.

A saved estimate holds its question (the canonical query), the catalogue version, rate, figures and price rows behind
it, and its whole answer in every language of the product. Nothing here ever prices it again.
"""

import datetime as dt
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import get_language, override

from calculator import answers, catalog, formats, permalinks, registry, savedcharts, snapshots
from calculator.document import ROUNDING, document
from calculator.domain.units import half_up
from calculator.models import EstimateSnapshot, PriceRow
from calculator.pagestate import SUFFIXES, ExportLink
from calculator.presenters.row import Row
from calculator.presenters.values import shown, unit_shown
from calculator.savedcharts import SavedChart
from calculator.tool import Answer, Calculator, Kept

SLUG_BYTES = 18
# Longer values (conditions, sentences) are set as text, shorter ones in the column of figures.
SHORT_CHARACTERS = 30
RATE_DECIMALS, HOURS_DECIMALS = 8, 2


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a saved estimate in words: as it was, and as it is today where that was asked for."""

    section: str
    label: str
    value: str
    unit: str
    kind: str
    source: str
    is_short: bool = True
    today: str = ""
    has_changed: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved estimate ready to show."""

    snapshot: EstimateSnapshot
    sentence: str
    permalink: str
    sections: tuple[tuple[str, tuple[Line, ...]], ...]
    today: Answer | None = None
    today_sentence: str = ""
    today_link: str = ""
    problems: tuple[str, ...] = field(default=())
    charts: tuple[SavedChart, ...] = ()
    files: tuple[ExportLink, ...] = ()


def is_full(at: dt.datetime) -> bool:
    """Whether as many estimates were saved within the last hour as one hour may bring.

    Saving needs no login and keeps no address of the visitor: a limit for all together is what bounds the database.
    """
    since = at - dt.timedelta(hours=1)
    return EstimateSnapshot.objects.filter(created_at__gt=since).count() >= settings.SAVES_PER_HOUR


def save(tool: Calculator, answer: Answer) -> EstimateSnapshot:
    """Keep `answer` under an address that cannot be guessed."""
    kept = tool.kept(answer)
    rate, hours = kept.usd_per_eur, kept.hours_per_month_h
    with transaction.atomic():
        snapshot = EstimateSnapshot.objects.create(
            slug=secrets.token_urlsafe(SLUG_BYTES),
            calculator=tool.name,
            query=answer.query,
            catalog_version_id=answer.facts.catalog_version,
            usd_per_eur=None if rate is None else half_up(rate, RATE_DECIMALS),
            rate_date=kept.rate_date,
            hours_per_month_h=None if hours is None else half_up(hours, HOURS_DECIMALS),
            rounding=ROUNDING,
            results=in_every_language(tool, answer),
        )
        snapshot.figures.set(kept.figures)
        snapshot.prices.set(used_prices(answer, kept))
    return snapshot


def in_every_language(tool: Calculator, answer: Answer) -> dict[str, Any]:
    """The whole answer once a language, from facts labelled in that language."""
    found = {}
    for code, _name in settings.LANGUAGES:
        with override(code):
            again = tool.answer(answer.scenario, tool.reads())
            held = document(tool, again, f"{reverse(tool.name)}?{answer.query}", (), tool.notices(again))
            found[code] = {**held, "charts": savedcharts.of_page(tool.page(again))}
    return found


def used_prices(answer: Answer, kept: Kept) -> list[PriceRow]:
    """The price rows in force behind every offer of the answer."""
    known, at = snapshots.snapshot(answer.facts.catalog_version), answer.scenario.at
    items = (item for item in known.items if item.code in kept.codes)
    return [row for item in items for row in snapshots.current_rows(known, item, at).values()]


def find(slug: str) -> EstimateSnapshot | None:
    """The saved estimate at that address, if there is one."""
    return EstimateSnapshot.objects.filter(slug=slug).first()


def opened(snapshot: EstimateSnapshot) -> Saved:
    """The estimate as it was when it was saved, in the reader's language."""
    kept = document_of(snapshot)
    return Saved(
        snapshot=snapshot,
        sentence=str(kept["answer"]["sentence"]),
        permalink=str(kept["permalink"]),
        sections=by_section(tuple(line_of(row) for row in rows_of(kept))),
        charts=savedcharts.kept(kept),
        files=files_of(snapshot),
    )


def files_of(snapshot: EstimateSnapshot) -> tuple[ExportLink, ...]:
    """The saved state as files, at the page's own path with another suffix."""
    return tuple(
        ExportLink(suffix, suffix.upper(), reverse("estimate-file", args=[snapshot.slug, suffix]))
        for suffix in SUFFIXES
    )


def document_of(snapshot: EstimateSnapshot) -> Mapping[str, Any]:
    """The saved answer in the active language."""
    results: Mapping[str, Any] = snapshot.results
    code = (get_language() or settings.LANGUAGE_CODE)[:2]
    kept: Mapping[str, Any] = results.get(code) or next(iter(results.values()))
    return kept


def rows_of(kept: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The saved rows but for the sentence, which stands above them."""
    return [row for row in kept["rows"] if row["value"] != kept["answer"]["sentence"]]


def numbered[R](rows: Iterable[tuple[str, str, R]]) -> list[tuple[tuple[str, str, int], R]]:
    """Rows by section, label and how often the label stood before (a break-even may have several intervals)."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for section, label, row in rows:
        found.append(((section, label, seen[section, label]), row))
        seen[section, label] += 1
    return found


def line_of(row: Mapping[str, Any], today: str = "") -> Line:
    """A saved row in words, with today's beside it where that is known."""
    unit = str(row["unit"])
    value = shown(Decimal(row["value"]) if row["is_number"] else row["value"], unit)
    return Line(
        section=str(row["section"]),
        label=str(row["label"]),
        value=value,
        unit=unit_shown(unit),
        kind=str(row["kind"]),
        source=str(row["source"]),
        is_short=len(value) <= SHORT_CHARACTERS,
        today=today,
        has_changed=bool(today) and today != value,
    )


def by_section(lines: tuple[Line, ...]) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """The lines under their section's title, in the order of the export."""
    titles = dict.fromkeys(line.section for line in lines)
    return tuple((title, tuple(line for line in lines if line.section == title)) for title in titles)


def recalculated(snapshot: EstimateSnapshot) -> Saved:
    """The estimate as it was, and beside each row what the same question gives with today's catalogue.

    A code that the catalogue no longer holds leaves the old estimate alone and is named in `problems`.
    """
    kept, tool = opened(snapshot), registry.CALCULATORS[snapshot.calculator]
    default = tool.default()
    then = answers.from_link(tool, QueryDict(snapshot.query))
    try:
        if then.answer is None:
            return _alone(kept, [problem.message for problem in then.problems])
        now = tool.answer(answers.recalculated(tool, then.answer, default), tool.reads())
    except catalog.NotFound as error:
        return _alone(kept, [answers.missing_sentence(tool, error, default)])
    rows = dict(numbered((row.section, row.label, row) for row in tool.rows(now.estimate)))
    before = numbered((row["section"], row["label"], row) for row in rows_of(document_of(snapshot)))
    lines = [line_of(row, _today(rows.get(key))) for key, row in before]
    return Saved(
        snapshot=snapshot,
        sentence=kept.sentence,
        permalink=kept.permalink,
        sections=by_section(tuple(lines)),
        today=now,
        today_sentence=tool.sentence(now.estimate),
        today_link=f"{reverse(snapshot.calculator)}?{permalinks.write(now.scenario)}",
        charts=kept.charts,
        files=kept.files,
        problems=tuple(one.text for one in answers.said_of(tool, now) if one.code == answers.NO_LONGER_SOLD),
    )


def _alone(kept: Saved, problems: list[str]) -> Saved:
    return replace(kept, problems=tuple(problems))


def _today(row: Row | None) -> str:
    return formats.number(None) if row is None else shown(row.value, row.unit)
