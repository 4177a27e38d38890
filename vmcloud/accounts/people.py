"""People and their groups: what the page for superusers reads and changes. The last way in is never closed."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django_otp.plugins.otp_totp.models import TOTPDevice

logger = logging.getLogger(__name__)
UNUSABLE = "!"


class LastSuperuserError(Exception):
    """The change would leave nobody who can manage people."""


@dataclass(frozen=True, slots=True)
class Person:
    """One line of the list."""

    user: User
    groups: tuple[str, ...]
    has_password: bool
    has_second_factor: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person shall be after a change."""

    email: str
    groups: tuple[str, ...]
    is_active: bool
    is_superuser: bool


def listed() -> tuple[Person, ...]:
    """Everybody, by name."""
    secured = set(TOTPDevice.objects.filter(confirmed=True).values_list("user_id", flat=True))
    users = User.objects.prefetch_related("groups").order_by("username")
    return tuple(_person(user, user.pk in secured) for user in users)


def find(pk: int) -> Person | None:
    """One person; None where there is none."""
    user = User.objects.prefetch_related("groups").filter(pk=pk).first()
    return _person(user, TOTPDevice.objects.filter(user=user, confirmed=True).exists()) if user else None


def _person(user: User, has_second_factor: bool) -> Person:
    names = tuple(sorted(group.name for group in user.groups.all()))
    return Person(user, names, user.has_usable_password(), has_second_factor)


def group_names() -> tuple[str, ...]:
    return tuple(Group.objects.order_by("name").values_list("name", flat=True))


@transaction.atomic
def create(name: str, wanted: Wanted, by: str) -> User:
    """A person without a password: he chooses it himself through a link that works once."""
    user = User(username=name)
    user.set_unusable_password()
    _write(user, wanted)
    logger.info("%s made the account %s.", by, name)
    return user


@transaction.atomic
def change(pk: int, wanted: Wanted, by: str) -> None:
    """Raises LastSuperuserError where nobody would be left to manage people."""
    if not (wanted.is_active and wanted.is_superuser):
        _refuse_last(pk)
    user = User.objects.select_for_update().get(pk=pk)
    _write(user, wanted)
    logger.info("%s changed the account %s.", by, user.username)


@transaction.atomic
def withdraw_password(pk: int, by: str) -> None:
    """The old password opens nothing any more, sessions included; the person's page then shows a link to a new one."""
    _refuse_last(pk)
    user = User.objects.select_for_update().get(pk=pk)
    user.set_unusable_password()
    user.save(update_fields=["password"])
    logger.info("%s withdrew the password of %s.", by, user.username)


def _write(user: User, wanted: Wanted) -> None:
    user.email, user.is_active = wanted.email, wanted.is_active
    user.is_superuser = user.is_staff = wanted.is_superuser
    user.save()
    user.groups.set(_groups(wanted.groups))


def _groups(names: Iterable[str]) -> list[Group]:
    return list(Group.objects.filter(name__in=list(names)))


def _refuse_last(pk: int) -> None:
    """All superusers are locked first: two who send each other away at once would leave none."""
    able = User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
    left = {user.pk for user in able if not user.password.startswith(UNUSABLE)}
    if pk in left and len(left) == 1:
        raise LastSuperuserError


def password_link(user: User) -> str:
    """The address where a person without a password chooses one: for one day, and only until he has."""
    code = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("set-password", args=[code, default_token_generator.make_token(user)])
