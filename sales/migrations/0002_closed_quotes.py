"""Triggers that keep numbered quotes, their lines and their record as they are."""

from django.db import migrations

from sales import triggers


class Migration(migrations.Migration):
    dependencies = [("sales", "0001_quotes")]
    operations = [migrations.RunPython(triggers.install, triggers.remove)]
