"""Exchange rates: our own file and every format that the ECB publishes."""

import datetime as dt
import io
import zipfile
from decimal import Decimal

import pytest

from calculator.pricelist.contract import FileFormat, FileKind, PriceFileError, Rate
from tests.pricelist.filefactory import FX_HEADER, csv, errors, parsed, warnings

DAY = dt.date(2026, 10, 30)
XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
 <gesmes:subject>Reference rates</gesmes:subject>
 <Cube>
  <Cube time='2026-10-30'><Cube currency='USD' rate='1.1172'/><Cube currency='JPY' rate='172.30'/></Cube>
  <Cube time='2026-10-29'><Cube currency='USD' rate='1.1130'/></Cube>
 </Cube>
</gesmes:Envelope>"""
HISTORY = csv(
    "Date,USD,JPY,CYP,", "2026-10-30,1.1172,172.30,N/A,", "2026-10-29,1.1130,171.05,N/A,", "1999-01-04,N/A,133.73,0.58,"
)
ONE_DAY = csv("Date, USD, JPY, ", "30 October 2026, 1.1172, 172.30, ")
PORTAL = csv(
    "KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS",
    "EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-10-29,1.1130,A",
    "EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-10-30,1.1172,A",
    "EXR.D.USD.EUR.SP00.A,D,USD,EUR,SP00,A,2026-10-31,,H",
    "EXR.M.USD.EUR.SP00.A,M,USD,EUR,SP00,A,2026-10,1.1201,A",
    "EXR.D.JPY.EUR.SP00.A,D,JPY,EUR,SP00,A,2026-10-30,172.30,A",
)


def rates(content: bytes) -> dict[dt.date, Decimal]:
    found = parsed(content)
    assert found.errors == ()
    assert all(isinstance(line.content, Rate) for line in found.lines)
    return {line.content.rate_date: line.content.rate for line in found.lines if isinstance(line.content, Rate)}


def zipped(content: bytes, *others: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("eurofxref.csv", *others):
            archive.writestr(name, content)
    return out.getvalue()


def test_our_own_file() -> None:
    found = parsed(csv(FX_HEADER, "2026-10-30,EUR,USD,1.1172,ECB"))
    assert found.kind is FileKind.FX
    assert found.lines[0].content == Rate("USD", Decimal("1.1172"), DAY, "ECB")


def test_our_own_file_with_decimal_commas() -> None:
    assert rates(csv(FX_HEADER.replace(",", ";"), "2026-10-30;EUR;USD;1,1172;manual")) == {DAY: Decimal("1.1172")}


def test_the_ecbs_xml_has_a_cube_a_day() -> None:
    assert rates(XML) == {DAY: Decimal("1.1172"), dt.date(2026, 10, 29): Decimal("1.1130")}
    assert parsed(XML).format is FileFormat.ECB_XML
    assert [line.line_no for line in parsed(XML).lines] == [5, 6]


def test_the_ecbs_history_leaves_out_days_without_a_rate() -> None:
    assert rates(HISTORY) == {DAY: Decimal("1.1172"), dt.date(2026, 10, 29): Decimal("1.1130")}
    assert (parsed(HISTORY).format, parsed(HISTORY).decimal_mark) == (FileFormat.ECB_CSV, ".")


def test_the_ecbs_single_day_has_a_long_english_date() -> None:
    assert rates(ONE_DAY) == {DAY: Decimal("1.1172")}


@pytest.mark.parametrize("content", [HISTORY, ONE_DAY])
def test_the_ecbs_csv_is_read_inside_its_zip(content: bytes) -> None:
    assert rates(zipped(content)) == rates(content)


def test_the_portals_csv_is_read_for_the_daily_dollar_rate_only() -> None:
    assert rates(PORTAL) == {DAY: Decimal("1.1172"), dt.date(2026, 10, 29): Decimal("1.1130")}
    assert parsed(PORTAL).format is FileFormat.ECB_PORTAL


@pytest.mark.parametrize("content", [XML, HISTORY, ONE_DAY, PORTAL])
def test_other_currencies_are_left_out_and_that_is_said(content: bytes) -> None:
    assert warnings(content) == [(0, "other_currencies_left_out")]


def test_every_rate_of_the_ecb_names_it() -> None:
    one = parsed(XML).lines[0].content
    assert isinstance(one, Rate)
    assert (one.quote, one.source) == ("USD", "ECB")
    assert one.source_url.startswith("https://www.ecb.europa.eu/")


def test_p43_a_rate_written_the_other_way_round_is_an_error() -> None:
    assert errors(csv(FX_HEADER, "2026-10-30,USD,EUR,0.8951,ECB")) == [(2, "base", "base_is_not_euro")]


@pytest.mark.parametrize(
    ("row", "column", "code"),
    [
        ("2026-10-30,EUR,GBP,0.87,ECB", "quote", "not_one_of"),
        ("2026-10-30,EUR,USD,,ECB", "rate", "missing"),
        ("2026-10-30,EUR,USD,0,ECB", "rate", "not_above_zero"),
        ("2026-10-30,EUR,USD,-1.1,ECB", "rate", "negative_number"),
        ("2026-10-30,EUR,USD,1.123456789,ECB", "rate", "too_many_decimals"),
        ("2026-10-30,EUR,USD,1.1172,", "source", "missing"),
        ("2026-10-30,EUR,USD,1.1172,blog", "source", "not_one_of"),
        ("30/10/2026,EUR,USD,1.1172,ECB", "rate_date", "not_a_day"),
        (",EUR,USD,1.1172,ECB", "rate_date", "missing"),
        ("2026-12-01,EUR,USD,1.1172,ECB", "rate_date", "rate_in_the_future"),
    ],
)
def test_anything_else_is_an_error_of_its_cell(row: str, column: str, code: str) -> None:
    assert errors(csv(FX_HEADER, row), today=dt.date(2026, 11, 30)) == [(2, column, code)]


def test_two_rates_of_one_day_contradict_each_other() -> None:
    assert errors(csv(FX_HEADER, "2026-10-30,EUR,USD,1.1172,ECB", "2026-10-30,EUR,USD,1.1173,ECB")) == [
        (3, "", "same_key_twice")
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (XML.replace(b"USD", b"CHF"), "no_dollar_rate"),
        (csv("Date,JPY,GBP,", "2026-10-30,172.30,0.87,"), "no_dollar_rate"),
        (XML[:300], "ecb_broken"),
        (b"<!DOCTYPE html><html></html>", "xml_forbidden"),
        (b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "xml_forbidden"),
        (zipped(HISTORY, "second.csv"), "not_a_workbook"),
        (zipped(HISTORY)[:60], "archive_broken"),
    ],
)
def test_what_holds_no_rate_of_the_dollar_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(PriceFileError) as refused:
        parsed(content)
    assert refused.value.code == code


def test_a_day_of_the_ecb_that_is_none_is_an_error_of_its_line() -> None:
    assert errors(XML.replace(b"2026-10-30", b"30.10.2026")) == [(5, "rate_date", "not_a_day")]
