"""The catalogue in the administration: staff look, nobody edits."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse

from calculator.admin import ReadOnlyAdmin
from calculator.models import ColumnMapping, PriceRow
from tests import factories as make

pytestmark = pytest.mark.django_db
TABLES = list(apps.get_app_config("calculator").get_models())


def sites() -> list[ReadOnlyAdmin[models.Model]]:
    return [site for model, site in admin.site._registry.items() if model in TABLES]


def request_of(user: User) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user
    return request


def test_every_table_can_be_looked_at() -> None:
    assert {site.model for site in sites()} == set(TABLES)


def test_not_even_a_superuser_adds_changes_or_deletes() -> None:
    root = request_of(User(is_staff=True, is_superuser=True, is_active=True))
    for site in sites():
        assert site.has_view_permission(root)
        assert site.has_module_permission(root)
        assert not site.has_add_permission(root)
        assert not site.has_change_permission(root)
        assert not site.has_delete_permission(root)


@pytest.mark.parametrize(("staff", "active"), [(False, True), (True, False)])
def test_only_active_staff_look(staff: bool, active: bool) -> None:
    someone = request_of(User(is_staff=staff, is_active=active))
    for site in sites():
        assert not site.has_view_permission(someone)


def test_nobody_is_offered_bulk_deletion() -> None:
    root = request_of(User(is_staff=True, is_superuser=True, is_active=True))
    for site in sites():
        assert "delete_selected" not in site.get_actions(root)


def test_each_list_and_each_row_opens(admin_client: Client) -> None:
    sku, api = make.make_sku(gpu=make.make_gpu()), make.make_api()
    make.make_alias(api, "gpt-5-4")
    make.make_price(sku, "instance_hour", "1.50")
    make.make_fx(make.CHECKED, "1.1172")
    make.make_figure(sku, 64, language_model=make.make_language_model())
    make.make_latency(api)
    make.make_snapshot()
    upload = make.make_upload()
    upload.lines.create(line_no=2, verdict="new")
    upload.works.create(step="apply", by=upload.uploaded_by)
    make.make_event(upload=upload)
    ColumnMapping.objects.create(user=upload.uploaded_by, kind="gpu", header="prix", column="amount")
    for site in sites():
        row = site.model._default_manager.first()
        assert row is not None
        name = f"admin:calculator_{site.model._meta.model_name}"
        assert admin_client.get(reverse(f"{name}_changelist")).status_code == 200
        assert admin_client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert admin_client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def test_staff_without_the_right_find_no_private_price(client: Client) -> None:
    row = make.make_price(make.make_sku(), "instance_hour", "1.11", audience="sales")
    client.force_login(make.make_user("staff", is_staff=True))
    assert b"1,11" not in client.get(reverse("admin:calculator_pricerow_changelist")).content
    assert client.get(reverse("admin:calculator_pricerow_change", args=[row.pk])).status_code == 302
    client.force_login(make.make_user("seller", "view_private_prices", is_staff=True))
    assert b"1,11" in client.get(reverse("admin:calculator_pricerow_changelist")).content


def test_private_files_their_lines_and_events_are_hidden_too(client: Client) -> None:
    upload = make.make_upload(audience="sales", original_name="client-secret.csv")
    upload.lines.create(line_no=2, verdict="new", item="SECRET-LINE")
    upload.works.create(step="apply", by=upload.uploaded_by, stage="secret-stage")
    make.make_event(upload=upload, audience="sales", subject="SECRET-EVENT")
    client.force_login(make.make_user("staff", is_staff=True))
    for table in ("priceupload", "priceuploadline", "pricework", "priceevent"):
        page = client.get(reverse(f"admin:calculator_{table}_changelist")).content.lower()
        assert b"secret" not in page, table


@pytest.mark.parametrize("table", ["pricerow", "priceupload", "priceuploadline", "pricework", "priceevent", "fxrate"])
def test_no_row_is_changed_through_the_admin_site_by_a_forged_post(admin_client: Client, table: str) -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.50")
    make.make_fx(make.CHECKED, "1.1172")
    upload = make.make_upload()
    upload.lines.create(line_no=2, verdict="new")
    upload.works.create(step="apply", by=upload.uploaded_by)
    make.make_event(upload=upload)
    model = apps.get_model("calculator", table)
    row = model.objects.get()
    before = model.objects.values().get()
    change = reverse(f"admin:calculator_{table}_change", args=[row.pk])
    listing = reverse(f"admin:calculator_{table}_changelist")
    assert admin_client.post(change, {"amount": "9.99", "rate": "9.99", "reason": "x"}).status_code == 403
    assert admin_client.post(reverse(f"admin:calculator_{table}_add"), {"amount": "9.99"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    admin_client.post(listing, chosen)
    assert model.objects.values().get() == before


def test_prices_know_their_audience() -> None:
    assert {name for name, _label in PriceRow._meta.get_field("audience").choices or ()} == {"public", "sales"}
