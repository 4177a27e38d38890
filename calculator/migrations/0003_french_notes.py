"""Notes of prices and rates in French, and the unit in the name of a saved estimate's hours.

The triggers are taken away while tables are rebuilt, and put back with the new columns.
"""

from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [("calculator", "0002_append_only")]
    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.AddField("pricerow", "note_fr", models.TextField(blank=True, default="")),
        migrations.AddField("fxrate", "note_fr", models.TextField(blank=True, default="")),
        migrations.RenameField("estimatesnapshot", "hours_per_month", "hours_per_month_h"),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
