"""The gates on real measurements of a paced server: five repeats through the load client, judged by its own rows."""

import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import eligibility, publishing, repeats, series, services
from benchmarks.eligibility import Weight
from benchmarks.load.targets import Target
from benchmarks.models import BenchmarkRun

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.worker, pytest.mark.django_db(transaction=True)]
REPEATS = 5


@pytest.fixture
def paced() -> Iterator[str]:
    """A token each 10 ms after 50 ms, 40 of them; it counts 8 tokens for every prompt."""
    command = [sys.executable, "-m", "tests.benchmarks.pacedserver", "0.05", "0.01", "40"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture
def first(paced: str, settings: Any, tmp_path: Path) -> BenchmarkRun:
    """The first run of a series of five that were measured one after the other."""
    settings.VAR_DIR, settings.BENCHMARK_TARGETS = tmp_path, ["127.0.0.1"]
    config = services.RunConfig(
        concurrencies=(4,),
        requests_count=24,
        prompt_tokens=8,
        output_tokens=40,
        target=Target(paced, "completions", "m", allowed=("127.0.0.1",)),
    )
    runs = series.create(config, None, REPEATS)
    for run in runs:
        services.execute(run.pk, "celery@here")
    return BenchmarkRun.objects.get(pk=runs[0].pk)


def test_five_real_repeats_with_prompts_of_their_own_are_judged_as_their_rows_say(first: BenchmarkRun) -> None:
    """Rates, lengths and variation are worked out again from what was stored; the verdicts must follow from them."""
    members = repeats.members(first)
    assert [run.status for run in members] == ["succeeded"] * REPEATS
    counted = [run for run in members if not eligibility.raised(run, Weight.BARRING)]
    rates = [run.steps.get().output_tok_per_s or 0.0 for run in counted]
    found = {gate.code: gate for gate in publishing.candidate(first).found}
    assert found["repeats"].seen == len(rates)
    assert found["repeats"].passed is (len(rates) >= 5)
    # Every prompt of the server has 8 tokens, every answer the 40 that were asked for; where a busy machine barred
    # every run, nothing is known of either.
    lengths = (found["prompt_length"], found["output_length"])
    assert [gate.seen for gate in lengths] == [0.0 if rates else None] * 2
    assert [gate.passed for gate in lengths] == [bool(rates)] * 2
    if len(rates) > 1:
        cv = statistics.stdev(rates) / statistics.fmean(rates)
        assert found["spread"].seen == pytest.approx(cv)
        assert found["spread"].passed is (cv <= 0.03)
        first.refresh_from_db()
        assert first.flag_noisy is (cv > 0.03)
    assert len({run.seed for run in members}) == REPEATS
    assert len({run.samples_sha256 for run in members}) == REPEATS
    # Four streams at a token each 10 ms: at most 400 tok/s, whatever the machine.
    assert all(0 < (run.steps.get().output_tok_per_s or 0) <= 410 for run in members)
