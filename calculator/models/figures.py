"""Sourced numbers that the calculators may use."""

from django.db import models
from django.db.models import F, Q

from calculator.domain.provenance import Kind
from calculator.models.items import CatalogItem
from calculator.models.sheets import LanguageModel

RATES = ("output_tok_per_s", "prefill_tok_per_s")
"""What a model yields on a SKU; the other metrics are roofs of its GPU, which our own probes measured."""
UNITS = {
    "tok/s": RATES,
    "FLOP/s": ("gemm_bf16_flop_per_s", "gemm_fp16_flop_per_s", "gemm_fp8_flop_per_s"),
    "B/s": ("copy_bytes_per_s", "bus_bytes_per_s"),
}
LIMITS = {"tok/s": 1e12, "FLOP/s": 1e18, "B/s": 1e18}


def unit_matches_metric() -> Q:
    """Each metric has one unit, and its value lies in that unit's range."""
    matches = Q()
    for unit, metrics in UNITS.items():
        matches |= Q(metric__in=metrics, unit=unit, value__gt=0, value__lt=LIMITS[unit])
    return matches


class Figure(models.Model):
    """A sourced number for SKU × model × precision × engine × lengths × concurrency, or a measured roof of its GPU.

    Withdrawn, never changed. `exception` = the reason for which it was published although a gate was closed.
    """

    class Metric(models.TextChoices):
        OUTPUT = "output_tok_per_s"
        PREFILL = "prefill_tok_per_s"
        GEMM_BF16 = "gemm_bf16_flop_per_s"
        GEMM_FP16 = "gemm_fp16_flop_per_s"
        GEMM_FP8 = "gemm_fp8_flop_per_s"
        COPY = "copy_bytes_per_s"
        BUS = "bus_bytes_per_s"

    class Scope(models.TextChoices):
        GPU = "gpu"
        INSTANCE = "instance"

    sku = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="figures")
    language_model = models.ForeignKey(LanguageModel, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    conditions = models.CharField(max_length=300, blank=True)
    precision = models.CharField(max_length=20, blank=True)
    engine = models.CharField(max_length=60, blank=True)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    concurrency = models.PositiveIntegerField(null=True, blank=True)
    metric = models.CharField(max_length=24, choices=Metric)
    value = models.FloatField()
    unit = models.CharField(max_length=20)
    scope = models.CharField(max_length=10, choices=Scope)
    kind = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in Kind])
    label = models.CharField(max_length=120, blank=True)
    reference = models.CharField(max_length=500, blank=True)
    as_of = models.DateField()
    single_stream = models.BooleanField(default=False)
    test_model = models.BooleanField(default=False)
    run = models.CharField(max_length=60, blank=True)
    exception = models.CharField(max_length=400, blank=True, default="")
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sku", "-published_at", "-id"]
        indexes = [models.Index(fields=["metric", "sku", "published_at"], name="figure_by_sku")]
        constraints = [
            models.CheckConstraint(condition=unit_matches_metric(), name="figure_unit_of_metric"),
            models.CheckConstraint(
                condition=Q(metric__in=RATES)
                | Q(kind="measured", run__gt="", language_model__isnull=True, test_model=False),
                name="figure_roof_measured_by_a_run",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gte=F("published_at")),
                name="figure_withdrawn_after_published",
            ),
            models.CheckConstraint(
                condition=Q(test_model=False) | Q(language_model__isnull=False), name="figure_test_model_named"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sku} {self.metric} {self.value:g} ({self.kind})"
