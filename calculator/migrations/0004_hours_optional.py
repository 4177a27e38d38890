"""Not every calculator counts by the month: the hours of a saved estimate may be unknown.

The triggers are taken away while the table is rebuilt, and put back.
"""

from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [("calculator", "0003_french_notes")]
    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.AlterField(
            "estimatesnapshot",
            "hours_per_month_h",
            models.DecimalField(max_digits=6, decimal_places=2, null=True, blank=True),
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
