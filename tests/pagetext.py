"""What a reader sees of a page: its words in order, and its tables as rows of cells."""

import re
from html.parser import HTMLParser


def plain(text: str) -> str:
    """`text` with every run of blanks, no-break ones too, made one space."""
    return re.sub(r"[\s\u00a0\u202f]+", " ", text).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.in_cell = self.in_option = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        self.in_option |= tag == "option"
        if tag in {"td", "th"} and self.rows:
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.in_cell = False
        if tag == "option":
            self.in_option = False

    def handle_data(self, data: str) -> None:
        if not self.in_option:
            self.words.append(data)
        if self.in_cell:
            self.rows[-1][-1] += f" {data}"


def words(html: str) -> str:
    """The words of a page (those of its select lists left out)."""
    parser = _Words()
    parser.feed(html)
    return plain(" ".join(parser.words))


def rows(html: str) -> list[list[str]]:
    """Every table row of a page, its cells as plain text."""
    parser = _Words()
    parser.feed(html)
    return [[plain(cell) for cell in row] for row in parser.rows if row]


def row(html: str, start: str) -> list[str]:
    """The first row whose first cell begins with `start`."""
    return next(found for found in rows(html) if found[0].startswith(start))
