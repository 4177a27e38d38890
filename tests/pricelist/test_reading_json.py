"""Price files in JSON: the same columns, numbers as they are written."""

import pytest

from calculator.pricelist.contract import FileFormat, FileKind, Item, PriceFileError
from tests.pricelist.filefactory import amounts, as_json, errors, parsed

ROW = {"sku": "GPU-PRO", "component": "instance_hour", "amount": "1.50", "currency": "EUR", "unit": "instance_hour"}


def test_rows_alone_or_under_their_kind() -> None:
    assert amounts(as_json([ROW])) == ["1.5"]
    found = parsed(as_json({"kind": "gpu", "rows": [ROW]}))
    assert (found.format, found.kind, found.rows_count) == (FileFormat.JSON, FileKind.GPU, 1)


@pytest.mark.parametrize("written", ["1.1", '"1.1"', "1.10", "11e-1"])
def test_p08_a_number_is_read_as_it_is_written_never_through_a_binary_one(written: str) -> None:
    content = as_json([ROW]).replace(b'"1.50"', written.encode())
    assert amounts(content) == ["1.1"]


def test_the_decimal_mark_of_json_is_the_point() -> None:
    assert amounts(as_json([{**ROW, "amount": "1.234"}])) == ["1.234"]
    assert errors(as_json([{**ROW, "amount": "1,50"}])) == [(1, "amount", "wrong_mark")]


def test_p07_a_number_is_no_code() -> None:
    assert errors(as_json([ROW, {**ROW, "sku": 17}])) == [(2, "sku", "number_for_text")]


def test_aliases_may_be_a_list() -> None:
    content = as_json([{"model": "m", "provider": "P", "aliases": ["one", "Two"]}])
    found = parsed(content).lines[0].content
    assert isinstance(found, Item)
    assert found.item.aliases == ("one", "two")


@pytest.mark.parametrize("value", [{"a": 1}, [1], [["x"]]])
def test_another_value_is_an_error_of_its_entry(value: object) -> None:
    assert (1, "amount", "json_value") in errors(as_json([{**ROW, "amount": value}]))


def test_an_unknown_key_is_an_error() -> None:
    assert errors(as_json([{**ROW, "prix": 3}])) == [(0, "prix", "unknown_column")]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"{", "json_broken"),
        (b"[" * 100_000, "json_broken"),
        (b"[1]", "json_shape"),
        (b'{"rows": 3}', "json_shape"),
        (b'{"row": []}', "json_shape"),
        (b"[]", "empty"),
        (b'{"kind": "cars", "rows": [{}]}', "kind_not_offered"),
        (b'[{"sku": "a", "sku": "b"}]', "json_key_twice"),
        (b'[{"sku": "\\ud800"}]', "json_half_character"),
        (b'[{"sku": "\\u0000"}]', "binary"),
        (b'[{"sku": ' + b"9" * 5_000 + b"}]", "json_broken"),
        (b"\xff\xfe[", "encoding_wrong"),
        (b"[" + b"{}," * 210_000 + b"{}]", "too_many_rows"),
        (b"[" + b"1," * 3_100_000 + b"1]", "too_many_rows"),
    ],
)
def test_what_is_no_list_of_entries_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(PriceFileError) as refused:
        parsed(content, "prices.json")
    assert refused.value.code == code


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_p10_what_json_has_no_word_for_is_no_amount(constant: str) -> None:
    content = as_json([ROW]).replace(b'"1.50"', constant.encode())
    assert errors(content) == [(1, "amount", "not_finite")]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("1e999999", "out_of_range"),
        ("1e31", "out_of_range"),
        ("1e-999999", "out_of_range"),
        ("0e999999", "zero_without_free"),
        ("1e99999999999999999999", ""),
    ],
)
@pytest.mark.parametrize("unit", ["token", "mtok"])
def test_p10_an_absurd_exponent_is_an_error_in_any_unit(number: str, code: str, unit: str) -> None:
    row = {"model": "m", "component": "output", "amount": 7, "currency": "USD", "unit": unit}
    content = as_json([row]).replace(b"7", number.encode())
    if code:
        assert errors(content) == [(1, "amount", code)]
        return
    with pytest.raises(PriceFileError) as refused:
        parsed(content)
    assert refused.value.code == "json_broken"
