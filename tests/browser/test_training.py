"""The training page in a browser: live answer, presets, ways out of a misfit, phone, no scripts, print, axe."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

PAGE = "/fr/training"
NBSP, THIN = "\u00a0", "\u202f"
MISFIT = "model=Llama-3.1-70B&method=full&mbs=1&seq=2048&recomp=1&steps=500&sku=GPU-TITAN&accum=128"


def opened(page: Page, query: str = "speed=published&rows=12000") -> Page:
    page.goto(f"{PAGE}?{query}")
    expect(page.locator(".lead")).to_be_visible()
    return page


def test_typing_changes_the_answer_and_the_address_and_keeps_the_focus(page: Page) -> None:
    """1 500 steps at 1 350 tok/s: 75.9 min, 1.90 €."""
    opened(page)
    expect(page.locator(".lead")).to_contain_text(f"37,9{NBSP}min")
    field = page.locator("#id_steps")
    field.fill("1500")
    expect(page.locator(".lead")).to_contain_text(f"75,9{NBSP}min")
    expect(page.locator(".lead")).to_contain_text(f"1,90{NBSP}€")
    expect(field).to_be_focused()
    assert "steps=1500" in page.url


def test_a_wrong_number_keeps_the_answer_and_names_the_field(page: Page) -> None:
    opened(page)
    page.locator("#id_mbs").fill("zero")
    expect(page.locator("#id_mbs-e .err")).to_be_visible()
    expect(page.locator(".lead")).to_contain_text(f"37,9{NBSP}min")


def test_a_preset_is_a_link_and_is_marked(page: Page) -> None:
    opened(page)
    chip = page.get_by_role("link", name="QLoRA publié, batch de 32")
    chip.click()
    expect(page.locator(".lead")).to_contain_text(f"3,79{NBSP}€")
    expect(chip).to_have_attribute("aria-current", "true")


def test_both_readings_of_the_published_batch_are_shown(page: Page) -> None:
    opened(page)
    expect(page.get_by_role("row", name="batch global de 8")).to_contain_text(f"37,9{NBSP}min")
    expect(page.get_by_role("row", name="batch global de 32")).to_contain_text(f"151,7{NBSP}min")


def test_a_misfit_names_its_line_and_its_ways_out_lead_to_an_answer(page: Page) -> None:
    opened(page, MISFIT)
    expect(page.locator(".lead")).to_contain_text("ne tient pas en mémoire")
    expect(page.get_by_role("row", name="Poids première")).to_contain_text("première ligne qui dépasse")
    page.locator("section[aria-labelledby=h-ways] tbody a").first.click()
    expect(page.locator(".lead")).to_contain_text("coûte")


def test_choosing_a_data_set_opens_its_fields_and_filling_them_answers(page: Page) -> None:
    """1 000 rows of 350 tokens: 350 000 tokens."""
    opened(page, "")
    page.get_by_label("exemples", exact=True).check(force=True)
    expect(page.locator("#group-work")).to_have_attribute("open", "")
    page.locator("#id_rows").fill("1000")
    page.locator("#id_mean").fill("350")
    expect(page.locator(".eyebrow")).to_contain_text(f"350{THIN}000 tokens")


def test_the_chart_is_drawn(page: Page) -> None:
    opened(page)
    page.evaluate("chartsReady()")
    expect(page.locator("#plot .main-svg").first).to_be_attached()


def test_the_link_opens_the_same_answer(page: Page) -> None:
    opened(page)
    page.locator("#id_mbs").fill("8")
    expect(page.locator(".lead")).to_contain_text(f"151,7{NBSP}min".replace("151,7", "2,53").replace("min", "h"))
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(".lead")).to_contain_text(f"2,53{NBSP}h")


@pytest.mark.parametrize("query", ["speed=published&rows=12000", MISFIT, "reads=api&saved=1500&requests=100000"])
def test_the_page_fits_a_phone_and_the_narrowest_screen(phone: Page, query: str) -> None:
    opened(phone, query)
    for width in (390, 320):
        phone.set_viewport_size({"width": width, "height": 844})
        assert phone.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_answers_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto(PAGE)
    page.locator("#id_steps").fill("1500")
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".eyebrow")).to_contain_text(f"1{THIN}500 pas")
    assert "steps=1500" in page.url
    context.close()


def test_the_print_holds_the_answer_and_no_controls(page: Page) -> None:
    opened(page)
    page.emulate_media(media="print")
    expect(page.locator(".lead")).to_be_visible()
    expect(page.locator(".quote-n")).to_be_visible()
    expect(page.locator(".form")).to_be_hidden()
    expect(page.locator(".rbar")).to_be_hidden()
    page.set_viewport_size({"width": 794, "height": 1123})
    assert page.evaluate("document.documentElement.scrollWidth") <= 794


def test_the_model_is_carried_to_the_other_calculators(page: Page) -> None:
    page.goto("/fr/training?method=pretrain&sku=GPU-SUPERCOMPUTE&accum=1&mbs=1&tp=1")
    page.get_by_role("link", name="L’entraîner sur plusieurs GPU").click()
    expect(page.locator("h1")).to_be_attached()
    assert "/fr/parallelism" in page.url
    assert "tokens=3072000" in page.url
    assert "gpus=8" in page.url


@pytest.mark.parametrize(("language", "theme"), [("fr", "light"), ("en", "dark")])
@pytest.mark.parametrize("query", ["speed=published&rows=12000", MISFIT], ids=["answer", "misfit"])
def test_axe_finds_nothing(page: Page, language: str, theme: str, query: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/training?{query}")
    expect(page.locator(".lead")).to_be_visible()
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []


def test_axe_finds_nothing_where_nothing_can_be_answered(page: Page) -> None:
    page.goto(f"{PAGE}?mbs=abc&model=zork")
    expect(page.locator(".empty")).to_be_visible()
    assert axe.violations(page, axe.WCAG_AND_BEST_PRACTICE) == []
