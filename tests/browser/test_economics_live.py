"""The live result: it follows the typing, never shows an old answer as new, and says when it cannot follow."""

import contextlib
import re
import time
from collections.abc import Callable

from playwright.sync_api import Error, Page, Request, Route, expect

ECONOMICS = "/fr/economics"
# 830.64 € ÷ 50 M = 16.6128 €; 3 × 830.64 = 2 491.92 € carry 300 M; 830.64 ÷ 100 M = 8.3064 €.
AT_50M, AT_100M, AT_300M = "16,61", "8,31", "2\u202f491,92"


def opened(page: Page) -> Page:
    page.goto(ECONOMICS)
    expect(page.locator(".lead")).to_contain_text("830,64")
    return page


def test_typing_changes_the_number_without_submit_and_keeps_the_focus(page: Page) -> None:
    opened(page)
    field = page.locator("#id_volume")
    field.fill("300 M")
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    expect(field).to_be_focused()
    assert field.input_value() == "300 M"


def test_the_caret_stays_where_it_is(page: Page) -> None:
    opened(page)
    field = page.locator("#id_volume")
    field.fill("100 M")
    field.press("Home")
    field.press("Delete")
    field.type("3")
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    assert field.evaluate("input => input.selectionStart") == 1


def test_a_choice_changes_the_result_too(page: Page) -> None:
    opened(page)
    page.get_by_label("À l’heure").check(force=True)
    expect(page.locator(".lead")).to_contain_text("1\u202f080,00")
    expect(page.locator(".stats")).to_contain_text("10,80")
    expect(page.locator(".stats")).to_contain_text("10,02")


def eventually(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Asked again until it holds: the page's policy forbids the browser-side way of waiting."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"


def delayed(wanted: str, release: list[Route]) -> Callable[[Route, Request], None]:
    """Holds back the answers to requests that carry `wanted`."""

    def handle(route: Route, request: Request) -> None:
        if wanted in request.url:
            release.append(route)
        else:
            route.continue_()

    return handle


def release(held: list[Route]) -> None:
    """Lets the held answers go; a request that the page has given up can no longer be answered."""
    for route in held:
        with contextlib.suppress(Error):
            route.continue_()


def test_a_slow_answer_never_replaces_a_newer_one(page: Page) -> None:
    opened(page)
    held: list[Route] = []
    page.route("**/fr/economics?*", delayed("volume=50", held))
    field = page.locator("#id_volume")
    with page.expect_request(re.compile("volume=50")):
        field.fill("50 M")
    field.fill("300 M")
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    release(held)
    page.wait_for_load_state("networkidle")
    expect(page.locator(".lead")).to_contain_text(AT_300M)


def test_typing_replaces_the_address_and_the_button_adds_one(page: Page) -> None:
    opened(page)
    before = page.evaluate("history.length")
    for text in ("50 M", "60 M", "300 M"):
        page.locator("#id_volume").fill(text)
        expect(page).to_have_url(re.compile(f"volume={text[:-2]}000000"))
    assert page.evaluate("history.length") == before
    page.get_by_role("button", name="Calculer").click()
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    eventually(lambda: page.evaluate("history.length") == before + 1)


def test_back_and_forward_show_whole_pages_with_their_own_numbers(page: Page) -> None:
    opened(page)
    page.get_by_role("link", name="Production 300 M").click()
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    page.wait_for_url(re.compile("volume=300000000"))
    page.get_by_role("link", name="Équipe 50 M").click()
    expect(page.locator(".stats")).to_contain_text(AT_50M)
    page.wait_for_url(re.compile("volume=50000000"))
    page.go_back()
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    page.go_back()
    expect(page.locator(".stats")).to_contain_text(AT_100M)
    expect(page.locator("header.top")).to_be_visible()
    page.go_forward()
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    expect(page.locator("header.top")).to_be_visible()


def test_reload_and_reopen_give_the_same_page(page: Page) -> None:
    opened(page)
    page.locator("#id_volume").fill("300 M")
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    expect(page).to_have_url(re.compile("volume=300000000"))
    sentence = page.locator(".lead").inner_text()
    page.reload()
    assert page.locator(".lead").inner_text() == sentence
    page.goto(page.url)
    assert page.locator(".lead").inner_text() == sentence


def test_an_unreadable_entry_is_named_beside_its_field_and_the_old_result_stays_dimmed(page: Page) -> None:
    opened(page)
    page.locator("#id_util").fill("12 patates")
    expect(page.locator("#id_util-e")).to_contain_text("patates")
    expect(page.locator("#id_util")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#problems")).to_contain_text("1 champ à corriger")
    expect(page.locator(".lead")).to_contain_text("830,64")
    expect(page.locator("#answer")).to_have_css("opacity", "0.78")
    page.locator("#id_util").fill("65")
    expect(page.locator("#problems .notice")).to_have_count(0)
    expect(page.locator("#id_util-e")).to_be_empty()
    expect(page.locator("#answer")).to_have_css("opacity", "1")


def test_a_server_that_does_not_answer_is_said_and_the_old_result_marked(page: Page) -> None:
    opened(page)
    page.route("**/fr/economics?*", lambda route: route.abort())
    page.locator("#id_volume").fill("300 M")
    expect(page.locator("#late")).to_be_visible()
    expect(page.locator("#late")).to_contain_text("Résultat non mis à jour")
    expect(page.locator("#answer")).to_have_class(re.compile("stale"))
    expect(page.locator(".lead")).to_contain_text("830,64")
    page.unroute("**/fr/economics?*")
    page.get_by_role("button", name="Réessayer").click()
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    expect(page.locator("#late")).to_be_hidden()


def test_an_error_of_the_server_never_lands_in_the_page(page: Page) -> None:
    opened(page)
    page.route("**/fr/economics?*", lambda route: route.fulfill(status=500, body="<h1>boom</h1>"))
    page.locator("#id_volume").fill("300 M")
    expect(page.locator("#late")).to_be_visible()
    assert "boom" not in page.content()


def test_the_status_region_says_one_sentence_after_the_typing(page: Page) -> None:
    opened(page)
    expect(page.locator("#status")).to_be_empty()
    page.locator("#id_volume").fill("300 M")
    expect(page.locator("#status")).to_contain_text(AT_300M)
    assert page.locator("#status").inner_text().count(".") == 1
    assert page.locator("[aria-live], [role=status]").count() == 1


def test_an_opened_formula_stays_open_over_an_update(page: Page) -> None:
    opened(page)
    page.locator("#f-capacity > summary").click()
    page.locator("#id_volume").fill("300 M")
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    assert page.locator("#f-capacity").get_attribute("open") is not None


def test_the_region_is_busy_while_it_waits(page: Page) -> None:
    opened(page)
    held: list[Route] = []
    page.route("**/fr/economics?*", delayed("volume=300", held))
    page.locator("#id_volume").fill("300 M")
    expect(page.locator("#result")).to_have_attribute("aria-busy", "true")
    eventually(lambda: page.evaluate("1") == 1 and bool(held))
    release(held)
    expect(page.locator(".lead")).to_contain_text(AT_300M)
    expect(page.locator("#result")).not_to_have_attribute("aria-busy", "true")
