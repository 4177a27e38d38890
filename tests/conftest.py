"""What holds for every test: generated inputs that repeat, a clean cache, services that are never skipped silently."""

import os
from collections.abc import Iterator
from typing import NoReturn

import pytest
from django.core.cache import cache
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from calculator import snapshots
from scripts import browser, services
from tests.append_only import flushable_tables
from tests.prepared import (
    empty_database,
    migrated,
    migrated_database,
    migrated_template,
    migrated_var,
    prepared,
    prepared_var,
    seeded_var,
    with_catalogue,
)

__all__ = [
    "empty_database",
    "flushable_tables",
    "migrated",
    "migrated_database",
    "migrated_template",
    "migrated_var",
    "prepared",
    "prepared_var",
    "seeded_var",
    "with_catalogue",
]

REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"

# The same inputs each time, no deadline on a shared machine, and a reproduction line that can be pasted into a test.
hypothesis_settings.register_profile("vmcloud", deadline=None, derandomize=True, database=None, print_blob=True)
# For `make test-fast`: a tenth of the examples; `make test` tries them all.
hypothesis_settings.register_profile("quick", hypothesis_settings.get_profile("vmcloud"), max_examples=10)
hypothesis_settings.load_profile("vmcloud")

LONGEST_NAME = 60
NOT_RUN = "Not run, and REQUIRE_ALL=1 asks for everything: "


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--stages", default="", help="file with one line for each earlier stage of `make test`")
    parser.addoption("--failures", default="", help="file to which a line for each failed test is added at the end")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Long contents are named by their length: a packed file holds the second it was made, and the names would differ
    between the processes of one run.
    """
    long = isinstance(val, bytes | str) and len(val) > LONGEST_NAME
    return f"{argname} of {len(val)}" if long else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's event loop stays in the thread, and Django refuses a database under one."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """With REQUIRE_ALL=1 a skipped test is a failed one; either way it is named at the end."""
    report: pytest.TestReport = yield
    if report.skipped and REQUIRE_ALL:
        report.outcome = "failed"
        report.longrepr = f"{NOT_RUN}{skip_reason(report)}"
    return report


def skip_reason(report: pytest.TestReport) -> str:
    """Why a test was left out, in the words it was left out with."""
    return str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)


def left_out(terminalreporter: pytest.TerminalReporter) -> list[str]:
    """One line for each test not run, whichever process of this run met it."""
    required = [report for report in terminalreporter.getreports("failed") if skip_reason(report).startswith(NOT_RUN)]
    reports = [*terminalreporter.getreports("skipped"), *required]
    return [f"{report.nodeid}: {skip_reason(report).removeprefix(NOT_RUN)}" for report in reports]


def failed_lines(terminalreporter: pytest.TerminalReporter) -> list[str]:
    """One line for each failed test or broken collection of this run, with the first line of its reason."""
    reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
    return [f"  {report.nodeid}: {first_reason(report)}" for report in reports]


def first_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """What a report failed with, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return next(iter(text.strip().splitlines()), "no reason given")[:300]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if failures := config.getoption("--failures"):
        with open(failures, "a", encoding="utf-8") as lines:  # noqa: PTH123
            lines.writelines(f"{line}\n" for line in failed_lines(terminalreporter))
    stages = config.getoption("--stages")
    if stages:
        terminalreporter.section("earlier stages")
        with open(stages, encoding="utf-8") as lines:  # noqa: PTH123
            terminalreporter.write(lines.read())
    if not_run := left_out(terminalreporter):
        terminalreporter.section("could not be run")
        for line in not_run:
            terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def clean_cache(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each test starts with nothing remembered, whatever the order; `seeded` looks after its own catalogue."""
    cache.clear()
    if "seeded" in request.fixturenames:
        yield
        return
    snapshots.forget()
    yield
    snapshots.forget()


@pytest.fixture(autouse=True)
def source_language() -> Iterator[None]:
    """Each test starts in French: a request leaves the language of its page active, and the next test would read it."""
    with translation.override("fr"):
        yield


def not_here(reason: str) -> NoReturn:
    """Leave out the tests that need what this machine lacks: named at the end, failures under REQUIRE_ALL=1."""
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The Chromium that browser tests drive (CHROME_PATH, else one found on this machine)."""
    path = browser.find()
    if path is None:
        not_here("no Chromium was found; `make test` installs one, or set CHROME_PATH")
    return str(path)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a PostgreSQL server: TEST_DATABASE_URL, else a server started for this run."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    try:
        server = services.Postgres().start()
    except services.UnavailableError as error:
        not_here(str(error))
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The broker address of a Valkey server: TEST_BROKER_URL, else a server started for this run."""
    if given := os.environ.get("TEST_BROKER_URL"):
        yield given
        return
    try:
        server = services.Valkey().start()
    except services.UnavailableError as error:
        not_here(str(error))
    yield server.url
    server.stop()
