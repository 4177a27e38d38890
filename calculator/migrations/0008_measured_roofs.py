"""Figures may also be roofs of a GPU that a probe measured: FLOP/s and bytes a second beside tokens a second.

The triggers are taken away while the table is rebuilt, and put back.
"""

from django.db import migrations, models

from calculator import triggers


class Migration(migrations.Migration):
    dependencies = [
        ("calculator", "0007_figure_exception"),
    ]

    operations = [
        migrations.RunPython(triggers.remove, triggers.install),
        migrations.RemoveConstraint(
            model_name="figure",
            name="figure_value_positive",
        ),
        migrations.RemoveConstraint(
            model_name="figure",
            name="figure_in_tokens_a_second",
        ),
        migrations.AlterField(
            model_name="figure",
            name="metric",
            field=models.CharField(
                choices=[
                    ("output_tok_per_s", "Output"),
                    ("prefill_tok_per_s", "Prefill"),
                    ("gemm_bf16_flop_per_s", "Gemm Bf16"),
                    ("gemm_fp16_flop_per_s", "Gemm Fp16"),
                    ("gemm_fp8_flop_per_s", "Gemm Fp8"),
                    ("copy_bytes_per_s", "Copy"),
                    ("bus_bytes_per_s", "Bus"),
                ],
                max_length=24,
            ),
        ),
        migrations.AddConstraint(
            model_name="figure",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("metric__in", ("output_tok_per_s", "prefill_tok_per_s")),
                        ("unit", "tok/s"),
                        ("value__gt", 0),
                        ("value__lt", 1000000000000.0),
                    ),
                    models.Q(
                        ("metric__in", ("gemm_bf16_flop_per_s", "gemm_fp16_flop_per_s", "gemm_fp8_flop_per_s")),
                        ("unit", "FLOP/s"),
                        ("value__gt", 0),
                        ("value__lt", 1e18),
                    ),
                    models.Q(
                        ("metric__in", ("copy_bytes_per_s", "bus_bytes_per_s")),
                        ("unit", "B/s"),
                        ("value__gt", 0),
                        ("value__lt", 1e18),
                    ),
                    _connector="OR",
                ),
                name="figure_unit_of_metric",
            ),
        ),
        migrations.AddConstraint(
            model_name="figure",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("metric__in", ("output_tok_per_s", "prefill_tok_per_s")),
                    models.Q(
                        ("kind", "measured"), ("language_model__isnull", True), ("run__gt", ""), ("test_model", False)
                    ),
                    _connector="OR",
                ),
                name="figure_roof_measured_by_a_run",
            ),
        ),
        migrations.RunPython(triggers.install, triggers.remove),
    ]
