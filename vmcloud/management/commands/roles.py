"""`manage.py roles`: the groups that the product knows, with their rights."""

from typing import Any

from django.core.management.base import BaseCommand

from vmcloud.accounts import roles


class Command(BaseCommand):
    help = "Make the groups sales, pricing, approver and operator and give each the rights of its work."

    def handle(self, *args: Any, **options: Any) -> None:
        done = roles.sync()
        self.stdout.write("\n".join(done) or "Groups as they should be: 0 changes.")
