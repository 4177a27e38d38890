"""Numbers under fire: several sellers at once and a process killed after any statement, on real databases."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.platform import processes

ENVIRONMENTS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
LEAST_STATEMENTS = 12
pytestmark = pytest.mark.slow


@pytest.fixture
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The variables of a migrated database of its own."""
    if request.param == "postgres":
        return {"VMCLOUD_VAR": str(tmp_path), "DATABASE_URL": request.getfixturevalue("migrated_database")}
    request.getfixturevalue("migrated")(tmp_path)
    return {"VMCLOUD_VAR": str(tmp_path), "DATABASE_URL": ""}


def started(environment: dict[str, str], *arguments: str) -> "subprocess.Popen[str]":
    clean = {**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "vmcloud.settings"}
    command = [sys.executable, "-m", "tests.sales.sendprocess", *arguments]
    return subprocess.Popen(
        command, cwd=processes.ROOT, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process: "subprocess.Popen[str]") -> dict[str, Any]:
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return found


def run(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    return finished(started(environment, *arguments))


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_sellers_who_send_at_once_take_turns_and_leave_no_gap(environment: dict[str, str], tmp_path: Path) -> None:
    """Three drafts and one of them twice: three numbers, and one answer that it is sent already."""
    drafts = run(environment, "prepare", "3")["quotes"]
    go = tmp_path / "go"
    waiting = [started(environment, "send", str(pk), str(go)) for pk in (*drafts, drafts[0])]
    go.touch()
    answers = [finished(process) for process in waiting]
    numbers = sorted(answer["number"].rpartition("-")[2] for answer in answers if "number" in answer)
    assert numbers == ["0001", "0002", "0003"]
    assert [answer["refused"] for answer in answers if "refused" in answer] == ["not_draft"]
    assert run(environment, "state") == {"last": 3, "numbers": [1, 2, 3], "lines": 3, "links": 3}


@pytest.mark.parametrize("environment", ENVIRONMENTS, indirect=True)
def test_a_process_killed_while_sending_takes_no_number_with_it(environment: dict[str, str]) -> None:
    """Killed after each statement in turn, a draft stays a draft, or is sent whole; the next number is the next."""
    first, second = run(environment, "prepare", "2")["quotes"]
    found = run(environment, "crash", str(first))
    assert found["killed"] >= LEAST_STATEMENTS
    assert [state for state in found["states"] if state not in (found["before"], found["after"])] == []
    assert found["states"][:LEAST_STATEMENTS] == [found["before"]] * LEAST_STATEMENTS
    assert (found["status"], found["after"]) == (0, {"last": 1, "numbers": [1], "lines": 1, "links": 1})
    go = Path(environment["VMCLOUD_VAR"]) / "go"
    go.touch()
    assert run(environment, "send", str(second), str(go))["number"].endswith("-0002")
