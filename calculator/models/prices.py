"""At what price from when: price rows and exchange rates, append-only."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Round

from calculator.models.items import CatalogItem
from calculator.models.versions import Audience, CatalogVersion

ANY_REGION = "*"
UNIT_OF_COMPONENT = {
    "instance_hour": "instance_hour",
    "instance_month": "instance_month",
    "input": "mtok",
    "output": "mtok",
    "cache_read": "mtok",
    "cache_write_5m": "mtok",
    "cache_write_1h": "mtok",
    "audio_in": "mtok",
    "image": "image",
    "request": "request",
}
MODES_OF_GPU = ("on_demand", "reserved", "spot")
MODES_OF_API = ("standard", "batch", "flex", "priority")
# Six integer digits and nine decimals: the fifteen significant digits that SQLite's binary numbers keep exactly.
AMOUNT_LIMIT = 1_000_000


def unit_matches_component() -> Q:
    """Each component is sold in exactly one unit."""
    matches = Q()
    for component, unit in UNIT_OF_COMPONENT.items():
        matches |= Q(component=component, unit=unit)
    return matches


def mode_matches_component() -> Q:
    """Machines are sold on demand, reserved or spot; tokens by service level."""
    machine = Q(component__in=("instance_hour", "instance_month"))
    return (machine & Q(mode__in=MODES_OF_GPU)) | (~machine & Q(mode__in=MODES_OF_API))


def amount_matches_kind() -> Q:
    """A price is above zero, a free component is exactly zero; a withdrawal and a variable price have no amount."""
    priced = Q(kind="price", amount__isnull=False, amount__gt=0)
    free = Q(kind="free", amount__isnull=False, amount=0)
    return priced | free | Q(kind__in=("withdrawn", "variable"), amount__isnull=True)


def variable_is_of_tokens() -> Q:
    """Only what an API sells may have a price that varies; a machine without a price is on request."""
    return ~Q(kind="variable") | ~Q(component__in=("instance_hour", "instance_month"))


class PriceRow(models.Model):
    """A price of one component from an instant on, until the next row of the same key. Never changed, never deleted.

    The audience is part of the key: a private price stands beside the public one and goes before it for those who may
    see it; the end of a private price is a withdrawal, after which the public one holds for them too.
    """

    class Kind(models.TextChoices):
        PRICE = "price"
        FREE = "free"
        WITHDRAWN = "withdrawn"
        VARIABLE = "variable"
        """Sold, at no price that is known beforehand: a router that forwards each request to a model of its choice."""

    class Origin(models.TextChoices):
        UPLOAD = "upload"
        LIBRARY = "library"
        MANUAL = "manual"
        NEGOTIATED = "negotiated"

    class Window(models.TextChoices):
        ALL = "all"
        PEAK = "peak"
        OFFPEAK = "offpeak"

    item = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="prices")
    component = models.CharField(max_length=20, choices=[(name, name) for name in UNIT_OF_COMPONENT])
    mode = models.CharField(max_length=16, choices=[(name, name) for name in MODES_OF_GPU + MODES_OF_API])
    region = models.CharField(max_length=20, default=ANY_REGION)
    context_over = models.PositiveIntegerField(default=0)
    window = models.CharField(max_length=20, choices=Window, default=Window.ALL)
    audience = models.CharField(max_length=8, choices=Audience, default=Audience.PUBLIC)
    kind = models.CharField(max_length=16, choices=Kind)
    amount = models.DecimalField(max_digits=15, decimal_places=9, null=True, blank=True)
    currency = models.CharField(max_length=3)
    unit = models.CharField(max_length=20)
    tax_basis = models.CharField(max_length=3, default="HT")
    valid_from = models.DateTimeField()
    origin = models.CharField(max_length=16, choices=Origin)
    source_url = models.CharField(max_length=500, blank=True)
    checked_on = models.DateField()
    note = models.TextField(blank=True)
    note_fr = models.TextField(blank=True, default="")
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="prices")
    recorded_at = models.DateTimeField(auto_now_add=True)
    voided_in_version = models.ForeignKey(
        CatalogVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="voided_prices"
    )
    void_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["item", "component", "mode", "context_over", "valid_from"]
        indexes = [models.Index(fields=["catalog_version", "valid_from"], name="price_by_version")]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "item",
                    "component",
                    "mode",
                    "region",
                    "context_over",
                    "window",
                    "currency",
                    "audience",
                    "valid_from",
                ],
                condition=Q(voided_in_version__isnull=True),
                name="price_once_a_start",
            ),
            models.CheckConstraint(condition=amount_matches_kind(), name="price_amount_matches_kind"),
            models.CheckConstraint(condition=variable_is_of_tokens(), name="price_variable_is_of_tokens"),
            models.CheckConstraint(condition=unit_matches_component(), name="price_unit_matches_component"),
            models.CheckConstraint(condition=mode_matches_component(), name="price_mode_matches_component"),
            models.CheckConstraint(
                condition=Q(amount__isnull=True) | Q(amount__lt=AMOUNT_LIMIT, amount=Round(F("amount"), 9)),
                name="price_amount_fifteen_digits",
            ),
            models.CheckConstraint(condition=Q(tax_basis="HT"), name="price_without_tax"),
            models.CheckConstraint(condition=Q(audience__in=("public", "sales")), name="price_audience_known"),
            models.CheckConstraint(
                condition=Q(voided_in_version__isnull=True, void_reason="")
                | Q(voided_in_version__isnull=False, voided_in_version__gt=F("catalog_version")),
                name="price_voided_later",
            ),
        ]

    def __str__(self) -> str:
        amount = self.kind if self.amount is None else f"{self.amount} {self.currency}/{self.unit}"
        return f"{self.item} {self.component} {self.mode} {amount}"


class FxRate(models.Model):
    """Units of `quote` for one `base` (always EUR) on a day: the direction in which the ECB publishes."""

    class Source(models.TextChoices):
        ECB = "ECB"
        MANUAL = "manual"

    base = models.CharField(max_length=3, default="EUR")
    quote = models.CharField(max_length=3)
    rate = models.DecimalField(max_digits=14, decimal_places=8)
    rate_date = models.DateField()
    source = models.CharField(max_length=10, choices=Source)
    source_url = models.CharField(max_length=500, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True)
    note_fr = models.TextField(blank=True, default="")
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="rates")
    recorded_at = models.DateTimeField(auto_now_add=True)
    voided_in_version = models.ForeignKey(
        CatalogVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="voided_rates"
    )
    void_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["quote", "source", "-rate_date"]
        constraints = [
            models.UniqueConstraint(
                fields=["quote", "rate_date", "source"],
                condition=Q(voided_in_version__isnull=True),
                name="rate_once_a_day",
            ),
            models.CheckConstraint(condition=Q(base="EUR") & ~Q(quote="EUR"), name="rate_from_euro"),
            models.CheckConstraint(
                condition=Q(rate__gt=0, rate__lt=AMOUNT_LIMIT, rate=Round(F("rate"), 8)), name="rate_in_range"
            ),
            models.CheckConstraint(
                condition=Q(voided_in_version__isnull=True, void_reason="")
                | Q(voided_in_version__isnull=False, voided_in_version__gt=F("catalog_version")),
                name="rate_voided_later",
            ),
        ]

    def __str__(self) -> str:
        return f"1 {self.base} = {self.rate} {self.quote} ({self.source}, {self.rate_date})"
