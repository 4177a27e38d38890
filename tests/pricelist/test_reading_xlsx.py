"""The price cases about workbooks: values only, cells named, hostile files refused early."""

import datetime as dt
import io
import time
from decimal import Decimal

import pytest
from openpyxl import Workbook

from calculator.pricelist import limits
from calculator.pricelist.contract import FileFormat, Price, PriceFileError, Rate, Sheet
from calculator.pricelist.sheetxml import place_of, shortest
from calculator.pricelist.table import letters
from tests.pricelist.filefactory import amounts, errors, parsed, repacked, warnings, xlsx

HEADER = ("sku", "component", "amount", "currency", "unit")
ROW = ("GPU-PRO", "instance_hour", 1.5, "EUR", "instance_hour")
MAIN_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def refused(content: bytes, name: str = "prices.xlsx") -> str:
    with pytest.raises(PriceFileError) as found:
        parsed(content, name)
    return found.value.code


def sheet(rows: str) -> bytes:
    return f'<worksheet xmlns="{MAIN_NAMESPACE}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def with_sheet(xml: bytes) -> bytes:
    return repacked(xlsx([HEADER, ROW]), {"xl/worksheets/sheet1.xml": xml})


def header_row() -> str:
    cells = (f'<c r="{letters(place)}1" t="inlineStr"><is><t>{name}</t></is></c>' for place, name in enumerate(HEADER))
    return f'<row r="1">{"".join(cells)}</row>'


def price_row(number: int, amount: str = "<v>1.5</v>") -> str:
    texts = {"A": f"GPU-{number}", "B": "instance_hour", "D": "EUR", "E": "instance_hour"}
    cells = {name: f'<c r="{name}{number}" t="inlineStr"><is><t>{text}</t></is></c>' for name, text in texts.items()}
    cells["C"] = f'<c r="C{number}">{amount}</c>'
    return f'<row r="{number}">{"".join(cells[name] for name in "ABCDE")}</row>'


def test_a_workbook_is_read_by_what_it_is_not_by_its_name() -> None:
    found = parsed(xlsx([HEADER, ROW]), "prices.csv")
    assert (found.format, found.encoding, found.delimiter) == (FileFormat.XLSX, "", "")
    assert amounts(xlsx([HEADER, ROW])) == ["1.5"]


def test_p07_a_code_that_became_a_number_is_an_error_that_names_the_cell() -> None:
    found = parsed(xlsx([HEADER, ROW, (17, *ROW[1:])]))
    assert [(problem.line_no, problem.column, problem.code) for problem in found.errors] == [
        (3, "sku", "number_for_text")
    ]
    assert found.errors[0].values["cell"] == "A3"


def test_p07_a_code_that_became_a_day_is_an_error_too() -> None:
    assert errors(xlsx([HEADER, (dt.date(2026, 4, 2), *ROW[1:])])) == [(2, "sku", "number_for_text")]


def test_p08_a_number_is_its_shortest_decimal_text() -> None:
    assert amounts(xlsx([HEADER, (*ROW[:2], 1.4, *ROW[3:])])) == ["1.4"]
    assert amounts(with_sheet(sheet(header_row() + price_row(2, "<v>1.3999999999999999</v>")))) == ["1.4"]


@pytest.mark.parametrize(
    ("text", "right"), [("8.6999999999999993", "8.7"), ("17", "17"), ("1E-3", "0.001"), ("0.10000000000000001", "0.1")]
)
def test_p08_stored_numbers_lose_their_binary_tail(text: str, right: str) -> None:
    assert shortest(text) == Decimal(right)


def test_a_computed_tail_is_refused_rather_than_rounded() -> None:
    content = with_sheet(sheet(header_row() + price_row(2, "<v>0.30000000000000004</v>")))
    assert errors(content) == [(2, "amount", "too_many_decimals")]


def test_p09_a_million_formatted_blank_rows_cost_next_to_nothing() -> None:
    blank = "".join(
        f'<row r="{number}" spans="1:7"><c r="A{number}" s="1"/><c r="F{number}" s="1"/></row>'
        for number in range(5, 1_048_577)
    )
    content = with_sheet(sheet(header_row() + price_row(2) + price_row(3) + price_row(4) + blank))
    started = time.process_time()
    found = parsed(content)
    took = time.process_time() - started
    assert (found.errors, found.rows_count, len(found.lines)) == ((), 3, 3)
    assert took < 2


def test_p09_two_empty_header_columns_are_no_error_while_nothing_stands_under_them() -> None:
    assert amounts(xlsx([(*HEADER, None, None), (*ROW, None, None)])) == ["1.5"]
    assert errors(xlsx([(*HEADER, None, None), (*ROW, None, "?")])) == [(2, "", "too_many_cells")]
    assert errors(xlsx([(HEADER[0], None, *HEADER[1:]), (ROW[0], "?", *ROW[1:])])) == [(2, "", "cell_without_header")]


def test_blank_rows_between_keep_the_numbers_of_the_rows() -> None:
    content = with_sheet(sheet(f'{header_row()}<row r="2"><c r="A2" s="1"/></row><row r="3"/>{price_row(4)}'))
    assert [line.line_no for line in parsed(content).lines] == [4]


def test_a_formula_counts_with_the_value_stored_beside_it() -> None:
    assert amounts(with_sheet(sheet(header_row() + price_row(2, "<f>3/2</f><v>1.5</v>")))) == ["1.5"]


def test_a_formula_without_a_value_and_an_error_value_are_errors_that_name_the_cell() -> None:
    rows = header_row() + price_row(2, "<f>3/2</f>") + price_row(3).replace('<c r="C3">', '<c r="C3" t="e">')
    found = parsed(with_sheet(sheet(rows.replace("<v>1.5</v>", "<v>#REF!</v>"))))
    named = {(problem.code, problem.values.get("cell")) for problem in found.errors}
    assert {("formula_without_value", "C2"), ("cell_error", "C3")} <= named


def test_dates_are_read_as_days() -> None:
    row = (*ROW, dt.date(2026, 12, 1), dt.date(2026, 11, 30))
    found = parsed(xlsx([(*HEADER, "valid_from", "checked_on"), row]))
    price = found.lines[0].content
    assert isinstance(price, Price)
    assert price.valid_from == dt.datetime(2026, 11, 30, 23, tzinfo=dt.UTC)
    assert price.checked_on == dt.date(2026, 11, 30)


def test_a_time_of_day_without_a_zone_is_an_error() -> None:
    row = (*ROW, dt.datetime(2026, 12, 1, 8, 30))  # noqa: DTZ001
    assert errors(xlsx([(*HEADER, "valid_from"), row])) == [(2, "valid_from", "instant_without_offset")]


@pytest.mark.parametrize(
    ("number_format", "code"),
    [
        ('#,##0.00\\ "€"', ""),
        ("[$€-40C] #,##0.00", ""),
        ("[$$-409]#,##0.00", "currency_sign_differs"),
        ('"$"#,##0.00', "currency_sign_differs"),
        ("[$£-809]#,##0.00", "currency_sign_differs"),
        ("0.00", ""),
    ],
)
def test_p12_the_sign_of_a_cells_format_must_agree_too(number_format: str, code: str) -> None:
    book = Workbook()
    page = book.active
    assert page is not None
    page.append(HEADER)
    page.append(ROW)
    page["C2"].number_format = number_format
    out = io.BytesIO()
    book.save(out)
    assert errors(out.getvalue()) == ([(2, "amount", code)] if code else [])


def test_text_with_formats_inside_and_shared_texts_are_read_whole() -> None:
    """As Excel stores it: one text in two runs, with a guide to its pronunciation that is not part of it."""
    rich = "<si><r><t>GPU-</t></r><r><t>DÉDIÉ</t></r><rPh sb='0' eb='1'><t>KA</t></rPh></si>"
    shared = f'<sst xmlns="{MAIN_NAMESPACE}"><si><t>unused</t></si>{rich}</sst>'.encode()
    inline = '<c r="A2" t="inlineStr"><is><t>GPU-2</t></is></c>'
    assert inline in price_row(2)
    page = sheet(header_row() + price_row(2).replace(inline, '<c r="A2" t="s"><v>1</v></c>'))
    content = repacked(with_sheet(page), {"xl/sharedStrings.xml": shared})
    price = parsed(content).lines[0].content
    assert isinstance(price, Price)
    assert price.code == "GPU-DÉDIÉ"


def test_a_prefix_of_the_namespace_changes_nothing() -> None:
    page = sheet(header_row() + price_row(2)).decode()
    for name in ("worksheet", "sheetData", "row", "c", "is", "t", "v"):
        page = page.replace(f"<{name} ", f"<x:{name} ").replace(f"<{name}>", f"<x:{name}>")
        page = page.replace(f"</{name}>", f"</x:{name}>")
    page = page.replace("xmlns=", "xmlns:x=")
    assert amounts(with_sheet(page.encode())) == ["1.5"]


def test_the_first_visible_sheet_is_read_and_the_others_are_named() -> None:
    book = Workbook()
    hidden = book.active
    assert hidden is not None
    hidden.sheet_state = "hidden"
    page = book.create_sheet("Tarifs")
    page.append(HEADER)
    page.append(ROW)
    book.create_sheet("Notes").append(("à ne pas lire",))
    out = io.BytesIO()
    book.save(out)
    assert amounts(out.getvalue()) == ["1.5"]
    assert warnings(out.getvalue()) == [(0, "other_sheets_left_out")]


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("xl/vbaProject.bin", "workbook_macros"),
        ("xl/macrosheets/sheet1.xml", "workbook_macros"),
        ("xl/externalLinks/externalLink1.xml", "workbook_external_links"),
    ],
)
def test_macros_and_links_to_other_files_are_refused(part: str, code: str) -> None:
    assert refused(repacked(xlsx([HEADER, ROW]), {part: b"x"})) == code


def test_a_macro_name_or_type_is_enough_to_refuse() -> None:
    assert refused(xlsx([HEADER, ROW]), "prices.xlsm") == "workbook_macros"
    types = b'<Types><Override ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>'
    assert refused(repacked(xlsx([HEADER, ROW]), {"[Content_Types].xml": types})) == "workbook_macros"


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = repacked(xlsx([HEADER, ROW]), {"xl/media/a.bin": b"\0" * 30_000_000})
    assert len(bomb) < 100_000
    monkeypatch.setattr("calculator.pricelist.archives.UNPACKED_BYTES", 20_000_000)
    assert refused(bomb) == "archive_bomb"


def test_an_archive_of_thousands_of_parts_is_refused() -> None:
    parts: dict[str, bytes | None] = {f"xl/media/{number}.bin": b"" for number in range(limits.PARTS)}
    assert refused(repacked(xlsx([HEADER, ROW]), parts)) == "archive_bomb"


def test_an_old_or_encrypted_workbook_is_refused() -> None:
    assert refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600) == "office_encrypted_or_old"


def test_entities_are_refused_not_expanded() -> None:
    laughs = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>' + sheet(header_row())
    assert refused(with_sheet(laughs)) == "xml_forbidden"


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"<worksheet>",
        b"not xml",
        sheet('<row r="1"><c r="A1" t="s"><v>999</v></c></row>'),
        sheet('<row r="9999999"/>x'),
        sheet('<row r="1"><c r="XFE1"><v>1</v></c></row>'),
        sheet('<row r="1"><c r="a1"><v>1</v></c></row>'),
        sheet('<row r="1"><c r="A1" t="zz"><v>1</v></c></row>'),
    ],
)
def test_a_broken_sheet_is_refused(xml: bytes) -> None:
    assert refused(with_sheet(xml)) in ("workbook_broken", "empty")


def test_a_row_of_endless_cells_or_a_cell_of_endless_text_is_refused() -> None:
    assert refused(with_sheet(sheet(f'<row r="1">{"<c><v>1</v></c>" * 17_000}</row>'))) == "workbook_broken"
    assert refused(with_sheet(sheet(f'<row r="1">{"<c r='A1'><v>1</v></c>" * 17_000}</row>'))) == "workbook_broken"
    endless = f'<c r="A1" t="inlineStr"><is><t>{"a" * 900_000}</t></is></c>'
    assert refused(with_sheet(sheet(f'<row r="1">{endless}</row>'))) == "workbook_broken"


@pytest.mark.parametrize("name", ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml"])
def test_a_workbook_that_lacks_a_part_is_refused(name: str) -> None:
    assert refused(repacked(xlsx([HEADER, ROW]), {name: None})) in ("not_a_workbook", "archive_broken")


def test_a_workbook_without_a_row_is_refused() -> None:
    assert refused(xlsx([])) == "empty"
    assert refused(xlsx([HEADER])) == "no_rows"


def test_more_rows_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculator.pricelist.workbook.ROWS", 2)
    assert refused(xlsx([HEADER, ROW, ROW, ROW])) == "too_many_rows"


@pytest.mark.parametrize(("place", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")])
def test_cells_are_named_as_a_spreadsheet_names_them(place: int, name: str) -> None:
    assert (letters(place), place_of(name)) == (name, place)


def test_rates_come_from_workbooks_too() -> None:
    header = ("rate_date", "base", "quote", "rate", "source")
    found = parsed(xlsx([header, (dt.date(2026, 10, 30), "EUR", "USD", 1.1172, "ECB")])).lines[0].content
    assert found == Rate("USD", Decimal("1.1172"), dt.date(2026, 10, 30), "ECB")


def typed_row(cell: str) -> bytes:
    """A GPU sheet with one cell of a stored type under `bf16_native` (C)."""
    names = ("name", "vram_gb", "bf16_native", "mem_bw_gb_s")
    head = "".join(f'<c r="{letters(at)}1" t="inlineStr"><is><t>{name}</t></is></c>' for at, name in enumerate(names))
    name = '<c r="A2" t="inlineStr"><is><t>X900</t></is></c>'
    return sheet(f'<row r="1">{head}</row><row r="2">{name}<c r="B2"><v>96</v></c>{cell}</row>')


@pytest.mark.parametrize(("stored", "value"), [("1", True), ("0", False)])
def test_a_truth_of_a_workbook_is_a_truth(stored: str, value: bool) -> None:
    found = parsed(with_sheet(typed_row(f'<c r="C2" t="b"><v>{stored}</v></c>'))).lines[0].content
    assert isinstance(found, Sheet)
    assert found.values["bf16_native"] is value


def test_a_day_stored_as_text_of_the_iso_is_a_day() -> None:
    row = price_row(2).replace("</row>", '<c r="F2" t="d"><v>2026-12-01</v></c></row>')
    head = header_row().replace("</row>", '<c r="F1" t="inlineStr"><is><t>valid_from</t></is></c></row>')
    price = parsed(with_sheet(sheet(head + row))).lines[0].content
    assert isinstance(price, Price)
    assert price.valid_from == dt.datetime(2026, 11, 30, 23, tzinfo=dt.UTC)
    timed = row.replace("2026-12-01<", "2026-12-01T08:30:00<")
    assert errors(with_sheet(sheet(head + timed))) == [(2, "valid_from", "instant_without_offset")]
