"""`make test`: set-up, then every check in turn. A failing stage does not stop the later ones; the last one is pytest.

What failed or could not be run is named at the end. With REQUIRE_ALL=1 what could not be run counts as failed.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from scripts import browser, services

ROOT = Path(__file__).resolve().parent.parent
REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"
PYTHON = sys.executable
# Domain, counting, load client and architecture know no database, the platform's tests start processes with databases
# of their own, and Chromium sees the same pages whichever database is behind them.
ROOMS_WITHOUT_DATABASE = ("domain", "counting", "architecture", "platform")
ON_POSTGRES = [
    *(f"--ignore=tests/{room}" for room in ROOMS_WITHOUT_DATABASE),
    "--ignore-glob=*/test_load_*",
    "-m",
    "not browser and not worker and not bench",
]
SIDE_BY_SIDE = ("--numprocesses=auto", "--maxprocesses=4")
ALONE = "worker or browser"  # these start processes of their own and wait for them: a neighbour would slow them


@dataclass
class Outcome:
    """What happened to each stage, in order."""

    lines: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    def ran(self, name: str, ok: bool, seconds: float) -> None:
        self.lines.append(f"{'passed' if ok else 'FAILED'}  {name} ({seconds:.0f} s)")
        if not ok:
            self.failed.append(name)

    def name_failures(self, written: Path) -> None:
        """Take over the lines of failed tests that a run of pytest has written, so that the end of it all has them."""
        if written.exists():
            self.lines.extend(dict.fromkeys(written.read_text(encoding="utf-8").splitlines()))
            written.unlink()

    def could_not_run(self, name: str, reason: str) -> None:
        self.lines.append(f"NOT RUN {name}: {reason}")
        self.not_run.append(f"{name}: {reason}")

    @property
    def ok(self) -> bool:
        return not self.failed and not (REQUIRE_ALL and self.not_run)


def stage(outcome: Outcome, name: str, *command: str, **environment: str) -> None:
    """Run one command with its output shown, and note how it ended."""
    print(f"\n=== {name} ===", flush=True)
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False, env={**os.environ, **environment}
    )  # fmt: skip
    outcome.ran(name, done.returncode == 0, time.monotonic() - started)


def static_checks(outcome: Outcome) -> None:
    stage(outcome, "lint", PYTHON, "-m", "ruff", "check", ".")
    stage(outcome, "format", PYTHON, "-m", "ruff", "format", "--check", ".")
    stage(outcome, "types", PYTHON, "-m", "mypy")
    stage(outcome, "import contracts", PYTHON, "-c", LINT_IMPORTS)


# The console script of import-linter carries an absolute path, which a moved folder breaks; the call does not.
LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


def find_chromium(outcome: Outcome) -> dict[str, str]:
    path = browser.find() or browser.install()
    if path is None:
        outcome.could_not_run("browser tests", "no Chromium was found and none could be installed; set CHROME_PATH")
        return {}
    return {"CHROME_PATH": str(path)}


def start_postgres(outcome: Outcome, stack: ExitStack) -> dict[str, str]:
    if given := os.environ.get("TEST_DATABASE_URL"):
        return {"TEST_DATABASE_URL": given}
    try:
        return {"TEST_DATABASE_URL": stack.enter_context(services.Postgres()).url}
    except services.UnavailableError as error:
        outcome.could_not_run("tests on PostgreSQL", str(error))
        return {}


def run_pytest(outcome: Outcome, environment: dict[str, str]) -> None:
    """PostgreSQL, then SQLite, each on all cores; last what needs the machine alone, whose closing line ends it all."""
    with tempfile.TemporaryDirectory() as folder:
        failures = Path(folder, "failures.txt")
        pytest = [PYTHON, "-m", "pytest", "-q", "--durations=10", f"--failures={failures}", "tests"]
        if url := environment.get("TEST_DATABASE_URL"):
            on_postgres = {**environment, "DATABASE_URL": url}
            stage(outcome, "tests on PostgreSQL", *pytest, *ON_POSTGRES, *SIDE_BY_SIDE, **on_postgres)
            outcome.name_failures(failures)
        on_sqlite = {**environment, "DATABASE_URL": ""}
        quick = [*pytest, "-m", f"not bench and not ({ALONE})", *SIDE_BY_SIDE]
        stage(outcome, "tests on SQLite, architecture", *quick, **on_sqlite)
        outcome.name_failures(failures)
        stages = Path(folder, "stages.txt")
        stages.write_text("".join(f"{line}\n" for line in outcome.lines), encoding="utf-8")
        last = [*pytest, "-m", f"not bench and ({ALONE})", f"--stages={stages}"]
        stage(outcome, "worker and browser tests", *last, **on_sqlite)


def main() -> int:
    outcome = Outcome()
    static_checks(outcome)
    with ExitStack() as stack:
        environment = {**find_chromium(outcome), **start_postgres(outcome, stack)}
        run_pytest(outcome, environment)
    if outcome.failed:
        print(f"\nFailed: {', '.join(outcome.failed)}.", file=sys.stderr)
    if outcome.not_run:
        print(f"\nCould not be run: {'; '.join(outcome.not_run)}.", file=sys.stderr)
    return 0 if outcome.ok else 1


if __name__ == "__main__":
    sys.exit(main())
