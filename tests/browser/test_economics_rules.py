"""Rules of every page, held on the economics page in each language and theme: access, policy, theme, chart."""

import json

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import axe

ECONOMICS = "/fr/economics"
STATES = {
    "answer": "",
    "on request": "?sku=GPU-SUPERCOMPUTE&basis=hour",
    "errors": "?form=1&v=1&volume=beaucoup&util=400",
    "prompts": "?in=2000&out=500&ops=120",
    "hours used": "?sku=GPU-TITAN&basis=hour&rental=hours_used&mode=batch",
}


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_language_and_theme(page: Page, language: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(f"/{language}/economics")
    show_chart(page)
    assert axe.violations(page) == []


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_any_state(page: Page, state: str) -> None:
    page.goto(ECONOMICS + STATES[state])
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert axe.violations(page) == []


def show_chart(page: Page) -> None:
    page.locator("[data-chart]").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] .main-svg").first).to_be_visible(timeout=20_000)


def gpu_colour(page: Page) -> str:
    """The stroke of the GPU's line: the thickest one drawn."""
    return str(
        page.evaluate(
            """() => [...document.querySelectorAll("[data-chart] path.js-line")]
                 .find((line) => line.style.strokeWidth === "2.5px").style.stroke"""
        )
    )


def test_the_theme_switch_recolours_page_and_chart(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(ECONOMICS)
    show_chart(page)
    assert gpu_colour(page) == "rgb(10, 98, 168)"
    page.locator("#theme-dark").check(force=True)
    expect(page.locator("body")).to_have_css("background-color", "rgb(18, 21, 25)")
    expect(page.locator("[data-chart] path.js-line[style*='rgb(98, 181, 245)']")).to_have_count(1)
    assert gpu_colour(page) == "rgb(98, 181, 245)"


def test_the_chosen_theme_is_there_at_the_first_paint_of_the_next_page(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(ECONOMICS)
    page.locator("#theme-dark").check(force=True)
    page.goto(ECONOMICS, wait_until="commit")
    expect(page.locator("body")).to_have_css("background-color", "rgb(18, 21, 25)")
    expect(page.locator("#theme-dark")).to_be_checked()


def test_the_chart_follows_the_result(page: Page) -> None:
    page.goto(ECONOMICS)
    show_chart(page)
    expect(page.locator("[data-chart]")).to_contain_text("votre volume\u00a0: 100\u00a0M")
    page.locator("#id_volume").fill("300 M")
    expect(page.locator("[data-chart]")).to_contain_text("votre volume\u00a0: 300\u00a0M")


def test_the_chart_separates_thousands_as_the_language_does(page: Page) -> None:
    for language, text in (("fr", "4\u202f000"), ("en", "4,000")):
        page.goto(f"/{language}/economics")
        show_chart(page)
        assert text in page.locator("[data-chart] .ytick").all_text_contents()


def test_the_chart_is_hidden_from_readers_who_get_the_table(page: Page) -> None:
    page.goto(ECONOMICS)
    show_chart(page)
    assert page.locator("[data-chart]").get_attribute("aria-hidden") == "true"
    assert page.locator("[data-chart] :focus-visible, [data-chart] [tabindex='0'], [data-chart] a").count() == 0
    assert page.locator("#d-chart tbody tr").count() >= 3


def test_title_table_chart_and_json_say_the_same(page: Page) -> None:
    page.goto(ECONOMICS)
    figure = json.loads(page.locator("#plot-data").inner_text())
    gpu = next(trace for trace in figure["data"] if trace["meta"]["role"] == "gpu")
    dots = next(trace for trace in figure["data"] if trace["meta"]["role"] == "dot")
    assert gpu["y"][0] == 830.64
    assert dots["x"][0] == pytest.approx(61.866, abs=0.001)
    expect(page.locator("#h-be")).to_contain_text("61,9\u00a0M")
    href = page.get_by_role("link", name="JSON").get_attribute("href")
    answer = page.request.get(href or "").text()
    assert "830.64" in answer and "8.3064" in answer and "7.7034" in answer and "10.8" in answer and "10.016" in answer


def test_nothing_on_the_page_breaches_the_content_policy(page: Page) -> None:
    page.goto(ECONOMICS)
    show_chart(page)
    page.locator("#id_volume").fill("300 M")
    expect(page.locator(".lead")).to_contain_text("2\u202f491,92")
    assert page.evaluate("window.breaches") == []


def test_targets_are_large_enough_to_hit(phone: Page) -> None:
    phone.goto(ECONOMICS)
    small = phone.evaluate(
        """() => [...document.querySelectorAll("a.btn, a.chip, button.btn, .box, .seg label, summary, .check")]
             .filter((item) => item.offsetParent && item.getBoundingClientRect().height < 24)
             .map((item) => item.outerHTML.slice(0, 80))"""
    )
    assert small == []


def test_reduced_motion_stops_the_transitions(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, reduced_motion="reduce")
    page = context.new_page()
    page.goto(ECONOMICS)
    assert page.locator(".chip").first.evaluate("chip => getComputedStyle(chip).transitionDuration") == "0s"
    context.close()
