"""`make test`: what failed or could not be run decides, and is named; opt-in targets never pretend."""

import os
import sys
from pathlib import Path

import pytest

from scripts import browser, check, optional
from tests.platform import processes


@pytest.fixture
def outcome() -> check.Outcome:
    return check.Outcome()


def test_all_passed_is_ok(outcome: check.Outcome) -> None:
    outcome.ran("lint", ok=True, seconds=1)
    assert outcome.ok


def test_one_failed_stage_fails_the_whole_and_later_stages_still_run(outcome: check.Outcome) -> None:
    check.stage(outcome, "first", sys.executable, "-c", "raise SystemExit(1)")
    check.stage(outcome, "second", sys.executable, "-c", "pass")
    assert not outcome.ok
    assert outcome.failed == ["first"]
    assert [line.split()[:2] for line in outcome.lines] == [["FAILED", "first"], ["passed", "second"]]


@pytest.mark.parametrize(("require_all", "ok"), [(True, False), (False, True)])
def test_what_could_not_run_fails_where_everything_is_required(
    outcome: check.Outcome, monkeypatch: pytest.MonkeyPatch, require_all: bool, ok: bool
) -> None:
    monkeypatch.setattr(check, "REQUIRE_ALL", require_all)
    outcome.could_not_run("tests on PostgreSQL", "no initdb")
    assert outcome.ok is ok
    assert outcome.lines == ["NOT RUN tests on PostgreSQL: no initdb"]


def test_the_run_whose_line_is_read_comes_last(monkeypatch: pytest.MonkeyPatch, outcome: check.Outcome) -> None:
    stages: list[tuple[str, str]] = []
    monkeypatch.setattr(
        check, "stage", lambda outcome, name, *command, **env: stages.append((name, env["DATABASE_URL"]))
    )
    check.run_pytest(outcome, {"TEST_DATABASE_URL": "postgresql://x@/y"})
    assert stages == [
        ("tests on PostgreSQL", "postgresql://x@/y"),
        ("tests on SQLite, architecture", ""),
        ("worker and browser tests", ""),
    ]


def test_every_test_but_a_benchmark_belongs_to_one_stage_on_sqlite(
    monkeypatch: pytest.MonkeyPatch, outcome: check.Outcome
) -> None:
    chosen: list[str] = []
    monkeypatch.setattr(check, "stage", lambda outcome, name, *command, **env: chosen.append(marked(command)))
    check.run_pytest(outcome, {})
    assert chosen == ["not bench and not (worker or browser)", "not bench and (worker or browser)"]


def marked(command: tuple[str, ...]) -> str:
    """What follows pytest's last -m."""
    return command[max(index for index, word in enumerate(command) if word == "-m") + 1]


def test_ci_requires_everything() -> None:
    text = (processes.ROOT / ".ci" / "run").read_text()
    assert "REQUIRE_ALL=1" in text and "make test" in text and "</dev/null" in text


HOOKS = "pytest_addoption, pytest_make_parametrize_id, pytest_runtest_makereport, pytest_terminal_summary"
SKIPPING = """
import pytest

def test_one():
    pytest.skip("no such service")

def test_two():
    pass
"""


@pytest.mark.parametrize(("require_all", "status"), [("1", 1), ("0", 0)])
@pytest.mark.parametrize("processes_of_pytest", [[], ["--numprocesses=2"]], ids=["alone", "side by side"])
def test_a_skipped_test_is_named_and_fails_where_everything_is_required(
    tmp_path: Path, processes_of_pytest: list[str], require_all: str, status: int
) -> None:
    (tmp_path / "test_skipping.py").write_text(SKIPPING)
    (tmp_path / "conftest.py").write_text(f"from tests.conftest import {HOOKS}\n")
    options = ["-q", "-p", "no:cacheprovider", "-c", str(processes.ROOT / "pyproject.toml"), f"--confcutdir={tmp_path}"]
    settings = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(processes.ROOT)}
    options += processes_of_pytest
    done = processes.run("-m", "pytest", *options, str(tmp_path), REQUIRE_ALL=require_all, **settings)
    assert done.returncode == status, done.stdout
    assert "could not be run" in done.stdout and "no such service" in done.stdout


FAILING = """
import os, pytest

@pytest.mark.parametrize("content", [os.urandom(100), b"short", os.urandom(100)])
def test_sum(content):
    assert 1 + 1 == 3, "arithmetic"
"""


@pytest.mark.parametrize("processes_of_pytest", [[], ["--numprocesses=2"]], ids=["alone", "side by side"])
def test_failed_tests_are_named_for_the_end_whatever_their_contents(
    tmp_path: Path, processes_of_pytest: list[str], outcome: check.Outcome
) -> None:
    # Two processes draw different bytes: the names of the tests must be the same in both.
    (tmp_path / "test_failing.py").write_text(FAILING)
    (tmp_path / "conftest.py").write_text(f"from tests.conftest import {HOOKS}\n")
    written = tmp_path / "failures.txt"
    options = ["-q", "-p", "no:cacheprovider", "-c", str(processes.ROOT / "pyproject.toml"), f"--confcutdir={tmp_path}"]
    settings = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(processes.ROOT)}
    options += [*processes_of_pytest, f"--failures={written}"]
    assert processes.run("-m", "pytest", *options, str(tmp_path), **settings).returncode == 1
    outcome.name_failures(written)
    assert not written.exists()
    assert {line.strip().partition("::")[2] for line in outcome.lines} == {
        f"test_sum[{name}]: AssertionError: arithmetic" for name in ("content of 100_0", "short", "content of 100_1")
    }


@pytest.mark.parametrize("name", ["test-vllm", "test-probes"])
def test_an_opt_in_target_says_what_it_needs_instead_of_passing(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GPU_PYTHON", raising=False)
    monkeypatch.setenv("VLLM", "/no/such/vllm")
    assert optional.main(name) == 2
    assert f"{name} was not run: it needs " in capsys.readouterr().err


def test_a_gpu_python_without_torch_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for python in ("/no/such/python", str(fake(tmp_path / "python", "exit 1"))):
        monkeypatch.setenv("GPU_PYTHON", python)
        assert not optional.tool_is_there("test-probes")


def fake(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_browser_that_does_not_start_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROME_PATH", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin")
    monkeypatch.setattr(browser, "NAMES", ("chromium-a", "chromium-b"))
    monkeypatch.setattr(browser, "WRAPPER", tmp_path / "absent")
    monkeypatch.setattr(browser, "playwrights_own", list)
    fake(tmp_path / "chromium-a", "exit 1")
    assert browser.find() is None
    working = fake(tmp_path / "chromium-b", "exit 0")
    assert browser.find() == working


def test_a_browser_named_by_hand_is_taken_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROME_PATH", str(fake(tmp_path / "mine", "exit 0")))
    assert browser.find() == tmp_path / "mine"
    monkeypatch.setenv("CHROME_PATH", str(tmp_path / "absent"))
    assert browser.find() is None
