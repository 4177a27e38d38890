"""The outlook in a browser: live answer, figures, phone, no scripts, print, axe, the way there and back."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

PAGE = "/fr/outlook/"
NBSP = "\u00a0"


def opened(page: Page, query: str = "", path: str = PAGE) -> Page:
    page.goto(f"{path}?{query}")
    expect(page.locator(".lead")).to_be_visible()
    return page


def test_typing_changes_the_answer_and_the_address_and_keeps_the_focus(page: Page) -> None:
    """10 M tokens: the API costs 696.38 € less."""
    opened(page)
    expect(page.locator(".lead")).to_contain_text("Le GPU dédié est moins cher")
    field = page.locator("#id_volume")
    field.fill("10 M")
    expect(page.locator(".lead")).to_contain_text(f"L’API est moins chère{NBSP}: gpt-5.4 coûte 696,38{NBSP}€")
    expect(field).to_be_focused()
    assert "volume=10000000" in page.url


def test_growth_moves_the_month_in_which_the_next_card_comes(page: Page) -> None:
    """100 M + 1 % a month pass 107.8 M in month 9."""
    opened(page)
    expect(page.locator("#h-year")).to_contain_text("au mois 2")
    page.locator("#id_growth").fill("1")
    expect(page.locator("#h-year")).to_contain_text("au mois 9")


def test_what_is_ticked_answers_a_rule_without_a_reload(page: Page) -> None:
    opened(page)
    page.locator("#group-you summary").click()
    page.get_by_label("Affinage quotidien", exact=True).check()
    row = page.get_by_role("row", name="GPU dédiés pour un affinage quotidien")
    expect(row).to_contain_text("aucun prix n’en décide")
    assert "said=daily" in page.url


def test_a_wrong_number_keeps_the_answer_and_names_the_field(page: Page) -> None:
    opened(page)
    page.locator("#id_growth").fill("beaucoup")
    expect(page.locator("#id_growth-e .err")).to_be_visible()
    expect(page.locator(".lead")).to_contain_text("Le GPU dédié est moins cher")


def test_both_figures_are_drawn(page: Page) -> None:
    opened(page)
    for name in ("plot-moved", "plot-year"):
        page.locator(f"#{name}").scroll_into_view_if_needed()
        expect(page.locator(f"#{name} .main-svg").first).to_be_visible()


def test_the_economics_page_leads_here_and_back(page: Page) -> None:
    page.goto("/fr/economics?volume=300000000")
    page.get_by_role("link", name="Et si…").first.click()
    expect(page.locator(".eyebrow")).to_contain_text(f"300{NBSP}M")
    page.get_by_role("link", name="Retour à l’économie").click()
    expect(page.locator(".eyebrow")).to_contain_text(f"300{NBSP}M")
    assert "/fr/economics?" in page.url


def test_the_other_language_keeps_everything(page: Page) -> None:
    opened(page, "growth=0.2&said=daily")
    page.locator("a[hreflang=en]").click()
    expect(page.locator(".lead")).to_contain_text("The dedicated GPU is cheaper")
    assert "growth=0.2" in page.url
    assert "said=daily" in page.url


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_rule_is_broken(chromium: Browser, site: str, language: str, scheme: Any) -> None:
    context = chromium.new_context(base_url=site, color_scheme=scheme, bypass_csp=True)
    page = opened(context.new_page(), "said=daily&volume=10000000", f"/{language}/outlook/")
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []
    context.close()


def test_a_phone_scrolls_tables_and_never_the_page(phone: Page) -> None:
    opened(phone)
    width = phone.evaluate("document.documentElement.scrollWidth")
    assert width <= phone.evaluate("window.innerWidth")


def test_it_works_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False)
    page = opened(context.new_page())
    page.locator("#id_volume").fill("10 M")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".lead")).to_contain_text("L’API est moins chère")
    assert "volume=10000000" in page.url
    context.close()


def test_print_has_the_tables_and_no_controls(page: Page) -> None:
    opened(page)
    page.emulate_media(media="print")
    expect(page.locator("#form")).to_be_hidden()
    expect(page.get_by_role("row", name="Heures utilisées")).to_be_visible()
