"""What is typed into the price forms becomes a file of one line that reads back as what was meant."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from calculator.pricelist import reading
from calculator.pricelist.contract import FileKind, Item, ParsedFile, Price
from calculator.pricing import forms

pytestmark = pytest.mark.django_db
GPU = {
    "code": "GPU-PRO",
    "component": "instance_hour",
    "mode": "on_demand",
    "price_kind": "price",
    "amount": "1,60",
    "currency": "EUR",
    "checked_on": "2026-11-30",
}
API = {**GPU, "code": "gpt-5.4", "component": "output", "mode": "standard", "amount": "15", "currency": "USD"}


def price_form(kind: FileKind = FileKind.GPU, **data: str) -> forms.PriceForm:
    start = GPU if kind is FileKind.GPU else API
    return forms.PriceForm({**start, **data}, kind=kind, may_be_private=False)


def file_of(form: Any) -> ParsedFile:
    assert form.is_valid(), form.errors
    found = reading.read(form.content(), "form.json")
    assert found.errors == ()
    return found


def price_of(form: Any) -> Price:
    (line,) = file_of(form).lines
    assert isinstance(line.content, Price)
    return line.content


@pytest.mark.parametrize(("language", "typed"), [("fr", "1,60"), ("fr", "1.60"), ("en", "1.60"), ("en", "1,60")])
def test_p04_an_amount_reads_the_same_in_both_languages(language: str, typed: str) -> None:
    with translation.override(language):
        assert price_of(price_form(amount=typed)).amount == Decimal("1.60")


def test_a_gpu_price_carries_unit_mode_and_currency() -> None:
    price = price_of(price_form())
    assert (price.code, price.component, price.unit, price.mode, price.currency) == (
        "GPU-PRO",
        "instance_hour",
        "instance_hour",
        "on_demand",
        "EUR",
    )
    assert price.valid_from is None and price.checked_on == dt.date(2026, 11, 30)


def test_an_api_price_is_per_million_tokens_and_may_have_a_tier() -> None:
    price = price_of(price_form(FileKind.LLM, context_over="272 000"))
    assert (price.unit, price.context_over, price.amount) == ("mtok", 272_000, Decimal(15))


def test_p29_a_start_is_an_hour_of_paris() -> None:
    price = price_of(price_form(valid_from="2026-12-01 08:00"))
    assert price.valid_from == dt.datetime(2026, 12, 1, 7, tzinfo=dt.UTC)
    assert price_of(price_form(valid_from="01/07/2027")).valid_from == dt.datetime(2027, 6, 30, 22, tzinfo=dt.UTC)


@pytest.mark.parametrize("hour", ["2027-03-28 02:30", "2027-10-31 02:30"])
def test_p29_an_hour_that_is_missing_or_twice_is_asked_again(hour: str) -> None:
    with pytest.raises(ValidationError, match="Paris"):
        forms.paris_instant(hour)


@pytest.mark.parametrize("text", ["demain", "2026-13-01", "2026-12-01 25:00", "12/2026"])
def test_what_is_no_instant_is_asked_again(text: str) -> None:
    with pytest.raises(ValidationError):
        forms.paris_instant(text)


def test_nothing_said_is_at_once() -> None:
    assert forms.paris_instant("  ") is None


def test_p14_a_withdrawal_has_no_amount_and_free_is_said() -> None:
    gone = price_of(price_form(price_kind="withdrawn", amount=""))
    assert (gone.kind, gone.amount) == ("withdrawn", None)
    free = price_of(price_form(price_kind="free", amount=""))
    assert (free.kind, free.amount) == ("free", Decimal(0))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", "cher"),
        ("amount", "-1"),
        ("amount", "1000000"),
        ("amount", ""),
        ("component", "output"),
        ("currency", "GBP"),
        ("checked_on", "hier"),
        ("valid_from", "demain"),
        ("source_url", "javascript:alert(1)"),
        ("code", ""),
    ],
)
def test_what_cannot_be_meant_comes_back_at_its_field(field: str, value: str) -> None:
    form = price_form(**{field: value})
    assert not form.is_valid()
    assert field in form.errors


def test_a_new_sku_is_an_item_without_a_price() -> None:
    data = {
        "code": "GPU-NEW",
        "provider": "VMCloud",
        "label_fr": "Neuf",
        "label_en": "New",
        "gpu": "RTX 4090",
        "gpu_count": "2",
        "vram_gb": "48",
        "aliases": "neuf, nouveau",
    }
    (line,) = file_of(forms.SkuForm(data)).lines
    assert isinstance(line.content, Item)
    item = line.content.item
    assert (item.gpu, item.gpu_count, item.vram_gb, item.aliases) == ("RTX 4090", 2, 48.0, ("neuf", "nouveau"))


def test_a_new_model_may_have_names_a_window_and_an_end() -> None:
    data = {
        "code": "gpt-6",
        "item_kind": "llm_model",
        "provider": "OpenAI",
        "context_window": "400 000",
        "aliases": "gpt-latest",
        "retired_on": "31/12/2027",
    }
    (line,) = file_of(forms.ModelForm(data)).lines
    assert isinstance(line.content, Item)
    item = line.content.item
    assert (item.context_window, item.aliases, item.retired_on) == (400_000, ("gpt-latest",), dt.date(2027, 12, 31))


def test_only_who_may_see_private_prices_is_asked_whose_they_are() -> None:
    assert "audience" not in forms.UploadForm(may_be_private=False).fields
    form = forms.UploadForm({"audience": "sales"}, {"file": SimpleUploadedFile("a.csv", b"x")}, may_be_private=True)
    assert form.is_valid() and form.audience_of() == "sales"
    smuggled = forms.UploadForm(
        {"audience": "sales"}, {"file": SimpleUploadedFile("a.csv", b"x")}, may_be_private=False
    )
    assert smuggled.is_valid() and smuggled.audience_of() == "public"


def test_a_file_that_is_too_large_is_refused_by_its_size() -> None:
    large = SimpleUploadedFile("a.csv", b"x")
    large.size = 20_000_001
    form = forms.UploadForm({}, {"file": large}, may_be_private=False)
    assert not form.is_valid() and "20 Mo" in str(form.errors)


def test_headers_that_are_columns_are_told_already_and_the_others_asked() -> None:
    form = forms.ColumnsForm(headers=["SKU", "Tarif"], kind="gpu")
    assert (form.fields["column-0"].initial, form.fields["column-1"].initial) == ("sku", "?")


def test_a_mapping_says_what_each_header_is_and_what_is_left_out() -> None:
    data = {"column-0": "sku", "column-1": "amount", "column-2": "", "column-3": "?"}
    form = forms.ColumnsForm(data, headers=["Réf", "Tarif", "Remarque", "Quoi"], kind="gpu")
    assert form.is_valid(), form.errors
    assert form.mapping() == {"Réf": "sku", "Tarif": "amount", "Remarque": ""}
