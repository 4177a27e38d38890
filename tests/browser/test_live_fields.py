"""Fields that a live answer leaves out stay as the visitor left them: words, choices; errors go once they are right."""

import re

import pytest
from playwright.sync_api import Page, expect

PLACES = {
    "inference": ("#id_in", "2048"),
    "training": ("#id_rank", "32"),
    "parallelism": ("#id_seq", "1024"),
    "tokens": ("#id_chunk", "256"),
    "economics": ("#id_out", "250"),
}


@pytest.mark.parametrize("name", PLACES)
def test_an_answer_leaves_every_field_whole(page: Page, name: str) -> None:
    page.goto(f"/fr/{name}")
    page.eval_on_selector_all("#form details", "groups => groups.forEach(group => group.open = true)")
    count = page.locator("#form .field").count()
    labels, options = page.locator("#form .lab").all_inner_texts(), page.locator("#form option").count()
    field, text = PLACES[name]
    page.locator(field).fill(text)
    expect(page).to_have_url(re.compile(f"{field.removeprefix('#id_')}={text}"))
    expect(page.locator(field)).to_have_value(text)
    expect(page.locator(field)).to_be_focused()
    assert page.locator("#form .field").count() == count
    assert page.locator("#form option").count() == options
    kept = page.locator("#form .lab").all_inner_texts()
    assert [label.split("\n")[0] for label in kept] == [label.split("\n")[0] for label in labels]


def test_a_list_that_is_sent_empty_keeps_its_choice(page: Page) -> None:
    page.goto("/fr/inference")
    page.locator("#id_sku").select_option("GPU-TITAN")
    expect(page.locator(".lead")).to_contain_text("GPU-TITAN")
    expect(page.locator("#id_sku")).to_have_value("GPU-TITAN")
    page.locator("#id_conc").fill("4")
    expect(page).to_have_url(re.compile("conc=4&"))
    expect(page.locator("#id_sku")).to_have_value("GPU-TITAN")
    assert "sku=GPU-TITAN" in page.url


def test_an_error_in_a_field_that_is_left_out_goes_once_it_is_right(page: Page) -> None:
    page.goto("/fr/inference")
    field = page.locator("#id_in")
    field.fill("patates")
    expect(page.locator("#id_in-e")).to_contain_text("patates")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("512")
    expect(page.locator("#id_in-e")).to_be_empty()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".eyebrow")).to_contain_text("512")


def test_an_empty_field_shows_the_new_value_that_stands_for_it(page: Page) -> None:
    page.goto("/fr/inference?model=Llama-3-70B&sku=GPU-TITAN&count=4")
    expect(page.locator("#id_tp")).to_have_attribute("placeholder", "2")
    page.locator("#id_count").fill("1")
    expect(page.locator("#id_tp")).to_have_attribute("placeholder", "1")


def test_the_configuration_opens_in_place_and_leaves_with_the_next_answer(page: Page) -> None:
    page.goto("/fr/inference")
    page.locator("#id_conc").fill("4")
    expect(page).to_have_url(re.compile("conc=4&"))
    link = page.locator("#s-deploy a")
    link.click()
    expect(page.locator("#s-deploy pre").first).to_be_visible()
    assert "/inference?" in page.url
    page.locator("#id_conc").fill("8")
    expect(page).to_have_url(re.compile("conc=8&"))
    expect(page.locator("#s-deploy pre")).to_have_count(0)
    expect(link).to_be_visible()
