"""Why a figure was published although a gate was closed; every figure so far met its own conditions.

The triggers are taken away while the table is rebuilt, and put back with the new column.
"""

from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [("calculator", "0006_price_uploads")]
    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.AddField("figure", "exception", models.CharField(blank=True, default="", max_length=400)),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
