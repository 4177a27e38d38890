"""Templates and the current catalogue as files: uploaded again they say the same and change nothing."""

import datetime as dt
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from calculator import exports
from calculator.models import CatalogItem, FxRate, Gpu, LanguageModel, PriceRow
from calculator.pricelist.columns import COLUMNS
from calculator.pricelist.contract import FileKind, Item, ParsedFile, Price, PriceFileError, Rate, ReadOptions
from calculator.pricelist.diff import compare
from calculator.pricelist.known import known_of
from calculator.pricelist.plan import Diff
from calculator.pricelist.reading import read
from calculator.pricelist.table import letters
from calculator.pricelist.writing import SUFFIXES, catalogue, start_text, template
from tests import factories as make
from tests.pricelist.filefactory import GPU_HEADER, csv, parsed

NOON = make.NOW
EVERY = [(kind, suffix, french) for kind in FileKind for suffix in SUFFIXES for french in (True, False)]


def reread(kind: FileKind, suffix: str = "csv", french: bool = True, at: dt.datetime = NOON) -> ParsedFile:
    content = catalogue(kind, make.newest_version().number, at, suffix, french)
    found = read(content, f"catalogue.{suffix}", ReadOptions(today=at.date()))
    assert [(problem.line_no, problem.code, dict(problem.values)) for problem in found.problems] == []
    return found


def changes(file: ParsedFile, at: dt.datetime = NOON) -> Diff:
    return compare(file, known_of(make.newest_version().number), at)


@pytest.mark.parametrize(("kind", "suffix", "french"), EVERY)
def test_a_template_has_every_column_and_no_row(kind: FileKind, suffix: str, french: bool) -> None:
    content = template(kind, suffix, french)
    with pytest.raises(PriceFileError) as refused:
        parsed(content, f"template.{suffix}", kind=kind)
    assert refused.value.code == ("empty" if suffix == "json" else "no_rows")
    if suffix == "csv":
        assert content.decode("utf-8-sig").strip().replace(";", ",") == ",".join(COLUMNS[kind])


def test_a_template_of_gpus_is_told_by_its_columns() -> None:
    row = "GPU-PRO;instance_hour;;1,50;EUR;instance_hour" + ";" * (len(COLUMNS[FileKind.GPU]) - 6)
    found = parsed(template(FileKind.GPU, "csv", french=True) + row.encode())
    assert (found.kind, found.errors, len(found.lines)) == (FileKind.GPU, (), 1)


def test_p07_a_workbook_template_keeps_codes_and_days_as_they_are_typed() -> None:
    book = load_workbook(io.BytesIO(template(FileKind.GPU, "xlsx", french=True)))
    page = book["gpu"]
    named = {page.cell(1, place + 1).value: letters(place) for place in range(len(COLUMNS[FileKind.GPU]))}
    formats = {name: page.column_dimensions[letter].number_format for name, letter in named.items()}
    assert (formats["sku"], formats["valid_from"], formats["aliases"]) == ("@", "@", "@")
    assert (formats["amount"], formats["vram_gb"]) == ("General", "General")


@pytest.mark.parametrize(("kind", "suffix", "french"), EVERY)
def test_the_catalogue_reread_unchanged_gives_no_change(
    seeded: None, kind: FileKind, suffix: str, french: bool
) -> None:
    found = changes(reread(kind, suffix, french))
    assert found.problems == ()
    counts = {name: count for name, count in found.counts.items() if count}
    assert set(counts) == {"unchanged"}
    assert [entry for entry in found.entries if entry.writes] == []


def test_every_price_in_force_is_in_the_file_with_its_amount(seeded: None) -> None:
    """The seed has five GPU prices; two of them at the month, at 830.64 and so on, are told by their component."""
    prices = [line.content for line in reread(FileKind.GPU).lines if isinstance(line.content, Price)]
    assert {(price.code, price.component): price.amount for price in prices} == {
        ("GPU-STARTER", "instance_hour"): Decimal("0.85"),
        ("GPU-PRO", "instance_hour"): Decimal("1.50"),
        ("GPU-PRO", "instance_month"): Decimal("830.64"),
        ("GPU-ENTERPRISE", "instance_hour"): Decimal("4.20"),
        ("GPU-TITAN", "instance_hour"): Decimal("5.40"),
    }


def test_an_item_on_request_is_a_row_without_a_price(seeded: None) -> None:
    items = [line.content.code for line in reread(FileKind.GPU).lines if isinstance(line.content, Item)]
    priced = set(PriceRow.objects.values_list("item__code", flat=True))
    assert sorted(items) == sorted(
        code for code in CatalogItem.objects.filter(kind="gpu_sku").values_list("code", flat=True) if code not in priced
    )


def test_every_rate_and_every_sheet_is_in_its_file(seeded: None) -> None:
    rates = [line.content for line in reread(FileKind.FX).lines]
    assert len(rates) == FxRate.objects.count()
    assert Rate("USD", Decimal("1.1172"), dt.date(2026, 10, 30), "ECB") in [
        Rate(rate.quote, rate.rate, rate.rate_date, rate.source) for rate in rates if isinstance(rate, Rate)
    ]
    assert len(reread(FileKind.GPU_SHEET).lines) == Gpu.objects.count()
    assert len(reread(FileKind.MODEL_SHEET).lines) == LanguageModel.objects.count()


def test_prices_in_force_have_no_start_and_planned_ones_keep_theirs(catalogue: None) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    make.make_price(
        item, "instance_hour", "1.60", valid_from=dt.datetime(2026, 12, 31, 23, tzinfo=dt.UTC), mode="on_demand",
        currency="EUR", unit="instance_hour",
    )  # fmt: skip
    found = reread(FileKind.GPU)
    hours = [
        (line.content.amount, line.content.valid_from)
        for line in found.lines
        if isinstance(line.content, Price)
        and (line.content.code, line.content.component) == ("GPU-PRO", "instance_hour")
    ]
    assert hours == [(Decimal("1.50"), None), (Decimal("1.60"), dt.datetime(2026, 12, 31, 23, tzinfo=dt.UTC))]
    assert [entry for entry in changes(found).entries if entry.writes] == []


def test_a_withdrawn_price_is_not_in_the_file(catalogue: None) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    make.make_price(
        item, "instance_month", None, kind="withdrawn", valid_from=NOON, mode="reserved", currency="EUR",
        unit="instance_month",
    )  # fmt: skip
    lines = [line.content for line in reread(FileKind.GPU).lines if isinstance(line.content, Price)]
    assert ("GPU-PRO", "instance_month") not in [(line.code, line.component) for line in lines]


def test_a_private_price_is_in_no_file(catalogue: None) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    make.make_price(
        item, "instance_hour", "1.01", valid_from=NOON, mode="on_demand", currency="EUR", unit="instance_hour",
        audience="sales", origin="negotiated",
    )  # fmt: skip
    prices = [line.content for line in reread(FileKind.GPU).lines if isinstance(line.content, Price)]
    assert Decimal("1.01") not in [price.amount for price in prices]


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (dt.datetime(2026, 11, 30, 23, tzinfo=dt.UTC), "2026-12-01"),
        (dt.datetime(2026, 7, 1, 22, tzinfo=dt.UTC), "2026-07-02"),
        (dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC), "2026-11-30T13:00:00+01:00"),
    ],
)
def test_a_start_is_a_day_where_it_begins_at_midnight_in_paris(moment: dt.datetime, text: str) -> None:
    assert start_text(moment) == text


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=40))
def test_p24_a_label_neutralised_for_a_spreadsheet_reads_back_as_itself(label: str) -> None:
    guarded = exports.guarded(label).replace('"', '""')
    content = csv(f"{GPU_HEADER},label_fr", f'A,instance_hour,1.5,EUR,instance_hour,"{guarded}"')
    found = parsed(content).lines[0].content
    assert isinstance(found, Price)
    assert found.item.label_fr == label
