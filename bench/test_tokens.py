"""Counting: against tiktoken alone on the same text, and the memory of a file of 200 MB."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.conftest import Figure
from calculator.counting.encoders import ByteLevel, encoder
from calculator.counting.parallel import texts
from calculator.counting.stream import count

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 1300
"""About 2 MB of text."""
LARGE_BYTES = 200_000_000
SMALL_BYTES = 20_000_000
LEAST_RATIO = 0.85
MOST_GROWTH_BYTES = 20_000_000

PROGRAM = """
import json, re, sys
from pathlib import Path
from calculator.counting.encoders import encoder
from calculator.counting.readers import Reading
from calculator.counting.sample import counted, of_files
with Path(sys.argv[1]).open("rb") as file:
    sample = counted(of_files([(file, "a.txt")], Reading()), {"cl100k_base": encoder("cl100k_base")})
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({"tokens": sample.tokens["cl100k_base"][0], "bytes": sample.bytes_count, "peak": peak}))
"""


def best_s(*actions: Callable[[], object], rounds: int = 7) -> list[float]:
    """The shortest processor time of each, in turns: what else runs on the machine then weighs on all alike."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, spent in zip(actions, times, strict=True):
            started = time.process_time()
            action()
            spent.append(time.process_time() - started)
    return [min(spent) for spent in times]


@pytest.mark.bench
@pytest.mark.parametrize("code", ["cl100k_base", "o200k_base", "tekken"])
def test_counting_keeps_most_of_tiktokens_throughput(code: str, report: list[Figure]) -> None:
    one = encoder(code)
    assert isinstance(one, ByteLevel)
    text = "\n\n".join(texts().values()) * REPEATS
    raw_s, own_s = best_s(lambda: len(one.encoding.encode_ordinary(text)), lambda: count([text], {code: one}))
    ratio = raw_s / own_s
    baseline = f"tiktoken {len(text.encode()) / raw_s / 1e6:.2f} MB/s"
    report.append(Figure(f"counting, {code}", ratio, "of tiktoken", f"≥ {LEAST_RATIO}", ratio >= LEAST_RATIO, baseline))
    assert ratio >= LEAST_RATIO


def peak_of(size_bytes: int, folder: Path) -> dict[str, int]:
    """A process of its own counts a generated file of that size; its peak of memory, which getrusage would mix with
    that of the process that started it."""
    path, block = folder / f"{size_bytes}.txt", ("\n\n".join(texts().values()) + "\n").encode() * 100
    with path.open("wb") as file:
        for _ in range(size_bytes // len(block)):
            file.write(block)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    path.unlink()
    found: dict[str, int] = json.loads(done.stdout)
    return found


@pytest.mark.bench
def test_memory_does_not_grow_with_the_file(tmp_path: Path, report: list[Figure]) -> None:
    small, large = peak_of(SMALL_BYTES, tmp_path), peak_of(LARGE_BYTES, tmp_path)
    growth = large["peak"] - small["peak"]
    report.append(
        Figure(
            "memory, file of 200 MB against 20 MB",
            growth / 1e6,
            "MB more",
            f"≤ {MOST_GROWTH_BYTES / 1e6:.0f} MB",
            growth <= MOST_GROWTH_BYTES,
            f"peak {large['peak'] / 1e6:.0f} MB",
        )
    )
    assert growth <= MOST_GROWTH_BYTES
    assert large["tokens"] / large["bytes"] == pytest.approx(small["tokens"] / small["bytes"], rel=1e-3)
