"""Rows of a worksheet in the form in which nearly every program writes them, taken whole instead of tag by tag.

A large sheet is read in half the time. A row in any other form, and everything between rows, goes through the XML
parser as ever; so does the whole rest of a sheet in which something may hide a row: a comment, a section of characters
or an instruction.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

HIDING = (b"<!", b"<?")
XML_NAME = b"<?xml"
UTF8_NAMES = re.compile(rb"""<\?xml(?![^>]* encoding=)|<\?xml[^>]* encoding=["'](?i:utf-8)["']""")
TEXT = rb"[^<&\x00-\x1f\xef]{1,32000}"
"""Characters without entities to expand or line ends to fold; those that XML forbids are left to its parser."""
ATTRIBUTES = rb'(?: [A-Za-z0-9:]{1,20}="[^"<>&]{0,60}")*+'
CELL = (
    rb'<c r="([A-Z]{1,3})[0-9]{1,7}"(?: s="([0-9]{1,5})")?+'
    rb'(?:(?: t="(n|s)")?+(?:/>| />|><v>([0-9.eE+-]{1,40})</v></c>)'
    rb'| t="inlineStr"><is><t(?: xml:space="preserve")?+>(' + TEXT + rb")</t></is></c>)"
)
CELL_UNGROUPED = re.sub(rb"(?<!\\)\((?!\?)", b"(?:", CELL)
ROW = re.compile(rb'<row r="([0-9]{1,7})"' + ATTRIBUTES + rb">((?:" + CELL_UNGROUPED + rb")++)</row>")
CELLS = re.compile(CELL.decode())


class Plain(NamedTuple):
    """A piece of the sheet's XML: what comes before a plain row, then the number and the cells of that row.

    `number` is 0 behind the last plain row. A cell is column, style, type, number and text, each "" where it has none.
    """

    before: bytes
    number: int
    cells: list[tuple[str, str, str, str, str]]


class Splitter:
    """Cuts the blocks of one sheet into plain rows and the rest."""

    def __init__(self) -> None:
        self.is_first, self.may_hide, self.tail = True, False, b""

    def pieces(self, block: bytes) -> Iterator[Plain]:
        """The block in its order; all of it as one piece where something may hide a row. ValueError: no UTF-8."""
        if self.hides(block):
            yield Plain(block, 0, [])
            return
        end = 0
        for row in ROW.finditer(block):
            yield Plain(block[end : row.start()], int(row[1]), CELLS.findall(row[2].decode()))
            end = row.end()
        yield Plain(block[end:], 0, [])

    def hides(self, block: bytes) -> bool:
        """Whether rows may lie in what is none, in this block or since an earlier one."""
        body = self.tail + block
        if self.is_first and block:
            self.is_first = False
            if block.startswith(XML_NAME):
                self.may_hide = UTF8_NAMES.match(block) is None
                body = block[len(XML_NAME) :]
        self.may_hide = self.may_hide or any(sign in body for sign in HIDING)
        self.tail = block[-1:]
        return self.may_hide
