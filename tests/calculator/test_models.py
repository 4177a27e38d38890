"""What the catalogue's rows are called and what their columns promise."""

import datetime as dt
from decimal import Decimal

import pytest
from django.apps import apps
from django.db import models

from calculator.domain import hardware, llm
from calculator.models import Gpu, LanguageModel, PriceRow
from tests import factories as make

CATALOGUE = list(apps.get_app_config("calculator").get_models())


@pytest.mark.django_db
def test_every_row_says_what_it_is() -> None:
    sku, api = make.make_sku(), make.make_api()
    priced = make.make_price(sku, "instance_hour", "1.50")
    withdrawn = make.make_price(api, "input", None)
    assert str(sku.catalog_version) == "v1"
    assert str(sku) == "GPU-PRO"
    assert str(make.make_alias(api, "gpt-5-4")) == "gpt-5-4 → gpt-5.4"
    assert str(priced) == "GPU-PRO instance_hour on_demand 1.50 EUR/instance_hour"
    assert str(withdrawn) == "gpt-5.4 input standard withdrawn"
    assert str(make.make_fx(dt.date(2026, 10, 30), "1.1172")) == "1 EUR = 1.1172 USD (ECB, 2026-10-30)"
    assert str(make.make_figure(sku, 64)) == "GPU-PRO output_tok_per_s 64 (claim)"
    assert str(make.make_gpu()) == "RTX 4090"
    assert str(make.make_language_model()) == "Mistral-7B-v0.3"
    assert str(make.make_snapshot()) == "economics saved"


@pytest.mark.parametrize("model", CATALOGUE, ids=lambda model: model.__name__)
def test_every_table_is_listed_in_a_stated_order(model: type[models.Model]) -> None:
    assert model._meta.ordering or model._meta.auto_created


@pytest.mark.parametrize(("model", "domain"), [(Gpu, hardware.Gpu), (LanguageModel, llm.LanguageModel)])
def test_a_data_sheet_has_a_column_for_each_field_of_the_formulas(
    model: type[models.Model], domain: type[hardware.Gpu] | type[llm.LanguageModel]
) -> None:
    columns = {field.name for field in model._meta.get_fields()}
    # What a probe measured of an offer is no part of a data sheet.
    assert set(domain.__dataclass_fields__) - {"roofs"} <= columns


def test_no_price_column_of_the_unique_key_may_be_empty() -> None:
    constraint = next(one for one in PriceRow._meta.constraints if one.name == "price_once_a_start")
    assert isinstance(constraint, models.UniqueConstraint)
    assert not [name for name in constraint.fields if PriceRow._meta.get_field(name).null]


def test_an_amount_holds_six_integer_digits_and_nine_decimals() -> None:
    amount = PriceRow._meta.get_field("amount")
    assert isinstance(amount, models.DecimalField)
    assert (amount.max_digits - amount.decimal_places, amount.decimal_places) == (6, 9)
    assert amount.clean(Decimal("999999.999999999"), None) == Decimal("999999.999999999")


def test_no_price_has_a_currency_or_unit_by_default() -> None:
    for name in ("currency", "unit", "mode", "component", "kind", "origin", "valid_from", "checked_on"):
        assert not PriceRow._meta.get_field(name).has_default()
