"""Charts as drawn: names beside their lines on a phone too, thousands grouped whatever the axis."""

import json

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PHONE

NAMES_AND_PLOT = """() => {
    const area = document.querySelector("#plot")._fullLayout._size;
    const right = document.querySelector("#plot").getBoundingClientRect().left + area.l + area.w;
    const notes = document.querySelector("#plot")._fullLayout.annotations;
    return notes.map((note, i) => {
        const box = document.querySelector(`#plot .annotation[data-index="${i}"]`).getBoundingClientRect();
        return { text: note.text, role: note.name,
                 isEnd: note.xanchor === "left" && note.name !== "ink" && !note.yref.includes("paper"),
                 left: box.left - right, end: box.right - innerWidth };
    });
}"""


def drawn(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#plot").scroll_into_view_if_needed()
    page.wait_for_selector("#plot .annotation")


def test_on_a_phone_the_name_of_a_line_stands_beside_the_plot(page: Page, site: str) -> None:
    page.set_viewport_size(PHONE)
    for volume in (10_000_000, 100_000_000, 300_000_000):
        drawn(page, f"{site}/fr/economics?v=1&volume={volume}")
        notes = page.evaluate(NAMES_AND_PLOT)
        names = [note for note in notes if note["isEnd"]]
        assert len(names) >= 3
        assert all(note["left"] > 0 and note["end"] <= 0 for note in names), names
        crossings = [note for note in notes if note["role"] == "ink" and "<br>" in note["text"]]
        assert crossings and all(note["left"] < 0 and note["end"] <= 0 for note in crossings), crossings
        own = next(note for note in notes if "votre volume" in note["text"])
        assert own["end"] <= 0


@pytest.mark.parametrize(("language", "written"), [("fr", "4\u202f000"), ("en", "4,000")])
def test_thousands_are_grouped_without_being_asked_for(page: Page, site: str, language: str, written: str) -> None:
    drawn(page, f"{site}/{language}/economics?v=1&volume=100000000")
    figure = json.loads(page.locator("#plot-data").inner_text())
    del figure["layout"]["yaxis"]["tickformat"]
    page.evaluate(
        """(text) => { document.querySelector("#plot-data").textContent = text;
                       document.dispatchEvent(new CustomEvent("themechange")); }""",
        json.dumps(figure),
    )
    page.wait_for_function("() => !document.querySelector('#plot')._fullLayout.yaxis.tickformat")
    ticks = page.evaluate("() => [...document.querySelectorAll('#plot .ytick')].map((one) => one.textContent)")
    assert written in ticks
