"""Latencies of APIs, measured and claimed; append-only like prices and figures."""

import django.db.models.deletion
from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("calculator", "0008_measured_roofs"),
    ]

    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.CreateModel(
            name="ApiLatency",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("measured", "Measured"), ("claim", "Claim")], max_length=8)),
                ("region", models.CharField(blank=True, max_length=60)),
                ("measured_at", models.DateTimeField(blank=True, null=True)),
                ("as_of", models.DateField()),
                ("ttft_p50_ms", models.FloatField(blank=True, null=True)),
                ("ttft_p95_ms", models.FloatField(blank=True, null=True)),
                ("tpot_p50_ms", models.FloatField(blank=True, null=True)),
                ("claimed_ms", models.FloatField(blank=True, null=True)),
                ("input_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("output_tokens", models.PositiveIntegerField(blank=True, null=True)),
                ("concurrency", models.PositiveIntegerField(blank=True, null=True)),
                ("requests_count", models.PositiveIntegerField(blank=True, null=True)),
                ("label", models.CharField(blank=True, max_length=120)),
                ("note", models.CharField(blank=True, max_length=300)),
                ("note_fr", models.CharField(blank=True, max_length=300)),
                ("run", models.CharField(blank=True, max_length=60)),
                ("published_at", models.DateTimeField()),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="latencies",
                        to="calculator.catalogitem",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "API latencies",
                "ordering": ["item", "-published_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("claimed_ms__isnull", True),
                                ("kind", "measured"),
                                ("measured_at__isnull", False),
                                ("region__gt", ""),
                                ("run__gt", ""),
                                ("ttft_p50_ms__gt", 0),
                                ("ttft_p50_ms__isnull", False),
                                ("ttft_p95_ms__gte", models.F("ttft_p50_ms")),
                                ("ttft_p95_ms__isnull", False),
                                ("ttft_p95_ms__lt", 10000000.0),
                            ),
                            models.Q(
                                ("claimed_ms__gt", 0),
                                ("claimed_ms__isnull", False),
                                ("claimed_ms__lt", 10000000.0),
                                ("kind", "claim"),
                                ("measured_at__isnull", True),
                                ("run", ""),
                                ("ttft_p50_ms__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="latency_measured_or_claimed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("tpot_p50_ms__isnull", True),
                            models.Q(("tpot_p50_ms__gt", 0), ("tpot_p50_ms__lt", 10000000.0)),
                            _connector="OR",
                        ),
                        name="latency_tpot_positive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("withdrawn_at__isnull", True),
                            ("withdrawn_at__gte", models.F("published_at")),
                            _connector="OR",
                        ),
                        name="latency_withdrawn_after_published",
                    ),
                ],
            },
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
