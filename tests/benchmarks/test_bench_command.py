"""`manage.py bench serving`: the names of the form, sentences and status 2 for bad input, 1 when not eligible."""

import datetime as dt
import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone, translation

from benchmarks import fleet, forms, services, tasks
from benchmarks.benchcommand import asking, waiting
from benchmarks.eligibility import FLAGS, Weight
from benchmarks.management.commands import bench
from benchmarks.models import BenchmarkRun, Worker
from tests.benchmarks import runfactory as runs
from tests.benchmarks.worksite import ROOT, Site
from tests.prepared import Copy

pytestmark = pytest.mark.django_db
SMALL = ("--requests", "8", "--output", "16", "--prompt", "128", "--concurrencies", "1,4", "--seed", "5")


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent to the workers, which are none here."""
    sent: list[str] = []
    monkeypatch.setattr(tasks, "submit", lambda run: sent.append(run.code))
    return sent


def worker(**values: Any) -> Worker:
    now = timezone.now()
    known = {"name": "celery@here", "host_name": "here", "pid": 1, "queues": ["default"], "engines": {"vllm": "0.32.0"}}
    return Worker.objects.create(**(known | {"started_at": now, "heartbeat_at": now} | values))


def called(*arguments: str) -> tuple[str, str, int]:
    """Standard output, standard error and the status."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    try:
        call_command("bench", *arguments, stdout=out, stderr=err)
    except CommandError as refusal:
        err.write(str(refusal))
        status = refusal.returncode
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    return out.getvalue(), err.getvalue(), status


def test_every_field_of_the_form_is_an_option_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bench.Command().create_parser("manage.py", "bench").parse_args(["serving", "--help"])
    shown = capsys.readouterr().out
    assert [name for name in forms.RunForm.base_fields if asking.option(name) not in shown] == []


def test_a_run_is_queued_with_what_was_given_and_the_forms_defaults(queue: list[str]) -> None:
    worker()
    out, err, status = called("serving", "--output", "16", "--rates", "2 4", "--pattern", "poisson")
    run = BenchmarkRun.objects.get()
    assert (out, err, status) == (f"{run.code}\n", "", 0)
    assert (run.output_tokens, run.prompt_tokens, run.requests_count, run.pattern) == (16, 128, 128, "poisson")
    assert [step.rate_per_s for step in run.steps.all()] == [2.0, 4.0]
    assert queue == [run.code] and run.created_by is None


def test_bad_input_is_a_sentence_with_the_option_and_status_two(queue: list[str]) -> None:
    _out, err, status = called("serving", "--output", "2.5", "--search", "knee")
    assert status == 2
    assert "--output: " in err and "--search: " in err
    assert BenchmarkRun.objects.count() == 0 and queue == []


def test_the_sentences_speak_the_language_asked_for() -> None:
    french, english = (called("serving", "--output", "2.5", "--lang", code)[1] for code in ("fr", "en"))
    assert french != english and english.startswith("--output: ")


def test_without_a_worker_it_says_so_and_how_to_start_one() -> None:
    out, err, status = called("serving", *SMALL, "--lang", "en")
    assert status == 0
    assert BenchmarkRun.objects.get().code in out
    assert "make run" in err


def test_waiting_for_nobody_ends_at_once_with_status_one() -> None:
    _out, err, status = called("serving", *SMALL, "--wait")
    assert status == 1
    assert "make run" in err
    assert BenchmarkRun.objects.get().status == "queued"


def answering(monkeypatch: pytest.MonkeyPatch, act: Callable[[BenchmarkRun], object]) -> None:
    """A worker that does `act` to the run while the command sleeps."""
    worker()
    monkeypatch.setattr(tasks, "submit", act)


def test_an_eligible_run_ends_with_status_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, finished)
    out, err, status = called("serving", *SMALL, "--wait", "--lang", "en")
    code = BenchmarkRun.objects.get().code
    assert (out, status) == (f"{code}\n", 0)
    assert f"{code}  finished" in err and "2,500" in err


def finished(run: BenchmarkRun, **values: Any) -> None:
    assert services.claim(run.pk, "celery@here")
    runs.with_step(run, 1, 1000.0)
    step = runs.with_step(run, 2, 2500.0)
    runs.tick(step)
    services.finish(run.pk, "succeeded")
    runs.change(run, **values)


def test_a_run_with_a_blocking_flag_ends_with_status_one_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, lambda run: finished(run, flag_server_disagrees=True))
    _out, err, status = called("serving", *SMALL, "--wait", "--lang", "fr")
    assert status == 1
    assert "compteurs discordants" in err


def test_a_run_whose_gpu_nobody_watched_is_not_eligible(monkeypatch: pytest.MonkeyPatch) -> None:
    def unwatched(run: BenchmarkRun) -> None:
        finished(run, gpus_count=1)
        run.gpus.create(uuid="GPU-1", index=0, reserved_at=run.created_at)

    answering(monkeypatch, unwatched)
    _out, err, status = called("serving", *SMALL, "--wait", "--lang", "en")
    assert status == 1
    assert "hardware not watched" in err


def test_a_failed_run_ends_with_status_one_its_reason_and_the_end_of_its_detail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failed(run: BenchmarkRun) -> None:
        assert services.claim(run.pk, "celery@here")
        services.finish(run.pk, "failed", "engine_start", "first\nsecond\n3\n4\n5\nOSError: last words")

    answering(monkeypatch, failed)
    _out, err, status = called("serving", *SMALL, "--wait", "--lang", "fr")
    assert status == 1
    assert "n’a pas démarré" in err and "last words" in err and "first" not in err


def test_json_is_the_run_alone_on_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, finished)
    out, _err, status = called("serving", *SMALL, "--wait", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["run"]["status"], len(found["steps"])) == ("succeeded", 2)
    assert not {"engine_log", "engine_config", "target_url", "error_detail"} & set(found["run"])


def test_lines_are_shown_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    err = io.StringIO()

    def lines(_run: BenchmarkRun, _wait: waiting.Wait) -> Iterator[str]:
        yield "first"
        shown.append(err.getvalue())

    worker()
    monkeypatch.setattr(waiting, "lines", lines)
    with pytest.raises(SystemExit):
        call_command("bench", "serving", *SMALL, "--wait", stdout=io.StringIO(), stderr=err)
    assert shown == ["first\n"]


def test_a_configuration_is_read_from_its_file(tmp_path: Path) -> None:
    worker()
    path = tmp_path / "vllm.yaml"
    path.write_text("model: /models/tiny\nload-format: dummy\n")
    _out, err, status = called("serving", "--engine", "vllm", "--config", f"@{path}", *SMALL)
    assert (err, status) == ("", 0)
    run = BenchmarkRun.objects.get()
    assert (run.engine_kind, run.flag_dummy_weights) == ("vllm", True)
    _out, err, status = called("serving", "--engine", "vllm", "--config", f"@{path}.none")
    assert status == 2 and "vllm.yaml.none" in err


def test_each_line_of_the_log_is_told_once_and_the_state_last() -> None:
    run = runs.running()
    step = run.steps.get(position=1)
    runs.tick(step, 100.0)

    def later(_seconds: float) -> None:
        if run.status == "running" and step.ticks.count() == 1:
            runs.tick(step, 200.0)
        else:
            services.finish(run.pk, "cancelled")

    with translation.override("en"):
        told = list(waiting.lines(run, waiting.Wait(sleep=later)))
    assert [line.rsplit(", ", 1)[-1] for line in told if "TTFT" in line] == ["100\u00a0tok/s", "200\u00a0tok/s"]
    assert told[-1].endswith("cancelled")


class Seconds:
    """A clock that only sleeping moves; at each sleep it does what stands for that second."""

    def __init__(self, **acts: Callable[[], object]) -> None:
        self.now = 0.0
        self.acts = acts

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.acts.get(f"at_{self.now:.0f}", lambda: None)()

    def wait(self, deadline_s: float | None = None) -> waiting.Wait:
        return waiting.Wait(deadline_s, sleep=self.sleep, clock=lambda: self.now)


def test_a_wait_ends_when_the_only_worker_has_gone_and_says_how_to_start_one() -> None:
    here, run = worker(), runs.queued()
    gone = timezone.now() - fleet.GONE_AFTER - dt.timedelta(seconds=1)
    seconds = Seconds(at_5=lambda: Worker.objects.filter(pk=here.pk).update(heartbeat_at=gone))
    with translation.override("en"), pytest.raises(waiting.GivenUpError, match="make run") as given_up:
        list(waiting.lines(run, seconds.wait()))
    # Missed from second 5 on, and given a minute to come back.
    assert (given_up.value.status, seconds.now) == (1, 65.0)


def test_a_worker_that_comes_back_within_a_minute_is_waited_for() -> None:
    here, run = worker(), runs.queued()
    now = timezone.now()
    gone = now - fleet.GONE_AFTER - dt.timedelta(seconds=1)
    seconds = Seconds(
        at_5=lambda: Worker.objects.filter(pk=here.pk).update(heartbeat_at=gone),
        at_60=lambda: Worker.objects.filter(pk=here.pk).update(heartbeat_at=now),
        at_62=lambda: Worker.objects.filter(pk=here.pk).update(heartbeat_at=gone),
        at_120=lambda: services.finish(run.pk, "cancelled"),
    )
    with translation.override("en"):
        told = list(waiting.lines(run, seconds.wait()))
    assert told[-1].endswith("cancelled") and seconds.now == 120


def test_a_deadline_ends_the_wait_and_leaves_the_run_alone() -> None:
    worker()
    run, seconds = runs.queued(), Seconds()
    with translation.override("en"), pytest.raises(waiting.GivenUpError, match="not over after") as given_up:
        list(waiting.lines(run, seconds.wait(90)))
    run.refresh_from_db()
    assert (given_up.value.status, seconds.now, run.status) == (3, 90.0, "queued")


def test_one_deadline_holds_for_all_repeats_together() -> None:
    worker()
    first, second = runs.queued(), runs.queued()
    seconds = Seconds(at_8=lambda: services.finish(first.pk, "cancelled"))
    wait = seconds.wait(10)
    with pytest.raises(waiting.GivenUpError):
        for run in (first, second):
            list(waiting.lines(run, wait))
    assert seconds.now == 10


def test_the_command_ends_with_the_status_of_a_wait_that_was_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    worker()
    monkeypatch.setattr(waiting, "POLL_S", 0.01)
    out, err, status = called("serving", *SMALL, "--wait", "--deadline", "0.02", "--lang", "en")
    code = BenchmarkRun.objects.get().code
    assert (out, status) == (f"{code}\n", 3)
    assert f"{code}  not over after" in err


@pytest.mark.parametrize("asked", [("--deadline", "0"), ("--deadline", "soon"), ("--deadline", "nan")])
def test_a_deadline_that_is_no_time_is_refused(asked: tuple[str, str], queue: list[str]) -> None:
    _out, _err, status = called("serving", *SMALL, "--wait", *asked)
    assert status and BenchmarkRun.objects.count() == 0 and queue == []


def test_a_deadline_without_a_wait_is_refused() -> None:
    _out, err, status = called("serving", *SMALL, "--deadline", "60")
    assert (status, BenchmarkRun.objects.count()) == (2, 0)
    assert "--deadline" in err and "--wait" in err


def in_turn(monkeypatch: pytest.MonkeyPatch, *rates: float, **last: Any) -> None:
    """A worker that finishes all repeats at these rates once the last one is asked for; `last` marks the last run."""

    def submit(run: BenchmarkRun) -> None:
        members = list(BenchmarkRun.objects.order_by("pk"))
        if run.pk != members[-1].pk:
            return
        for each, rate in zip(members, rates, strict=True):
            assert services.claim(each.pk, "celery@here")
            runs.with_step(each, 1, rate)
            runs.with_step(each, 2, rate)
            services.finish(each.pk, "succeeded")
        runs.change(run, **last)

    worker()
    monkeypatch.setattr(tasks, "submit", submit)


def test_every_repeat_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn(monkeypatch, 1000.0, 1001.0, 999.0)
    out, err, status = called("serving", *SMALL, "--repeats", "3", "--wait", "--lang", "en")
    codes = list(BenchmarkRun.objects.order_by("pk").values_list("code", flat=True))
    assert (out.split(), len(codes), status) == (codes, 3, 0)
    assert all(f"{code}  finished" in err for code in codes)


def test_one_repeat_that_is_not_eligible_makes_the_command_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    in_turn(monkeypatch, 1000.0, 1001.0, 999.0, flag_client_bound=True)
    _out, err, status = called("serving", *SMALL, "--repeats", "3", "--wait", "--lang", "fr")
    assert status == 1
    last = BenchmarkRun.objects.latest("pk")
    assert f"{last.code}  départs en retard" in err


def test_a_series_that_its_last_repeat_makes_noisy_is_not_eligible(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark comes to the first run when the last one ends. 1000, 1000, 1300: the variation is 15.7 %."""
    in_turn(monkeypatch, 1000.0, 1000.0, 1300.0)
    _out, err, status = called("serving", *SMALL, "--repeats", "3", "--wait", "--lang", "en")
    assert status == 1
    assert "noisy" in err


@pytest.mark.worker
def test_a_shell_measures_with_a_real_worker_and_its_status_follows_the_flags(tmp_path: Path, migrated: Copy) -> None:
    """On a busy machine the client may be late, which bars the run: then the status must say so."""
    migrated(tmp_path)
    site = Site(tmp_path)
    command = [sys.executable, "manage.py", "bench", "serving", *SMALL, "--wait", "--json"]
    try:
        site.start_worker()
        done = subprocess.run(command, cwd=ROOT, env=site.environment, capture_output=True, check=False, timeout=120)
    finally:
        site.end()
    run = json.loads(done.stdout)["run"]
    assert (run["status"], run["engine"]) == ("succeeded", "llama.cpp")
    # 1 + 8 and 4 + 8 answers of 16 tokens.
    assert run["server_output_tokens"] == run["client_output_tokens"] == 21 * 16
    barred = [name for name, weight in FLAGS.items() if weight is not Weight.REMARK and run.get(name)]
    assert done.returncode == (1 if barred else 0)
