"""The charts of an answer as a saved estimate keeps them: drawn again from what they were, never from new data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from calculator.presenters.headline import plain

SHAPES: Mapping[str, str] = {"latency": "bars", "memory": "short"}
"""Names of a page's charts that are not as high as the others, with their CSS class."""


@dataclass(frozen=True, slots=True)
class SavedChart:
    """A figure under the sentence that it proved when it was saved."""

    title: str
    subtitle: str
    figure: Mapping[str, Any]
    shape: str = ""


def of_page(page: Any) -> list[dict[str, Any]]:
    """Every chart of a calculator's page, in the page's order, as JSON holds it."""
    return [
        {
            "name": name,
            "title": plain(str(drawn.title)),
            "subtitle": plain(str(getattr(drawn, "subtitle", ""))),
            "figure": drawn.figure,
            "shape": SHAPES.get(name, ""),
        }
        for name, drawn in drawings(page)
    ]


def drawings(page: Any) -> Iterator[tuple[str, Any]]:
    """What of a page is a figure with its title."""
    for field in fields(page):
        value = getattr(page, field.name)
        if hasattr(value, "figure") and hasattr(value, "title"):
            yield field.name, value


def kept(document: Mapping[str, Any]) -> tuple[SavedChart, ...]:
    """The charts of a saved document; none where it was saved before charts were kept."""
    return tuple(
        SavedChart(item["title"], item["subtitle"], item["figure"], item["shape"])
        for item in document.get("charts", ())
    )
