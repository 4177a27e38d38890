"""Price uploads, the record of what was done with them, remembered headers, and private prices.

Every price so far is public. The triggers are taken away while tables are rebuilt, and put back with the new columns.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("calculator", "0005_embedding_models"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.CreateModel(
            name="ColumnMapping",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=16)),
                ("header", models.CharField(max_length=120)),
                ("column", models.CharField(blank=True, max_length=60)),
            ],
            options={
                "ordering": ["user", "kind", "header"],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="PriceEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("validated", "Validated"),
                            ("approved", "Approved"),
                            ("rejected", "Rejected"),
                            ("refused", "Refused"),
                            ("applied", "Applied"),
                            ("rolled_back", "Rolled Back"),
                            ("price", "Price"),
                            ("rate", "Rate"),
                            ("item", "Item"),
                            ("sheet", "Sheet"),
                            ("voided", "Voided"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[("public", "Public"), ("sales", "Sales")], default="public", max_length=8
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=300)),
                ("valid_from", models.DateTimeField(blank=True, null=True)),
                ("before", models.TextField(blank=True)),
                ("after", models.TextField(blank=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("request_id", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "ordering": ["-id"],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="PriceUpload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("original_name", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.PositiveIntegerField()),
                ("content", models.BinaryField()),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("upload", "Upload"),
                            ("library", "Library"),
                            ("manual", "Manual"),
                            ("negotiated", "Negotiated"),
                        ],
                        default="upload",
                        max_length=16,
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[("public", "Public"), ("sales", "Sales")], default="public", max_length=8
                    ),
                ),
                ("uploaded_at", models.DateTimeField(auto_now_add=True)),
                ("today", models.DateField()),
                ("kind", models.CharField(blank=True, max_length=16)),
                ("format", models.CharField(blank=True, max_length=16)),
                ("encoding", models.CharField(blank=True, max_length=16)),
                ("delimiter", models.CharField(blank=True, max_length=4)),
                ("decimal_mark", models.CharField(blank=True, max_length=1)),
                ("columns", models.JSONField(blank=True, default=dict)),
                ("default_valid_from", models.DateTimeField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("validated", "Validated"),
                            ("applied", "Applied"),
                            ("rejected", "Rejected"),
                            ("rolled_back", "Rolled Back"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("diff_hash", models.CharField(blank=True, max_length=64)),
                ("new_count", models.PositiveIntegerField(default=0)),
                ("changed_count", models.PositiveIntegerField(default=0)),
                ("unchanged_count", models.PositiveIntegerField(default=0)),
                ("withdrawn_count", models.PositiveIntegerField(default=0)),
                ("error_count", models.PositiveIntegerField(default=0)),
                ("warning_count", models.PositiveIntegerField(default=0)),
                ("blocked_count", models.PositiveIntegerField(default=0)),
                ("approved_at", models.DateTimeField(blank=True, null=True)),
                ("approved_hash", models.CharField(blank=True, max_length=64)),
                ("applied_at", models.DateTimeField(blank=True, null=True)),
                ("effective_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ["-id"],
                "permissions": [
                    ("upload_prices", "Can send price files"),
                    ("approve_prices", "Can approve price files sent by somebody else"),
                    ("apply_prices", "Can put a checked price file into force"),
                    ("backdate_prices", "Can let a price begin in the past"),
                    ("rollback_prices", "Can roll back and cancel planned prices"),
                    ("view_private_prices", "Can see negotiated and private prices"),
                ],
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="PriceUploadLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line_no", models.PositiveIntegerField()),
                ("raw", models.TextField(blank=True)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("new", "New"),
                            ("changed", "Changed"),
                            ("withdrawn", "Withdrawn"),
                            ("unchanged", "Unchanged"),
                            ("error", "Error"),
                        ],
                        max_length=16,
                    ),
                ),
                ("item", models.CharField(blank=True, max_length=120)),
                ("component", models.CharField(blank=True, max_length=60)),
                ("mode", models.CharField(blank=True, max_length=16)),
                ("context_over", models.PositiveIntegerField(default=0)),
                ("currency", models.CharField(blank=True, max_length=3)),
                ("unit", models.CharField(blank=True, max_length=20)),
                ("valid_from", models.DateTimeField(blank=True, null=True)),
                ("old_amount", models.DecimalField(blank=True, decimal_places=9, max_digits=15, null=True)),
                ("new_amount", models.DecimalField(blank=True, decimal_places=9, max_digits=15, null=True)),
                ("change_percent", models.FloatField(blank=True, null=True)),
                ("is_blocked", models.BooleanField(default=False)),
                ("has_warning", models.BooleanField(default=False)),
                ("messages", models.JSONField(blank=True, default=list)),
            ],
            options={
                "ordering": ["upload", "line_no", "id"],
                "default_permissions": (),
            },
        ),
        migrations.RemoveConstraint(
            model_name="pricerow",
            name="price_once_a_start",
        ),
        migrations.AddField(
            model_name="catalogversion",
            name="rolls_back",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="rolled_back_by",
                to="calculator.catalogversion",
            ),
        ),
        migrations.AddField(
            model_name="pricerow",
            name="audience",
            field=models.CharField(choices=[("public", "Public"), ("sales", "Sales")], default="public", max_length=8),
        ),
        migrations.AddConstraint(
            model_name="catalogversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("kind", "rollback"), ("rolls_back__isnull", False), ("rolls_back__lt", models.F("number"))
                    ),
                    models.Q(models.Q(("kind", "rollback"), _negated=True), ("rolls_back__isnull", True)),
                    _connector="OR",
                ),
                name="version_rolls_back_an_earlier_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="pricerow",
            constraint=models.UniqueConstraint(
                condition=models.Q(("voided_in_version__isnull", True)),
                fields=(
                    "item",
                    "component",
                    "mode",
                    "region",
                    "context_over",
                    "window",
                    "currency",
                    "audience",
                    "valid_from",
                ),
                name="price_once_a_start",
            ),
        ),
        migrations.AddConstraint(
            model_name="pricerow",
            constraint=models.CheckConstraint(
                condition=models.Q(("audience__in", ("public", "sales"))), name="price_audience_known"
            ),
        ),
        migrations.AddField(
            model_name="columnmapping",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="column_mappings", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="priceevent",
            name="actor",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="price_events",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="priceevent",
            name="version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to="calculator.catalogversion",
            ),
        ),
        migrations.AddField(
            model_name="priceupload",
            name="applied_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="applied_uploads",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="priceupload",
            name="applied_version",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="upload",
                to="calculator.catalogversion",
            ),
        ),
        migrations.AddField(
            model_name="priceupload",
            name="approved_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="approved_uploads",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="priceupload",
            name="base_version",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="compared_uploads",
                to="calculator.catalogversion",
            ),
        ),
        migrations.AddField(
            model_name="priceupload",
            name="uploaded_by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="price_uploads", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="priceevent",
            name="upload",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to="calculator.priceupload",
            ),
        ),
        migrations.AddField(
            model_name="priceuploadline",
            name="current_row",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="calculator.pricerow",
            ),
        ),
        migrations.AddField(
            model_name="priceuploadline",
            name="upload",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="lines", to="calculator.priceupload"
            ),
        ),
        migrations.AddConstraint(
            model_name="columnmapping",
            constraint=models.UniqueConstraint(fields=("user", "kind", "header"), name="mapping_once_a_header"),
        ),
        migrations.AddConstraint(
            model_name="priceupload",
            constraint=models.CheckConstraint(
                condition=models.Q(("audience__in", ("public", "sales"))), name="upload_audience_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="priceupload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("applied_version__isnull", False), ("status__in", ("applied", "rolled_back"))),
                    models.Q(
                        models.Q(("status__in", ("applied", "rolled_back")), _negated=True),
                        ("applied_version__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="upload_applied_has_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="priceupload",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approved_by__isnull", True),
                    models.Q(("approved_by", models.F("uploaded_by")), _negated=True),
                    _connector="OR",
                ),
                name="upload_approved_by_another",
            ),
        ),
        migrations.AddIndex(
            model_name="priceevent",
            index=models.Index(fields=["version", "action"], name="event_by_version"),
        ),
        migrations.AddIndex(
            model_name="priceuploadline",
            index=models.Index(fields=["upload", "verdict"], name="line_by_verdict"),
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
