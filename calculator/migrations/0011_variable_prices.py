"""A price may be said to vary: a row of kind `variable` has no amount, and only what is sold by tokens has one.

The triggers are taken away while the table is rebuilt, and put back.
"""

from django.db import migrations, models
from django.db.models import Q

from calculator import triggers

AMOUNT_MATCHES_KIND = (
    Q(kind="price", amount__isnull=False, amount__gt=0)
    | Q(kind="free", amount__isnull=False, amount=0)
    | Q(kind__in=("withdrawn", "variable"), amount__isnull=True)
)
VARIABLE_IS_OF_TOKENS = ~Q(kind="variable") | ~Q(component__in=("instance_hour", "instance_month"))
KINDS = [("price", "Price"), ("free", "Free"), ("withdrawn", "Withdrawn"), ("variable", "Variable")]


class Migration(migrations.Migration):
    dependencies = [("calculator", "0010_price_work")]
    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.RemoveConstraint("pricerow", "price_amount_matches_kind"),
        migrations.AlterField("pricerow", "kind", models.CharField(choices=KINDS, max_length=16)),
        migrations.AddConstraint(
            "pricerow", models.CheckConstraint(condition=AMOUNT_MATCHES_KIND, name="price_amount_matches_kind")
        ),
        migrations.AddConstraint(
            "pricerow", models.CheckConstraint(condition=VARIABLE_IS_OF_TOKENS, name="price_variable_is_of_tokens")
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
