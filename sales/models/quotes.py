"""Quotes: what was offered to whom, at which price, under which number. Nothing here computes.

A quote is a draft until it is sent; then it has its number and no column of it changes any more (database triggers,
`sales.triggers`). What happens to it later are events and rows of their own. The customer stands apart, so that he can
be erased while number and figures stay.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Round

from calculator.models import CatalogItem, CatalogVersion

TERMS_CHARACTERS = 4000
CENTS = 2


class QuoteYear(models.Model):
    """The last number given in a year: the row is locked while a quote takes the next."""

    year = models.PositiveSmallIntegerField(primary_key=True)
    last = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"


class Quote(models.Model):
    """An offer made from a scenario. `query` is the scenario without any price of the seller's own.

    `agreed_eur` replaces the list price of one instance a unit (hour or month) before the discount; `is_negotiated`
    says that it is the catalogue's private price. `reason`, `priced_by` and `priced_at` say why, who and when. The
    columns from `sent_at` on are empty in a draft and frozen when the number is given; `results` is the whole answer
    once a language.
    """

    class Language(models.TextChoices):
        FRENCH = "fr"
        ENGLISH = "en"

    year = models.PositiveSmallIntegerField(null=True, blank=True)
    sequence = models.PositiveIntegerField(null=True, blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="quotes")
    created_at = models.DateTimeField(auto_now_add=True)
    duplicate_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="copies")
    calculator = models.CharField(max_length=30)
    query = models.TextField()
    catalog_version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, related_name="quotes")
    language = models.CharField(max_length=2, choices=Language)
    valid_until = models.DateField()
    vat_ratio = models.DecimalField(max_digits=5, decimal_places=4)
    agreed_eur = models.DecimalField(max_digits=15, decimal_places=6, null=True, blank=True)
    is_negotiated = models.BooleanField(default=False)
    discount_ratio = models.DecimalField(max_digits=5, decimal_places=4, default=0)
    reason = models.CharField(max_length=500, blank=True)
    priced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    priced_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="approved_quotes"
    )
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_terms = models.CharField(max_length=64, blank=True)

    sent_at = models.DateTimeField(null=True, blank=True)
    seller_name = models.CharField(max_length=300, blank=True)
    seller_address = models.CharField(max_length=500, blank=True)
    seller_legal = models.CharField(max_length=500, blank=True)
    seller_contact = models.CharField(max_length=300, blank=True)
    terms = models.TextField(blank=True, max_length=TERMS_CHARACTERS)
    total_eur = models.DecimalField(max_digits=17, decimal_places=2, null=True, blank=True)
    vat_eur = models.DecimalField(max_digits=17, decimal_places=2, null=True, blank=True)
    total_ttc_eur = models.DecimalField(max_digits=17, decimal_places=2, null=True, blank=True)
    usd_per_eur = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    rate_date = models.DateField(null=True, blank=True)
    cost_eur_per_h = models.DecimalField(max_digits=15, decimal_places=6, null=True, blank=True)
    margin_ratio = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)
    floor_ratio = models.DecimalField(max_digits=5, decimal_places=4, null=True, blank=True)
    results = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        permissions = [
            ("make_quotes", "Can make, send and withdraw quotes"),
            ("approve_quotes", "Can approve a quote below the margin floor"),
            ("set_costs", "Can record what an hour of a configuration costs the seller"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["year", "sequence"], name="quote_number_once"),
            models.CheckConstraint(
                condition=Q(sequence__isnull=True, year__isnull=True, sent_at__isnull=True)
                | Q(
                    sequence__gte=1,
                    year__gte=2000,
                    sent_at__isnull=False,
                    total_eur__isnull=False,
                    vat_eur__isnull=False,
                    total_ttc_eur__isnull=False,
                ),
                name="quote_numbered_when_sent",
            ),
            models.CheckConstraint(
                condition=Q(total_ttc_eur__isnull=True) | Q(total_ttc_eur=Round(F("total_eur") + F("vat_eur"), CENTS)),
                name="quote_total_adds_up",
            ),
            models.CheckConstraint(
                condition=Q(discount_ratio__gte=0, discount_ratio__lt=1), name="quote_discount_below_all"
            ),
            models.CheckConstraint(condition=Q(vat_ratio__gte=0, vat_ratio__lte=1), name="quote_vat_is_a_ratio"),
            models.CheckConstraint(
                condition=Q(agreed_eur__isnull=True) | Q(agreed_eur__gt=0), name="quote_price_above_nothing"
            ),
            models.CheckConstraint(
                condition=Q(agreed_eur__isnull=True, discount_ratio=0, is_negotiated=False)
                | (~Q(reason="") & Q(priced_by__isnull=False, priced_at__isnull=False)),
                name="quote_price_with_who_and_why",
            ),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True, approved_at__isnull=True, approved_terms="")
                | (Q(approved_at__isnull=False) & ~Q(approved_terms="") & ~Q(approved_by=F("owner"))),
                name="quote_approved_by_another",
            ),
            models.CheckConstraint(condition=Q(language__in=("fr", "en")), name="quote_language_known"),
        ]

    def __str__(self) -> str:
        return f"{self.year}-{self.sequence:04d}" if self.sequence else f"#{self.pk}"


class QuoteLine(models.Model):
    """One frozen line. `kind` is rental or one of the extra costs; `list_eur` the price before the seller's own."""

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16)
    sku = models.CharField(max_length=120, blank=True)
    unit = models.CharField(max_length=8)
    count = models.PositiveIntegerField(default=1)
    quantity = models.DecimalField(max_digits=20, decimal_places=6)
    list_eur = models.DecimalField(max_digits=15, decimal_places=6, null=True, blank=True)
    unit_eur = models.DecimalField(max_digits=15, decimal_places=6)
    amount_eur = models.DecimalField(max_digits=17, decimal_places=2)
    trust = models.CharField(max_length=16, blank=True)

    class Meta:
        ordering = ["quote", "position"]
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["quote", "position"], name="quote_line_once")]

    def __str__(self) -> str:
        return f"{self.quote} {self.position}"


class QuoteCustomer(models.Model):
    """Who a quote is for. Once the quote has its number these can only be erased."""

    quote = models.OneToOneField(Quote, on_delete=models.PROTECT, related_name="customer")
    name = models.CharField(max_length=200, blank=True)
    contact = models.CharField(max_length=300, blank=True)
    reference = models.CharField(max_length=120, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"customer of {self.quote_id}"


class QuoteLink(models.Model):
    """A link that opens one quote without a login; only the hash of its secret is kept."""

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    first_opened_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"link {self.pk} of {self.quote_id}"


class QuoteProposal(models.Model):
    """What a customer sent back: the quote's scenario with his own volumes, priced at the quote's frozen prices."""

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="proposals")
    link = models.ForeignKey(QuoteLink, on_delete=models.PROTECT, related_name="proposals")
    at = models.DateTimeField(auto_now_add=True)
    query = models.TextField()
    comment = models.CharField(max_length=1000, blank=True)
    total_eur = models.DecimalField(max_digits=17, decimal_places=2, null=True, blank=True)
    results = models.JSONField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"proposal {self.pk} for {self.quote_id}"


class QuoteEvent(models.Model):
    """Who did what to a quote, when, why; `actor` None is whoever holds the link. Never changed, never deleted."""

    class Action(models.TextChoices):
        CREATED = "created"
        EDITED = "edited"
        APPROVED = "approved"
        REFUSED = "refused"
        SENT = "sent"
        LINKED = "linked"
        OPENED = "opened"
        PROPOSED = "proposed"
        REVOKED = "revoked"
        WITHDRAWN = "withdrawn"
        ERASED = "erased"

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="quote_events"
    )
    action = models.CharField(max_length=16, choices=Action)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["id"]
        default_permissions = ()
        indexes = [models.Index(fields=["quote", "action"], name="quote_event_by_action")]

    def __str__(self) -> str:
        return f"{self.action} {self.quote_id}"


class SkuCost(models.Model):
    """What an hour of one instance costs the seller, all included, as a person recorded it; the newest counts."""

    sku = models.ForeignKey(CatalogItem, on_delete=models.PROTECT, related_name="costs")
    eur_per_h = models.DecimalField(max_digits=15, decimal_places=6)
    source = models.CharField(max_length=300)
    recorded_at = models.DateTimeField(auto_now_add=True)
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=Q(eur_per_h__gt=0), name="sku_cost_above_nothing")]

    def __str__(self) -> str:
        return f"{self.sku} {self.eur_per_h}"
