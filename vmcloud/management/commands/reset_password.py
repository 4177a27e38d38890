"""`manage.py reset_password`: a new password for somebody, asked on the terminal and printed nowhere."""

import getpass
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from vmcloud.accounts import attempts


class Command(BaseCommand):
    help = "Ask for a person's new password twice; sessions end, a lock-out of the name is lifted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is nobody called {options['name']}.")
        user.set_password(asked(user))
        user.save(update_fields=["password"])
        attempts.unlock(user.username)
        self.stdout.write("Password changed.")


def asked(user: User) -> str:
    """The same password typed twice; raises CommandError for two that differ or for one that breaks the rules."""
    first, second = getpass.getpass("New password: "), getpass.getpass("Again: ")
    if first != second:
        raise CommandError("The two differ; nothing was changed.")
    try:
        validate_password(first, user)
    except ValidationError as error:
        raise CommandError("\n".join([*error.messages, "Nothing was changed."])) from error
    return first
