"""The Accuracy page by architecture of GPU: where the evidence behind a metric is thick, thin or missing."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from calculator import formats
from calculator.accuracy.statistics import Result, band_chip, in_scope, summary
from calculator.domain.calibration import ROWS_OF_OWN_BAND
from calculator.language import gettext as _
from calculator.presenters import accuracy_words as words


class ChipLine(NamedTuple):
    """One class of chips under an engine or method: rows, those never seen, errors, share in the band, what is thin."""

    chip: str
    name: str
    rows: str
    unseen: str
    median: str
    p90: str
    band: str
    evidence: str


def chip_lines(results: Sequence[Result], known: Iterable[str]) -> Iterator[ChipLine]:
    """The answered rows in scope of one metric; then the chips of `known` that it was never measured on."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.chip and in_scope(result):
            groups.setdefault((result.chip, result.engine_class), []).append(result)
    for (chip, engine), rows in sorted(groups.items()):
        yield _line(chip, engine, rows)
    for chip in sorted(set(known) - {chip for chip, _engine in groups}):
        yield _line(chip, _("aucun"), [])


def known_chips(results: Iterable[Result]) -> frozenset[str]:
    """Every class of chips on which anything was measured."""
    return frozenset(result.chip for result in results if result.chip)


def _line(chip: str, engine: str, rows: Sequence[Result]) -> ChipLine:
    found = summary(rows)
    return ChipLine(
        chip=chip.replace("/", ", "),
        name=engine,
        rows=formats.number(len(rows)),
        unseen=formats.number(sum(result.held_out for result in rows)),
        median=words.percent(found.median),
        p90=words.percent(found.p90),
        band=words.percent(found.in_band),
        evidence=_evidence(rows),
    )


def _evidence(rows: Sequence[Result]) -> str:
    """What a reader should know of few rows; memory has one band on all chips, which is not widened."""
    if not rows:
        return _("aucune mesure sur cette architecture")
    if len(rows) >= ROWS_OF_OWN_BAND:
        return ""
    is_widened = band_chip(rows[0].metric, rows[0].chip) is not None
    return _("peu de mesures, fourchette élargie") if is_widened else _("peu de mesures")
