"""Runs in the database as they look in each state of their life."""

import datetime as dt
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Permission, User
from django.utils import timezone

from benchmarks import services
from benchmarks.load import records
from benchmarks.models import BenchmarkRun, BenchmarkSample, BenchmarkStep, BenchmarkTick
from tests.benchmarks import loadfactory as make

CONFIG = services.RunConfig(concurrencies=(1, 4), requests_count=8, prompt_tokens=128, output_tokens=16, seed=5)


def queued(**values: Any) -> BenchmarkRun:
    """A run that nobody has picked up yet."""
    run = services.create_run(CONFIG, None)
    return change(run, **values)


def change(run: BenchmarkRun, **values: Any) -> BenchmarkRun:
    if values:
        BenchmarkRun.objects.filter(pk=run.pk).update(**values)
        run.refresh_from_db()
    return run


def running(**values: Any) -> BenchmarkRun:
    """A run that a worker has claimed and that shows signs of life."""
    run = queued()
    assert services.claim(run.pk, "celery@here")
    run.refresh_from_db()
    return change(run, model_name="test-llama-1m", engine="llama.cpp", precision="fp16", **values)


def with_step(run: BenchmarkRun, position: int, rate: float, **values: Any) -> BenchmarkStep:
    """A finished step with plain figures: 8 answers, TTFT 10 ms, TPOT 2 ms."""
    known = {
        "finished_at": timezone.now(),
        "complete": True,
        "warm_up_count": 1,
        "measured_count": 8,
        "ok_count": 8,
        "error_count": 0,
        "output_tok_per_s": rate,
        "whole_output_tok_per_s": rate,
        "ttft_p50_ms": 10.0,
        "ttft_p95_ms": 12.0,
        "tpot_p50_ms": 2.0,
        "tpot_p95_ms": 2.5,
        "gap_p95_ms": 3.0,
        "gap_max_ms": 9.0,
    }
    step = run.steps.get(position=position)
    BenchmarkStep.objects.filter(pk=step.pk).update(**(known | values))
    step.refresh_from_db()
    return step


def succeeded(rates: tuple[float, float] = (1000.0, 2500.0), **values: Any) -> BenchmarkRun:
    """A run that measured both its steps."""
    run = running(engine_version="xllamacpp 2026.10")
    for position, rate in enumerate(rates, start=1):
        sample(with_step(run, position, rate))
    services.finish(run.pk, "succeeded")
    run.refresh_from_db()
    return change(run, **values)


def ended(status: str, code: str = "", detail: str = "") -> BenchmarkRun:
    run = running()
    services.finish(run.pk, status, code, detail)
    run.refresh_from_db()
    return run


def sample(step: BenchmarkStep, number: int = 0, **values: Any) -> BenchmarkSample:
    known: dict[str, Any] = {"warm_up": False, "events_count": 16, "done_seen": True, "ttft_ms": 10.5, "tpot_ms": None}
    return BenchmarkSample.objects.create(step=step, number=number, **(known | values))


def tick(step: BenchmarkStep, rate: float | None = 2450.0, **values: Any) -> BenchmarkTick:
    known: dict[str, Any] = {
        "at": timezone.now(),
        "warming_up": False,
        "done_count": 4,
        "error_count": 0,
        "ttft_p50_ms": 12.3,
        "loop_lag_ms": 0.4,
    }
    return BenchmarkTick.objects.create(step=step, tok_per_s=rate, **(known | values))


def ago(seconds: float) -> dt.datetime:
    return timezone.now() - dt.timedelta(seconds=seconds)


def samples_file(folder: Path, *requests: records.Request) -> Path:
    path = folder / "samples.jsonl"
    path.write_bytes(b"".join(records.dump(request) + b"\n" for request in requests))
    return path


def answers(step: int, warm_up: int, measured: int) -> list[records.Request]:
    """Answers of four tokens, 10 ms apart, one after the other."""
    return [
        make.spoken(10, [10, 10, 10], step=step, number=number, warm_up=number < warm_up, requested_output_tokens=4)
        for number in range(warm_up + measured)
    ]


def operator(name: str = "opérateur") -> User:
    """Somebody who may start, cancel and publish, and nothing else."""
    user = User.objects.create_user(name, password="secret")
    user.user_permissions.add(Permission.objects.get(codename="operate_benchmarks"))
    return user
