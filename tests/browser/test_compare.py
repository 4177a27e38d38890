"""The comparison in a browser: a scenario goes to its calculator and back, without scripts too, on a phone, by axe."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

TWO = "/compare/?a=economics?v=1&na=Base&b=economics?v=1%26sku=GPU-TITAN%26basis=hour"
BROKEN = f"{TWO}&c=economics?v=1%26sku=NOPE&d=nothing?"


def test_a_scenario_goes_to_its_calculator_and_comes_back_changed(page: Page) -> None:
    page.goto(f"/fr{TWO}")
    page.get_by_role("link", name="Modifier B").click()
    expect(page.get_by_role("link", name="Reporter dans la comparaison")).to_be_visible()
    page.get_by_label("Utilisation", exact=True).fill("90")
    expect(page).to_have_url(re.compile("util=0.9&.*compare="))
    page.get_by_role("link", name="Reporter dans la comparaison").click()
    row = page.get_by_role("row", name="≠ Utilisation")
    expect(row.get_by_role("cell")).to_have_text(["65\u00a0%", "90\u00a0%"])
    expect(page.get_by_role("columnheader", name="A Base")).to_be_visible()


def test_a_copy_is_a_new_column_and_back_takes_it_away(page: Page) -> None:
    page.goto(f"/fr{TWO}")
    page.get_by_role("link", name="Copier A dans une nouvelle colonne").click()
    expect(page.get_by_role("columnheader")).to_have_count(1 + 3)
    page.go_back()
    expect(page.get_by_role("link", name="Retirer C")).to_have_count(0)


def test_names_and_pasted_links_work_by_keyboard_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"/en{TWO}")
    page.get_by_label("Name of B").fill("Big card")
    page.get_by_label("Link of a scenario").fill(f"{site}/en/economics?v=1&util=0.5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="B Big card")).to_be_visible()
    expect(page.get_by_role("link", name="Remove C")).to_be_visible()
    expect(page.get_by_role("row", name="≠ Utilisation").get_by_role("cell")).to_have_text(["65%", "65%", "50%"])
    context.close()


@pytest.mark.parametrize(("language", "scheme"), [("fr", "light"), ("en", "dark")])
def test_no_accessibility_rule_is_broken(chromium: Browser, site: str, language: str, scheme: Any) -> None:
    context = chromium.new_context(base_url=site, color_scheme=scheme)
    page = context.new_page()
    for path in ("/compare/", BROKEN, "/compare/?a=economics&b=training&c=tokens", f"{TWO}&form=1&link=hello"):
        page.goto(f"/{language}{path}")
        assert axe.violations(page, axe.EVERY_RULE) == [], path
    context.close()


def test_columns_scroll_inside_their_region_on_a_phone(phone: Page) -> None:
    phone.goto(f"/fr{BROKEN}")
    region = phone.get_by_role("region", name="Tableau des scénarios")
    assert region.evaluate("node => node.scrollWidth > node.clientWidth")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    region.focus()
    expect(region).to_be_focused()
    region.evaluate("node => node.scrollTo(600, 0)")
    assert phone.get_by_role("rowheader", name="GPU loués").evaluate("node => node.getBoundingClientRect().left") >= 0
