"""From times to readings: a rate from the median, its guards, whether it is accepted. Writes the lines; no torch.

A reading is refused by a guard of `guards.REFUSING` that failed; other guards that failed or could not tell stand
beside it as flags. On a processor, and where less than 30 s were asked for, the labels `cpu` and `short` say so.
"""

import datetime as dt
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from benchmarks.probes import guards, lines
from benchmarks.probes.guards import Finding, Name, Verdict
from benchmarks.probes.lines import Reading
from benchmarks.probes.measuring import Clock, Measured
from benchmarks.probes.options import Options

SUCCEEDED, CANCELLED, FAILED = "succeeded", "cancelled", "failed"


@dataclass(frozen=True, slots=True)
class Subject:
    """The GPU or processor that a figure belongs to."""

    gpu: str
    name: str
    on_cpu: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """What is to be told of some times: a metric, its unit, how a time becomes a value, and the sheet's value."""

    metric: str
    unit: str
    shape: str
    dtype: str
    value_of: Callable[[float], float]
    sheet: float | None = None
    formula: str = ""
    headline: bool = True


def reading(figure: Figure, subject: Subject, measured: Measured, findings: Sequence[Finding]) -> Reading:
    """The figure of some times, with the guards' word on it."""
    median_s, best_s = measured.median_s, measured.best_s
    value = None if median_s is None else figure.value_of(median_s)
    refusals = [finding.name.value for finding in findings if finding.refuses]
    flags = [flag(finding) for finding in findings if finding.verdict is not Verdict.PASSED and not finding.refuses]
    return Reading(
        metric=figure.metric,
        value=value,
        unit=figure.unit,
        gpu=subject.gpu,
        gpu_name=subject.name,
        shape=figure.shape,
        dtype=figure.dtype,
        best=None if best_s is None else figure.value_of(best_s),
        sheet=figure.sheet,
        sheet_ratio=value / figure.sheet if value is not None and figure.sheet else None,
        span_s=measured.span_s,
        samples_count=len(measured.seconds),
        spread_ratio=measured.spread_ratio,
        formula=figure.formula,
        refusal=refusals[0] if refusals else "",
        flags=tuple(flags),
        on_cpu=subject.on_cpu,
        headline=figure.headline,
    )


def flag(finding: Finding) -> str:
    """The name of a guard that did not pass, with a question mark where it cannot tell."""
    return finding.name.value + ("?" if finding.verdict is Verdict.UNKNOWN else "")


def believable(figures: Sequence[Figure], measured: Measured) -> list[Finding]:
    """Each figure against its data sheet; figures of the same times share their fate, so a failure stands for all."""
    median_s = measured.median_s
    found = [guards.plausible(0.0 if median_s is None else one.value_of(median_s), one.sheet) for one in figures]
    failed = [finding for finding in found if finding.verdict is Verdict.FAILED]
    return [failed[0]] * len(found) if failed else found


def time_findings(measured: Measured) -> list[Finding]:
    """The guards that need nothing but the times."""
    return [
        guards.complete(measured.stopped, len(measured.seconds)),
        measured.warm,
        guards.sustained(measured.span_s),
    ]


@dataclass
class Report:
    """Where a probe's lines go, and whether it was asked to stop (SIGTERM, SIGINT)."""

    probe: str
    out: TextIO = sys.stdout
    stopped: bool = False

    def write(self, kind: str, values: Mapping[str, Any]) -> None:
        """One line, at once on its way: what was measured survives whatever comes next."""
        self.out.write(lines.dump(kind, values) + "\n")
        self.out.flush()

    def start(self, options: Options, environment: Mapping[str, Any], on_cpu: bool) -> None:
        self.write(
            "start",
            {
                "method": lines.METHOD,
                "probe": self.probe,
                "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                "labels": ["cpu"] if on_cpu else [],
                "asked": options.as_asked(),
                "environment": environment,
            },
        )

    def rows(self, figure: Figure, subject: Subject) -> Callable[[float, Sequence[float], bool], None]:
        """Takes each batch of times of one figure."""
        return lambda at_s, seconds, dropped: self.write(
            "samples",
            {
                "metric": figure.metric,
                "gpu": subject.gpu,
                "shape": figure.shape,
                "at_s": at_s,
                "dropped": dropped,
                "seconds": list(seconds),
            },
        )

    def figures(
        self, figures: Sequence[Figure], subject: Subject, measured: Measured, more: Iterable[Finding] = ()
    ) -> list[Reading]:
        """Judge and write the figures that come of the same times."""
        shared = [*time_findings(measured), *more]
        plausible = believable(figures, measured)
        return [
            self._figure(figure, subject, measured, [own, *shared])
            for figure, own in zip(figures, plausible, strict=True)
        ]

    def _figure(self, figure: Figure, subject: Subject, measured: Measured, findings: Sequence[Finding]) -> Reading:
        told = sorted(findings, key=lambda finding: list(Name).index(finding.name))
        for finding in told:
            said = {"name": finding.name.value, "verdict": finding.verdict.value, "refuses": finding.refuses}
            about = {"metric": figure.metric, "gpu": subject.gpu, "shape": figure.shape}
            self.write("guard", {**said, **about, "facts": dict(finding.facts)})
        found = reading(figure, subject, measured, told)
        self.write("reading", {**asdict(found), "accepted": found.accepted, "cold_s": measured.cold_s})
        return found

    def end(self, error: str = "") -> int:
        """The last line, and the process's exit status."""
        status = FAILED if error else CANCELLED if self.stopped else SUCCEEDED
        self.write("end", {"status": status, "error": error})
        return 1 if error else 0

    def clock(self) -> Clock:
        return Clock(stop=lambda: self.stopped)

    def listen(self) -> None:
        """SIGTERM and SIGINT end the current batch; what is there by then is written as partial."""

        def ask(*_: object) -> None:
            self.stopped = True

        signal.signal(signal.SIGTERM, ask)
        signal.signal(signal.SIGINT, ask)
