"""Whole ways through the economics page: without scripts, by keyboard, in both languages, on a phone, on paper."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

ECONOMICS = "/fr/economics"


def test_the_whole_journey_works_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(ECONOMICS)
    expect(page.locator(".lead")).to_contain_text("830,64")
    expect(page.get_by_role("button", name="Copier le lien")).to_be_hidden()
    page.locator("#id_volume").fill("300 M")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".lead")).to_contain_text("2\u202f491,92")
    expect(page).to_have_url(re.compile(r"economics\?v=1&.*volume=300000000"))
    page.locator("#id_volume").fill("beaucoup")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator("#id_volume-e")).to_contain_text("beaucoup")
    expect(page.locator("#id_volume")).to_have_value("beaucoup")
    expect(page).to_have_title(re.compile("^Erreur"))
    context.close()


def test_the_answer_is_reached_by_keyboard_alone(page: Page) -> None:
    page.goto(ECONOMICS)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    for _step in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "id_volume":
            break
    expect(page.locator("#id_volume")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("300M")
    page.keyboard.press("Enter")
    expect(page.locator(".lead")).to_contain_text("2\u202f491,92")
    expect(page.locator("#id_volume")).to_be_focused()


def test_a_definition_opens_from_the_keyboard(page: Page) -> None:
    page.goto(ECONOMICS)
    button = page.get_by_role("button", name="Définition\u00a0: Utilisation")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#def-utilisation")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#def-utilisation")).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("100M", "100000000"),
        ("1,5 Md", "1500000000"),
        ("1.5B", "1500000000"),
        ("250 000", "250000"),
        ("250\u202f000", "250000"),
        ("1.234,5k", "1234500"),
        ("1,234.5k", "1234500"),
    ],
)
def test_numbers_are_read_as_people_of_both_languages_write_them(
    page: Page, language: str, typed: str, canonical: str
) -> None:
    page.goto(f"/{language}/economics")
    page.locator("#id_volume").fill(typed)
    expect(page).to_have_url(re.compile(f"volume={canonical}(&|$)"))


def test_the_language_switch_keeps_the_whole_query(page: Page) -> None:
    page.goto(ECONOMICS)
    page.get_by_role("link", name="Production 300 M").click()
    query = page.url.partition("?")[2]
    page.get_by_role("link", name="EN, English").click()
    assert page.url.endswith(f"/en/economics?{query}")
    expect(page.locator(".lead")).to_contain_text("€2,491.92")


def test_the_language_switch_keeps_what_was_typed_a_moment_ago(page: Page) -> None:
    """3 × 830.64 = 2 491.92 € carry 300 M; the switch comes before the live answer does."""
    page.goto(ECONOMICS)
    page.locator("#id_volume").fill("300 M")
    page.get_by_role("link", name="EN, English").click()
    expect(page).to_have_url(re.compile(r"/en/economics\?.*volume=300000000(&|$)"))
    expect(page.locator(".lead")).to_contain_text("€2,491.92")


def test_copying_the_link_is_confirmed_and_copies_the_canonical_address(page: Page, site: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(ECONOMICS)
    page.get_by_role("button", name="Copier le lien").click()
    expect(page.locator("#status")).to_contain_text("Lien copié")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{site}/fr/economics?v=1&catalog=")
    page.goto(copied)
    expect(page.locator(".lead")).to_contain_text("830,64")


def test_what_happens_to_typed_data_is_said_before_the_first_field(page: Page) -> None:
    page.goto(ECONOMICS)
    told = page.get_by_text("le serveur ne garde rien avant")
    box, field = told.bounding_box(), page.locator("#id_volume").bounding_box()
    assert box is not None and field is not None and box["y"] < field["y"]


def test_a_gpu_on_request_says_whom_to_ask_and_where_to_type_a_price(page: Page) -> None:
    page.goto(f"{ECONOMICS}?sku=GPU-SUPERCOMPUTE&basis=hour")
    expect(page.locator(".lead")).to_contain_text("sur devis")
    expect(page.locator("#answer header")).to_contain_text("contact du vendeur non renseigné")
    page.get_by_role("link", name="Saisir un prix").first.click()
    assert "#id_price" in page.url


def test_the_page_never_scrolls_sideways(page: Page) -> None:
    for width in (320, 390, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(ECONOMICS)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


def test_a_phone_has_the_answer_before_any_chart_code(phone: Page) -> None:
    loaded: list[str] = []
    phone.on("request", lambda request: loaded.append(request.url))
    phone.goto(ECONOMICS)
    expect(phone.locator(".lead")).to_contain_text("830,64")
    assert not [url for url in loaded if "plotly" in url]
    phone.locator("[data-chart]").scroll_into_view_if_needed()
    expect(phone.locator("[data-chart] .main-svg").first).to_be_visible(timeout=20_000)


def test_print_holds_every_row_and_no_control(page: Page) -> None:
    page.goto(ECONOMICS)
    page.emulate_media(media="print")
    for name in ("Calculer", "Copier le lien", "Imprimer", "Enregistrer"):
        expect(page.get_by_role("button", name=name)).to_be_hidden()
    expect(page.locator("form:visible, button:visible, select:visible, nav:visible")).to_have_count(0)
    for name in ("Mistral Small 4", "gpt-5.4-mini", "Claude Haiku 4.5", "gpt-5.4", "Claude Sonnet 4.6"):
        expect(page.locator(".cards").get_by_role("rowheader", name=name, exact=True)).to_be_visible()
    expect(page.locator(".quote-h")).to_contain_text("Valable jusqu’au")
    expect(page.locator(".quote-n")).to_contain_text("/fr/economics?v=1")
    expect(page.locator("#f-capacity .where")).to_be_visible()
    assert page.locator(".t tbody tr").count() > 20


def test_the_printed_quote_is_a_few_pages(page: Page) -> None:
    page.goto(ECONOMICS)
    pdf = page.pdf(format="A4", print_background=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 5
