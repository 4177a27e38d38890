"""The site as `make run` serves it (hashed files, content policy, DEBUG off) and a Chromium that watches every rule."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.prepared import Copy

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_S = 120
# How long a page may take to show what is expected: generous, so that a busy machine fails no test.
PATIENCE_MS = 20_000
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
# Runs before any script of the page: every breach of the content policy is kept.
WATCH_POLICY = """
window.breaches = [];
addEventListener("securitypolicyviolation", (e) => breaches.push(`${e.violatedDirective} ${e.blockedURI}`));
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.browser)


def wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    """Until the server answers; a server that ended is reported with what it wrote."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert process.poll() is None, "the web server ended before it answered"
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=2)
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the web server did not answer in time")


def environment_of(folder: Path) -> dict[str, str]:
    """What the programs of a site with that var/ are started with."""
    environment = {**os.environ, "VMCLOUD_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "vmcloud.settings"}
    return environment | {"DATABASE_URL": "", "CELERY_BROKER_URL": "", "DEBUG": "0", "LOG_LEVEL": "WARNING"}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of our own, with that var/ (`prepared` made it one), on the loopback interface."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        process = gunicorn(listening, folder / "web.log", environment_of(folder))
        try:
            wait_for(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=60)


def gunicorn(listening: socket.socket, log_path: Path, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """The web server on a socket that is bound already: a port looked up and then bound may be gone meanwhile."""
    number = listening.fileno()
    command = [sys.executable, "-m", "gunicorn", "--threads", "4", "--bind", f"fd://{number}", "vmcloud.wsgi"]
    with log_path.open("wb") as log:
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, pass_fds=(number,))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, prepared: Copy) -> Iterator[str]:
    """The site of all tests that change nothing for each other."""
    folder = tmp_path_factory.mktemp("site")
    prepared(folder)
    with served(folder) as address:
        yield address


@pytest.fixture(scope="session")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=list(CHROMIUM_ARGUMENTS))
        expect.set_options(timeout=PATIENCE_MS)
        yield browser
        browser.close()


@dataclass
class Watch:
    """What went wrong on the pages of one test: errors of scripts, requests to anywhere else."""

    site: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> BrowserContext:
        """Record everything that the pages of `context` do."""
        context.add_init_script(WATCH_POLICY)
        context.on("request", lambda request: self._note(request.url))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        return context

    def _note(self, url: str) -> None:
        if not url.startswith((self.site, "data:", "blob:", "about:")):
            self.foreign.append(url)


@pytest.fixture
def watch(site: str) -> Iterator[Watch]:
    """Every test fails on a script error or on a request that leaves the machine."""
    seen = Watch(site)
    yield seen
    assert seen.errors == []
    assert seen.foreign == []


@pytest.fixture
def page(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    """A fresh desktop page; addresses are relative to the site."""
    context = watch.follow(chromium.new_context(base_url=site, viewport=DESKTOP, locale="fr-FR"))
    page = context.new_page()
    yield page
    breaches = page.evaluate("window.breaches ?? []")
    context.close()
    assert breaches == []


@pytest.fixture
def phone(chromium: Browser, site: str, watch: Watch) -> Iterator[Page]:
    """The same on a phone's width."""
    context = watch.follow(chromium.new_context(base_url=site, viewport=PHONE, locale="fr-FR", has_touch=True))
    yield context.new_page()
    context.close()
