"""The bill's page in a browser: a report in, options out, its files and its mapping, without scripts too, by axe."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

FILES = Path(__file__).resolve().parent.parent / "sales" / "bills"


def send(page: Page, name: str, language: str = "fr") -> None:
    page.goto(f"/{language}/bills/")
    page.get_by_label("Export d’usage" if language == "fr" else "Usage export").set_input_files(FILES / name)
    page.get_by_role("button", name="Comparer ce trafic" if language == "fr" else "Compare this traffic").click()


def test_a_report_leads_to_every_option_and_on_to_a_comparison(page: Page) -> None:
    send(page, "openai.csv")
    expect(page.get_by_text("L’API gagne")).to_be_visible()
    page.get_by_role("link", name="Comparer les GPU côte à côte").click()
    expect(page.get_by_role("heading", name="Comparer des scénarios")).to_be_visible()
    expect(page.get_by_role("row", name="GPU loués").get_by_role("cell").first).to_have_text("GPU-PRO")


def test_a_file_of_the_result_needs_no_second_upload(page: Page) -> None:
    send(page, "openai.csv", "en")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert download.value.suggested_filename == "vmcloud-bill.csv"


def test_columns_are_named_and_priced_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    send(page, "own.csv", "en")
    expect(page.get_by_label("Sortie")).to_have_value("output")
    page.locator("#h-map").locator("xpath=ancestor::section").get_by_role("button").click()
    expect(page.get_by_text("more than the list price").first).to_be_visible()
    page.get_by_label("Model served on the GPUs").select_option("Llama-3.1-8B")
    page.get_by_role("button", name="Recalculate").click()
    expect(page.get_by_text("Llama-3.1-8B for the same traffic")).to_be_visible()
    context.close()


@pytest.mark.parametrize(("language", "scheme"), [("fr", "dark"), ("en", "light")])
def test_no_accessibility_rule_is_broken(chromium: Browser, site: str, language: str, scheme: Any) -> None:
    context = chromium.new_context(base_url=site, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"/{language}/bills/")
    assert axe.violations(page, axe.EVERY_RULE) == []
    for name in ("openai.csv", "own.csv", "README.md"):
        send(page, name, language)
        assert axe.violations(page, axe.EVERY_RULE) == [], name
    context.close()


def test_the_page_is_never_wider_than_a_phone(phone: Page) -> None:
    send(phone, "openai.csv")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    send(phone, "own.csv")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
