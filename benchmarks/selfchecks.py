"""The checks that the load client makes on itself, as plain sentences: what was seen, and what the limit is."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from benchmarks import metrics
from benchmarks.models import BenchmarkStep
from benchmarks.wording import milliseconds
from calculator import formats


def sentences(steps: Sequence[BenchmarkStep]) -> list[str]:
    """One sentence a check, with the worst value of all steps; nothing before a step has ended."""
    done = [step for step in steps if step.finished_at]
    return [_lag(done), _cpu(done), _dispatch(done), _gaps(done), *_pace(done)] if done else []


def worst(steps: Sequence[BenchmarkStep], name: str) -> float | None:
    return max((value for step in steps if (value := getattr(step, name)) is not None), default=None)


def _lag(steps: Sequence[BenchmarkStep]) -> str:
    return _("Retard de la boucle du client, p99 : %(seen)s (limite %(limit)s).") % {
        "seen": milliseconds(worst(steps, "loop_lag_p99_ms")),
        "limit": milliseconds(metrics.LAG_LIMIT_MS),
    }


def _cpu(steps: Sequence[BenchmarkStep]) -> str:
    return _("Part d’un cœur prise par le client : %(seen)s (limite %(limit)s).") % {
        "seen": formats.percent(worst(steps, "client_cpu_ratio")),
        "limit": formats.percent(metrics.CPU_LIMIT_RATIO),
    }


def _dispatch(steps: Sequence[BenchmarkStep]) -> str:
    return _("Retard au départ des requêtes, p99 : %(seen)s (limite %(limit)s).") % {
        "seen": milliseconds(worst(steps, "client_lag_p99_ms")),
        "limit": milliseconds(metrics.LAG_LIMIT_MS),
    }


def _gaps(steps: Sequence[BenchmarkStep]) -> str:
    return _("Envois lus ensemble, signe d’un client en retard : %(seen)s (limite %(limit)s).") % {
        "seen": formats.percent(worst(steps, "near_zero_gap_ratio")),
        "limit": formats.percent(metrics.NEAR_ZERO_LIMIT_RATIO),
    }


def _pace(steps: Sequence[BenchmarkStep]) -> list[str]:
    """The lowest share of an asked rate that was reached; only open loops ask for a rate."""
    shares = [
        step.achieved_per_s / step.offered_per_s
        for step in steps
        if step.rate_per_s and step.offered_per_s and step.achieved_per_s is not None
    ]
    if not shares:
        return []
    sentence = _("Rythme atteint, sur le rythme demandé : %(seen)s (saturation sous %(limit)s).")
    return [sentence % {"seen": formats.percent(min(shares)), "limit": formats.percent(metrics.SATURATED_BELOW_RATIO)}]
