"""Why a row misses: the known cause that its own cells show, else that few measurements stand behind, else none.

A row misses where its error is beyond what the goal of its metric allows nine rows out of ten (`Goal.p90`). The causes
are those that docs/methodology.md and the Accuracy page describe; each is recognised by what the row says of itself,
never by its error.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from calculator.accuracy.goals import GOALS
from calculator.accuracy.record import Checked
from calculator.accuracy.statistics import Key, Result, goal_key, in_scope

FEW_ROWS = 12
"""Below so many measurements of a class on that kind of chip the estimate rests on other cards."""
OLD_VLLM = re.compile(r"vLLM v?0\.[0-6](\D|$)")
SEVENTY = re.compile(r"\b70B", re.IGNORECASE)
FEW, UNKNOWN = "few_measurements", "unknown"


@dataclass(frozen=True, slots=True)
class Missed:
    """A row beyond its metric's limit: by how much it is off, what is allowed, why."""

    row: Checked
    error_ratio: float
    limit_ratio: float
    cause: str


def told(row: Checked) -> Mapping[str, str]:
    """What a row says of how it was measured, by column.

    >>> from calculator.accuracy.causes import parsed
    >>> parsed("engine=vLLM 0.9.1; n_gpus=2")["n_gpus"]
    '2'
    """
    return parsed(row.setup)


def parsed(setup: str) -> dict[str, str]:
    """Cells written one after the other as name=value."""
    pairs = (part.partition("=") for part in setup.split("; ") if "=" in part)
    return {name: value for name, _sign, value in pairs}


def first_token(row: Checked) -> str:
    """Servers that send tokens in bundles, and those that wait seconds whatever the load."""
    if row.result.engine_class == "TensorRT-LLM":
        return "bundled_tokens"
    return "slow_first_token" if (row.result.engine_class, row.result.family) == ("SGLang", "fp4") else ""


def total_rate(row: Checked) -> str:
    """Servers that their host holds up, and prompts that all choose the same experts."""
    if "405B" in row.model or OLD_VLLM.search(told(row).get("engine", "")):
        return "host_bound"
    return "same_prompts" if "Mixtral" in row.model and row.gpu.startswith("A100") else ""


def prompt_rate(row: Checked) -> str:
    """Cards that work one after the other."""
    several = told(row).get("n_gpus", "1") != "1"
    in_turn = row.result.engine_class == "llama.cpp" and several and SEVENTY.search(row.model)
    return "cards_in_turn" if in_turn else ""


def exchange(row: Checked) -> str:
    """All-reduces over whole rows of racks."""
    return "racks" if "racks" in told(row).get("interconnect", "") else ""


RULES: Mapping[str, Callable[[Checked], str]] = {
    "ttft_ms": first_token,
    "total_output_tok_s": total_rate,
    "prefill_tok_s": prompt_rate,
    "busbw_GB_s": exchange,
}


def cause(row: Checked, is_mixture: bool, rows_alike: int) -> str:
    """The known cause of a row's error, as a code. `rows_alike` = measurements of its class on that kind of chip."""
    rule = RULES.get(row.result.metric)
    if rule is not None and (known := rule(row)):
        return known
    if row.result.metric == "tpot_ms" and is_mixture and row.result.engine_class == "TensorRT-LLM":
        return "speculative_decoding"
    return FEW if rows_alike < FEW_ROWS else UNKNOWN


def error_ratio(result: Result) -> float | None:
    """|predicted − measured| ÷ measured; None without a prediction."""
    if result.predicted is None or not result.measured:
        return None
    return abs(result.predicted - result.measured) / result.measured


def alike(result: Result) -> tuple[Key, str, str, str]:
    """The measurements that stand behind an estimate of the same kind."""
    return goal_key(result), result.engine_class, result.family, result.chip


def missed(rows: Iterable[Checked], is_mixture: Callable[[str], bool]) -> Iterator[Missed]:
    """The rows in scope beyond their metric's limit, in the files' order."""
    known = [row for row in rows if row.result.predicted is not None]
    counts = Counter(alike(row.result) for row in known)
    for row in known:
        goal, error = GOALS.get(goal_key(row.result)), error_ratio(row.result)
        if goal is None or error is None or error <= goal.p90 or not in_scope(row.result):
            continue
        why = cause(row, is_mixture(row.model), counts[alike(row.result)])
        yield Missed(row, error, goal.p90, why)
