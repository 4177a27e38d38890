"""What the benchmarks share: a served product, and one table of figures at the end."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from bench.server import Served, serve

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "var" / "bench"


@dataclass(frozen=True)
class Figure:
    """One measured value, its baseline in the same run, and the bar that it should meet."""

    what: str
    value: float
    unit: str
    bar: str
    meets: bool
    baseline: str = ""


FIGURES = pytest.StashKey[list[Figure]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = []


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Iterator[list[Figure]]:
    """The list that a benchmark appends its figures to."""
    yield request.config.stash[FIGURES]


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """gunicorn with two processes on PostgreSQL, migrated, seeded, static files collected."""
    with serve() as server:
        yield server


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    figures = config.stash[FIGURES]
    terminalreporter.section("figures")
    for one in figures:
        verdict = "meets" if one.meets else "MISSES"
        line = f"{one.what}: {one.value:.4g} {one.unit} ({verdict} {one.bar})"
        terminalreporter.write_line(f"{line}; baseline: {one.baseline}" if one.baseline else line)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    revision = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    machine = {"cores": os.cpu_count(), "python": sys.version.split()[0], "revision": revision.stdout.strip()}
    target = OUTPUT / "figures.json"
    target.write_text(json.dumps({"machine": machine, "figures": [asdict(one) for one in figures]}, indent=1) + "\n")
    terminalreporter.write_line(f"written to {target}")
