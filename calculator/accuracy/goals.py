"""The goals of the sizing: for each file and metric, the errors that the answered rows in scope must hold."""

from collections.abc import Sequence
from dataclasses import dataclass

from calculator.accuracy.statistics import Key, Result, Summary, goal_key, grouped, in_scope

ANSWERED_GOAL = 0.9
"""Share of the rows in scope that must be answered."""
BAND_GOAL = (0.7, 0.9)
"""Share of the measurements that must lie inside the band: fewer is a promise broken, more is none made."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that median, mean and p90 of the errors may be; ratios, not percent."""

    median: float
    mean: float
    p90: float

    def missed(self, found: Summary) -> tuple[str, ...]:
        """Which of median, mean and p90 a group's errors do not hold; all of them where none is known."""
        errors = (("median", found.median, self.median), ("mean", found.mean, self.mean), ("p90", found.p90, self.p90))
        return tuple(name for name, value, most in errors if value is None or value > most)


GOALS: dict[Key, Goal] = {
    ("inference_single_stream.csv", "decode_tok_s"): Goal(0.10, 0.15, 0.35),
    ("inference_single_stream.csv", "prefill_tok_s"): Goal(0.15, 0.25, 0.50),
    ("inference_single_stream.csv", "ttft_ms"): Goal(0.15, 0.25, 0.50),
    ("inference_batched.csv", "total_output_tok_s"): Goal(0.08, 0.13, 0.28),
    ("inference_serving_latency.csv", "tpot_ms"): Goal(0.09, 0.15, 0.40),
    ("inference_serving_latency.csv", "ttft_ms"): Goal(0.25, 0.35, 0.70),
    ("training.csv", "tok_s_per_gpu"): Goal(0.12, 0.18, 0.40),
    ("allreduce.csv", "busbw_GB_s"): Goal(0.12, 0.20, 0.45),
    ("memory.csv", "measured_gb"): Goal(0.08, 0.12, 0.30),
}


def by_goal(results: Sequence[Result], *, unseen: bool = False) -> dict[Key, Summary]:
    """The rows in scope by file and metric; only those that the fit has not used with `unseen`."""
    return grouped([result for result in results if in_scope(result) and (result.held_out or not unseen)], goal_key)
