"""The advisor in a browser: live change, keyboard alone, no script, a phone, print, accessibility."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

ADVICE = "/fr/advice/"
STATES = {
    "answer": "",
    "hybrid": "?use=rag&users=2000&shape=public",
    "training": "?use=tune&load=none",
    "pre-training": "?use=pretrain&load=none&days=30",
    "indexing": "?use=index&load=none",
    "daily tuning": "?must=tuning&must=eu",
    "nothing meets": "?must=fast",
    "errors": "?form=1&v=1&users=beaucoup&must=none&range=none",
}
MOST_TABS = 120


def opened(page: Page, query: str = "") -> Page:
    page.goto(ADVICE + query)
    expect(page.locator(".lead")).to_be_visible()
    return page


def tab_to(page: Page, name: str) -> None:
    """Tab until the link or button of that name has the focus."""
    for _press in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"{name!r} is not reached by the keyboard")


def test_typing_changes_the_answer_and_keeps_the_focus(page: Page) -> None:
    opened(page)
    field = page.locator("#id_users")
    field.fill("20000")
    expect(page.locator(".eyebrow")).to_contain_text("2,194\u00a0Md")
    expect(field).to_be_focused()
    assert "users=20000" in page.url


def test_a_constraint_turns_the_sentence(page: Page) -> None:
    opened(page)
    expect(page.locator(".lead")).to_contain_text("L’API gagne")
    page.get_by_label("Données hébergées en Europe").check()
    expect(page.locator(".lead")).to_contain_text("Le GPU dédié gagne")
    expect(page.locator("#d-left summary")).to_contain_text("6")


def test_the_use_opens_the_group_that_it_waits_for(page: Page) -> None:
    opened(page)
    expect(page.locator("#group-tune")).not_to_have_attribute("open", "")
    page.locator("#id_use").select_option("tune")
    expect(page.locator(".lead")).to_contain_text("Pour entraîner")
    expect(page.locator("#group-tune")).to_have_attribute("open", "")


def test_a_case_and_its_calculation_are_reached_by_the_keyboard_alone(page: Page) -> None:
    """The offer's fifth case, from the head of the page to the economics page that answers it."""
    opened(page)
    tab_to(page, "100\u00a0M de tokens par mois")
    page.keyboard.press("Enter")
    expect(page.locator(".eyebrow")).to_contain_text("100\u00a0M de tokens")
    tab_to(page, "Le calcul")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Économie")
    assert "volume=100000000" in page.url


def test_a_need_is_typed_by_the_keyboard_alone(page: Page) -> None:
    opened(page)
    page.locator("#id_use").focus()
    page.keyboard.type("Trait")
    expect(page.locator(".eyebrow")).to_contain_text("Traitement par lots")
    expect(page.locator("#id_use")).to_be_focused()


def test_the_language_switch_keeps_the_need(page: Page) -> None:
    opened(page, "?users=333")
    page.locator("a[hreflang='en']").click()
    expect(page.locator(".lead")).to_contain_text("The API wins")
    expect(page.locator("#id_users")).to_have_value("333")


def test_a_phone_shows_the_answer_without_sideways_scrolling(phone: Page) -> None:
    for query in STATES.values():
        phone.goto(ADVICE + query)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_narrow_window_scrolls_nowhere(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    opened(page, STATES["hybrid"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_without_scripts_the_form_leads_to_the_canonical_link(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(ADVICE)
    page.locator("#id_users").fill("50")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".eyebrow")).to_contain_text("5,486\u00a0M")
    assert "users=50" in page.url and "form=1" not in page.url
    context.close()


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_language_and_theme(page: Page, language: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/advice/")
    expect(page.locator(".lead")).to_be_visible()
    assert axe.violations(page) == []


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_any_state(page: Page, state: str) -> None:
    page.goto(ADVICE + STATES[state])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert axe.violations(page) == []


def test_the_print_shows_options_and_assumptions_and_hides_the_form(page: Page) -> None:
    opened(page)
    page.emulate_media(media="print")
    expect(page.locator(".quote-n")).to_be_visible()
    expect(page.locator("#form")).not_to_be_visible()
    assert page.locator(".options > li").count() == 5


def test_a_sample_is_counted_and_comes_back_as_lengths(page: Page) -> None:
    """The reference sentence has 12 tokens in cl100k, which stands in for Qwen's tokenizer."""
    page.goto("/fr/advice/?use=code")
    page.get_by_role("link", name="compter une demande et une réponse").click()
    assert axe.violations(page) == []
    page.get_by_label("Une demande typique").fill("Le cloud européen, bâti pour la production.")
    page.get_by_role("button", name="Compter").click()
    expect(page.locator(".lead")).to_be_visible()
    expect(page.locator("#id_in")).to_have_value("12")
    assert "cloud" not in page.url
