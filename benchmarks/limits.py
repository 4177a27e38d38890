"""How long a run may take. At the soft limit it ends by itself with what it has, at the hard one it is killed.

Two nets hang below: the task queue interrupts the task shortly after the hard limit and kills its process after that,
in case whoever should keep the limit hangs itself.
"""

from dataclasses import dataclass

from django.conf import settings

from benchmarks.models import BenchmarkRun

HARD_MARGIN_S = 60.0
MEASURING_S = 900.0
PROBING_S = 3600.0
TASK_MARGIN_S = 30


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds from the start of the measuring process."""

    soft_s: float
    hard_s: float

    @property
    def task(self) -> dict[str, int]:
        """The options of the message: interrupted, then killed."""
        soft = round(self.hard_s) + TASK_MARGIN_S
        return {"soft_time_limit": soft, "time_limit": soft + TASK_MARGIN_S}


def limits_of(run: BenchmarkRun) -> Limits:
    """The limits that the run asks for; what it leaves open follows its kind, or the limit that it names."""
    hard_s = run.hard_limit_s
    usual = usual_s(run) if hard_s is None else min(usual_s(run), max(1.0, hard_s - HARD_MARGIN_S))
    soft_s = usual if run.soft_limit_s is None else float(run.soft_limit_s)
    return Limits(soft_s, soft_s + HARD_MARGIN_S if hard_s is None else float(hard_s))


def usual_s(run: BenchmarkRun) -> float:
    """A quarter of an hour of measuring, and as much before it as a vLLM may take to load; an hour for a probe."""
    if run.kind == BenchmarkRun.Kind.PROBE:
        return PROBING_S
    starting_s = float(settings.VLLM_START_S) if run.engine_kind == BenchmarkRun.EngineKind.VLLM else 0.0
    return starting_s + MEASURING_S
