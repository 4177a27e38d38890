"""`manage.py bench probe`: the form's names, a sentence for what cannot be, status 1 where the run is not eligible."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from benchmarks import probeprocess, services, tasks
from benchmarks.benchcommand import waiting
from benchmarks.models import BenchmarkRun, ProbeJob, Worker
from tests.benchmarks import fakeprobe

pytestmark = pytest.mark.django_db


def worker(**values: Any) -> Worker:
    now = timezone.now()
    known = {
        "name": "celery@here",
        "host_name": "here",
        "pid": 1,
        "queues": ["default"],
        "engines": {"torch": "2.13.0"},
    }
    return Worker.objects.create(**(known | {"started_at": now, "heartbeat_at": now} | values))


def called(*arguments: str) -> tuple[str, str, int]:
    """Standard output, standard error and the status."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    try:
        call_command("bench", "probe", *arguments, stdout=out, stderr=err)
    except CommandError as refusal:
        err.write(str(refusal))
        status = refusal.returncode
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    return out.getvalue(), err.getvalue().replace("\u00a0", " "), status


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sent: list[str] = []
    monkeypatch.setattr(tasks, "submit", lambda run: sent.append(run.code))
    return sent


@pytest.fixture
def carried_out(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A worker that carries a probe out the moment it is queued, by a Python that writes these lines."""
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(probeprocess, "POLL_S", 0.02)
    monkeypatch.setattr(waiting, "POLL_S", 0.02)
    monkeypatch.setattr(tasks, "submit", lambda run: services.execute(run.pk, "celery@here"))
    worker()

    def with_lines(*written: str) -> None:
        settings.GPU_PYTHON = fakeprobe.python(tmp_path, *written)

    return with_lines


def test_a_probe_is_queued_by_its_name(queue: list[str]) -> None:
    worker()
    out, err, status = called("membw", "--seconds", "2,5", "--gpus", "0")
    run = BenchmarkRun.objects.get()
    assert (out, err, status) == (f"{run.code}\n", "", 0)
    assert (run.kind, run.probe, ProbeJob.objects.get(run=run).seconds, queue) == ("probe", "membw", 2.5, [run.code])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("guess",), "--probe"),
        (("gemm", "--dtypes", "fp4"), "--dtypes: « fp4 » n’est pas un format mesuré"),
        (("gemm", "--seconds", "9000"), "--seconds"),
        (("decode", "--config", "@/no/such/file"), "/no/such/file"),
        (("allreduce", "--gpus", "1"), "--gpus: Un all-reduce demande au moins deux GPU."),
        (("gemm", "--sku", "GPU-NONE"), "--sku"),
    ],
)
def test_what_cannot_be_probed_is_refused_with_the_option(
    queue: list[str], arguments: tuple[str, ...], sentence: str
) -> None:
    _out, err, status = called(*arguments)
    assert status == 2 and sentence in err
    assert queue == [] and not BenchmarkRun.objects.exists()


def test_without_gpu_python_a_clear_sentence(queue: list[str]) -> None:
    worker(engines={"llama.cpp": "xllamacpp"})
    _out, err, status = called("gemm")
    assert status == 2 and "réglez GPU_PYTHON" in err
    assert not BenchmarkRun.objects.exists()


def test_with_wait_the_figures_are_told_and_the_run_is_eligible(carried_out: Callable[..., None]) -> None:
    carried_out(fakeprobe.start(), fakeprobe.reading(sheet_ratio=0.8), fakeprobe.end())
    out, err, status = called("gemm", "--wait")
    assert status == 0 and BenchmarkRun.objects.get().code in out
    assert "Produit de matrices, bf16 : 250 TFLOP/s (80,0 %), 8192x8192x8192, acceptée" in err.replace("\u202f", " ")


def test_a_probe_that_failed_ends_with_one(carried_out: Callable[..., None]) -> None:
    carried_out(fakeprobe.start(), fakeprobe.end("failed", "out of memory"))
    _out, err, status = called("gemm", "--wait")
    assert status == 1 and "La sonde a échoué." in err and "out of memory" in err


def test_a_foreign_process_makes_the_run_not_eligible(carried_out: Callable[..., None]) -> None:
    told = fakeprobe.guard("no_foreign_process", "failed")
    carried_out(fakeprobe.start(), told, fakeprobe.reading(refusal="no_foreign_process"), fakeprobe.end())
    _out, err, status = called("gemm", "--wait")
    assert status == 1 and "refusée" in err


def test_a_refused_figure_makes_the_run_not_eligible(carried_out: Callable[..., None]) -> None:
    carried_out(fakeprobe.start(), fakeprobe.reading(refusal="plausible"), fakeprobe.end())
    assert called("gemm", "--wait")[2] == 1


def test_clocks_held_down_are_what_is_sustained(carried_out: Callable[..., None]) -> None:
    told = fakeprobe.guard("not_throttled", "failed")
    carried_out(fakeprobe.start(), told, fakeprobe.reading(flags=["not_throttled"]), fakeprobe.end())
    assert called("gemm", "--wait")[2] == 0
    assert BenchmarkRun.objects.get().flag_throttled


def test_as_json_the_run_holds_its_readings(carried_out: Callable[..., None]) -> None:
    carried_out(fakeprobe.start(), fakeprobe.reading(), fakeprobe.end())
    out, _err, status = called("gemm", "--wait", "--json")
    document = json.loads(out)
    assert status == 0 and document["run"]["probe"] == "gemm"
    assert document["readings"][0]["value"] == 250e12
    assert document["probe"]["torch_version"] == "2.13.0" and len(document["probe"]["lines_sha256"]) == 64
