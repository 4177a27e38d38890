"""What a header tells: the kind of file, the meaning of each column, what is missing, unknown or there twice."""

import pytest

from calculator.models import Gpu, LanguageModel
from calculator.pricelist.columns import (
    COLUMNS,
    NEEDED,
    NUMBERS,
    folded,
    kind_of,
    named,
    needed_of_new_sheet,
    recognised,
)
from calculator.pricelist.contract import FileKind, PriceFileError
from tests.pricelist.filefactory import FX_HEADER, GPU_HEADER, LLM_HEADER, csv, errors, parsed


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (GPU_HEADER, FileKind.GPU),
        (LLM_HEADER, FileKind.LLM),
        (FX_HEADER, FileKind.FX),
        ("sku,label_fr", FileKind.GPU),
        ("model,aliases", FileKind.LLM),
        ("name,vram_gb,mem_bw_gb_s", FileKind.GPU_SHEET),
        ("name,layers,heads", FileKind.MODEL_SHEET),
    ],
)
def test_the_kind_is_told_by_what_only_it_has(header: str, kind: FileKind) -> None:
    assert kind_of(header.split(",")) is kind


@pytest.mark.parametrize("header", ["amount,currency,unit", "name", "name,source,note", "", "prix,devise"])
def test_a_header_that_tells_no_kind_is_refused_with_its_columns(header: str) -> None:
    with pytest.raises(PriceFileError) as refused:
        kind_of(header.split(","))
    assert refused.value.code == "kind_unknown"
    assert set(refused.value.values["columns"]) == {name for name in header.split(",") if name}  # type: ignore[arg-type]


def test_a_header_of_long_names_is_quoted_short() -> None:
    with pytest.raises(PriceFileError) as refused:
        kind_of([f"{number}{'x' * 5_000}" for number in range(50)])
    shown = refused.value.values["columns"]
    assert isinstance(shown, tuple)
    assert (len(shown), max(map(len, shown))) == (20, 60)


def test_the_kind_may_be_stated() -> None:
    content = csv("name,source", "X900,a data sheet")
    assert parsed(content, kind=FileKind.GPU_SHEET).kind is FileKind.GPU_SHEET
    assert parsed(content, kind=FileKind.MODEL_SHEET).kind is FileKind.MODEL_SHEET


def test_headers_match_in_any_case_with_spaces_around() -> None:
    assert folded("  SKU ") == "sku"
    content = csv(" SKU ,Component,AMOUNT,Currency,unit", "A,instance_hour,1.5,EUR,instance_hour")
    assert errors(content) == []


def test_a_mapping_gives_headers_a_meaning_and_leaves_others_out() -> None:
    assert named(["Prix", "x", "sku", ""], {"prix": "amount", "X": ""}) == ("amount", "", "sku", "")


def test_the_columns_of_each_kind_are_counted() -> None:
    found = recognised(["sku", "amount", "model", "rate", ""])
    assert (found[FileKind.GPU], found[FileKind.LLM], found[FileKind.FX]) == (2, 2, 1)


@pytest.mark.parametrize("missing", ["component", "amount", "currency", "unit"])
def test_a_needed_column_that_is_missing_is_named_once(missing: str) -> None:
    columns = [name for name in GPU_HEADER.split(",") if name != missing]
    cells = {"sku": "A", "component": "instance_hour", "amount": "1.5", "currency": "EUR", "unit": "instance_hour"}
    content = csv(",".join(columns), *[",".join(cells[name] for name in columns)] * 3)
    assert errors(content) == [(1, missing, "column_missing")]
    assert parsed(content).lines == ()


def test_a_column_that_is_there_twice_is_an_error() -> None:
    content = csv(f"{GPU_HEADER},Amount", "A,instance_hour,1.5,EUR,instance_hour,1.6")
    assert errors(content) == [(1, "Amount", "column_twice")]


def test_every_problem_of_a_header_is_said_at_once() -> None:
    content = csv("sku,component,montant,prix,unit", "A,instance_hour,1.5,1.6,instance_hour")
    assert errors(content) == [
        (1, "montant", "unknown_column"),
        (1, "prix", "unknown_column"),
        (1, "amount", "column_missing"),
        (1, "currency", "column_missing"),
    ]


@pytest.mark.parametrize("kind", FileKind)
def test_what_is_needed_and_what_is_a_number_are_columns_of_the_kind(kind: FileKind) -> None:
    assert set(NEEDED[kind]) <= set(COLUMNS[kind])
    assert set(NUMBERS[kind]) <= set(COLUMNS[kind])
    assert len(set(COLUMNS[kind])) == len(COLUMNS[kind])


def test_the_columns_of_data_sheets_are_those_of_their_tables() -> None:
    for kind, table in ((FileKind.GPU_SHEET, Gpu), (FileKind.MODEL_SHEET, LanguageModel)):
        assert set(COLUMNS[kind]) == {field.name for field in table._meta.fields} - {"id"}
    assert {"vram_gb", "mem_bw_gb_s"} <= set(needed_of_new_sheet(FileKind.GPU_SHEET))
    assert "bf16_tflops_dense" not in needed_of_new_sheet(FileKind.GPU_SHEET)
    assert {"layers", "hidden", "vocab"} <= set(needed_of_new_sheet(FileKind.MODEL_SHEET))
