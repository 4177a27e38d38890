"""Prices, rates, figures and versions are written once: what the database refuses to change or delete."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from calculator import triggers
from calculator.models import ApiLatency, CatalogItem, CatalogVersion, Figure, FxRate, PriceEvent, PriceRow, PriceUpload
from tests import factories as make
from tests.append_only import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def sku() -> CatalogItem:
    return make.make_sku()


@pytest.fixture
def api() -> CatalogItem:
    return make.make_api()


def test_a_voided_price_leaves_its_start_free(sku: CatalogItem) -> None:
    planned = make.make_price(sku, "instance_hour", "1.60", valid_from=tomorrow())
    void(planned)
    assert make.make_price(sku, "instance_hour", "1.55", valid_from=planned.valid_from).pk


def tomorrow() -> dt.datetime:
    return timezone.now() + dt.timedelta(days=1)


def void(row: PriceRow | FxRate, **values: Any) -> None:
    type(row).objects.filter(pk=row.pk).update(
        **{"voided_in_version": make.make_version(), "void_reason": "mistyped", **values}
    )


# --- append-only: prices


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("component", "output"),
        ("mode", "batch"),
        ("region", "eu-west"),
        ("context_over", 1),
        ("window", "peak"),
        ("audience", "sales"),
        ("amount", Decimal("2.60")),
        ("currency", "EUR"),
        ("valid_from", make.START + dt.timedelta(days=1)),
        ("origin", "upload"),
        ("source_url", "elsewhere"),
        ("checked_on", dt.date(2026, 12, 1)),
        ("note", "changed"),
        ("note_fr", "changée"),
        ("recorded_at", make.NOW + dt.timedelta(days=365)),
    ],
)
def test_no_column_of_a_price_ever_changes(api: CatalogItem, column: str, value: Any) -> None:
    row = make.make_price(api, "input", "2.50")
    refused(PriceRow.objects.filter(pk=row.pk).update, **{column: value})
    row.refresh_from_db()
    assert getattr(row, column) != value


def test_a_price_moves_to_no_other_item_or_version(api: CatalogItem) -> None:
    row = make.make_price(api, "input", "2.50")
    other = make.make_api("gpt-5.4-mini", catalog_version=make.make_version())
    refused(PriceRow.objects.filter(pk=row.pk).update, item=other)
    refused(PriceRow.objects.filter(pk=row.pk).update, catalog_version=other.catalog_version)


def test_a_price_is_never_deleted(api: CatalogItem) -> None:
    row = make.make_price(api, "input", "2.50")
    refused(row.delete)
    refused(PriceRow.objects.all().delete)
    assert PriceRow.objects.count() == 1


def test_a_price_is_not_saved_a_second_time(api: CatalogItem) -> None:
    refused(make.make_price(api, "input", "2.50").save)


def test_a_price_that_has_not_started_can_be_voided_once(sku: CatalogItem) -> None:
    row = make.make_price(sku, "instance_hour", "1.60", valid_from=tomorrow())
    void(row)
    row.refresh_from_db()
    assert (row.voided_in_version_id, row.void_reason) == (2, "mistyped")
    refused(void, row)
    refused(void, row, voided_in_version=None, void_reason="")


def test_the_reason_of_a_voided_price_does_not_change(sku: CatalogItem) -> None:
    row = make.make_price(sku, "instance_hour", "1.60", valid_from=tomorrow())
    void(row)
    refused(PriceRow.objects.filter(pk=row.pk).update, void_reason="another")


@pytest.mark.parametrize("past", [dt.timedelta(seconds=1), dt.timedelta(days=400)])
def test_a_price_in_force_is_not_voided(sku: CatalogItem, past: dt.timedelta) -> None:
    row = make.make_price(sku, "instance_hour", "1.60", valid_from=timezone.now() - past)
    refused(void, row)


def test_voiding_changes_nothing_else(sku: CatalogItem) -> None:
    row = make.make_price(sku, "instance_hour", "1.60", valid_from=tomorrow())
    refused(void, row, amount=Decimal("9.99"))


def test_a_price_is_voided_by_a_later_version_only(sku: CatalogItem) -> None:
    row = make.make_price(sku, "instance_hour", "1.60", valid_from=tomorrow())
    refused(void, row, voided_in_version=row.catalog_version)


def test_a_reason_without_a_voiding_is_refused(sku: CatalogItem) -> None:
    refused(make.make_price, sku, "instance_hour", "1.50", void_reason="no version")


# --- append-only: exchange rates


@pytest.mark.parametrize("rate", ["1.1172", "0.00000001", "999999.99999999", "1.12250000"])
def test_an_exchange_rate_comes_back_exactly(rate: str) -> None:
    row = make.make_fx(dt.date(2026, 10, 30), rate)
    assert FxRate.objects.get(pk=row.pk).rate == Decimal(rate)


@pytest.mark.parametrize("rate", ["0", "-1.1", "1000000"])
def test_an_exchange_rate_outside_its_range_is_refused(rate: str) -> None:
    refused(FxRate.objects.bulk_create, [fx(rate=int(float(rate)) if float(rate) >= 1 else Decimal(rate))])


def fx(**values: Any) -> FxRate:
    defaults = {"quote": "USD", "rate": Decimal("1.1"), "rate_date": dt.date(2026, 10, 30), "source": "ECB"}
    return FxRate(**{**defaults, "catalog_version": make.newest_version(), **values})


@pytest.mark.parametrize(
    "values", [{"base": "USD"}, {"quote": "EUR"}, {"quote": "usd"}, {"quote": "US"}, {"quote": "U$D"}]
)
def test_a_rate_is_a_foreign_currency_for_one_euro(values: dict[str, str]) -> None:
    refused(make.make_fx, dt.date(2026, 10, 30), "1.1172", **values)


def test_a_source_gives_one_rate_a_day() -> None:
    day = dt.date(2026, 10, 30)
    make.make_fx(day, "1.1172")
    refused(make.make_fx, day, "1.1173")
    assert make.make_fx(day, "1.1173", source="manual").pk
    assert make.make_fx(day, "0.83", quote="GBP").pk


def test_a_rate_never_changes_and_is_never_deleted() -> None:
    row = make.make_fx(dt.date(2026, 10, 30), "1.1172")
    refused(FxRate.objects.filter(pk=row.pk).update, rate=Decimal("1.2"))
    refused(FxRate.objects.filter(pk=row.pk).update, rate_date=dt.date(2026, 10, 31))
    refused(row.delete)


def test_a_rate_is_voided_once_and_its_day_is_free_again() -> None:
    row = make.make_fx(dt.date(2026, 10, 30), "0.8951")
    void(row)
    refused(void, row)
    assert make.make_fx(dt.date(2026, 10, 30), "1.1172").pk


# --- append-only: figures


@pytest.mark.parametrize("value", [0, -1.0, 1e12, float("inf")])
def test_a_figure_is_a_positive_number(sku: CatalogItem, value: float) -> None:
    refused(make.make_figure, sku, value)


def test_a_figure_is_in_tokens_a_second(sku: CatalogItem) -> None:
    refused(make.make_figure, sku, 64, unit="tok_per_min")


def test_a_figure_of_a_test_model_names_the_model(sku: CatalogItem) -> None:
    refused(make.make_figure, sku, 2000, test_model=True)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value", 640.0),
        ("kind", "measured"),
        ("single_stream", True),
        ("concurrency", 8),
        ("published_at", make.START - dt.timedelta(days=1)),
        ("run", "17"),
        ("reference", "elsewhere"),
        ("test_model", True),
    ],
)
def test_no_column_of_a_figure_ever_changes(sku: CatalogItem, column: str, value: Any) -> None:
    figure = make.make_figure(sku, 64, language_model=make.make_language_model())
    refused(Figure.objects.filter(pk=figure.pk).update, **{column: value})


def test_a_figure_is_withdrawn_once_and_never_deleted(sku: CatalogItem) -> None:
    figure = make.make_figure(sku, 64)
    Figure.objects.filter(pk=figure.pk).update(withdrawn_at=make.NOW)
    refused(Figure.objects.filter(pk=figure.pk).update, withdrawn_at=make.NOW + dt.timedelta(days=1))
    refused(Figure.objects.filter(pk=figure.pk).update, withdrawn_at=None)
    refused(figure.delete)


def test_a_figure_is_not_withdrawn_before_it_was_published(sku: CatalogItem) -> None:
    figure = make.make_figure(sku, 64)
    refused(Figure.objects.filter(pk=figure.pk).update, withdrawn_at=make.START - dt.timedelta(seconds=1))


def test_a_withdrawal_changes_nothing_else(sku: CatalogItem) -> None:
    figure = make.make_figure(sku, 64)
    refused(Figure.objects.filter(pk=figure.pk).update, withdrawn_at=make.NOW, value=65.0)


# --- versions


@pytest.mark.parametrize("number", [1, 3, 0])
def test_version_numbers_have_no_gap_and_no_twin(number: int) -> None:
    make.make_version()
    refused(CatalogVersion.objects.create, number=number, kind="apply")


def test_the_first_version_is_number_one() -> None:
    refused(CatalogVersion.objects.create, number=2, kind="seed")
    assert CatalogVersion.objects.create(number=1, kind="seed").pk == 1


def test_a_version_never_changes_and_is_never_deleted() -> None:
    version = make.make_version()
    refused(CatalogVersion.objects.filter(pk=version.pk).update, summary="rewritten")
    refused(version.delete)


def test_the_guards_can_be_taken_away_and_put_back(api: CatalogItem) -> None:
    """What the migration does and undoes, in both directions."""
    make.make_price(api, "input", "2.50")
    run_sql(triggers.removal_statements)
    PriceRow.objects.update(note="possible without guards")
    run_sql(triggers.creation_statements)
    refused(PriceRow.objects.update, note="refused again")


def run_sql(statements: Callable[[str, triggers.Guard], list[str]]) -> None:
    with connection.cursor() as cursor:
        for guard in triggers.GUARDS:
            for statement in statements(connection.vendor, guard):
                cursor.execute(statement)


def test_the_guards_know_every_column_of_their_tables() -> None:
    """A column that is added later and forgotten here could be rewritten."""
    guarded = (PriceRow, FxRate, Figure, ApiLatency, CatalogVersion, PriceUpload, PriceEvent)
    tables = {model._meta.db_table: model for model in guarded}
    for guard in triggers.GUARDS:
        columns = {field.column for field in tables[guard.table]._meta.concrete_fields}
        assert set(guard.columns) == columns


@pytest.mark.django_db(transaction=True)
def test_the_guards_are_back_after_a_test_that_commits() -> None:
    """Runs after and before other committing tests: the flush between them must leave the triggers in place."""
    row = make.make_price(make.make_api(), "input", "2.50")
    refused(row.delete)


@pytest.mark.django_db(transaction=True)
def test_the_flush_of_a_committing_test_empties_append_only_tables() -> None:
    assert not PriceRow.objects.exists()
    refused(make.make_price(make.make_api(), "input", "2.50").delete)
