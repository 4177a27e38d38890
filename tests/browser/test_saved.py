"""A saved estimate in a browser: its charts are drawn from what was kept, and its files are at hand."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import axe


@pytest.mark.parametrize(("name", "charts"), [("inference", 4), ("parallelism", 2), ("tokens", 1)])
def test_a_saved_estimate_draws_its_charts_and_offers_its_files(page: Page, name: str, charts: int) -> None:
    page.goto(f"/fr/{name}")
    page.get_by_role("button", name="Enregistrer").first.click()
    expect(page.get_by_role("heading", name="Estimation enregistrée")).to_be_visible()
    expect(page.locator("[data-chart]")).to_have_count(charts)
    for number in range(1, charts + 1):
        box = page.locator(f"#plot-{number}")
        box.scroll_into_view_if_needed()
        expect(box.locator(".main-svg").first).to_be_visible()
    with page.expect_download() as told:
        page.get_by_role("link", name="CSV").click()
    assert told.value.suggested_filename.startswith(f"vmcloud-{name}-")
    assert axe.violations(page) == []
