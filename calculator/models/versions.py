"""The numbered states of the catalogue, and who may read what they hold."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Audience(models.TextChoices):
    """Who may see a price: everybody, or the people with the right `view_private_prices`."""

    PUBLIC = "public"
    SALES = "sales"


class CatalogVersion(models.Model):
    """One numbered state of the catalogue; numbers have no gap. `summary` counts, and never holds a private amount."""

    class Kind(models.TextChoices):
        SEED = "seed"
        APPLY = "apply"
        ROLLBACK = "rollback"

    number = models.PositiveIntegerField(primary_key=True)
    kind = models.CharField(max_length=16, choices=Kind)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    summary = models.CharField(max_length=300, blank=True)
    rolls_back = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="rolled_back_by"
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="version_from_one"),
            models.CheckConstraint(
                condition=Q(kind="rollback", rolls_back__isnull=False, rolls_back__lt=F("number"))
                | (~Q(kind="rollback") & Q(rolls_back__isnull=True)),
                name="version_rolls_back_an_earlier_one",
            ),
        ]

    def __str__(self) -> str:
        return f"v{self.number}"
