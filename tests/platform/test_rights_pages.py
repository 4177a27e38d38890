"""Each role on each address, reading and sending: what `rightstable` says is what the site does."""

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.platform import rightstable as table
from vmcloud.accounts import roles

pytestmark = pytest.mark.django_db
As = Callable[[str], Client]
REFUSED_METHOD = 405


@pytest.fixture
def as_role() -> As:
    """A client of somebody in that role."""
    roles.sync()

    def made(role: str) -> Client:
        client = Client(raise_request_exception=False)
        if role == table.VISITOR:
            return client
        user = User.objects.create_user(role, is_superuser=role == table.SUPERUSER, is_staff=role == table.SUPERUSER)
        if role in table.GROUPS:
            user.groups.add(Group.objects.get(name=role))
        client.force_login(user)
        return client

    return made


def address(name: str) -> str:
    return reverse(name, kwargs=dict(table.RULES[name].args))


def is_refused(answer: HttpResponse, role: str) -> bool:
    """Visitors are asked to log in, other people are told that it is not for them."""
    if role == table.VISITOR:
        return answer.status_code == 302 and answer.headers["Location"].startswith(reverse("login"))
    return answer.status_code == 403


def test_every_address_has_a_rule_and_every_rule_an_address() -> None:
    assert table.names() == set(table.RULES)


@pytest.mark.parametrize("role", table.ROLES)
def test_who_may_read_what(as_role: As, role: str) -> None:
    client, wrong = as_role(role), []
    for name, rule in table.RULES.items():
        answer = client.get(address(name))
        if not rule.get:
            fits = answer.status_code == REFUSED_METHOD or is_refused(answer, role)
        else:
            fits = is_refused(answer, role) != (role in rule.get)
        if not fits:
            wrong.append((name, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize("role", table.ROLES)
def test_who_may_send_what(as_role: As, role: str) -> None:
    wrong = []
    client = as_role(role)
    # Logging out comes last: it ends the session that the others need.
    for name in sorted(table.RULES, key=lambda name: name == "logout"):
        rule = table.RULES[name]
        answer = client.post(address(name))
        if not rule.post:
            fits = answer.status_code == REFUSED_METHOD or is_refused(answer, role)
        else:
            fits = is_refused(answer, role) != (role in rule.post) and answer.status_code != REFUSED_METHOD
        if not fits:
            wrong.append((name, answer.status_code))
    assert wrong == []


def test_nothing_is_changed_without_the_token_of_our_own_form(as_role: As) -> None:
    client = as_role(table.SUPERUSER)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    found = {name: strict.post(address(name)).status_code for name, rule in table.RULES.items() if rule.post}
    assert {name: status for name, status in found.items() if status != 403} == {}


@pytest.mark.parametrize("role", table.ROLES)
def test_the_admin_site_is_for_superusers(as_role: As, role: str) -> None:
    client = as_role(role)
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") for model in admin.site._registry
    ]
    found = {client.get(path).status_code for path in (reverse("admin:index"), *lists)}
    assert found == {200} if role == table.SUPERUSER else found == {302}


def test_people_groups_and_secrets_are_not_in_the_admin_site() -> None:
    registered = {model._meta.label for model in admin.site._registry}
    assert registered & {"auth.User", "auth.Group", "otp_totp.TOTPDevice", "axes.AccessAttempt"} == set()


@pytest.mark.parametrize("role", table.ROLES)
def test_nobody_adds_changes_or_deletes_in_the_admin_site(as_role: As, role: str) -> None:
    client = as_role(role)
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert client.post(reverse(f"{name}_add")).status_code in {302, 403}
        for action in ("change", "delete"):
            assert client.post(reverse(f"{name}_{action}", args=[1])).status_code in {302, 403}
