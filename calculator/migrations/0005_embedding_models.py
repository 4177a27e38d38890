"""Embedding models beside language models: sold by the token too, and never compared with those that write.

The triggers are taken away while the table is rebuilt, and put back.
"""

from django.db import migrations, models
from django.db.models import Q

from calculator import triggers

KINDS = [("gpu_sku", "Gpu Sku"), ("llm_model", "Llm Model"), ("embedding", "Embedding")]


class Migration(migrations.Migration):
    dependencies = [("calculator", "0004_hours_optional")]
    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.RemoveConstraint("catalogitem", "item_sku_counts_gpus"),
        migrations.AlterField("catalogitem", "kind", models.CharField(max_length=16, choices=KINDS)),
        migrations.AddConstraint(
            "catalogitem",
            models.CheckConstraint(
                condition=~Q(kind="gpu_sku") | Q(gpu_count__gte=1, gpu_count__isnull=False, vram_gb__isnull=False),
                name="item_sku_counts_gpus",
            ),
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
