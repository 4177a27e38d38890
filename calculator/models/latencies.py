"""How long an API takes to answer: what our own runs measured, beside what its vendor claims."""

from django.db import models
from django.db.models import F, Q

from calculator.models.items import CatalogItem

LIMIT_MS = 1e7


class ApiLatency(models.Model):
    """A latency of an API model, in ms. Withdrawn, never changed.

    A measured one has its region and its instant, and the lengths and load it was measured at. A claimed one has
    `claimed_ms`, whose definition (first token or whole answer, mean or median) vendors rarely state.
    """

    class Kind(models.TextChoices):
        MEASURED = "measured"
        CLAIM = "claim"

    item = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="latencies")
    kind = models.CharField(max_length=8, choices=Kind)
    region = models.CharField(max_length=60, blank=True)
    measured_at = models.DateTimeField(null=True, blank=True)
    as_of = models.DateField()
    ttft_p50_ms = models.FloatField(null=True, blank=True)
    ttft_p95_ms = models.FloatField(null=True, blank=True)
    tpot_p50_ms = models.FloatField(null=True, blank=True)
    claimed_ms = models.FloatField(null=True, blank=True)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    concurrency = models.PositiveIntegerField(null=True, blank=True)
    requests_count = models.PositiveIntegerField(null=True, blank=True)
    label = models.CharField(max_length=120, blank=True)
    note = models.CharField(max_length=300, blank=True)
    note_fr = models.CharField(max_length=300, blank=True)
    run = models.CharField(max_length=60, blank=True)
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["item", "-published_at", "-id"]
        verbose_name_plural = "API latencies"
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind="measured",
                    run__gt="",
                    region__gt="",
                    measured_at__isnull=False,
                    ttft_p50_ms__isnull=False,
                    ttft_p50_ms__gt=0,
                    ttft_p95_ms__isnull=False,
                    ttft_p95_ms__gte=F("ttft_p50_ms"),
                    ttft_p95_ms__lt=LIMIT_MS,
                    claimed_ms__isnull=True,
                )
                | Q(
                    kind="claim",
                    run="",
                    measured_at__isnull=True,
                    ttft_p50_ms__isnull=True,
                    claimed_ms__isnull=False,
                    claimed_ms__gt=0,
                    claimed_ms__lt=LIMIT_MS,
                ),
                name="latency_measured_or_claimed",
            ),
            models.CheckConstraint(
                condition=Q(tpot_p50_ms__isnull=True) | Q(tpot_p50_ms__gt=0, tpot_p50_ms__lt=LIMIT_MS),
                name="latency_tpot_positive",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(withdrawn_at__gte=F("published_at")),
                name="latency_withdrawn_after_published",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.kind} {self.as_of}"
