"""What a customer's proposal changes: inputs and results that differ from the quote's, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language

from calculator import formats, saved
from sales.models import Quote, QuoteProposal


@dataclass(frozen=True, slots=True)
class Changed:
    """One number of the quote and of the proposal."""

    section: str
    label: str
    quoted: str
    proposed: str
    unit: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a customer sent back, beside the quote."""

    pk: int
    at: str
    comment: str
    total: str
    sentence: str
    query: str
    changes: tuple[Changed, ...]


def proposal(quote: Quote, item: QuoteProposal) -> Proposal:
    """A proposal in the reader's language."""
    code = (get_language() or quote.language)[:2]
    quoted, proposed = _answer(quote.results, code), _answer(item.results, code)
    return Proposal(
        pk=item.pk,
        at=formats.instant(item.at),
        comment=item.comment,
        total=formats.money(item.total_eur),
        sentence=str(proposed["answer"]["sentence"]),
        query=item.query,
        changes=changes(quoted, proposed),
    )


def _answer(results: Mapping[str, Any], code: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = results.get(code) or next(iter(results.values()))
    return found


def changes(quoted: Mapping[str, Any], proposed: Mapping[str, Any]) -> tuple[Changed, ...]:
    """The rows that both have and whose values differ, in the order of the export."""
    rows = dict(saved.numbered((row["section"], row["label"], row) for row in proposed["rows"]))
    found = []
    for key, row in saved.numbered((row["section"], row["label"], row) for row in saved.rows_of(quoted)):
        other = rows.get(key)
        if other is None or other["value"] == row["value"]:
            continue
        before, after = saved.line_of(row), saved.line_of(other)
        found.append(Changed(before.section, before.label, before.value, after.value, before.unit))
    return tuple(found)
