"""One row of an API or GPU file: components, modes, units, defaults and what they are checked against."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from calculator.models import MODES_OF_API, MODES_OF_GPU, UNIT_OF_COMPONENT
from calculator.pricelist.contract import FileKind, Item, ItemFields, Price
from calculator.pricelist.priceline import COMPONENTS, MACHINE
from tests.pricelist.filefactory import csv, errors, parsed

API = {"model": "m", "component": "output", "amount": "15", "currency": "USD", "unit": "mtok"}
SKU = {"sku": "S", "component": "instance_hour", "amount": "1.5", "currency": "EUR", "unit": "instance_hour"}


def row(base: dict[str, str], **values: str) -> bytes:
    cells = {**base, **values}
    return csv(",".join(cells), ",".join(cells.values()))


def price(base: dict[str, str], **values: str) -> Price:
    found = parsed(row(base, **values))
    assert found.errors == ()
    one = found.lines[0].content
    assert isinstance(one, Price)
    return one


def wrong(base: dict[str, str], **values: str) -> list[tuple[str, str]]:
    return [(column, code) for _line, column, code in errors(row(base, **values))]


def test_what_a_row_does_not_say_is_as_documented() -> None:
    assert price(API) == Price(
        item_kind="",
        code="m",
        component="output",
        mode="standard",
        region="*",
        context_over=0,
        window="all",
        currency="USD",
        unit="mtok",
        kind="price",
        amount=Decimal(15),
    )


@pytest.mark.parametrize(("component", "mode"), [("instance_hour", "on_demand"), ("instance_month", "reserved")])
def test_p31_the_mode_of_a_machine_follows_its_component(component: str, mode: str) -> None:
    found = price(SKU, component=component, unit=component)
    assert (found.item_kind, found.mode, found.unit) == ("gpu_sku", mode, component)


@pytest.mark.parametrize("mode", MODES_OF_API)
def test_p41_an_api_price_says_its_mode(mode: str) -> None:
    assert price(API, mode=mode).mode == mode
    assert wrong(SKU, mode=mode) == [("mode", "not_one_of")]


@pytest.mark.parametrize("mode", MODES_OF_GPU)
def test_a_machine_is_sold_on_demand_reserved_or_spot(mode: str) -> None:
    assert price(SKU, mode=mode).mode == mode
    assert wrong(API, mode=mode) == [("mode", "not_one_of")]


@pytest.mark.parametrize("component", [name for name in UNIT_OF_COMPONENT if name not in MACHINE])
def test_every_component_of_an_api_is_read_in_its_unit(component: str) -> None:
    unit = UNIT_OF_COMPONENT[component]
    found = price(API, component=component, unit=unit)
    assert (found.component, found.unit, found.amount) == (component, unit, Decimal(15))
    assert wrong(SKU, component=component) == [("component", "not_one_of")]


@pytest.mark.parametrize("unit", ["token", "ktok", "mtok"])
def test_p30_tokens_are_counted_in_three_units_and_images_in_none_of_them(unit: str) -> None:
    assert price(API, unit=unit, amount="0.5").unit == "mtok"
    assert wrong(API, component="image", unit=unit) == [("unit", "not_one_of")]
    assert wrong(API, component="request", unit=unit) == [("unit", "not_one_of")]


@pytest.mark.parametrize("unit", ["instance_hour", "hour", "1M tokens", "image"])
def test_p30_another_unit_is_never_guessed(unit: str) -> None:
    assert wrong(API, unit=unit) == [("unit", "not_one_of")]


def test_p38_the_tier_of_a_long_context_is_a_whole_number_of_tokens() -> None:
    assert price(API, context_over="272000").context_over == 272_000
    assert price(API, context_over="272 000").context_over == 272_000
    assert wrong(API, context_over="272k") == [("context_over", "not_whole")]


@pytest.mark.parametrize("kind", ["llm_model", "embedding"])
def test_an_api_file_may_say_whether_it_is_a_model_or_an_embedding(kind: str) -> None:
    assert price(API, item_kind=kind).item_kind == kind
    assert wrong(API, item_kind="gpu_sku") == [("item_kind", "not_one_of")]


def test_region_and_window_are_part_of_the_key() -> None:
    found = price(API, region="eu-west", window="offpeak")
    assert (found.region, found.window) == ("eu-west", "offpeak")
    assert wrong(API, window="night") == [("window", "not_one_of")]
    assert wrong(API, region="e" * 21) == [("region", "text_too_long")]


def test_where_it_comes_from_is_kept() -> None:
    found = price(SKU, source_url="https://example.org/p", checked_on="2026-11-30", note="seen", note_fr="vu")
    assert (found.source_url, found.checked_on) == ("https://example.org/p", dt.date(2026, 11, 30))
    assert (found.note, found.note_fr, found.origin) == ("seen", "vu", "upload")


def test_the_origin_is_said_by_who_sends_not_by_the_file() -> None:
    found = parsed(row(API), origin="library").lines[0].content
    assert isinstance(found, Price)
    assert found.origin == "library"
    assert wrong(API, origin="negotiated") == [("origin", "unknown_column")]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"kind": "gift"}, ("kind", "not_one_of")),
        ({"kind": "free"}, ("amount", "free_with_amount")),
        ({"kind": "withdrawn"}, ("amount", "withdrawn_with_amount")),
        ({"amount": ""}, ("amount", "amount_missing")),
        ({"amount": "0"}, ("amount", "zero_without_free")),
        ({"amount": "0.00"}, ("amount", "zero_without_free")),
        ({"amount": "-1"}, ("amount", "negative_number")),
        ({"amount": "1000000"}, ("amount", "out_of_range")),
        ({"amount": "0.0000000001"}, ("amount", "too_many_decimals")),
        ({"currency": ""}, ("currency", "missing")),
        ({"currency": "CHF"}, ("currency", "not_one_of")),
        ({"unit": ""}, ("unit", "missing")),
        ({"component": ""}, ("component", "missing")),
        ({"component": "instance_hour"}, ("component", "not_one_of")),
        ({"model": ""}, ("model", "missing")),
        ({"model": "m" * 81}, ("model", "text_too_long")),
    ],
)
def test_one_wrong_cell_gives_one_problem(values: dict[str, str], problem: tuple[str, str]) -> None:
    assert wrong(API, **values) == [problem]


def test_a_free_price_is_zero_and_a_withdrawal_has_none() -> None:
    assert price(API, kind="free", amount="0").amount == Decimal(0)
    assert price(API, kind="withdrawn", amount="").amount is None


@pytest.mark.parametrize(
    ("column", "text", "code"),
    [
        ("gpu_count", "1.5", "not_whole"),
        ("gpu_count", "40000", "not_whole"),
        ("vram_gb", "-1", "negative_number"),
        ("status", "sold", "not_one_of"),
        ("retired_on", "demain", "not_a_day"),
        ("label_fr", "é" * 121, "text_too_long"),
        ("aliases", "a" * 121, "text_too_long"),
        ("replaced_by", "r" * 81, "text_too_long"),
    ],
)
def test_a_wrong_column_of_the_item_is_named(column: str, text: str, code: str) -> None:
    assert wrong(SKU, **{column: text}) == [(column, code)]


def test_the_columns_of_an_item_are_read_by_type() -> None:
    item = price(
        SKU, provider="VMCloud", label_fr="Une", label_en="One", gpu="L40S", gpu_count="2", vram_gb="96",
        interconnect="NVLink", status="retired", retired_on="2027-01-31", replaced_by="GPU-PRO",
        aliases="One| TWO |one",
    ).item  # fmt: skip
    assert item == ItemFields(
        provider="VMCloud",
        label_fr="Une",
        label_en="One",
        gpu="L40S",
        gpu_count=2,
        vram_gb=96.0,
        interconnect="NVLink",
        status="retired",
        retired_on=dt.date(2027, 1, 31),
        replaced_by="GPU-PRO",
        aliases=("one", "two"),
    )


def test_a_wrong_item_column_is_named_on_each_of_its_rows() -> None:
    content = csv(
        f"{','.join(SKU)},status", *[f"S{place},instance_hour,1.5,EUR,instance_hour,sold" for place in range(3)]
    )
    assert errors(content) == [(line, "status", "not_one_of") for line in (2, 3, 4)]


def test_an_item_may_hold_from_a_day_on() -> None:
    found = parsed(csv("model,aliases,valid_from", "m,latest,2026-12-01")).lines[0].content
    assert found == Item("", "m", ItemFields(aliases=("latest",)), dt.datetime(2026, 11, 30, 23, tzinfo=dt.UTC))


@pytest.mark.parametrize("kind", [FileKind.GPU, FileKind.LLM])
def test_the_components_of_the_two_files_are_all_there_are(kind: FileKind) -> None:
    others: dict[FileKind, Any] = {FileKind.GPU: FileKind.LLM, FileKind.LLM: FileKind.GPU}
    assert set(COMPONENTS[kind]) | set(COMPONENTS[others[kind]]) == set(UNIT_OF_COMPONENT)
    assert not set(COMPONENTS[kind]) & set(COMPONENTS[others[kind]])
