"""Saved estimates."""

from django.db import models

from calculator.models.figures import Figure
from calculator.models.prices import PriceRow
from calculator.models.versions import CatalogVersion


class EstimateSnapshot(models.Model):
    """A saved estimate, kept exactly as it was: never repriced, recalculated only beside itself."""

    slug = models.SlugField(max_length=40, unique=True)
    calculator = models.CharField(max_length=30)
    query = models.TextField()
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="snapshots")
    usd_per_eur = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    rate_date = models.DateField(null=True, blank=True)
    figures = models.ManyToManyField(Figure, blank=True, related_name="snapshots")
    prices = models.ManyToManyField(PriceRow, blank=True, related_name="snapshots")
    hours_per_month_h = models.DecimalField(max_digits=6, decimal_places=2, null=True, blank=True)
    rounding = models.CharField(max_length=60)
    results = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.calculator} {self.slug}"
