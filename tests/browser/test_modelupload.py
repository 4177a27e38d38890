"""A config.json in Chromium: from the inference page to the answer for one's own model, with and without scripts."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe
from tests.calculator import configfactory as make

NAME = "Notre modèle"


def test_a_file_leads_from_the_form_to_the_answer_with_the_inputs_kept(page: Page) -> None:
    page.goto("/fr/inference?in=2000")
    page.get_by_role("link", name="importer son config.json").click()
    page.get_by_label("Fichier").set_input_files(
        {"name": "config.json", "mimeType": "application/json", "buffer": make.text("Llama-3-8B").encode()}
    )
    page.get_by_label("Nom à afficher").fill(NAME)
    page.get_by_role("button", name="Lire ce modèle").click()
    expect(page.locator("#result")).to_contain_text(NAME)
    assert "in=2000" in page.url and "params=8030261248" in page.url


def test_a_refused_text_stays_and_the_reason_is_read_out(page: Page) -> None:
    page.goto("/fr/inference/model")
    page.get_by_label("ou son contenu").fill('{"model_type": "mamba"}')
    page.get_by_role("button", name="Lire ce modèle").click()
    expect(page.get_by_role("alert")).to_contain_text("état de taille fixe")
    expect(page.get_by_label("ou son contenu")).to_have_value('{"model_type": "mamba"}')
    assert axe.violations(page) == []


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_the_form(page: Page, language: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/inference/model")
    assert axe.violations(page) == []


def test_a_phone_shows_the_form_without_scrolling_sideways(phone: Page) -> None:
    phone.goto("/fr/inference/model")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_a_pasted_text_works_too(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/en/inference/model")
    page.get_by_label("or its content").fill(make.text("Mixtral-8x7B"))
    page.get_by_role("button", name="Read this model").click()
    expect(page.locator("#result")).to_contain_text("mixtral")
    context.close()
