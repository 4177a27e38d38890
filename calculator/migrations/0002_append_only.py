"""Triggers that keep prices, rates, figures and versions append-only."""

from django.db import migrations

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [("calculator", "0001_catalogue")]
    operations = [migrations.RunPython(triggers.install, triggers.remove)]
