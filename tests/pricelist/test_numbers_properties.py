"""Numbers written in either mark read back, and no file whatever raises anything but the documented exception."""

import io
import random
import zipfile
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calculator.pricelist.amounts import NumberError, bare, decide, evidence, number, written
from calculator.pricelist.contract import ParsedFile, PriceFileError, ReadOptions
from calculator.pricelist.reading import headers_of, read
from tests.pricelist.filefactory import GPU_HEADER, LLM_HEADER, as_json, csv, repacked, xlsx
from tests.pricelist.test_reading_rates import HISTORY, ONE_DAY, PORTAL, XML

AMOUNTS = st.decimals(
    min_value=0, max_value=Decimal("999999.999999999"), places=9, allow_nan=False, allow_infinity=False
)
MARKS = st.sampled_from([",", "."])
SPACES = st.sampled_from([" ", "\u00a0", "\u202f", "\u2009", "group"])
OTHER = {",": ".", ".": ","}
NAMES = ("prices.csv", "prices.xlsx", "prices.json", "")
SAMPLES = {
    "csv": csv(GPU_HEADER + ",valid_from,label_fr", "GPU-PRO,instance_hour,1.50,EUR,instance_hour,2026-12-01,Carte"),
    "llm": csv(LLM_HEADER + ",aliases", "m,output,0.000015,USD,token,one|two"),
    "xlsx": xlsx([GPU_HEADER.split(","), ("GPU-PRO", "instance_hour", 1.5, "EUR", "instance_hour")]),
    "json": as_json(
        [{"sku": "A", "component": "instance_hour", "amount": "1.5", "currency": "EUR", "unit": "instance_hour"}]
    ),
    "ecb xml": XML,
    "ecb history": HISTORY,
    "ecb day": ONE_DAY,
    "portal": PORTAL,
}


def grouped(value: Decimal, mark: str, space: str) -> str:
    """`value` as people write it, in groups of three."""
    parted = OTHER[mark] if space == "group" else space
    return f"{value:,f}".replace(",", "\0").replace(".", mark).replace("\0", parted)


@given(AMOUNTS, MARKS)
def test_what_is_written_for_a_mark_reads_back_as_itself(value: Decimal, mark: str) -> None:
    assert number(written(value, mark), mark) == value


@given(AMOUNTS, MARKS)
def test_what_is_written_is_never_to_be_read_in_two_ways(value: Decimal, mark: str) -> None:
    assert evidence(written(value, mark)) in ("", mark)


@given(AMOUNTS, MARKS, SPACES)
@example(Decimal("1234.56"), ",", "\u202f")
def test_p05_groups_of_three_read_back_in_either_mark(value: Decimal, mark: str, space: str) -> None:
    body, _sign = bare(grouped(value, mark, space))
    assert number(body, mark) == value


@given(st.lists(AMOUNTS, min_size=1, max_size=20), MARKS)
def test_a_file_in_one_mark_is_never_read_in_the_other(values: list[Decimal], mark: str) -> None:
    decided = decide((line, written(value, mark)) for line, value in enumerate(values))
    assert decided.mark in ("", mark)
    assert decided.against is None
    assert decided.undecidable == ()


@given(st.text(max_size=80), st.sampled_from(["", ",", "."]))
@example("１２", ",")
@example("²", ".")
@example("1E9999", ".")
def test_any_text_is_a_number_or_a_named_error(text: str, mark: str) -> None:
    try:
        value = number(bare(text)[0], mark)
    except NumberError as error:
        assert error.code
    else:
        assert value.is_finite()
        assert value >= 0


@given(st.text(alphabet="0123456789., -eE", max_size=16), MARKS)
@example("1,234.567,8", ",")
@example("0,001", ".")
def test_what_looks_like_a_number_is_one_or_a_named_error(text: str, mark: str) -> None:
    """Read in full digits: taking the groups and the mark away leaves the same digits, in the same order."""
    body, _sign = bare(text)
    try:
        value = number(body, mark)
    except NumberError as error:
        assert error.code
        return
    if "e" not in body.lower():
        digits = "".join(sign for sign in body if sign.isdigit()).lstrip("0")
        assert f"{value:f}".replace(".", "").lstrip("0") == digits
        assert value == value.to_integral_value() or mark in body


def attempted(content: bytes, name: str) -> ParsedFile | None:
    """What the file says, or None where it is refused. Anything else but the documented exception escapes."""
    try:
        headers_of(content, name)
    except PriceFileError as error:
        assert error.code
    try:
        return read(content, name, ReadOptions())
    except PriceFileError as error:
        assert error.code
        return None


@given(st.binary(max_size=400), st.sampled_from(NAMES))
@example(b"PK\x05\x06" + b"\0" * 18, "a.xlsx")
@example(b"sku\n\n", "a.csv")
@example(b'"', "a.csv")
@example(b"\xff\xfe", "a.csv")
def test_no_bytes_give_another_exception(content: bytes, name: str) -> None:
    attempted(content, name)


@given(
    st.text(max_size=300),
    st.sampled_from(["sku", "model", "rate,quote", "name,vram_gb,mem_bw_gb_s", "Date,USD", "[", "<"]),
)
def test_no_text_under_a_known_header_gives_another_exception(text: str, header: str) -> None:
    attempted(f"{header}\n{text}".encode("utf-8", "replace"), "a.csv")


def mutated(content: bytes, rng: random.Random) -> bytes:
    """A real file with some bytes changed, cut out, doubled or exchanged."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[place : place + rng.randint(1, 20)]
            case 2:
                data[place:place] = data[place : place + rng.randint(1, 40)]
            case 3:
                data[place:place] = rng.choice(
                    [b'"', b"\0", b"\n", b";", b"<", b"{", b"9" * 70, b"1e999", b"\xef\xbf\xbd"]
                )
            case _:
                data = data[:place] or bytearray(b"?")
    return bytes(data)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_real_file_damaged_anywhere_is_read_or_refused(sample: str) -> None:
    rng = random.Random(sample)
    for _ in range(150):
        found = attempted(mutated(SAMPLES[sample], rng), f"prices.{sample}")
        assert found is None or all(problem.code for problem in found.problems)


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.text(max_size=12), st.integers(), st.floats(), st.booleans()), max_size=8),
        max_size=6,
    )
)
def test_any_json_rows_are_read_or_refused(rows: list[list[object]]) -> None:
    columns = (*GPU_HEADER.split(","), "valid_from", "vram_gb", "aliases")
    attempted(as_json([dict(zip(columns, row, strict=False)) for row in rows]), "prices.json")


@pytest.mark.parametrize(
    "part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml"]
)
def test_a_workbook_with_a_damaged_part_is_read_or_refused(part: str) -> None:
    with zipfile.ZipFile(io.BytesIO(SAMPLES["xlsx"])) as archive:
        whole = archive.read(part)
    rng = random.Random(part)
    for _ in range(100):
        attempted(repacked(SAMPLES["xlsx"], {part: mutated(whole, rng)}), "prices.xlsx")
