"""`manage.py preflight`: is everything there that web and worker need?"""

from typing import Any

from django.core.management.base import BaseCommand

from vmcloud import preflight


class Command(BaseCommand):
    help = "Check database, migrations and task broker; one sentence and status 1 on the first that is not ready."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        preflight.exit_unless_ready()
        self.stdout.write("Database, migrations and task broker are ready.")
