"""Latencies of APIs in the database: measured or claimed, never changed, and the vendors' claims from the fixtures."""

import datetime as dt
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, transaction

from calculator.models import ApiLatency, CatalogItem
from tests import factories

pytestmark = pytest.mark.django_db
AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
MEASURED = {
    "kind": "measured",
    "region": "eu-west-3",
    "measured_at": AT,
    "ttft_p50_ms": 210.0,
    "ttft_p95_ms": 480.0,
    "tpot_p50_ms": 12.5,
    "run": "2026-0007",
}
CLAIM = {"kind": "claim", "claimed_ms": 150.0}


def item() -> CatalogItem:
    return CatalogItem.objects.filter(code="api-x").first() or factories.make_api("api-x")


def add(**values: Any) -> ApiLatency:
    return ApiLatency.objects.create(item=item(), as_of=AT.date(), published_at=AT, **values)


def refused(**values: Any) -> bool:
    try:
        with transaction.atomic():
            add(**values)
    except IntegrityError:
        return True
    return False


def test_a_measured_latency_has_run_region_instant_and_percentiles_in_order() -> None:
    assert not refused(**MEASURED)
    for missing in ("region", "run"):
        assert refused(**{**MEASURED, missing: ""})
    for missing in ("measured_at", "ttft_p50_ms", "ttft_p95_ms"):
        assert refused(**{**MEASURED, missing: None})
    assert refused(**{**MEASURED, "ttft_p95_ms": 100.0})
    assert refused(**{**MEASURED, "tpot_p50_ms": 0.0})
    assert not refused(**{**MEASURED, "tpot_p50_ms": None})


def test_a_claim_is_a_number_without_a_run() -> None:
    assert not refused(**CLAIM)
    assert refused(**{**CLAIM, "claimed_ms": None})
    assert refused(**CLAIM, run="2026-0007")
    assert refused(**MEASURED, claimed_ms=150.0)
    assert refused(kind="rumour", claimed_ms=150.0)


def test_a_latency_is_withdrawn_once_and_never_changed() -> None:
    found = add(**MEASURED)
    one = ApiLatency.objects.filter(pk=found.pk)
    for change in ({"ttft_p50_ms": 1.0}, {"region": "us"}, {"withdrawn_at": AT - dt.timedelta(days=1)}):
        with pytest.raises(DatabaseError), transaction.atomic():
            one.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        one.delete()
    assert one.update(withdrawn_at=AT + dt.timedelta(hours=1)) == 1
    with pytest.raises(DatabaseError), transaction.atomic():
        one.update(withdrawn_at=None)


def test_the_vendors_claims_are_seeded_once_and_say_what_they_leave_open() -> None:
    call_command("seed", verbosity=0)
    call_command("seed", verbosity=0)
    claims = {found.item.code: found for found in ApiLatency.objects.select_related("item")}
    assert {code: found.claimed_ms for code, found in claims.items()} == {
        "gpt-4.1": 150, "claude-sonnet-4-5": 180, "gemini-2.5-flash": 80, "deepseek-chat": 120,
    }  # fmt: skip
    assert all(found.kind == "claim" and "not stated" in found.note and found.note_fr for found in claims.values())
