"""New and changed items, other names and data sheets in a file: what they need, what they refer to, what changes."""

import datetime as dt
from decimal import Decimal

import pytest

from calculator.models import CatalogItem
from calculator.pricelist.contract import FileKind, Item, ItemFields
from calculator.pricelist.diff import compare
from calculator.pricelist.known import known_of
from calculator.pricelist.plan import PlannedAlias, PlannedItem, PlannedPrice, PlannedSheet, Verdict
from tests import factories as make
from tests.pricelist import linefactory as given
from tests.pricelist.linefactory import codes, diff, price, sku_fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def pro() -> CatalogItem:
    sku = make.make_sku("GPU-PRO", gpu=make.make_gpu("RTX 4090"))
    make.make_price(sku, "instance_hour", "1.50")
    return sku


def test_a_new_sku_comes_with_its_columns_and_its_prices(pro: CatalogItem) -> None:
    found = diff(
        price("GPU-NEW", "instance_hour", "2.00", item=sku_fields()),
        price("GPU-NEW", "instance_month", "1000", item=sku_fields()),
    )
    assert (codes(found), [one.verdict for one in found.entries]) == ([], [Verdict.NEW] * 3)
    item = found.entries[0].writes[0]
    assert isinstance(item, PlannedItem)
    assert (item.item_kind, item.code, item.before, item.values["gpu_count"]) == ("gpu_sku", "GPU-NEW", None, 1)
    assert [type(write) for one in found.entries[1:] for write in one.writes] == [PlannedPrice, PlannedPrice]
    assert found.counts["new"] == 3


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        (ItemFields(), ("provider", "label_fr", "label_en", "gpu", "gpu_count", "vram_gb")),
        (sku_fields(gpu=None, vram_gb=None), ("gpu", "vram_gb")),
    ],
)
def test_a_new_sku_without_its_columns_names_all_that_lack(
    pro: CatalogItem, fields: ItemFields, missing: tuple[str, ...]
) -> None:
    found = diff(price("GPU-NEW", "instance_hour", "2.00", item=fields))
    assert codes(found) == [(2, "new_item_needs")]
    assert found.problems[0].values["missing"] == missing


def test_one_line_may_say_the_columns_for_all_lines_of_a_new_sku(pro: CatalogItem) -> None:
    found = diff(price("GPU-NEW", "instance_hour", "2.00"), price("GPU-NEW", "instance_month", "9", item=sku_fields()))
    assert codes(found) == []


def test_two_lines_that_say_different_things_of_one_item_are_an_error(pro: CatalogItem) -> None:
    found = diff(
        price("GPU-NEW", "instance_hour", "2.00", item=sku_fields()),
        price("GPU-NEW", "instance_month", "1000", item=sku_fields(gpu_count=8)),
    )
    assert codes(found) == [(3, "item_said_twice")]


def test_an_unknown_gpu_is_named_with_the_nearest(pro: CatalogItem) -> None:
    found = diff(price("GPU-NEW", "instance_hour", "2.00", item=sku_fields(gpu="RTX 4091")))
    assert codes(found) == [(2, "unknown_gpu")]
    assert found.problems[0].values["nearest"] == "RTX 4090"


def test_a_successor_must_exist_or_come_with_the_file(pro: CatalogItem) -> None:
    retired = ItemFields(retired_on=dt.date(2027, 1, 1), replaced_by="GPU-NEW")
    assert codes(diff(Item("gpu_sku", "GPU-PRO", retired))) == [(2, "unknown_successor")]
    assert codes(diff(Item("gpu_sku", "GPU-PRO", retired), given.sku("GPU-NEW"))) == []


def test_only_the_columns_that_differ_change(pro: CatalogItem) -> None:
    found = diff(
        price("GPU-PRO", "instance_hour", "1.50", item=ItemFields(label_fr="Carte dédiée", label_en="GPU-PRO"))
    )
    item = found.entries[0].writes[0]
    assert isinstance(item, PlannedItem)
    assert (item.values, item.before) == ({"label_fr": "Carte dédiée"}, {"label_fr": "GPU-PRO"})
    assert (found.entries[0].before, found.entries[0].after) == ("label_fr=GPU-PRO", "label_fr=Carte dédiée")
    assert [one.verdict for one in found.entries] == [Verdict.CHANGED, Verdict.UNCHANGED]


def test_an_item_said_as_it_is_changes_nothing(pro: CatalogItem) -> None:
    said = ItemFields(provider="VMCloud", gpu="RTX 4090", gpu_count=1, vram_gb=24.0)
    found = diff(Item("gpu_sku", "gpu-pro", said))
    assert ([one.verdict for one in found.entries], found.is_empty) == ([Verdict.UNCHANGED], True)


def test_a_new_model_needs_its_provider_and_is_called_by_its_code(pro: CatalogItem) -> None:
    found = diff(price("gpt-6", "output", "20", item=ItemFields(provider="OpenAI")), kind=FileKind.LLM)
    item = found.entries[0].writes[0]
    assert isinstance(item, PlannedItem)
    assert item.item_kind == "llm_model"
    assert item.values == {"label_fr": "gpt-6", "label_en": "gpt-6", "provider": "OpenAI"}
    assert codes(diff(price("gpt-6", "output", "20"), kind=FileKind.LLM)) == [(2, "new_item_needs")]


def test_an_embedding_is_found_by_its_code_alone(pro: CatalogItem) -> None:
    make.make_price(make.make_item("embedding", "embed-3", provider="OpenAI"), "input", "0.02")
    assert diff(price("embed-3", "input", "0.02"), kind=FileKind.LLM).entries[0].verdict is Verdict.UNCHANGED


def test_another_name_is_planned_once_and_known_ones_change_nothing() -> None:
    model = make.make_api("gpt-5.4")
    make.make_alias(model, "gpt-latest")
    found = diff(Item("llm_model", "gpt-5.4", ItemFields(aliases=("gpt-latest", "gpt-best"))), kind=FileKind.LLM)
    aliases = [write.alias for one in found.entries for write in one.writes if isinstance(write, PlannedAlias)]
    assert aliases == ["gpt-best"]


def test_a_name_may_move_to_another_model_but_not_be_a_code() -> None:
    make.make_alias(make.make_api("gpt-5.4"), "gpt-latest")
    make.make_api("gpt-6")
    assert codes(diff(Item("llm_model", "gpt-6", ItemFields(aliases=("gpt-latest",))), kind=FileKind.LLM)) == []
    found = diff(Item("llm_model", "gpt-6", ItemFields(aliases=("gpt-5.4",))), kind=FileKind.LLM)
    assert codes(found) == [(2, "alias_is_a_code")]


# --- data sheets


def test_a_known_sheet_changes_only_where_it_differs() -> None:
    make.make_sku(gpu=make.make_gpu("RTX 4090"))
    found = diff(given.sheet("RTX 4090", vram_gb=24.0, mem_bw_gb_s=1010.0), kind=FileKind.GPU_SHEET).entries[0]
    sheet = found.writes[0]
    assert isinstance(sheet, PlannedSheet)
    assert (found.verdict, sheet.values, sheet.before) == (
        Verdict.CHANGED,
        {"mem_bw_gb_s": 1010.0},
        {"mem_bw_gb_s": 1008.0},
    )


def test_a_sheet_said_as_it_is_changes_nothing() -> None:
    make.make_sku(gpu=make.make_gpu("RTX 4090"))
    assert diff(given.sheet("RTX 4090", vram_gb=24.0), kind=FileKind.GPU_SHEET).is_empty


def test_a_new_sheet_needs_its_columns() -> None:
    make.make_sku()
    found = diff(given.sheet("B300", vram_gb=288.0), kind=FileKind.GPU_SHEET)
    assert codes(found) == [(2, "new_sheet_needs")]
    assert set(found.problems[0].values["missing"]) == {"vendor", "architecture", "mem_type", "mem_bw_gb_s", "source"}


def test_a_new_sheet_with_its_columns_is_new() -> None:
    make.make_sku()
    whole = {"vendor": "NVIDIA", "architecture": "Blackwell", "mem_type": "HBM3e", "mem_bw_gb_s": 8000.0}
    found = diff(given.sheet("B300", vram_gb=288.0, source="data sheet", **whole), kind=FileKind.GPU_SHEET)
    assert (codes(found), found.entries[0].verdict) == ([], Verdict.NEW)


def test_what_the_table_would_refuse_is_refused_here() -> None:
    make.make_sku(gpu=make.make_gpu("RTX 4090"))
    found = diff(given.sheet("RTX 4090", vendor="x" * 21), kind=FileKind.GPU_SHEET)
    assert codes(found) == [(2, "sheet_refused")]


def test_the_empty_catalogue_takes_a_first_file() -> None:
    make.make_gpu("RTX 4090")
    found = compare(given.file(price("GPU-PRO", "instance_hour", "1.50", item=sku_fields())), known_of(0), make.NOW)
    assert (found.version, codes(found), found.entries[1].new) == (0, [], Decimal("1.50"))


@pytest.mark.parametrize(
    "code",
    ["two words", "/begins", "50% off", "what?now#here", "a,b", "<b>x</b>", "modèle", "a|b", "..", "none", "NONE"],
)
def test_a_new_item_needs_a_code_that_links_can_name(pro: CatalogItem, code: str) -> None:
    found = diff(price(code, "instance_hour", "2.00", item=sku_fields()))
    assert [(one.line_no, one.column, one.code) for one in found.problems] == [(2, "sku", "not_a_code")]
    assert not [entry for entry in found.entries if entry.writes and entry.component == "item"]
