"""Why a row misses: the cause that its own cells show, else that few rows stand behind, else what it leaves out.

A row misses where its error is beyond what the goal of its metric allows nine rows out of ten (`Goal.p90`). The causes
are those that docs/methodology.md and the Accuracy page describe, with their evidence; each is recognised by what the
row says of itself (cells, note, data sheets), never by its error. Where none is recognised, `unstated` names what the
source would have to say to decide.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from calculator.accuracy.goals import GOALS
from calculator.accuracy.naming import number
from calculator.accuracy.record import Checked
from calculator.accuracy.statistics import Key, Result, goal_key, in_scope

FEW_ROWS = 12
"""Below so many measurements of a class on that kind of chip the estimate rests on other cards."""
OLD_VLLM = re.compile(r"vLLM v?0\.[0-6](\D|$)|\(2023\)")
VERSION = re.compile(r"\d")
SEVENTY = re.compile(r"\b70B", re.IGNORECASE)
TWICE_RATIO = 1.3
"""Two measurements of one configuration by one source that differ by more than this contradict each other."""
FULL_RATIO = 0.8
"""Beyond this share of the memory, the part that the engine keeps for its cache decides how many requests run."""
WIDE_GROUP = 16
LONG_CONTEXT_TOKENS = 100_000
SHORT_PASS_TOKENS = 512
SHORT_ANSWER_TOKENS = 128
PROMPT_TO_ANSWER = 8
FEW, TWICE, UNDECIDED = "few_measurements", "twice_measured", "undecided"


@dataclass(frozen=True, slots=True)
class Missed:
    """A row beyond its metric's limit: by how much it is off, what is allowed, why, and what it does not state."""

    row: Checked
    error_ratio: float
    limit_ratio: float
    cause: str
    unstated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a row says: its result, its cells, its traits."""

    row: Checked
    cells: Mapping[str, str]
    traits: Mapping[str, str]

    @property
    def engine(self) -> str:
        """The class of its engine, or its method."""
        return self.row.result.engine_class

    @property
    def family(self) -> str:
        """The class of its number format."""
        return self.row.result.family

    def is_on(self, *chips: str) -> bool:
        """Whether its GPU is of one of these architectures."""
        return self.row.result.chip.partition("/")[0] in chips

    def has(self, *names: str) -> bool:
        """Whether it bears all these marks."""
        return all(name in self.traits for name in names)

    def cell(self, name: str) -> float:
        """A number among its cells; 0 where there is none."""
        return number(self.cells.get(name)) or 0.0

    def trait(self, name: str) -> float:
        """A number among its traits; 0 where there is none."""
        return number(self.traits.get(name)) or 0.0


def told(row: Checked) -> Told:
    """What a row says of how it was measured."""
    return Told(row, parsed(row.setup), parsed(row.traits))


def parsed(text: str) -> dict[str, str]:
    """Cells written one after the other as name=value.

    >>> parsed("engine=vLLM 0.9.1; n_gpus=2")["n_gpus"]
    '2'
    """
    pairs = (part.partition("=") for part in text.split("; ") if "=" in part)
    return {name: value for name, _sign, value in pairs}


def _host_bound(row: Told) -> bool:
    return "405B" in row.row.model or bool(OLD_VLLM.search(row.cells.get("engine", "")))


def _in_turn(row: Told) -> bool:
    return row.engine == "llama.cpp" and row.cell("n_gpus") > 1


def _sister(row: Told) -> bool:
    return row.engine == "llama.cpp" and row.row.gpu == "A40" and bool(SEVENTY.search(row.row.model))


def _unpacked(row: Told) -> bool:
    return row.family == "fp4" and row.is_on("Hopper", "Ada", "Ampere")


def _old_eight_bit(row: Told) -> bool:
    unversioned = not VERSION.search(row.cells.get("engine", ""))
    return row.engine == "vLLM" and unversioned and row.family == "fp16" and row.cells.get("kv_dtype") == "fp8"


def _full(row: Told) -> bool:
    clients = row.cell("concurrency")
    return row.trait("filled_ratio" if clients else "weights_ratio") >= FULL_RATIO


def _saturated(row: Told) -> bool:
    return row.cells.get("concurrency") == "max"


def _steady(row: Told) -> bool:
    return row.engine == "vLLM" and row.family == "fp8" and row.has("mixture") and row.is_on("Hopper")


def _short_answers(row: Told) -> bool:
    answer, prompt = row.cell("osl"), row.cell("isl")
    return 0 < answer <= SHORT_ANSWER_TOKENS and prompt >= PROMPT_TO_ANSWER * answer


def _short_passes(row: Told) -> bool:
    return 0 < row.cell("seq_len") * row.cell("micro_batch") <= SHORT_PASS_TOKENS


Holds = Callable[[Told], bool]
SERVED = ("ttft_ms", "tpot_ms", "total_output_tok_s")

RULES: tuple[tuple[str, tuple[str, ...], Holds], ...] = (
    ("bundled_tokens", ("ttft_ms",), lambda row: row.engine == "TensorRT-LLM"),
    ("slow_first_token", ("ttft_ms",), lambda row: (row.engine, row.family) == ("SGLang", "fp4")),
    ("speculative_decoding", ("tpot_ms",), lambda row: row.engine == "TensorRT-LLM" and row.has("mixture")),
    ("host_bound", ("total_output_tok_s",), _host_bound),
    ("same_prompts", ("total_output_tok_s",), lambda row: "Mixtral" in row.row.model and row.row.gpu[:4] == "A100"),
    ("sister_card", ("prefill_tok_s",), _sister),
    ("cards_in_turn", ("prefill_tok_s",), _in_turn),
    ("long_context", ("decode_tok_s",), lambda row: row.cell("prompt_tokens") > LONG_CONTEXT_TOKENS),
    ("racks", ("busbw_GB_s",), lambda row: "racks" in row.cells.get("interconnect", "")),
    ("cloud_network", ("busbw_GB_s",), lambda row: "EFA" in row.cells.get("interconnect", "")),
    ("one_gpu_a_machine", ("busbw_GB_s",), lambda row: "x 1 GPU" in row.cells.get("interconnect", "")),
    ("prompts_not_computed", ("ttft_ms", "tpot_ms"), lambda row: row.has("batch_column")),
    (TWICE, ("tpot_ms", "total_output_tok_s", "tok_s_per_gpu"), lambda row: row.has(TWICE)),
    ("steady_step", ("tpot_ms",), _steady),
    ("memory_full", SERVED, _full),
    (
        "prompt_intake",
        ("ttft_ms",),
        lambda row: row.engine == "SGLang" and row.has("inferencex", "mixture") and row.is_on("Hopper"),
    ),
    ("short_answers", ("ttft_ms", "tpot_ms"), _short_answers),
    ("wide_groups", ("total_output_tok_s",), lambda row: row.trait("query_group") > WIDE_GROUP),
    ("unpacked_format", ("total_output_tok_s",), _unpacked),
    ("eight_bit_cache", ("total_output_tok_s",), _old_eight_bit),
    ("mean_lengths", ("total_output_tok_s",), lambda row: row.has("mean_lengths")),
    ("batch_not_stated", ("total_output_tok_s",), _saturated),
    ("container_release", ("tok_s_per_gpu",), lambda row: row.has("container", "mixture")),
    ("two_machines", ("tok_s_per_gpu",), lambda row: row.has("multinode")),
    ("offloaded", ("tok_s_per_gpu",), lambda row: "offload" in row.cells.get("activation_checkpointing", "")),
    ("short_passes", ("tok_s_per_gpu",), _short_passes),
    (
        "eight_bit_gain",
        ("tok_s_per_gpu",),
        lambda row: row.family == "fp8" and row.is_on("Ada") and "llmq" in row.row.source,
    ),
    ("shorter_sequences", ("measured_gb",), lambda row: row.has("shorter")),
    ("summed_memory", ("measured_gb",), lambda row: row.has("summed")),
)
"""Code, metrics and what must hold, the surest first."""


def cause(row: Told, rows_alike: int) -> str:
    """The cause of a row's error, as a code. `rows_alike` = measurements of its class on that kind of chip."""
    for code, metrics, holds in RULES:
        if row.row.result.metric in metrics and holds(row):
            return code
    return FEW if rows_alike < FEW_ROWS else UNDECIDED


def _no_version(row: Told) -> bool:
    engine = row.cells.get("engine", "")
    return bool(engine) and not VERSION.search(engine)


UNSTATED: tuple[tuple[str, tuple[str, ...], Holds], ...] = (
    ("engine_version", SERVED, _no_version),
    ("cache_precision", SERVED, lambda row: row.cells.get("kv_dtype", "auto") == "auto"),
    ("card_variant", SERVED, lambda row: row.has("variant") or row.has("form_factor")),
    ("batch_reached", ("total_output_tok_s",), _saturated),
    ("prefix_cache", ("ttft_ms",), lambda _row: True),
    ("prompt_mixing", ("tpot_ms",), lambda _row: True),
    ("engine_settings", ("total_output_tok_s",), lambda _row: True),
    ("build_settings", ("decode_tok_s", "prefill_tok_s"), lambda _row: True),
    (
        "recomputation",
        ("tok_s_per_gpu",),
        lambda row: "not stated" in row.cells.get("activation_checkpointing", "not stated"),
    ),
    ("software_version", ("tok_s_per_gpu",), lambda row: not row.has("container")),
    ("allocator", ("measured_gb",), lambda _row: True),
    ("network_settings", ("busbw_GB_s",), lambda _row: True),
)
"""What decides a metric and is not among a row's cells: code, metrics, and when the row leaves it out."""


def unstated(row: Told) -> tuple[str, ...]:
    """What the source would have to say for a cause to be told."""
    return tuple(code for code, metrics, absent in UNSTATED if row.row.result.metric in metrics and absent(row))


def error_ratio(result: Result) -> float | None:
    """|predicted − measured| ÷ measured; None without a prediction."""
    if result.predicted is None or not result.measured:
        return None
    return abs(result.predicted - result.measured) / result.measured


def alike(result: Result) -> tuple[Key, str, str, str]:
    """The measurements that stand behind an estimate of the same kind."""
    return goal_key(result), result.engine_class, result.family, result.chip


def configuration(row: Checked) -> tuple[object, ...]:
    """What one source measured: two rows that agree in it are the same test, whatever the version of the software."""
    cells = tuple(part for part in row.setup.split("; ") if not part.startswith("engine="))
    result = row.result
    return (goal_key(result), result.engine_class, result.family, row.source, row.gpu, row.model, cells)


def contradicted(rows: Sequence[Checked]) -> frozenset[tuple[object, ...]]:
    """The configurations that one source measured more than once, with results further apart than `TWICE_RATIO`."""
    found: defaultdict[tuple[object, ...], list[float]] = defaultdict(list)
    for row in rows:
        if row.result.measured:
            found[configuration(row)].append(row.result.measured)
    return frozenset(key for key, values in found.items() if max(values) > TWICE_RATIO * min(values))


def missed(rows: Iterable[Checked]) -> Iterator[Missed]:
    """The rows in scope beyond their metric's limit, in the files' order."""
    known = [row for row in rows if row.result.predicted is not None]
    counts, twice = Counter(alike(row.result) for row in known), contradicted(known)
    for row in known:
        goal, error = GOALS.get(goal_key(row.result)), error_ratio(row.result)
        if goal is None or error is None or error <= goal.p90 or not in_scope(row.result):
            continue
        said = told(row)
        if configuration(row) in twice:
            said = Told(row, said.cells, {**said.traits, TWICE: "1"})
        why = cause(said, counts[alike(row.result)])
        yield Missed(row, error, goal.p90, why, unstated(said) if why in (FEW, UNDECIDED) else ())
