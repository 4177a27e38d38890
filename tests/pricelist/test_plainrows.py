"""Rows of a worksheet taken whole say what the same rows say tag by tag; nothing that is no row is taken for one."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.pricelist import plainrows, workbook
from calculator.pricelist.contract import PriceFileError
from calculator.pricelist.table import Cell, Problems
from tests.pricelist.filefactory import repacked, xlsx

SHEET = "xl/worksheets/sheet1.xml"
EMPTY = xlsx([["a", "b"]])
SPACE = b' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
HEAD = b'<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'
ONE = b'<row r="2"><c r="A2" t="inlineStr"><is><t>x</t></is></c><c r="B2"><v>1.5</v></c></row>'
Rows = list[tuple[int, list[Cell]]]


def rows_of(content: bytes) -> Rows:
    table = workbook.table(content)
    return [(row.line_no, row.cells) for row in table.rows(Problems())]


def sheet(body: bytes, before: bytes = b"") -> bytes:
    xml = before + b"<worksheet" + SPACE + b"><sheetData>" + HEAD + body + b"</sheetData></worksheet>"
    return repacked(EMPTY, {SHEET: xml})


def tag_by_tag(content: bytes, monkeypatch: pytest.MonkeyPatch) -> Rows:
    with monkeypatch.context() as patched:
        patched.setattr(plainrows.Splitter, "hides", lambda self, block: True)
        return rows_of(content)


def taken(xml: bytes) -> list[int]:
    return [piece.number for piece in plainrows.Splitter().pieces(xml) if piece.number]


def test_a_row_of_texts_and_numbers_is_taken_whole() -> None:
    assert taken(HEAD + ONE) == [1, 2]
    assert rows_of(sheet(ONE)) == [(2, ["x", Decimal("1.5")])]


@pytest.mark.parametrize(
    "row",
    [
        b'<row r="2"><c r="A2" t="inlineStr"><is><t>R&amp;D</t></is></c></row>',
        b'<row r="2"><c r="A2" t="inlineStr"><is><r><t>two</t></r><r><t> runs</t></r></is></c></row>',
        b'<row r="2"><c r="A2"><f>1+1</f><v>2</v></c></row>',
        b'<row r="2"><c r="A2" t="b"><v>1</v></c></row>',
        b'<row r="2"><c r="A2" t="inlineStr"><v>7</v></c></row>',
        b'<row r="2"><c t="inlineStr"><is><t>no reference</t></is></c></row>',
        b'<row><c r="A2" t="inlineStr"><is><t>no number</t></is></c></row>',
        b'<row r="2"><c r="A2" t="inlineStr"><is><t>two\r\nlines</t></is></c></row>',
    ],
)
def test_a_row_in_any_other_form_is_read_tag_by_tag(row: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    after = b'<row r="3"><c r="B3"><v>9</v></c></row>'
    assert taken(row + after) == [3]
    content = sheet(row + after)
    assert rows_of(content) == tag_by_tag(content, monkeypatch)
    assert [number for number, _cells in rows_of(content)] == [2, 3]


@pytest.mark.parametrize(
    "hidden",
    [b"<!--" + ONE + b"-->", b"<?note " + ONE + b"?>"],
)
def test_a_row_inside_a_comment_or_an_instruction_is_no_row(hidden: bytes) -> None:
    assert rows_of(sheet(hidden + ONE.replace(b"2", b"3"))) == [(3, ["x", Decimal("1.5")])]


def test_a_comment_that_begins_at_the_end_of_a_block_is_seen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    content = sheet(b"<!--" + ONE + b"-->" + ONE.replace(b"2", b"3"))
    for size in range(3, 60):
        monkeypatch.setattr(workbook, "BLOCK_BYTES", size)
        assert rows_of(content) == [(3, ["x", Decimal("1.5")])]


def test_rows_cut_by_blocks_are_read_once_and_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"".join(written(no, ["x", Decimal("1.5")]) for no in range(2, 30))
    whole = rows_of(sheet(body))
    for size in (50, 128, 200, 1000):
        monkeypatch.setattr(workbook, "BLOCK_BYTES", size)
        assert rows_of(sheet(body)) == whole
    assert [number for number, _cells in whole] == list(range(2, 30))


@pytest.mark.parametrize("encoding", [b'encoding="iso-8859-1"', b"encoding='windows-1252'"])
def test_a_sheet_in_another_encoding_is_read_as_its_declaration_says(encoding: bytes) -> None:
    row = ONE.replace(b"x", b"D\xe9di\xe9e")
    assert rows_of(sheet(row, b'<?xml version="1.0" ' + encoding + b"?>"))[0][1][0] == "Dédiée"


def test_bytes_that_are_no_text_are_a_broken_workbook() -> None:
    with pytest.raises(PriceFileError, match="workbook_broken"):
        rows_of(sheet(ONE.replace(b"x", b"\x80\x81")))


def test_a_shared_text_that_is_not_there_is_a_broken_workbook() -> None:
    with pytest.raises(PriceFileError, match="workbook_broken"):
        rows_of(sheet(b'<row r="2"><c r="A2" t="s"><v>99</v></c></row>'))


def test_a_row_beyond_the_last_one_is_a_broken_workbook() -> None:
    with pytest.raises(PriceFileError, match="workbook_broken"):
        rows_of(sheet(ONE.replace(b'row r="2"', b'row r="2000000"')))


TEXTS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x2FFF, exclude_characters="<&"), max_size=12)
CELLS = st.lists(st.one_of(st.none(), TEXTS, st.decimals(-(10**6), 10**6, places=3)), min_size=1, max_size=4)


def written(number: int, cells: list[object]) -> bytes:
    found = []
    for place, value in enumerate(cells):
        name = f"{'ABCD'[place]}{number}"
        if value is None:
            found.append(f'<c r="{name}" s="0"/>')
        elif isinstance(value, Decimal):
            found.append(f'<c r="{name}" t="n"><v>{value}</v></c>')
        else:
            found.append(f'<c r="{name}" t="inlineStr"><is><t>{value}</t></is></c>')
    return f'<row r="{number}" spans="1:4">{"".join(found)}</row>'.encode()


@given(st.lists(CELLS, max_size=5))
def test_both_ways_of_reading_say_the_same_of_any_sheet(table: list[list[object]]) -> None:
    content = sheet(b"".join(written(number, cells) for number, cells in enumerate(table, start=2)))
    with pytest.MonkeyPatch.context() as patched:
        assert rows_of(content) == tag_by_tag(content, patched)
