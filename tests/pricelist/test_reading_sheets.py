"""Data sheets of GPUs and of open-weights models by file, and new SKUs, models, aliases and providers."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command

from calculator.models import CatalogItem, Gpu, ItemAlias, LanguageModel, PriceRow
from calculator.pricelist.columns import COLUMNS, needed_of_new_sheet
from calculator.pricelist.contract import FileKind, Sheet
from tests.pricelist.filefactory import as_json, csv, errors, parsed, xlsx

GPU_ROW = {
    "name": "X900",
    "vendor": "NVIDIA",
    "architecture": "Test",
    "vram_gb": "96",
    "mem_type": "HBM3",
    "mem_bw_gb_s": "3350.5",
    "bf16_native": "true",
    "source": "a data sheet",
}
MODEL_ROW = {
    "name": "Tiny-1B",
    "params_total": "1 100 048 384",
    "params_active": "1100048384",
    "params_non_embedding": "1034512384",
    "layers": "22",
    "hidden": "2048",
    "heads": "32",
    "kv_heads": "4",
    "head_dim": "64",
    "intermediate": "5632",
    "vocab": "32000",
    "tied_embeddings": "false",
    "gated_mlp": "true",
    "max_context": "2048",
    "attention": "GQA",
    "kv_bytes_per_token_16bit": "22528",
    "source": "its configuration file",
}


def table(*rows: dict[str, str], delimiter: str = ";") -> bytes:
    header = list(rows[0])
    return csv(delimiter.join(header), *(delimiter.join(row.get(name, "") for name in header) for row in rows))


def sheet(content: bytes) -> Sheet:
    found = parsed(content)
    assert found.errors == ()
    one = found.lines[0].content
    assert isinstance(one, Sheet)
    return one


def test_a_gpu_sheet_is_told_by_its_columns_and_typed_by_its_table() -> None:
    assert parsed(table(GPU_ROW)).kind is FileKind.GPU_SHEET
    values = sheet(table(GPU_ROW)).values
    assert (values["vram_gb"], values["mem_bw_gb_s"], values["bf16_native"]) == (96.0, 3350.5, True)


def test_a_model_sheet_is_told_by_its_columns_and_counts_exactly() -> None:
    assert parsed(table(MODEL_ROW)).kind is FileKind.MODEL_SHEET
    values = sheet(table(MODEL_ROW)).values
    assert (values["params_total"], values["tied_embeddings"], values["layers"]) == (1_100_048_384, False, 22)


def test_an_empty_cell_says_nothing() -> None:
    assert "note" not in sheet(table({**GPU_ROW, "note": ""})).values


@pytest.mark.parametrize(
    ("column", "text", "code"),
    [
        ("vram_gb", "0", "not_above_zero"),
        ("vram_gb", "-80", "negative_number"),
        ("vram_gb", "beaucoup", "not_a_number"),
        ("mem_bw_gb_s", "1e300", "out_of_range"),
        ("bf16_native", "peut-être", "not_a_flag"),
        ("vendor", "N" * 21, "text_too_long"),
        ("name", "", "missing"),
    ],
)
def test_a_wrong_cell_of_a_gpu_sheet_is_named(column: str, text: str, code: str) -> None:
    assert errors(table({**GPU_ROW, column: text})) == [(2, column, code)]


@pytest.mark.parametrize("text", ["22.5", "-1", "4294967296", "vingt", "1,000"])
def test_a_count_must_be_whole_and_fit_its_column(text: str) -> None:
    assert errors(table({**MODEL_ROW, "layers": text})) == [(2, "layers", "not_whole")]


def test_a_decimal_comma_of_a_data_sheet_is_decided_for_the_file() -> None:
    found = sheet(table({**GPU_ROW, "mem_bw_gb_s": "3350,5"}))
    assert found.values["mem_bw_gb_s"] == 3350.5
    two = table({**GPU_ROW, "mem_bw_gb_s": "3,350"})
    assert errors(two) == [(2, "", "decimal_mark_undecidable")]


def test_two_sheets_of_one_name_that_differ_are_an_error() -> None:
    assert errors(table(GPU_ROW, {**GPU_ROW, "vram_gb": "48"})) == [(3, "", "same_key_twice")]


def test_a_workbook_and_json_give_the_same_sheet() -> None:
    cells = {**GPU_ROW, "vram_gb": 96, "mem_bw_gb_s": 3350.5, "bf16_native": True}
    from_book = sheet(xlsx([list(cells), list(cells.values())]))
    assert from_book == sheet(as_json([GPU_ROW])) == sheet(table(GPU_ROW))


@pytest.mark.parametrize("kind", [FileKind.GPU_SHEET, FileKind.MODEL_SHEET])
def test_the_columns_that_a_new_sheet_needs_are_columns_of_the_kind(kind: FileKind) -> None:
    needed = needed_of_new_sheet(kind)
    assert set(needed) <= set(COLUMNS[kind])
    assert {"name", "source"} <= set(needed)
    assert "note" not in needed


@pytest.fixture
def ada(seeded: None, noon: Any) -> User:
    user = User.objects.create_user("ada")
    user.user_permissions.set(Permission.objects.filter(codename__in=("upload_prices", "apply_prices")))
    return user


def applied(folder: Path, name: str, content: bytes) -> dict[str, Any]:
    path, out = folder / name, StringIO()
    path.write_bytes(content)
    call_command("import_prices", str(path), "--by", "ada", "--accept-old-rate", "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    assert found["outcome"] == "applied", found
    return found


def test_a_new_gpu_then_a_new_sku_with_its_price_come_by_file(tmp_path: Path, ada: User) -> None:
    applied(tmp_path, "gpu.csv", table(GPU_ROW))
    assert Gpu.objects.get(name="X900").mem_bw_gb_s == 3350.5
    sku = {
        "sku": "GPU-NOVA",
        "component": "instance_hour",
        "amount": "2,10",
        "currency": "EUR",
        "unit": "instance_hour",
        "provider": "VMCloud",
        "label_fr": "X900 96 Go",
        "label_en": "X900 96 GB",
        "gpu": "X900",
        "gpu_count": "1",
        "vram_gb": "96",
        "aliases": "nova|gpu-nova-1",
    }
    applied(tmp_path, "sku.csv", table(sku))
    item = CatalogItem.objects.get(code="GPU-NOVA")
    assert (item.kind, item.gpu and item.gpu.name, item.gpu_count, item.label_en) == (
        "gpu_sku",
        "X900",
        1,
        "X900 96 GB",
    )
    assert f"{PriceRow.objects.get(item=item).amount:.2f}" == "2.10"
    assert set(ItemAlias.objects.filter(item=item).values_list("alias", flat=True)) == {"nova", "gpu-nova-1"}


def test_a_new_model_of_a_new_provider_comes_by_file_and_its_sheet_too(tmp_path: Path, ada: User) -> None:
    applied(tmp_path, "sheet.csv", table(MODEL_ROW))
    assert LanguageModel.objects.get(name="Tiny-1B").params_total == 1_100_048_384
    rows = [
        {
            "model": "nova-1",
            "component": component,
            "amount": amount,
            "currency": "USD",
            "unit": "mtok",
            "provider": "Nova AI",
        }
        for component, amount in (("input", "0.40"), ("output", "1.60"))
    ]
    applied(tmp_path, "api.csv", table(*rows, delimiter=","))
    item = CatalogItem.objects.get(code="nova-1")
    assert (item.kind, item.provider, item.label_fr) == ("llm_model", "Nova AI", "nova-1")
    assert sorted(f"{row.amount:.2f}" for row in PriceRow.objects.filter(item=item)) == ["0.40", "1.60"]


def test_a_new_sku_without_its_sheet_is_an_error_that_says_what_is_missing(tmp_path: Path, ada: User) -> None:
    path, out = tmp_path / "sku.csv", StringIO()
    path.write_bytes(csv("sku,component,amount,currency,unit", "GPU-NOVA,instance_hour,2.10,EUR,instance_hour"))
    with pytest.raises(SystemExit) as ended:
        call_command("import_prices", str(path), "--by", "ada", "--accept-old-rate", "--json", stdout=out)
    assert ended.value.code == 2
    (problem,) = json.loads(out.getvalue())["problems"]
    assert problem["code"] == "new_item_needs"
    assert "gpu_count" in problem["message"]
