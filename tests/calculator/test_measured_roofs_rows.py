"""Figures that are roofs: which rows the table refuses, and that they stay append-only."""

import datetime as dt
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from calculator.models import CatalogItem, Figure
from tests.append_only import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def sku(db: None) -> CatalogItem:
    call_command("seed", verbosity=0)
    return CatalogItem.objects.get(code="GPU-TITAN")


def roof(sku: CatalogItem, **values: Any) -> Figure:
    return Figure.objects.create(
        **{
            "sku": sku,
            "metric": Figure.Metric.COPY,
            "value": 1.61e12,
            "unit": "B/s",
            "scope": Figure.Scope.GPU,
            "kind": "measured",
            "as_of": dt.date(2026, 11, 30),
            "run": "2026-0001",
            "published_at": timezone.now(),
            **values,
        }
    )


@pytest.mark.parametrize(
    "values",
    [
        {"metric": "copy_bytes_per_s", "unit": "B/s", "value": 1.61e12},
        {"metric": "bus_bytes_per_s", "unit": "B/s", "value": 2.3e11},
        {"metric": "gemm_bf16_flop_per_s", "unit": "FLOP/s", "value": 2.5e14},
        {"metric": "gemm_fp8_flop_per_s", "unit": "FLOP/s", "value": 1.4e15},
    ],
)
def test_a_roof_is_kept_in_its_own_unit(sku: CatalogItem, values: dict[str, Any]) -> None:
    assert roof(sku, **values).pk


@pytest.mark.parametrize(
    "values",
    [
        {"unit": "FLOP/s"},
        {"unit": "tok/s"},
        {"value": 0.0},
        {"value": 1e18},
        {"kind": "estimate"},
        {"kind": "data_sheet"},
        {"run": ""},
        {"metric": "output_tok_per_s"},
        {"metric": "output_tok_per_s", "unit": "tok/s", "value": 1e12},
    ],
)
def test_a_roof_is_measured_by_a_run_and_in_range(sku: CatalogItem, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        roof(sku, **values)


def test_roofs_are_append_only_too(sku: CatalogItem) -> None:
    found = roof(sku)
    refused(lambda: Figure.objects.filter(pk=found.pk).update(value=2e12))
    refused(lambda: Figure.objects.filter(pk=found.pk).delete())
    assert Figure.objects.filter(pk=found.pk).update(withdrawn_at=timezone.now()) == 1
