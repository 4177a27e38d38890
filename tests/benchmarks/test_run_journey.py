"""The whole way in a browser, as `make run` serves it: start a measurement, watch it live, publish it, see it used."""

import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.benchmarks.worksite import DEADLINE_S, Site
from tests.browser import axe
from tests.browser.conftest import CHROMIUM_ARGUMENTS, PATIENCE_MS, gunicorn, wait_for
from tests.prepared import Copy

pytestmark = [pytest.mark.browser, pytest.mark.worker]
PASSWORD = "for-this-test-only-1"
WATCH_POLICY = """
window.breaches = [];
addEventListener("securitypolicyviolation", (e) => breaches.push(`${e.violatedDirective} ${e.blockedURI}`));
"""


@dataclass
class Served:
    """A site with web server and worker, and a browser to look at it."""

    address: str
    browser: Browser
    site: Site

    def page(self, *, script: bool = True) -> Page:
        context = self.browser.new_context(java_script_enabled=script)
        context.add_init_script(WATCH_POLICY)
        page = context.new_page()
        page.set_default_timeout(DEADLINE_S * 1000)
        return page

    def log_in(self, page: Page) -> None:
        page.goto(f"{self.address}/fr/login/?next=/fr/runs/")
        page.fill("[name=username]", "operator")
        page.fill("[name=password]", PASSWORD)
        page.click("main button[type=submit]")

    def start(self, page: Page, concurrencies: str, requests: str) -> None:
        page.goto(f"{self.address}/fr/runs/new")
        page.fill("[name=concurrencies]", concurrencies)
        page.fill("[name=requests]", requests)
        page.fill("[name=prompt]", "16")
        page.fill("[name=output]", "32")
        page.click("main button[type=submit]")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, chromium_path: str, prepared: Copy) -> Iterator[Served]:
    site = Site(tmp_path_factory.mktemp("journey"), settings="vmcloud.settings")
    prepared(site.var)
    site.environment["DJANGO_SUPERUSER_PASSWORD"] = PASSWORD
    site.manage("createsuperuser", "--noinput", "--username", "operator", "--email", "operator@example.org")
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        web = gunicorn(listening, site.var / "web.log", site.environment)
        expect.set_options(timeout=DEADLINE_S * 1000)
        try:
            site.start_worker()
            wait_for(address, web)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium_path, args=list(CHROMIUM_ARGUMENTS))
                yield Served(address, browser, site)
                browser.close()
        finally:
            expect.set_options(timeout=PATIENCE_MS)
            site.end()
            web.terminate()
            web.wait(timeout=60)


def breaches(page: Page) -> list[str]:
    return [str(breach) for breach in page.evaluate("breaches")]


def test_a_measurement_is_started_watched_published_and_used(served: Served) -> None:
    page = served.page()
    served.log_in(page)
    expect(page.get_by_role("heading", level=2)).to_have_text("Aucune mesure pour l’instant")
    assert axe.violations(page) == []

    served.start(page, "1, 2", "400")
    expect(page.locator("progress")).to_be_visible()
    page.focus("#cancel")
    expect(page).to_have_title(re.compile(r"Mesure \d{4}-\d{4}, [1-9]\d*\u00a0%"))
    expect(page.locator("#log")).to_contain_text("palier 1")
    assert page.evaluate("document.activeElement.id") == "cancel"
    assert axe.violations(page) == []

    expect(page.locator("progress")).to_have_count(0)
    expect(page).to_have_title(re.compile("terminée"))
    expect(page.locator("#status")).to_have_text(re.compile("terminée"))
    assert page.get_by_role("region", name="Centiles par palier").locator("tbody tr").count() == 2
    expect(page.locator("[data-chart=run-figure] .main-svg").first).to_be_visible()
    assert axe.violations(page) == []
    assert breaches(page) == []

    # A busy machine may have made the client late; that such a run is refused is tested where it is decided.
    served.site.python("BenchmarkRun.objects.update(flag_client_bound=False)\nprint('cleared')")
    page.reload()
    page.click("#publish")
    expect(page.locator(".notice").first).to_contain_text("Mesure publiée")
    assert_used(served)


def assert_used(served: Served) -> None:
    """A visitor picks this machine, types a price, picks the measured rate: the answer names its conditions. The
    inference page shows the very same measurement."""
    page = served.page()
    page.goto(f"{served.address}/fr/economics")
    page.select_option("[name=sku]", "CPU-LOCAL")
    measured = page.locator("[name=fig] option", has_text="test-llama-1m")
    page.click("[name=go]")
    expect(measured).to_have_count(2)
    assert all("mesuré" in option for option in measured.all_text_contents())
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    page.fill("[name=price]", "0,10")
    page.select_option("[name=fig]", measured.first.get_attribute("value"))
    page.click("[name=go]")
    expect(page.locator("#result")).to_contain_text("llama.cpp (xllamacpp")
    expect(page.locator("#result")).to_contain_text("poids aléatoires")
    page.goto(f"{served.address}/fr/inference?sku=CPU-LOCAL&model=test-llama-1m")
    expect(page.locator(".lead")).to_contain_text(re.compile(r"CPU-LOCAL a produit .* avec test-llama-1m, à [12] flux"))
    rows = page.get_by_role("region", name="Mesuré sur cette offre avec ce modèle").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first.get_by_role("link", name="mesuré")).to_be_visible()


def test_polling_ends_with_the_run(served: Served) -> None:
    page = served.page()
    served.log_in(page)
    served.start(page, "1", "8")
    expect(page.locator("progress")).to_have_count(0)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    until = time.monotonic() + 3
    while time.monotonic() < until:
        page.wait_for_timeout(250)
    assert asked == []


def test_cancelling_from_the_page_stops_the_run(served: Served) -> None:
    page = served.page()
    served.log_in(page)
    served.start(page, "4", "512")
    expect(page.locator("#log")).to_be_visible()
    page.click("#cancel")
    expect(page.locator(".tag").first).to_have_text("annulée")
    expect(page.locator(".notice").first).to_contain_text("La mesure a été annulée.")
    assert page.locator("#publish").count() == 0


def test_without_javascript_a_run_is_started_and_its_result_read(served: Served) -> None:
    page = served.page(script=False)
    served.log_in(page)
    served.start(page, "1", "8")
    code = page.url.rsplit("/", 1)[1]
    until = time.monotonic() + DEADLINE_S
    while page.locator("progress").count() and time.monotonic() < until:
        page.wait_for_timeout(500)
        page.goto(f"{served.address}/fr/runs/{code}")
    expect(page.locator(".tag").first).to_have_text("terminée")
    expect(page.get_by_role("region", name="Centiles par palier").locator("tbody tr")).to_have_count(1)


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_mistake_is_named_beside_its_field_and_the_rest_is_kept(served: Served, script: bool) -> None:
    page = served.page(script=script)
    served.log_in(page)
    served.start(page, "1, zwei", "64")
    expect(page.locator(".err")).to_contain_text("zwei")
    expect(page.locator("[name=requests]")).to_have_value("64")
    assert page.title().startswith("Erreur")


@pytest.mark.parametrize(("language", "heading"), [("fr", "Mesures"), ("en", "Benchmarks")])
def test_the_list_reads_in_both_languages_on_a_phone(served: Served, language: str, heading: str) -> None:
    page = served.page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served.address}/{language}/runs/")
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe.violations(page) == []
