"""Results in a browser: list, comparison, one run, import and the form, by keyboard, on a phone, on paper, for axe."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.benchmarks.test_import_reading import GUIDELLM
from tests.browser import axe
from tests.browser.conftest import DESKTOP, PHONE, ROOT, Watch, environment_of, served
from tests.prepared import Copy

PASSWORD = "a-sample-of-a-password"
# Two series of GPU-PRO, the first of them published; five seconds and eight requests a step of the second.
FILL = f"""
from django.contrib.auth.models import User
from benchmarks import publishing
from benchmarks.models import BenchmarkRun, RunGpu, TelemetrySecond
from django.utils import timezone
from tests.benchmarks import runfactory as runs, seriesfactory as made
user = User.objects.create_superuser("olga", password="{PASSWORD}")
first = made.measured(concurrencies=(1, 4))
publishing.publish(first.pk)
second = made.measured(tuple(rate * 0.9 for rate in made.STEADY), concurrencies=(1, 4))
for step in second.steps.all():
    for number in range(1, 9):
        runs.sample(step, number, ttft_ms=10.0 + number)
    for _second in range(5):
        runs.tick(step, 100.0)
for device, power in (("GPU-1", 300.0), ("GPU-2", 250.0), ("", None)):
    if device:
        RunGpu.objects.create(run=second, uuid=device, index=int(device[-1]), name="A100", reserved_at=timezone.now())
    TelemetrySecond.objects.bulk_create(
        TelemetrySecond(
            run=second, device=device, second=at, samples_count=5, utilisation_ratio=0.5 + at / 300,
            power_w=power and power + at, temperature_c=power and 40 + at / 4, clock_mhz=power and 1400.0,
            memory_clock_mhz=power and 1200.0,
        )
        for at in range(90)
    )
runs.ended("failed", "engine_start")
made.measured((90.0,), precision="fp8")
"""
COMPARE = "runs/compare?run=2026-0001&run=2026-0006"
UNLIKE = "runs/compare?run=2026-0001&run=2026-0012"
PAGES = ("runs/", "runs/2026-0006", "runs/2026-0001", COMPARE, UNLIKE, f"{UNLIKE}&apart=1", "runs/new", "runs/import")
SignedIn = Callable[..., Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prepared: Copy) -> Iterator[str]:
    """A site of its own with two series, a failed run and somebody who may do everything."""
    folder = tmp_path_factory.mktemp("runs")
    prepared(folder)
    with served(folder) as address:
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", FILL]
        subprocess.run(command, cwd=ROOT, env=environment_of(folder), check=True, timeout=120)
        yield address


@pytest.fixture
def signed_in(chromium: Browser, site: str, watch: Watch) -> Iterator[SignedIn]:
    contexts: list[BrowserContext] = []

    def made(**options: object) -> Page:
        settings = {"base_url": site, "viewport": DESKTOP, "locale": "fr-FR", **options}
        context = watch.follow(chromium.new_context(**settings))  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.goto("/fr/login/?next=/fr/runs/")
        page.get_by_label("Nom d’utilisateur").fill("olga")
        page.get_by_label("Mot de passe", exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Mesures")
        return page

    yield made
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.breaches ?? []") == []
        context.close()


@pytest.mark.parametrize(("language", "theme"), [("fr", "light"), ("en", "dark")])
def test_axe_finds_nothing_on_any_page_of_the_results(signed_in: SignedIn, language: str, theme: str) -> None:
    page = signed_in(color_scheme=theme)
    for address in PAGES:
        page.goto(f"/{language}/{address}")
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        assert (address, axe.violations(page)) == (address, [])


def test_nothing_is_wider_than_a_phone(signed_in: SignedIn) -> None:
    page = signed_in(viewport=PHONE, has_touch=True)
    for address in PAGES:
        page.goto(f"/fr/{address}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, address


def test_runs_are_ticked_and_compared_by_keyboard(signed_in: SignedIn) -> None:
    page = signed_in()
    for code in ("2026-0001", "2026-0006"):
        box = page.get_by_role("checkbox", name=f"Comparer {code}")
        box.focus()
        page.keyboard.press("Space")
        expect(box).to_be_checked()
    page.get_by_role("button", name="Comparer les mesures cochées").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Comparer des mesures")
    expect(page.locator("#alike")).to_contain_text("Mêmes conditions.")
    # The list is newest first: the older series is 100 ÷ 90 of the newer one.
    expect(page.get_by_role("cell", name="+11,1\u00a0%").first).to_be_visible()


def test_each_chart_of_a_run_is_drawn_and_has_its_table(signed_in: SignedIn) -> None:
    page = signed_in()
    page.goto("/fr/runs/2026-0006")
    quantities = ("power-w", "temperature-c", "clock-mhz", "memory-clock-mhz", "utilisation-ratio")
    for name in ("run-figure", "seconds-figure", "distribution-figure", *(f"telemetry-{each}" for each in quantities)):
        plot = page.locator(f'[data-chart="{name}"]')
        plot.scroll_into_view_if_needed()
        expect(plot.locator(".main-svg").first).to_be_visible()
    for table in ("Centiles par palier", "Débit par seconde et par palier", "Distribution du TTFT"):
        expect(page.get_by_role("region", name=table).get_by_role("table")).to_be_visible()
    page.get_by_text("Données des courbes").click()
    expect(page.get_by_role("region", name="Matériel au fil du temps").get_by_role("table")).to_be_visible()


def test_the_comparison_is_drawn_with_a_name_a_line(signed_in: SignedIn) -> None:
    page = signed_in()
    page.goto(f"/fr/{COMPARE}")
    page.locator("[data-chart]").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] .annotation-text")).to_have_text(["2026-0001", "2026-0006"])


def test_the_list_filters_and_compares_without_scripts(signed_in: SignedIn) -> None:
    page = signed_in(java_script_enabled=False)
    page.get_by_label("État").select_option(label="échouée")
    page.get_by_role("button", name="Filtrer").click()
    expect(page.get_by_text("1 mesure", exact=True)).to_be_visible()
    page.get_by_role("link", name="Tout montrer").click()
    expect(page.get_by_text("12 mesures", exact=True)).to_be_visible()


def test_a_foreign_result_is_uploaded_and_named(signed_in: SignedIn, tmp_path: Path) -> None:
    path = tmp_path / "guidellm.json"
    path.write_text(json.dumps(GUIDELLM))
    page = signed_in()
    page.get_by_role("link", name="Importer un résultat").click()
    page.get_by_label("Fichier").set_input_files(path)
    page.get_by_role("button", name="Importer").click()
    expect(page.get_by_text("Résultat importé\u00a0: il se compare, et ne se publie pas.")).to_be_visible()
    expect(page.locator("#definition")).to_contain_text("Définitions de guidellm")


def test_a_wrong_file_says_why(signed_in: SignedIn, tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text("hello")
    page = signed_in()
    page.goto("/en/runs/import")
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("This file is not valid JSON")


def test_the_forecast_answers_before_anything_starts(signed_in: SignedIn) -> None:
    page = signed_in()
    page.goto("/fr/runs/new")
    page.get_by_label("Répétitions").fill("5")
    page.get_by_role("button", name="Estimer durée et coût").click()
    expect(page.locator("#forecast")).to_contain_text("5 exécutions")
    expect(page.get_by_label("Répétitions")).to_have_value("5")


def test_paper_has_the_tables_and_no_buttons(signed_in: SignedIn) -> None:
    page = signed_in()
    page.goto("/fr/runs/2026-0006")
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Publier ce résultat")).to_be_hidden()
    expect(page.get_by_role("link", name="CSV")).to_be_hidden()
    expect(page.get_by_role("table", name="Dispersion par palier")).to_be_visible()


def test_visitors_read_what_was_published_and_are_asked_to_log_in_for_the_rest(page: Page) -> None:
    page.goto("/fr/runs/")
    expect(page.get_by_role("link", name="2026-0001")).to_be_visible()
    expect(page.get_by_role("link", name="2026-0006")).to_have_count(0)
    page.goto("/fr/runs/2026-0006")
    expect(page).to_have_url("/fr/login/?next=/fr/runs/2026-0006")
