"""The Accuracy page in a browser: the chart when it nears the view, other metrics without a script, both themes."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

POINTS = "#plot .scatterlayer .points path.point"


def test_the_chart_is_drawn_when_it_nears_the_view_with_a_point_a_row(page: Page) -> None:
    page.goto("/fr/accuracy/?metric=allreduce")
    page.locator("#plot").scroll_into_view_if_needed()
    # 101 measurements that the fit has seen, 49 that it has not.
    expect(page.locator(POINTS)).to_have_count(150)


def test_a_link_shows_another_metric_and_stays_at_the_chart(page: Page) -> None:
    page.goto("/fr/accuracy/")
    page.get_by_role("navigation", name="Grandeur").get_by_role("link", name="Mémoire").click()
    expect(page).to_have_url("/fr/accuracy/?metric=memory#h-chart")
    expect(page.get_by_role("heading", name="Mémoire occupée par GPU")).to_be_in_viewport()


def test_the_other_language_keeps_the_metric(page: Page) -> None:
    page.goto("/fr/accuracy/?metric=training")
    page.get_by_role("link", name="EN, English").click()
    expect(page.get_by_role("heading", name="Training, per GPU")).to_be_visible()


def test_a_change_of_theme_redraws_the_points(page: Page) -> None:
    page.goto("/fr/accuracy/?metric=allreduce")
    page.locator("#plot").scroll_into_view_if_needed()
    point = page.locator(POINTS).first
    expect(point).to_be_attached()
    light = point.evaluate("node => getComputedStyle(node).fill")
    page.get_by_role("radio", name="Sombre").check(force=True)
    page.wait_for_function(
        "([path, was]) => getComputedStyle(document.querySelector(path)).fill !== was", arg=[POINTS, light]
    )


def test_everything_but_the_drawing_is_there_without_scripts(chromium: Browser, site: str) -> None:
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.goto("/fr/accuracy/?metric=ttft")
    page.get_by_text("Données du graphique").click()
    expect(page.locator("#d-chart tbody tr").first).to_be_visible()
    page.get_by_role("navigation", name="Grandeur").get_by_role("link", name="All-reduce").click()
    expect(page.get_by_role("heading", name="All-reduce, messages d’au moins 1 Mio")).to_be_visible()
    context.close()


def test_all_rows_are_downloaded_as_a_file(page: Page) -> None:
    page.goto("/en/accuracy/")
    with page.expect_download() as download:
        page.get_by_role("link", name="All rows (CSV)").click()
    assert download.value.suggested_filename == "accuracy.csv"


def test_a_phone_scrolls_tables_and_not_the_page(phone: Page) -> None:
    phone.goto("/fr/accuracy/?metric=ttft")
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(phone.locator("#plot")).to_be_attached()


@pytest.fixture
def paper(chromium: Browser, site: str) -> Iterator[Page]:
    """A page on paper whose charts were never drawn: the browser's own print command waits for none."""
    context = chromium.new_context(base_url=site, java_script_enabled=False, locale="fr-FR")
    page = context.new_page()
    page.emulate_media(media="print")
    yield page
    context.close()


@pytest.mark.parametrize("path", ["accuracy/?metric=allreduce", "economics"])
def test_a_chart_that_was_never_drawn_prints_its_table(paper: Page, path: str) -> None:
    paper.goto(f"/fr/{path}")
    expect(paper.locator(".fig")).to_be_hidden()
    expect(paper.locator("#d-chart table")).to_be_visible()


@pytest.mark.parametrize("path", ["training", "parallelism", "inference", "tokens"])
def test_no_chart_prints_as_a_blank(paper: Page, path: str) -> None:
    paper.goto(f"/fr/{path}")
    expect(paper.locator(".fig").first).to_be_attached()
    expect(paper.locator(".fig:visible")).to_have_count(0)
    expect(paper.locator("table:visible").first).to_be_visible()


def test_a_drawn_chart_is_printed_and_its_table_is_not(page: Page) -> None:
    page.goto("/fr/accuracy/?metric=allreduce")
    page.locator("#plot").scroll_into_view_if_needed()
    expect(page.locator(POINTS).first).to_be_attached()
    page.emulate_media(media="print")
    expect(page.locator("#plot")).to_be_visible()
    expect(page.locator("#d-chart")).to_be_hidden()
