"""The pages around the calculators in Chromium: accessible, never wider than the screen, without third parties,
and whole without JavaScript."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import axe

PAGES = [
    "",
    "?volume=abc&sku=GPU-TITAN",
    "skus/?sort=-per_gb",
    "gpus/?sort=memory",
    "prices/?mode=batch&retired=1",
    "prices/api/gpt-5.4/?on=2026-11-30",
    "prices/sku/GPU-SUPERCOMPUTE/?on=nothing",
    "prices/sku/GPU-PROO/",
    "methodology/",
    "accuracy/?metric=tpot",
    "training",
    "api-docs/",
    "api-docs/api/claude-sonnet-4-6/",
    "api-docs/sku/GPU-PRO/",
]


@pytest.mark.parametrize(("language", "scheme"), [("fr", "light"), ("en", "dark")])
def test_no_page_breaks_an_accessibility_rule(chromium: Browser, site: str, language: str, scheme: Any) -> None:
    page = chromium.new_context(color_scheme=scheme).new_page()
    for path in PAGES:
        page.goto(f"{site}/{language}/{path}")
        assert axe.violations(page) == [], path
    page.context.close()


@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_page_is_wider_than_the_screen(chromium: Browser, site: str, language: str) -> None:
    page = chromium.new_page()
    for path in PAGES:
        page.goto(f"{site}/{language}/{path}")
        for width in (320, 390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{path} at {width}"
    page.context.close()


def test_pages_ask_nobody_else_and_break_no_policy(chromium: Browser, site: str) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path in PAGES:
        page.goto(f"{site}/fr/{path}", wait_until="networkidle")
    assert [url for url in asked if not url.startswith((site, "data:"))] == []
    assert [text for text in complaints if "404" not in text] == []
    page.context.close()


def test_the_dashboard_and_the_tables_work_without_javascript(chromium: Browser, site: str) -> None:
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}/fr/")
    page.get_by_label("Volume de sortie").fill("300 M")
    page.get_by_label("Face à", exact=True).select_option("claude-sonnet-4-6")
    page.get_by_role("button", name="Comparer").click()
    assert "2 491,92" in page.locator(".ask-a").inner_text().replace("\u202f", " ")
    page.goto(f"{site}/fr/skus/")
    page.get_by_role("link", name="€ / h / Go").click()
    assert page.locator("th[aria-sort=ascending]").count() == 1
    page.get_by_role("link", name="€ / h / Go").click()
    assert page.locator("tbody tr").first.inner_text().startswith("GPU-ENTERPRISE")
    page.context.close()


def test_a_day_is_looked_up_and_the_other_language_keeps_it(chromium: Browser, site: str) -> None:
    page = chromium.new_page()
    page.goto(f"{site}/fr/prices/sku/GPU-PRO/")
    page.get_by_label("Prix un jour donné").fill("2026-12-01")
    page.get_by_role("button", name="Chercher").click()
    assert "Au 01/12/2026" in page.locator("#h-day").inner_text()
    page.get_by_role("link", name="EN, English").click()
    assert "On 1 Dec 2026" in page.locator("#h-day").inner_text()
    page.context.close()


def test_every_part_of_a_table_page_is_reached_by_keyboard(chromium: Browser, site: str) -> None:
    page = chromium.new_page()
    page.goto(f"{site}/fr/skus/")
    reached = set()
    for _step in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className + '|' + document.activeElement.tagName"))
    assert {"scroll sec|DIV", "sort|A", "link|A"} <= reached
    page.context.close()
