"""The five cases of the offer, from the need to a sent quote by keyboard alone, and one quote on paper, in both
languages: the very numbers that the interface gives."""

import io
import json
import re
import time
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.utils.translation import override
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from calculator.presenters.values import shown
from tests.browser.conftest import DESKTOP, Watch
from tests.browser.test_quotes import PROMISED_S, WORDS, SignedIn, follow, reach, signed_in, site

__all__ = ["signed_in", "site"]
# As the advisor titles them, after its own first case.
CASES = {
    "fr": ("2 M de documents juridiques", "Affiner sur 12 000 tickets", "Encodeur de 2,7 Md",
           "Assistant, premier token en 100 ms", "100 M de tokens par mois"),
    "en": ("2M legal documents", "Fine-tune on 12,000 tickets", "2.7B encoder",
           "Assistant, first token in 100 ms", "100M tokens a month"),
}  # fmt: skip
PLACES = range(len(CASES["fr"]))


def sent(page: Page, said: dict[str, str]) -> str:
    """From the option to the sent quote: the first that can be quoted; an old exchange rate is ticked where asked."""
    follow(page, "link", said["make"])
    reach(page, "textbox", said["client"])
    page.keyboard.type("Ateliers Durand")
    follow(page, "button", said["draft"])
    expect(page.get_by_role("button", name=said["send"])).to_be_visible()
    if page.get_by_role("checkbox", name=said["rate"]).count():
        reach(page, "checkbox", said["rate"])
        page.keyboard.press("Space")
    follow(page, "button", said["send"])
    expect(page.get_by_role("region", name=said["link"])).to_be_focused()
    return page.locator(".quote-link a").get_attribute("href") or ""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("language", ["fr", "en"])
def test_each_case_of_the_offer_goes_from_need_to_sent_quote_by_keyboard(
    signed_in: SignedIn, chromium: Browser, watch: Watch, language: str, place: int
) -> None:
    page, said = signed_in("alice", f"/{language}/advice/"), WORDS[language]
    began = time.monotonic()
    follow(page, "link", CASES[language][place])
    expect(page.locator("nav[aria-labelledby=cases] a[aria-current]")).to_have_count(1)
    link = sent(page, said)
    assert time.monotonic() - began < PROMISED_S

    quote = page.locator(".quote-d").inner_text()
    number = re.search(r"20\d\d-\d{4}", quote)
    assert number is not None
    context = watch.follow(chromium.new_context(viewport=DESKTOP, base_url=page.url))
    stranger = context.new_page()
    answer = stranger.goto(link)
    assert answer is not None and answer.status == 200
    assert stranger.locator(".quote-d").inner_text() == quote
    assert context.cookies() == []
    for path in (urlsplit(page.url).path, f"/{language}/quotes/"):
        stranger.goto(path)
        assert number[0] not in stranger.locator("main").inner_text()
    context.close()


@pytest.mark.parametrize("language", ["fr", "en"])
def test_paper_page_file_and_interface_give_one_set_of_numbers(signed_in: SignedIn, language: str) -> None:
    """Exact numbers are equal as decimals in file and interface; page and paper print them half-up, in the language of
    the quote. 100 M tokens on GPU-PRO by the month: 830.64 € HT, 166.13 € VAT, 996.77 € TTC."""
    page = signed_in("alice", f"/{language}/economics?v=1%26volume=100000000")
    sent(page, WORDS[language])
    href = page.get_by_role("link", name="JSON").first.get_attribute("href") or ""
    kept = json.loads(page.request.get(href).text())
    rows = {(row["section"], row["label"], str(row["value"])) for row in kept["estimate"]["rows"]}

    query = urlsplit(kept["estimate"]["permalink"]).query
    told = page.request.get(f"/api/v1/estimates/economics?{query}&lang={language}").json()
    assert {(row["section"], row["label"], str(row["value"])) for row in told["rows"]} == rows

    pdf = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    paper = without_blanks(" ".join(sheet.extract_text() for sheet in pdf.pages))
    screen = without_blanks(page.locator(".quote-d").text_content() or "")
    amounts = ("830,64", "166,13", "996,77") if language == "fr" else ("830.64", "166.13", "996.77")
    assert all(amount in paper and amount in screen for amount in amounts)
    with override(language):
        printed = [without_blanks(shown_row(row)) for row in told["rows"] if row["is_number"]]
    assert len(printed) > 50
    assert [text for text in printed if text not in screen] == []
    assert [text for text in printed if text not in paper] == []


def shown_row(row: dict[str, str]) -> str:
    """A row's number as the product prints it."""
    return shown(Decimal(row["value"]), row["unit"])


def without_blanks(text: str) -> str:
    return re.sub(r"\s", "", text)
