"""What must be the same for two runs to be compared, and the one key that stands for it.

All conditions count but dates, the number of the repeat, the seed (each repeat draws fresh prompts) and which very GPU
of its kind it was.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

from benchmarks.models import BenchmarkRun, BenchmarkStep

METHOD = "vmcloud-1"
"""Our own definitions of the metrics; the number goes up whenever timing or counting changes."""

# Columns of a run that belong to its conditions; what is empty in all is equal. Revision, cache precision and the like
# of a vLLM are in its arguments.
COLUMNS = (
    "kind",
    "pattern",
    "requests_count",
    "prompt_tokens",
    "output_tokens",
    "duration_s",
    "ramp_s",
    "shared_prefix_tokens",
    "prompts_sha256",
    "search",
    "limit_ttft_ms",
    "limit_tpot_ms",
    "target_url",
    "target_route",
    "target_model",
    "target_ignore_eos",
    "target_region",
    "model_name",
    "model_sha256",
    "precision",
    "engine",
    "engine_version",
    "engine_arguments",
    "sku_code",
    "gpus_count",
    "cpu_model",
    "cpu_count",
    "memory_bytes",
    "kernel",
    "engine_threads_count",
    "flag_dummy_weights",
)
VERSIONS = frozenset({"engine_version", "kernel", "driver_version"})
"""Conditions whose change is what a comparison with an earlier run wants to judge."""
PRIVATE = frozenset({"target_url"})
"""Conditions that visitors are told the name of, not the value."""


def conditions(run: BenchmarkRun, steps: Sequence[BenchmarkStep]) -> dict[str, str]:
    """Every condition of a run as text, empty where it is unknown or does not apply."""
    found = {name: text(getattr(run, name)) for name in COLUMNS} | hardware(run)
    found["definition"] = run.import_definition or METHOD
    found["loads"] = ", ".join(load(step) for step in sorted(steps, key=lambda step: step.position))
    return found


def hardware(run: BenchmarkRun) -> dict[str, str]:
    """The GPUs that a run had and their driver; one query, and none for a run without GPUs."""
    gpus = [gpu for gpu in run.gpus.all() if gpu.used] if run.gpus_count else []
    drivers = {str((gpu.state_at_start or {}).get("driver_version") or "") for gpu in gpus}
    return {
        "gpu_name": ", ".join(sorted({gpu.name for gpu in gpus})),
        "driver_version": ", ".join(sorted(drivers - {""})),
    }


def text(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def load(step: BenchmarkStep) -> str:
    """A concurrency, or a pace with its unit."""
    return str(step.concurrency) if step.rate_per_s is None else f"{step.rate_per_s:g}/s ≤ {step.concurrency}"


def key(found: Mapping[str, str]) -> str:
    """The comparison key: SHA-256 of the conditions in a fixed order."""
    return hashlib.sha256(json.dumps(found, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def differing(found: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """The conditions that are not the same in all runs, in the order in which they are listed."""
    names = dict.fromkeys(name for each in found for name in each)
    return tuple(name for name in names if len({each.get(name, "") for each in found}) > 1)


def alike(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether only versions differ, so that a change of rate means something."""
    return set(differing([first, second])) <= VERSIONS
