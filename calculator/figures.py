"""The figures of the catalogue, kept in process memory and asked again whether any was published or withdrawn.

Figures are append-only: their number, the newest id and the count of withdrawals change whenever one of them does.
Those three cost one small query; the rows themselves are read when they differ from what is kept.
"""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from calculator import state
from calculator.domain.hardware import Roofs
from calculator.domain.offers import Scope, Throughput
from calculator.domain.provenance import Kind, Sourced
from calculator.models import Figure
from calculator.models.figures import RATES

Stamp = tuple[int, int, int]
"""Newest id, number of figures, number of those withdrawn."""
Rated = tuple[Figure, Throughput]
"""An output figure and the throughput that it gives with its prompt rate."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Every figure, newest first. `changes` are the instants at which one begins or ceases to stand."""

    stamp: Stamp
    rows: tuple[Figure, ...]
    changes: tuple[dt.datetime, ...]
    kept: dict[int, tuple[Rated, ...]] = field(default_factory=dict, compare=False)
    kept_roofs: dict[int, dict[str, Roofs]] = field(default_factory=dict, compare=False)

    def standing(self, at: dt.datetime) -> tuple[Rated, ...]:
        """The output rates published and not withdrawn by the end of the second `at`, newest first.

        Scenarios are dated to the second: who publishes and looks at once finds what was published. Between two
        changes the same figures stand, so the answer is kept.
        """
        end = at + dt.timedelta(seconds=1)
        place = bisect_left(self.changes, end)
        if place not in self.kept:
            self.kept[place] = paired(row for row in self.rows if stands(row, end))
        return self.kept[place]

    def roofs(self, at: dt.datetime) -> Mapping[str, Roofs]:
        """The measured roofs that stand at `at`, by code of the SKU; the newest of each metric."""
        end = at + dt.timedelta(seconds=1)
        place = bisect_left(self.changes, end)
        if place not in self.kept_roofs:
            self.kept_roofs[place] = roofs_of(row for row in self.rows if stands(row, end))
        return self.kept_roofs[place]


def roofs_of(figures: Iterable[Figure]) -> dict[str, Roofs]:
    """Roofs by SKU from figures, newest first; a test host's are nobody's, and bf16 goes before fp16."""
    newest: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        if figure.metric not in RATES and not figure.sku.is_test_host:
            newest.setdefault(figure.sku.code, {}).setdefault(figure.metric, figure)
    return {code: joined(found) for code, found in newest.items()}


def joined(found: Mapping[str, Figure]) -> Roofs:
    """The figures of one SKU by metric as its roofs."""

    def told(*metrics: str) -> Sourced[float] | None:
        return next((sourced_figure(found[metric]) for metric in metrics if metric in found), None)

    bus = found.get(Figure.Metric.BUS)
    return Roofs(
        copy_bytes_per_s=told(Figure.Metric.COPY),
        half_flop_per_s=told(Figure.Metric.GEMM_BF16, Figure.Metric.GEMM_FP16),
        fp8_flop_per_s=told(Figure.Metric.GEMM_FP8),
        bus_bytes_per_s=told(Figure.Metric.BUS),
        bus_members=(bus.concurrency or 0) if bus else 0,
    )


def stands(figure: Figure, end: dt.datetime) -> bool:
    """Whether a figure was published before `end` and not withdrawn before it."""
    return figure.published_at < end and (figure.withdrawn_at is None or figure.withdrawn_at >= end)


_last: list[Figures] = []


def current() -> Figures:
    """The figures as the database holds them now: one query, two after a figure was published or withdrawn."""
    if not _last or _last[0].stamp != state.current().figures:
        _last[:] = [loaded()]
    return _last[0]


def loaded() -> Figures:
    """Every figure from the database, its stamp taken from the very rows."""
    rows = tuple(Figure.objects.select_related("language_model", "sku").order_by("-published_at", "-id"))
    withdrawn = [row.withdrawn_at for row in rows if row.withdrawn_at is not None]
    return Figures(
        stamp=(max((row.pk for row in rows), default=0), len(rows), len(withdrawn)),
        rows=rows,
        changes=tuple(sorted({*(row.published_at for row in rows), *withdrawn})),
    )


def forget() -> None:
    """Drop what is kept in process memory."""
    _last.clear()


def conditions_of(figure: Figure) -> tuple[object, ...]:
    """What must be the same for a prompt rate to belong to an output rate."""
    return (
        figure.sku_id,
        figure.language_model_id,
        figure.precision,
        figure.engine,
        figure.concurrency,
        figure.input_tokens,
        figure.output_tokens,
        figure.scope,
        figure.run,
    )


def sourced_figure(figure: Figure) -> Sourced[float]:
    """A figure's value with its origin."""
    return Sourced(
        figure.value,
        figure.unit,
        Kind(figure.kind),
        figure.label,
        reference=figure.reference,
        date=figure.as_of,
        note=figure.conditions,
        exception=figure.exception,
    )


def throughput_of(figure: Figure, prefill: Figure | None) -> Throughput:
    """An output rate with its conditions, and the prompt rate obtained under the same ones."""
    return Throughput(
        output_tok_per_s=sourced_figure(figure),
        scope=Scope(figure.scope),
        figure_id=figure.pk,
        prefill_tok_per_s=sourced_figure(prefill) if prefill else None,
        model=figure.language_model.name if figure.language_model else "",
        precision=figure.precision,
        engine=figure.engine,
        concurrency=figure.concurrency,
        input_tokens=figure.input_tokens,
        output_tokens=figure.output_tokens,
        single_stream=figure.single_stream,
        test_model=figure.test_model,
        run=figure.run,
    )


def paired(figures: Iterable[Figure]) -> tuple[Rated, ...]:
    """The output rates among `figures`, newest first, each with its prompt rate."""
    listed = list(figures)
    prefills: dict[tuple[object, ...], Figure] = {}
    for figure in listed:
        if figure.metric == Figure.Metric.PREFILL:
            prefills.setdefault(conditions_of(figure), figure)
    outputs = (figure for figure in listed if figure.metric == Figure.Metric.OUTPUT)
    return tuple((figure, throughput_of(figure, prefills.get(conditions_of(figure)))) for figure in outputs)
