"""Two people at once, a second confirmation, a process killed after any statement: on real databases, for real."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.platform import processes

ENVIRONMENTS = [
    "sqlite",
    pytest.param("postgres", marks=pytest.mark.postgres),
]
LEAST_STATEMENTS, LEAST_STATEMENTS_BACK = 20, 15
pytestmark = pytest.mark.slow
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables of a migrated database of its own."""
    if request.param == "postgres":
        return {"VMCLOUD_VAR": str(tmp_path), "DATABASE_URL": request.getfixturevalue("migrated_database")}
    request.getfixturevalue("migrated")(tmp_path)
    return {"VMCLOUD_VAR": str(tmp_path), "DATABASE_URL": ""}


def started(environment: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    clean = {**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "vmcloud.settings"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.pricelist.applyprocess", *arguments],
        cwd=processes.ROOT,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: "subprocess.Popen[str]") -> dict[str, Any]:
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return found


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    return lambda *arguments: finished(started(environment, *arguments))


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what other processes do; a minute at most."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def at_once(environment: dict[str, str], go: Path, *commands: tuple[str, ...]) -> list[dict[str, Any]]:
    """The answers of processes that wait for each other and start at the same moment."""
    waiting = [started(environment, *command, str(go)) for command in commands]
    go.touch()
    return [finished(process) for process in waiting]


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_p19_of_two_people_at_once_one_applies_and_the_other_is_refused(
    environment: dict[str, str], run: Run, tmp_path: Path
) -> None:
    mine, theirs = run("prepare")["uploads"]
    answers = at_once(environment, tmp_path / "go", ("apply", str(mine), "alice"), ("apply", str(theirs), "bob"))
    assert sorted(answers, key=str) == [{"refused": "base_moved"}, {"version": 2, "already": False}]
    found = run("state")
    assert found["versions"] == [1, 2]
    assert sorted(status for status, _version in found["uploads"]) == ["applied", "validated"]


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_p20_identical_confirmations_at_once_give_one_version(
    environment: dict[str, str], run: Run, tmp_path: Path
) -> None:
    mine, _theirs = run("prepare")["uploads"]
    answers = at_once(environment, tmp_path / "go", *[("apply", str(mine), "alice")] * 3)
    assert [answer["version"] for answer in answers] == [2, 2, 2]
    assert sorted(answer["already"] for answer in answers) == [False, True, True]
    found = run("state")
    assert found["versions"] == [1, 2]
    assert [action for action, version in found["events"] if version == 2].count("applied") == 1
    answers = at_once(environment, tmp_path / "again", *[("rollback", "2", "alice")] * 2)
    assert sorted(answer["already"] for answer in answers) == [False, True]
    assert run("state")["versions"] == [1, 2, 3]


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_p22_processes_that_were_warm_use_the_new_price_without_a_restart(
    environment: dict[str, str], run: Run, tmp_path: Path
) -> None:
    """Two of the web and one worker: each has read 1.50 before another process applies 1.60."""
    mine, _theirs = run("prepare")["uploads"]
    ready, go = [tmp_path / f"ready-{number}" for number in range(3)], tmp_path / "go"
    warm = [started(environment, "watch", str(one), str(go)) for one in ready]
    until(lambda: all(one.exists() for one in ready))
    assert run("apply", str(mine), "alice", str(tmp_path)) == {"version": 2, "already": False}
    go.touch()
    assert [finished(process) for process in warm] == [{"before": "1.5", "after": "1.6"}] * 3


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_a_process_killed_after_any_statement_leaves_all_or_nothing(environment: dict[str, str], run: Run) -> None:
    mine, _theirs = run("prepare")["uploads"]
    found = run("crash", str(mine), "alice")
    assert found["killed"] >= LEAST_STATEMENTS
    before, after = found["before"], found["after"]
    assert [state for state in found["states"] if state not in (before, after)] == []
    assert found["states"][:LEAST_STATEMENTS] == [before] * LEAST_STATEMENTS
    assert (found["status"], after["versions"]) == (0, [1, 2])
    assert after["amounts"] == ["GPU-NEW 2.000000000", "GPU-PRO 1.500000000", "GPU-PRO 1.600000000"]
    assert after["uploads"][0] == ["applied", 2]
    assert [action for action, version in after["events"] if version == 2] == [
        *["item"] * 3,
        *["price"] * 2,
        "applied",
    ]
    assert after["labels"] == ["Dédiée", "Neuve"]


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_a_rollback_killed_after_any_statement_leaves_all_or_nothing(
    environment: dict[str, str], run: Run, tmp_path: Path
) -> None:
    """The list that is taken back brought an offer, changed a price and a label: all of it is there, or none."""
    mine, _theirs = run("prepare")["uploads"]
    (tmp_path / "go").touch()
    assert run("apply", str(mine), "alice", str(tmp_path / "go")) == {"version": 2, "already": False}
    found = run("crash-back", "2", "alice")
    assert found["killed"] >= LEAST_STATEMENTS_BACK
    before, after = found["before"], found["after"]
    assert [state for state in found["states"] if state not in (before, after)] == []
    assert found["states"][:LEAST_STATEMENTS_BACK] == [before] * LEAST_STATEMENTS_BACK
    assert (before["versions"], found["status"], after["versions"]) == ([1, 2], 0, [1, 2, 3])
    assert before["uploads"][0] == ["applied", 2] and after["uploads"][0] == ["rolled_back", 2]
    assert after["amounts"] == [
        *["GPU-NEW 2.000000000", "GPU-NEW None"],
        *["GPU-PRO 1.500000000", "GPU-PRO 1.500000000", "GPU-PRO 1.600000000"],
    ]
    assert [action for action, version in after["events"] if version == 3].count("rolled_back") == 1
    assert after["labels"] == ["GPU-PRO", "Neuve"]
