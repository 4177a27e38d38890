"""The multi-GPU page in a browser: live answer, preset, phone, without scripts, print, and what axe finds."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

PAGE = "/fr/parallelism"
NBSP = "\u00a0"


def opened(page: Page, query: str = "") -> Page:
    page.goto(f"{PAGE}?{query}")
    expect(page.locator(".lead")).to_contain_text("jours")
    return page


def test_the_first_view_explains_the_published_case(page: Page) -> None:
    opened(page)
    expect(page.locator("#h-why")).to_have_text(f"Ce qui expliquerait 82{NBSP}%")
    expect(page.get_by_role("row", name="Un autre recouvrement")).to_contain_text("exclu")
    expect(page.get_by_role("row", name="Du temps perdu hors des pas")).to_contain_text("plausible")


def test_typing_changes_the_days_and_the_address_and_keeps_the_focus(page: Page) -> None:
    opened(page)
    field = page.locator("#id_gpus")
    field.fill("1")
    expect(page.locator(".lead")).to_contain_text(f"dure 92{NBSP}jours")
    expect(field).to_be_focused()
    assert "gpus=1&" in page.url


def test_a_wrong_number_keeps_the_answer_and_names_the_field(page: Page) -> None:
    opened(page)
    page.locator("#id_gpus").fill("65")
    expect(page.locator("#id_gpus-e .err")).to_be_visible()
    expect(page.locator(".lead")).to_contain_text("jours")


def test_a_preset_is_a_link_and_is_marked(page: Page) -> None:
    opened(page)
    page.get_by_role("link", name="La même sur 8 H100").click()
    expect(page.locator(".lead")).to_contain_text("16 rangs")
    expect(page.get_by_role("link", name="La même sur 8 H100")).to_have_attribute("aria-current", "true")


def test_both_charts_are_drawn_and_each_has_its_table(page: Page) -> None:
    opened(page)
    page.evaluate("chartsReady()")
    expect(page.locator("#plot .main-svg").first).to_be_attached()
    expect(page.locator("#plot-cost .main-svg").first).to_be_attached()
    page.locator("#d-speed > summary").click()
    expect(page.locator("#d-speed tbody tr").last).to_contain_text("64")


def test_a_count_of_the_table_leads_to_its_own_answer(page: Page) -> None:
    opened(page)
    page.locator("table").filter(has_text="Gain de chaque GPU").get_by_role("link", name="16", exact=True).click()
    expect(page.locator(".lead")).to_contain_text(f"16{NBSP}× A100")


def test_the_page_fits_a_phone(phone: Page) -> None:
    opened(phone, "gpus=16")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_answers_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(PAGE)
    page.locator("#id_gpus").fill("16")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".lead")).to_contain_text(f"16{NBSP}× A100")
    assert "gpus=16" in page.url
    context.close()


def test_the_print_holds_every_row_and_no_control(page: Page) -> None:
    opened(page)
    page.emulate_media(media="print")
    expect(page.locator("#form")).to_be_hidden()
    expect(page.get_by_text("Hypothèses", exact=True).last).to_be_visible()
    expect(page.get_by_role("row", name="PCIe 3.0")).to_be_visible()


@pytest.mark.parametrize(("language", "theme"), [("fr", "light"), ("en", "dark")])
def test_axe_finds_nothing(page: Page, language: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/parallelism?model=Llama-3.1-8B&gpus=16&sharing=sharded")
    expect(page.locator(".lead")).to_be_visible()
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []


def test_axe_finds_nothing_where_nothing_can_be_answered(page: Page) -> None:
    page.goto(f"{PAGE}?tp=8&pp=2")
    expect(page.locator(".lead")).to_be_visible()
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []


@pytest.mark.parametrize("language", ["fr", "en"])
def test_axe_finds_nothing_on_the_ratings(page: Page, language: str) -> None:
    page.goto(f"/{language}/gpus/")
    expect(page.locator("#h-ratings")).to_be_visible()
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []
