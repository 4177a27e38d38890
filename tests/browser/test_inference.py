"""The inference page in a browser: live change, targets, ways out, figures, a phone, no script, accessibility."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

INFERENCE = "/fr/inference"
STATES = {
    "answer": "",
    "misfit": "?sku=GPU-STARTER",
    "missed": "?ttft=100&tpot=15",
    "on request": "?sku=GPU-SUPERCOMPUTE",
    "overloaded": "?load=rate&rps=900",
    "errors": "?form=1&v=1&in=beaucoup&util=400",
    "own model": "?model=Mine&params=7248023552&layers=32&width=4096&heads=32&kv_heads=8&vocab=32768",
}


def opened(page: Page, query: str = "") -> Page:
    page.goto(INFERENCE + query)
    expect(page.locator(".lead")).to_contain_text("GPU-")
    return page


def show(page: Page, chart: str) -> None:
    page.locator(f"#{chart}").scroll_into_view_if_needed()
    expect(page.locator(f"#{chart} .main-svg").first).to_be_visible()


def test_typing_changes_the_answer_and_keeps_the_focus(page: Page) -> None:
    opened(page)
    before = page.locator(".stats").inner_text()
    field = page.locator("#id_conc")
    field.fill("64")
    expect(page.locator(".eyebrow")).to_contain_text("64 flux")
    expect(field).to_be_focused()
    assert page.locator(".stats").inner_text() != before
    assert "conc=64" in page.url


def test_a_tighter_target_turns_the_sentence_and_names_a_way_out(page: Page) -> None:
    opened(page)
    expect(page.locator(".lead")).to_contain_text("tient vos objectifs")
    page.locator("#id_ttft").fill("150")
    expect(page.locator(".lead")).to_contain_text("manque un objectif")
    expect(page.locator("#h-ways")).to_be_visible()


def test_a_way_out_leads_to_an_answer_that_fits(page: Page) -> None:
    opened(page, "?sku=GPU-STARTER")
    expect(page.locator(".lead")).to_contain_text("Ne tient pas sur GPU-STARTER")
    page.get_by_role("link", name="Poids AWQ").click()
    expect(page.locator(".lead")).not_to_contain_text("Ne tient pas")
    assert "prec=awq-int4" in page.url


def test_a_load_in_requests_is_answered_in_streams(page: Page) -> None:
    opened(page)
    page.locator("#id_rps").fill("2,5")
    page.locator("input[name='load'][value='rate']").check(force=True)
    expect(page.locator(".eyebrow")).to_contain_text("2,5 requêtes/s")
    expect(page.locator("#f-serve_little")).to_be_attached()


def test_the_figures_are_drawn_and_follow_the_answer(page: Page) -> None:
    opened(page)
    for chart in ("plot-t", "plot-m", "plot-c", "plot-r"):
        show(page, chart)
    expect(page.locator("#plot-c")).to_contain_text("votre charge\u00a0: 16\u00a0flux")
    page.locator("#id_conc").fill("32")
    expect(page.locator("#plot-c")).to_contain_text("votre charge\u00a0: 32\u00a0flux")
    assert page.evaluate("window.breaches") == []


def test_each_figure_has_its_data_as_a_table(page: Page) -> None:
    opened(page)
    for fold in ("#d-t", "#d-c", "#d-r"):
        assert page.locator(f"{fold} tbody tr").count() >= 3
    assert page.locator("[data-chart] :focus-visible, [data-chart] [tabindex='0'], [data-chart] a").count() == 0


def test_a_preset_is_a_link_and_is_marked(page: Page) -> None:
    opened(page)
    page.get_by_role("link", name="RAG", exact=True).click()
    expect(page.locator(".lead")).to_contain_text("GPU-TITAN")
    expect(page.get_by_role("link", name="RAG", exact=True)).to_have_attribute("aria-current", "true")


def test_the_point_is_carried_to_the_economics_as_an_estimate(page: Page) -> None:
    opened(page)
    page.get_by_role("link", name="Comparer aux API avec ces débits").click()
    expect(page.locator(".lead")).to_contain_text("GPU-ENTERPRISE")
    assert "origin=estimate" in page.url
    assert page.locator("#id_rate").input_value() != ""


def test_a_phone_shows_the_answer_without_sideways_scrolling(phone: Page) -> None:
    phone.goto(INFERENCE)
    expect(phone.locator(".lead")).to_contain_text("GPU-ENTERPRISE")
    for chart in ("plot-t", "plot-c"):
        show(phone, chart)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_the_form_leads_to_the_canonical_link(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(INFERENCE)
    page.locator("#id_conc").fill("8")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".eyebrow")).to_contain_text("8 flux")
    assert "conc=8" in page.url and "form=1" not in page.url
    context.close()


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_language_and_theme(page: Page, language: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/inference")
    show(page, "plot-c")
    assert axe.violations(page) == []


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_any_state(page: Page, state: str) -> None:
    page.goto(INFERENCE + STATES[state])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert axe.violations(page) == []


def test_the_print_shows_the_assumptions_and_hides_the_form(page: Page) -> None:
    opened(page)
    page.emulate_media(media="print")
    expect(page.locator(".quote-n")).to_be_visible()
    expect(page.locator("#form")).not_to_be_visible()
