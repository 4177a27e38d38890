"""Loading the fixtures: once, again, after a change, and when a fixture contradicts what is recorded."""

import datetime as dt
import io
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from calculator import catalog, seeding
from calculator.domain.offers import Basis
from calculator.models import (
    CatalogItem,
    CatalogVersion,
    Figure,
    FxRate,
    Gpu,
    ItemAlias,
    LanguageModel,
    PriceRow,
)

pytestmark = pytest.mark.django_db
TABLES: tuple[type[models.Model], ...] = (
    CatalogVersion,
    Gpu,
    LanguageModel,
    CatalogItem,
    ItemAlias,
    PriceRow,
    FxRate,
    Figure,
)
GPUS_OF_SKUS = ("T4", "RTX 4090", "A100-SXM-40GB", "A100-SXM-80GB")
Edit = Callable[[str, Callable[[Any], None]], None]


def counts() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in TABLES}


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    """A copy of the product's fixtures that a test may change, with the long ones cut short."""
    folder = tmp_path / "fixtures"
    shutil.copytree(settings.BASE_DIR / "fixtures", folder)
    shorten(folder / "gpus.json", lambda rows: [row for row in rows if row["name"] in GPUS_OF_SKUS])
    shorten(folder / "models.json", lambda rows: rows[:1])
    shorten(folder / "fx_rates.json", lambda content: {**content, "rates": {"2026-10-30": "1.1172"}})
    return folder


def shorten(path: Path, how: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(how(json.loads(path.read_text()))))


@pytest.fixture
def edit(fixtures: Path) -> Edit:
    """Change one fixture in place."""

    def change(name: str, how: Callable[[Any], None]) -> None:
        path = fixtures / f"{name}.json"
        content = json.loads(path.read_text())
        how(content)
        path.write_text(json.dumps(content))
        catalog.forget()

    return change


def price(sku: str, at: str, basis: Basis = Basis.HOUR) -> Decimal | None:
    found = catalog.sku_choices(catalog.latest_version(), dt.datetime.fromisoformat(at))
    prices = next(one.prices for one in found if one.code == sku)
    return prices[basis].value if basis in prices else None


# --- once and again


def test_the_first_load_makes_version_one_and_says_what_it_holds() -> None:
    line = seeding.seed()
    assert line == (
        "Catalogue v1: gpus 49, models 65, skus 6, api models 9, embedding models 5, aliases 20, prices 116, "
        "rates 213, figures 4, latencies 4."
    )
    assert CatalogVersion.objects.get().kind == CatalogVersion.Kind.SEED


def test_a_second_load_changes_nothing() -> None:
    seeding.seed()
    before = counts()
    with CaptureQueriesContext(connection) as queries:
        assert seeding.seed() == "Catalogue v1: 0 changes."
    assert counts() == before
    written = [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert written == []


def test_the_command_prints_the_line() -> None:
    out = io.StringIO()
    call_command("seed", stdout=out)
    assert out.getvalue().startswith("Catalogue v1: gpus 49")
    assert out.getvalue().count("\n") == 1


def test_the_command_fails_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicts() -> str:
        raise seeding.SeedError("GPU-PRO is recorded and cannot change.")

    monkeypatch.setattr("calculator.management.commands.seed.seed", contradicts)
    with pytest.raises(CommandError, match="cannot change"):
        call_command("seed")


# --- after a change


def test_a_new_start_is_appended_under_a_new_version(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def raise_price(rows: list[dict[str, Any]]) -> None:
        rows.append({**rows[1], "amount": "1.60", "valid_from": "2027-01-01"})

    edit("gpu_rates", raise_price)
    assert seeding.seed(fixtures) == "Catalogue v2: prices 1."
    assert price("GPU-PRO", "2026-12-31T22:59:59Z") == Decimal("1.50")
    assert price("GPU-PRO", "2026-12-31T23:00:00Z") == Decimal("1.60")
    row = PriceRow.objects.get(amount="1.60")
    assert row.catalog_version_id == 2


def test_another_amount_for_a_recorded_start_is_refused_and_nothing_is_written(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)
    before = counts()

    def rewrite(rows: list[dict[str, Any]]) -> None:
        rows[1]["amount"] = "1.60"

    edit("gpu_rates", rewrite)
    edit("gpus", lambda rows: rows.append({**rows[0], "name": "Another"}))
    with pytest.raises(seeding.SeedError, match=r"GPU-PRO instance_hour on_demand 1\.5.* a start of its own"):
        seeding.seed(fixtures)
    assert counts() == before
    assert price("GPU-PRO", "2026-12-01T00:00:00Z") == Decimal("1.50")


def test_another_rate_for_a_recorded_day_is_refused(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def rewrite(content: dict[str, Any]) -> None:
        content["rates"]["2026-10-30"] = "0.8951"

    edit("fx_rates", rewrite)
    with pytest.raises(seeding.SeedError, match=r"1 EUR = 1\.1172"):
        seeding.seed(fixtures)


def test_another_value_for_a_recorded_figure_is_refused(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def rewrite(rows: list[dict[str, Any]]) -> None:
        rows[1]["value"] = 640

    edit("figures", rewrite)
    with pytest.raises(seeding.SeedError, match="GPU-PRO output_tok_per_s 64"):
        seeding.seed(fixtures)


def test_a_new_label_is_followed_under_a_new_version(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def relabel(rows: list[dict[str, Any]]) -> None:
        rows[1]["label_en"] = "RTX 4090, 24 GB"

    edit("skus", relabel)
    assert seeding.seed(fixtures) == "Catalogue v2: skus changed 1."
    assert CatalogItem.objects.get(code="GPU-PRO").label_en == "RTX 4090, 24 GB"
    assert seeding.seed(fixtures) == "Catalogue v2: 0 changes."


def test_a_corrected_data_sheet_is_followed(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def correct(rows: list[dict[str, Any]]) -> None:
        rows[0]["mem_bw_gb_s"] = 300

    edit("gpus", correct)
    assert seeding.seed(fixtures) == "Catalogue v1: gpus changed 1."
    assert Gpu.objects.get(name="T4").mem_bw_gb_s == 300


def test_a_new_model_with_its_alias_and_price_is_one_version(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)

    def add_model(rows: list[dict[str, Any]]) -> None:
        alias = {"alias": "New Model", "valid_from": "2026-12-01"}
        rows.append({**rows[0], "code": "new-model", "aliases": [alias]})

    edit("api_models", add_model)
    edit("api_rates", lambda rows: rows.append({**rows[0], "model": "new-model", "valid_from": "2026-12-01"}))
    assert seeding.seed(fixtures) == "Catalogue v2: api models 1, aliases 1, prices 3."
    at = dt.datetime(2026, 12, 2, tzinfo=dt.UTC)
    assert catalog.canonical_code("api", "new model", 2, at) == "new-model"
    assert [api.code for api in catalog.api_choices(1, at)].count("new-model") == 0


def test_what_a_fixture_no_longer_names_stays(fixtures: Path, edit: Edit) -> None:
    seeding.seed(fixtures)
    edit("gpu_rates", lambda rows: rows.clear())
    assert seeding.seed(fixtures) == "Catalogue v1: 0 changes."
    assert price("GPU-PRO", "2026-12-01T00:00:00Z") == Decimal("1.50")


def test_a_voided_price_is_not_put_back(fixtures: Path, edit: Edit) -> None:
    start = (timezone.now() + dt.timedelta(days=30)).date().isoformat()
    edit("gpu_rates", lambda rows: rows.append({**rows[1], "amount": "1.60", "valid_from": start}))
    seeding.seed(fixtures)
    later = CatalogVersion.objects.create(number=2, kind="rollback", rolls_back_id=1)
    PriceRow.objects.filter(amount="1.60").update(voided_in_version=later, void_reason="called off")
    assert seeding.seed(fixtures) == "Catalogue v2: 0 changes."


# --- fixtures that cannot be loaded


@pytest.mark.parametrize("amount", ["1000000", "0.0000000001"])
def test_an_amount_that_does_not_fit_is_refused_by_name(fixtures: Path, edit: Edit, amount: str) -> None:
    def rewrite(rows: list[dict[str, Any]]) -> None:
        rows[0]["amount"] = amount

    edit("gpu_rates", rewrite)
    with pytest.raises(seeding.SeedError, match="GPU-STARTER instance_hour"):
        seeding.seed(fixtures)
    assert counts() == dict.fromkeys(counts(), 0)


def test_a_failure_at_the_end_leaves_the_database_empty(fixtures: Path) -> None:
    (fixtures / "figures.json").write_text("[{]")
    with pytest.raises(json.JSONDecodeError):
        seeding.seed(fixtures)
    assert counts() == dict.fromkeys(counts(), 0)


# --- starts


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("2026-12-01", "2026-11-30T23:00:00+00:00"),
        ("2026-07-01", "2026-06-30T22:00:00+00:00"),
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00+00:00"),
        ("2026-11-30T12:00:00+01:00", "2026-11-30T11:00:00+00:00"),
    ],
)
def test_p29_a_plain_day_starts_at_midnight_in_paris(text: str, starts: str) -> None:
    assert seeding.instant(text).isoformat() == starts


def test_p29_an_instant_without_an_offset_is_refused() -> None:
    with pytest.raises(seeding.SeedError, match="without an offset"):
        seeding.instant("2026-11-30T12:00:00")


def test_p29_the_price_changes_at_the_second(fixtures: Path, edit: Edit) -> None:
    edit("gpu_rates", lambda rows: rows.append({**rows[1], "amount": "1.60", "valid_from": "2026-12-01"}))
    seeding.seed(fixtures)
    assert price("GPU-PRO", "2026-11-30T22:59:59Z") == Decimal("1.50")
    assert price("GPU-PRO", "2026-11-30T23:00:00Z") == Decimal("1.60")
