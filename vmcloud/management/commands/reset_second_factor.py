"""`manage.py reset_second_factor`: for somebody who lost the phone that makes the codes."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from vmcloud.accounts import secondfactor


class Command(BaseCommand):
    help = "Turn a person's second factor off; the password alone then opens the account."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is nobody called {options['name']}.")
        was_on = secondfactor.turn_off(user)
        self.stdout.write("Second factor turned off." if was_on else "There was no second factor.")
