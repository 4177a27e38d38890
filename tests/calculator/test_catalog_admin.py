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
    make.make_snapshot()
    for site in sites():
        row = site.model._default_manager.first()
        assert row is not None
        name = f"admin:calculator_{site.model._meta.model_name}"
        assert admin_client.get(reverse(f"{name}_changelist")).status_code == 200
        assert admin_client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert admin_client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
