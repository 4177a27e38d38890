"""The latency column of the API prices: what our runs measured, with region and day, beside what the vendor claims."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.provenance import Kind
from calculator.formats import NBSP
from calculator.presenters.badges import Badge, of_kind
from calculator.published import ClaimedLatency, Latencies, MeasuredLatency


class LatencyLine(NamedTuple):
    """A latency as the table shows it. `run` is the code of the run that measured it, empty for a claim."""

    text: str
    detail: str
    note: str
    badge: Badge | None
    run: str = ""


def by_code(found: Mapping[str, Latencies]) -> dict[str, tuple[LatencyLine, ...]]:
    """The lines of each model, measurements first."""
    return {
        code: (*map(measured_line, known.measured), *([claim_line(known.claim)] if known.claim else []))
        for code, known in found.items()
    }


def measured_line(row: MeasuredLatency) -> LatencyLine:
    """First token, median and 95th percentile; region, day and hour; lengths and load as a note."""
    text = _("%(median)s, p95 %(tail)s") % {"median": ms(row.ttft_p50_ms), "tail": ms(row.ttft_p95_ms)}
    at = timezone.localtime(row.measured_at)
    detail = _("%(region)s, le %(day)s à %(hour)s") % {
        "region": row.region,
        "day": formats.date(at.date()),
        "hour": at.strftime("%H:%M"),
    }
    return LatencyLine(text, detail, measured_note(row), of_kind(Kind.MEASURED), row.run)


def measured_note(row: MeasuredLatency) -> str:
    """At which lengths, how many answers, and how long each further token took."""
    said = _("%(count)s réponses, %(input)s tokens en entrée et %(output)s en sortie.") % {
        "count": formats.number(row.requests_count),
        "input": formats.number(row.input_tokens),
        "output": formats.number(row.output_tokens),
    }
    if row.tpot_p50_ms is None:
        return said
    return said + " " + _("TPOT médian %(tpot)s.") % {"tpot": ms(row.tpot_p50_ms)}


def claim_line(row: ClaimedLatency) -> LatencyLine:
    """The vendor's number with what it leaves open."""
    note = row.note_fr if get_language() == "fr" else row.note
    said = f"{formats.number(row.claimed_ms)}{NBSP}ms"  # as claimed, no more precise than that
    detail = _("annonce du %(day)s") % {"day": formats.date(row.as_of)}
    return LatencyLine(_("environ %(value)s") % {"value": said}, detail, note, of_kind(Kind.CLAIM))


def ms(value: float | None) -> str:
    """Milliseconds to three significant figures."""
    if value is None:
        return formats.number(None)
    rounded = formats.significant(value)
    return f"{formats.number(rounded, max(0, 2 - rounded.adjusted()) if rounded else 0)}{NBSP}ms"
