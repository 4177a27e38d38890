"""What the sampler wrote, read back: the states before and after, each device's samples, and its seconds."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson

from benchmarks.telemetry.samples import HOST

# Power cap, slowdown, software and hardware heat, power brake, board limit, reliability. The other bits are choices:
# idle, clocks that were set, sync boost, display.
THROTTLING = 4 | 8 | 32 | 64 | 128 | 512 | 1024
MEANS = (
    "utilisation_ratio", "memory_utilisation_ratio", "clock_mhz", "memory_clock_mhz", "power_w", "temperature_c",
    "memory_temperature_c", "pcie_sent_bytes_per_s", "pcie_received_bytes_per_s", "load_1m",
)  # fmt: skip
Sample = Mapping[str, Any]


@dataclass
class Trace:
    """`samples` by place: HOST, or the place of a GPU in `before` and `after`. `after` is empty after a kill."""

    before: list[dict[str, Any]] = field(default_factory=list)
    after: list[dict[str, Any]] = field(default_factory=list)
    foreign: dict[str, list[int]] = field(default_factory=dict)
    samples: dict[int, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    driver: dict[str, Any] | None = None

    def uuid(self, place: int) -> str:
        return "" if place == HOST else str(self.before[place]["uuid"])


def load(path: Path) -> Trace | None:
    """The trace of a file; None when there is none or it holds not even its first line. A cut last line is left out."""
    if not path.exists():
        return None
    lines = path.read_bytes().split(b"\n")[:-1]
    if not lines:
        return None
    first, *rest = map(orjson.loads, lines)
    trace = Trace(before=first["gpus"], driver=first["driver"])
    for item in rest:
        if isinstance(item, dict):
            trace.after, trace.foreign = item["gpus"], item["foreign"]
            continue
        place, at_s, *values = item
        names = first["host_fields"] if place == HOST else first["gpu_fields"]
        trace.samples[place].append({"at_s": at_s, **dict(zip(names, values, strict=True))})
    return trace


def seconds(samples: Iterable[Sample]) -> list[dict[str, Any]]:
    """One row a second in which there was a sample."""
    by_second: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_second[int(sample["at_s"])].append(sample)
    return [{"second": second, **second_of(group)} for second, group in sorted(by_second.items())]


def second_of(group: Sequence[Sample]) -> dict[str, Any]:
    """Means of what was told; the most memory, the slowest state and every reason seen."""
    row: dict[str, Any] = {"samples_count": len(group)}
    for name in MEANS:
        if told := known(group, name):
            row[name] = fmean(told)
    for name in ("memory_used_bytes", "p_state"):
        if told := known(group, name):
            row[name] = max(told)
    if reasons := known(group, "event_reasons"):
        row["event_reasons"] = 0
        for bits in reasons:
            row["event_reasons"] |= bits
        row["throttled_count"] = sum(bool(bits & THROTTLING) for bits in reasons)
    return row


def known(group: Iterable[Sample], name: str) -> list[Any]:
    return [value for sample in group if (value := sample.get(name)) is not None]


def throttled_ratio(samples: Iterable[Sample]) -> float | None:
    """The part of the samples in which a throttling bit was up; None where no sample tells."""
    reasons = known(samples, "event_reasons")
    return sum(bool(bits & THROTTLING) for bits in reasons) / len(reasons) if reasons else None
