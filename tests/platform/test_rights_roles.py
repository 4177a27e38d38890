"""The groups of the product: made by each start, with their rights, and left alone when they are right."""

import io

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import call_command

from benchmarks.views import OPERATE
from vmcloud.accounts import roles

pytestmark = pytest.mark.django_db
GROUPS = {"sales", "pricing", "approver", "operator"}


def said() -> str:
    out = io.StringIO()
    call_command("roles", stdout=out)
    return out.getvalue()


def member(name: str) -> User:
    user = User.objects.create_user(f"of-{name}")
    user.groups.add(Group.objects.get(name=name))
    return User.objects.get(pk=user.pk)


def test_the_command_makes_the_four_groups_with_their_rights() -> None:
    call_command("roles")
    assert {group.name for group in Group.objects.all()} == GROUPS
    assert member("operator").has_perm(OPERATE)
    assert not member("sales").has_perm(OPERATE)


def test_a_second_time_changes_nothing() -> None:
    said()
    before = sorted(Group.objects.values_list("name", "permissions__codename"), key=str)
    assert "0 changes" in said()
    assert sorted(Group.objects.values_list("name", "permissions__codename"), key=str) == before


def test_what_an_administrator_added_stays() -> None:
    call_command("roles")
    extra = Permission.objects.get(codename="view_user")
    Group.objects.get(name="sales").permissions.add(extra)
    call_command("roles")
    assert extra in Group.objects.get(name="sales").permissions.all()


def test_a_right_that_was_lost_is_given_back() -> None:
    call_command("roles")
    Group.objects.get(name="operator").permissions.clear()
    assert OPERATE in said()
    assert member("operator").has_perm(OPERATE)


def test_a_right_that_nothing_defines_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(roles.ROLES, "sales", ("calculator.no_such_right",))
    with pytest.raises(LookupError, match=r"calculator\.no_such_right"):
        roles.sync()


def test_every_group_has_words_for_what_it_is_for() -> None:
    assert set(roles.MEANINGS) == set(roles.ROLES) == GROUPS
    assert roles.meaning("of the house") == ""
