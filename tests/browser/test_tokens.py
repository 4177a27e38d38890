"""Tokens in the browser: a text and files counted, errors, the budget live, on a phone, without scripts, accessible."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

SENTENCE = "Le cloud européen, bâti pour la production."
STATES = {"answer": "", "sample": "?n=100&sd=2000&p50=3500&p95=8000&read=50000", "errors": "?form=1&v=1&docs=beaucoup"}


def count(page: Page, text: str) -> None:
    page.goto("/fr/tokens/count")
    page.get_by_label("Texte", exact=True).fill(text)
    page.get_by_role("button", name="Compter").click()


def test_a_pasted_text_is_counted_and_carried_into_a_budget(page: Page) -> None:
    count(page, SENTENCE)
    expect(page.locator(".lead")).to_contain_text("12 tokens en cl100k_base, pour 43 caractères")
    expect(page.locator(".tok")).to_have_count(12)
    page.get_by_role("link", name="Budget de ces documents seulement").click()
    expect(page.locator("#answer .lead")).to_contain_text("1 document font 12 tokens")
    assert "production" not in page.url and "mean=12&" in page.url


def test_files_are_counted_and_a_bad_one_is_named(page: Page, tmp_path: Path) -> None:
    good, bad = tmp_path / "bon.csv", tmp_path / "mauvais.txt"
    good.write_text("id;texte\n1;un mot\n2;deux mots\n", encoding="utf-8")
    bad.write_bytes("été".encode("cp1252"))
    page.goto("/fr/tokens/count")
    page.get_by_label("Fichiers", exact=True).set_input_files([good])
    page.get_by_label("Colonne ou clé").fill("texte")
    page.get_by_role("button", name="Compter").click()
    expect(page.locator(".lead")).to_contain_text("dans 2 documents")
    page.get_by_label("Fichiers", exact=True).set_input_files([bad])
    page.get_by_role("button", name="Compter").click()
    expect(page.get_by_role("alert")).to_contain_text("mauvais.txt")
    expect(page.get_by_role("alert")).to_contain_text("Windows-1252")
    assert page.title().startswith("Erreur")


def test_an_empty_form_is_refused_with_a_link_to_its_field(page: Page) -> None:
    page.goto("/fr/tokens/count")
    page.get_by_role("button", name="Compter").click()
    page.get_by_role("alert").get_by_role("link").click()
    expect(page.get_by_label("Texte", exact=True)).to_be_focused()


def test_the_budget_follows_what_is_typed_and_stays_in_the_address(page: Page) -> None:
    page.goto("/fr/tokens")
    page.get_by_label("Documents du corpus").fill("1000")
    expect(page.locator("#answer .lead")).to_contain_text("4 M de tokens")
    page.wait_for_url("**docs=1000&**")
    page.reload()
    expect(page.locator("#answer .lead")).to_contain_text("4 M de tokens")


def test_an_input_that_cannot_be_read_keeps_the_last_answer(page: Page) -> None:
    page.goto("/fr/tokens")
    page.get_by_label("Documents du corpus").fill("beaucoup")
    expect(page.locator("#id_docs-e .err")).to_be_visible()
    expect(page.locator("#answer .lead")).to_contain_text("8 Md de tokens")


def test_the_chart_is_drawn_with_its_table_beside_it(page: Page) -> None:
    page.goto("/fr/tokens")
    page.locator("[data-chart]").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] .main-svg").first).to_be_visible(timeout=20_000)
    page.get_by_text("Données du graphique").click()
    expect(page.locator("#d-cost tbody tr")).to_have_count(8)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_on_the_budget(page: Page, state: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/fr/tokens{STATES[state]}")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert axe.violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_a_count(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    count(page, f"{SENTENCE}\n\n👩‍👩‍👧 <|endoftext|>")
    assert axe.violations(page) == []
    page.goto("/en/tokens/count")
    page.get_by_role("button", name="Count").click()
    assert axe.violations(page) == []


@pytest.mark.parametrize("path", ["/fr/tokens", "/en/tokens/count"])
def test_a_phone_does_not_scroll_sideways(chromium: Browser, site: str, path: str) -> None:
    context = chromium.new_context(viewport={"width": 320, "height": 700}, base_url=site)
    page = context.new_page()
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    context.close()


def test_everything_works_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(java_script_enabled=False, base_url=site)
    page = context.new_page()
    page.goto("/fr/tokens/count")
    page.get_by_label("Texte", exact=True).fill(SENTENCE)
    page.get_by_role("button", name="Compter").click()
    expect(page.locator(".lead")).to_contain_text("12 tokens")
    page.goto("/fr/tokens")
    page.get_by_label("Documents du corpus").fill("1000")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator("#answer .lead")).to_contain_text("4 M de tokens")
    context.close()


def test_the_policy_is_kept_while_counting(page: Page) -> None:
    count(page, "<img src=x onerror=alert(1)>")
    expect(page.locator(".lead")).to_be_visible()
    assert json.dumps(page.evaluate("window.breaches ?? []")) == "[]"
