"""The tables of price uploads: what the database itself refuses, on SQLite and PostgreSQL alike."""

import datetime as dt
from typing import Any

import pytest
from django.contrib.auth.models import User

from calculator.models import CatalogVersion, ColumnMapping, PriceEvent, PriceRow, PriceUpload
from tests import factories as make
from tests.append_only import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def uploader() -> User:
    return make.make_user("uploader")


@pytest.fixture
def upload(uploader: User) -> PriceUpload:
    return make.make_upload(uploaded_by=uploader)


def change(upload: PriceUpload, **values: Any) -> None:
    PriceUpload.objects.filter(pk=upload.pk).update(**values)


# --- private prices


def test_a_private_price_starts_at_the_same_instant_as_the_public_one() -> None:
    sku = make.make_sku()
    public = make.make_price(sku, "instance_hour", "1.50")
    assert public.audience == "public"
    assert make.make_price(sku, "instance_hour", "1.20", audience="sales").pk


@pytest.mark.parametrize("audience", ["public", "sales"])
def test_one_audience_has_one_price_a_start(audience: str) -> None:
    sku = make.make_sku()
    make.make_price(sku, "instance_hour", "1.50", audience=audience)
    refused(make.make_price, sku, "instance_hour", "1.60", audience=audience)


def test_a_price_has_a_known_audience() -> None:
    refused(make.make_price, make.make_sku(), "instance_hour", "1.50", audience="partner")


# --- uploads


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("original_name", "other.csv"),
        ("sha256", "0" * 64),
        ("size_bytes", 1),
        ("content", b"tampered"),
        ("origin", "manual"),
        ("audience", "sales"),
        ("today", dt.date(2026, 12, 1)),
        ("uploaded_at", make.NOW + dt.timedelta(days=400)),
    ],
)
def test_p18_what_was_received_never_changes(upload: PriceUpload, column: str, value: Any) -> None:
    refused(change, upload, **{column: value})
    stored = PriceUpload.objects.get(pk=upload.pk)
    assert bytes(stored.content) == bytes(upload.content)


def test_an_upload_is_never_given_to_somebody_else_or_deleted(upload: PriceUpload) -> None:
    refused(change, upload, uploaded_by=make.make_user("bob"))
    refused(upload.delete)
    refused(PriceUpload.objects.all().delete)


def test_nobody_approves_their_own_upload_not_even_past_every_form(upload: PriceUpload, uploader: User) -> None:
    refused(change, upload, approved_by=uploader, approved_at=make.NOW)
    change(upload, approved_by=make.make_user("bob"), approved_at=make.NOW)


def test_an_applied_upload_names_its_version_and_no_other_does(upload: PriceUpload) -> None:
    refused(change, upload, status="applied")
    refused(change, upload, applied_version=make.make_version())
    change(upload, status="applied", applied_version=make.newest_version())


def test_one_version_comes_from_one_upload(upload: PriceUpload) -> None:
    version = make.make_version()
    change(upload, status="applied", applied_version=version)
    refused(change, make.make_upload(b"other"), status="applied", applied_version=version)


def test_the_version_of_an_upload_is_settled_once(upload: PriceUpload) -> None:
    change(upload, status="applied", applied_version=make.make_version(), applied_at=make.NOW)
    later = make.make_version()
    refused(change, upload, applied_version=later)
    refused(change, upload, applied_at=make.NOW + dt.timedelta(days=1))
    refused(change, upload, status="draft", applied_version=None)
    change(upload, status="rolled_back")


def test_an_upload_has_a_known_audience() -> None:
    refused(make.make_upload, audience="everyone")


# --- versions


def test_a_rollback_names_an_earlier_version_once() -> None:
    first = make.make_version()
    refused(make.make_version, kind="rollback")
    refused(make.make_version, kind="apply", rolls_back=first)
    refused(CatalogVersion.objects.create, number=2, kind="rollback", rolls_back_id=2)
    second = make.make_version(kind="rollback", rolls_back=first)
    refused(make.make_version, kind="rollback", rolls_back=first)
    refused(CatalogVersion.objects.filter(pk=second.pk).update, rolls_back=None, kind="apply")


# --- events


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("action", "applied"),
        ("subject", "another"),
        ("before", "1.40"),
        ("after", "9.99"),
        ("reason", "rewritten"),
        ("audience", "sales"),
        ("request_id", "7"),
        ("at", make.NOW),
        ("valid_from", make.NOW),
    ],
)
def test_p21_an_event_never_changes(column: str, value: Any) -> None:
    event = make.make_event(before="1.50", after="1.60", reason="list of December")
    refused(PriceEvent.objects.filter(pk=event.pk).update, **{column: value})


def test_p21_an_event_is_never_given_to_somebody_else_or_deleted(upload: PriceUpload) -> None:
    event = make.make_event(upload=upload, actor=upload.uploaded_by)
    refused(PriceEvent.objects.filter(pk=event.pk).update, actor=make.make_user("bob"))
    refused(PriceEvent.objects.filter(pk=event.pk).update, upload=make.make_upload(b"other"))
    refused(PriceEvent.objects.filter(pk=event.pk).update, version=make.make_version())
    refused(event.delete)


# --- remembered headers


def test_a_header_means_one_thing_for_one_person_and_kind(uploader: User) -> None:
    ColumnMapping.objects.create(user=uploader, kind="gpu", header="prix", column="amount")
    refused(ColumnMapping.objects.create, user=uploader, kind="gpu", header="prix", column="sku")
    assert ColumnMapping.objects.create(user=uploader, kind="llm", header="prix", column="amount").pk
    assert ColumnMapping.objects.create(user=make.make_user("bob"), kind="gpu", header="prix", column="").pk


# --- rights


def test_the_rights_of_prices_exist_and_nothing_grants_the_tables() -> None:
    someone = make.make_user(
        "carol",
        "upload_prices",
        "approve_prices",
        "apply_prices",
        "backdate_prices",
        "rollback_prices",
        "view_private_prices",
    )
    assert len(someone.get_all_permissions()) == 6
    assert not PriceUpload._meta.default_permissions
    assert not PriceEvent._meta.default_permissions


def test_a_planned_private_price_is_voided_once() -> None:
    row = make.make_price(
        make.make_sku(),
        "instance_hour",
        "1.20",
        audience="sales",
        valid_from=dt.datetime.now(dt.UTC) + dt.timedelta(days=3),
    )
    rows = PriceRow.objects.filter(pk=row.pk)
    rows.update(voided_in_version=make.make_version(), void_reason="called off")
    refused(rows.update, voided_in_version=make.make_version())
