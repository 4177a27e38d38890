"""What is sold, and its other names."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from calculator.models.sheets import Gpu
from calculator.models.versions import CatalogVersion


class CatalogItem(models.Model):
    """A GPU configuration, or a language or embedding model sold by the token. Without a price row it is on request."""

    class Kind(models.TextChoices):
        GPU_SKU = "gpu_sku"
        LLM_MODEL = "llm_model"
        EMBEDDING = "embedding"

    class Status(models.TextChoices):
        OFFERED = "offered"
        ON_REQUEST = "on_request"
        RETIRED = "retired"

    kind = models.CharField(max_length=16, choices=Kind)
    code = models.CharField(max_length=80)
    provider = models.CharField(max_length=60)
    label_fr = models.CharField(max_length=120)
    label_en = models.CharField(max_length=120)
    gpu = models.ForeignKey(Gpu, on_delete=models.PROTECT, null=True, blank=True, related_name="items")
    gpu_count = models.PositiveSmallIntegerField(null=True, blank=True)
    vram_gb = models.FloatField(null=True, blank=True)
    interconnect = models.CharField(max_length=60, blank=True)
    context_window = models.PositiveIntegerField(null=True, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.OFFERED)
    retired_on = models.DateField(null=True, blank=True)
    replaced_by = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaces")
    is_test_host = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField(default=0)
    note = models.TextField(blank=True)
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="items")

    class Meta:
        ordering = ["kind", "position", "code"]
        constraints = [
            models.UniqueConstraint("kind", Lower("code"), name="item_code_any_case"),
            models.CheckConstraint(
                condition=~Q(kind="gpu_sku") | Q(gpu_count__gte=1, gpu_count__isnull=False, vram_gb__isnull=False),
                name="item_sku_counts_gpus",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class ItemAlias(models.Model):
    """Another exact name of an item, from an instant on (names such as "latest" move). Stored in lower case."""

    item = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="aliases")
    alias = models.CharField(max_length=120)
    valid_from = models.DateTimeField()
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["alias", "-valid_from"]
        verbose_name_plural = "item aliases"
        constraints = [
            models.UniqueConstraint(fields=["alias", "valid_from"], name="alias_once_an_instant"),
            models.CheckConstraint(condition=Q(alias=Lower("alias")), name="alias_in_lower_case"),
        ]

    def __str__(self) -> str:
        return f"{self.alias} → {self.item}"
