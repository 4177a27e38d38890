"""The catalogue's tables: what is sold, at what price from when, and the figures that the calculators may use.

Prices, exchange rates and figures are append-only: a change is a new row in a new catalogue version. Constraints here
and triggers (triggers.py) hold on SQLite and PostgreSQL alike. Nothing here computes; catalog.py reads.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower, Round

from calculator.domain.provenance import Kind

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
    """A price is above zero, a free component is exactly zero, a withdrawal has no amount."""
    priced = Q(kind="price", amount__isnull=False, amount__gt=0)
    free = Q(kind="free", amount__isnull=False, amount=0)
    return priced | free | Q(kind="withdrawn", amount__isnull=True)


class CatalogVersion(models.Model):
    """One numbered state of the catalogue; numbers have no gap."""

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

    class Meta:
        ordering = ["-number"]
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="version_from_one")]

    def __str__(self) -> str:
        return f"v{self.number}"


class Gpu(models.Model):
    """A GPU's data sheet; peaks are without sparsity, memory bandwidth in GB/s, links in GB/s one way."""

    name = models.CharField(max_length=40, unique=True)
    aliases = models.CharField(max_length=100, blank=True)
    vendor = models.CharField(max_length=20)
    architecture = models.CharField(max_length=30)
    vram_gb = models.FloatField()
    driver_mib = models.PositiveIntegerField(null=True, blank=True)
    mem_type = models.CharField(max_length=10)
    mem_bw_gb_s = models.FloatField()
    fp16_tflops_dense_fp32acc = models.FloatField(null=True, blank=True)
    bf16_tflops_dense = models.FloatField(null=True, blank=True)
    fp16_tflops_dense_fp16acc = models.FloatField(null=True, blank=True)
    fp8_tflops_dense = models.FloatField(null=True, blank=True)
    int8_tops_dense = models.FloatField(null=True, blank=True)
    fp4_tflops_dense = models.FloatField(null=True, blank=True)
    fp32_tflops = models.FloatField(null=True, blank=True)
    nvlink_gen = models.CharField(max_length=40, blank=True)
    link_gb_s_per_direction = models.FloatField(null=True, blank=True)
    link_gb_s_bidirectional = models.FloatField(null=True, blank=True)
    pcie_gen = models.PositiveSmallIntegerField(null=True, blank=True)
    pcie_gb_s_per_direction = models.FloatField(null=True, blank=True)
    tdp_w = models.FloatField(null=True, blank=True)
    compute_capability = models.CharField(max_length=16, blank=True)
    bf16_native = models.BooleanField(default=False)
    fp8_native = models.BooleanField(default=False)
    fp4_native = models.BooleanField(default=False)
    mamf_bf16_tflops = models.FloatField(null=True, blank=True)
    mamf_fp8_tflops = models.FloatField(null=True, blank=True)
    measured_mem_bw_gb_s = models.FloatField(null=True, blank=True)
    source = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(vram_gb__gt=0, mem_bw_gb_s__gt=0), name="gpu_memory_positive"),
        ]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """An open-weights model's dimensions. `is_test` marks random weights made on the spot for a test run."""

    name = models.CharField(max_length=60, unique=True)
    hf_id = models.CharField(max_length=100, blank=True)
    is_test = models.BooleanField(default=False)
    params_total = models.PositiveBigIntegerField()
    params_active = models.PositiveBigIntegerField()
    params_non_embedding = models.PositiveBigIntegerField()
    layers = models.PositiveIntegerField()
    hidden = models.PositiveIntegerField()
    heads = models.PositiveIntegerField()
    kv_heads = models.PositiveIntegerField()
    head_dim = models.PositiveIntegerField()
    intermediate = models.PositiveIntegerField()
    vocab = models.PositiveIntegerField()
    tied_embeddings = models.BooleanField()
    gated_mlp = models.BooleanField()
    max_context = models.PositiveIntegerField()
    sliding_window = models.PositiveIntegerField(null=True, blank=True)
    sliding_pattern = models.CharField(max_length=60, blank=True)
    attention = models.CharField(max_length=8)
    q_lora_rank = models.PositiveIntegerField(null=True, blank=True)
    kv_lora_rank = models.PositiveIntegerField(null=True, blank=True)
    qk_nope_head_dim = models.PositiveIntegerField(null=True, blank=True)
    qk_rope_head_dim = models.PositiveIntegerField(null=True, blank=True)
    v_head_dim = models.PositiveIntegerField(null=True, blank=True)
    n_experts = models.PositiveIntegerField(null=True, blank=True)
    experts_top_k = models.PositiveIntegerField(null=True, blank=True)
    moe_intermediate = models.PositiveIntegerField(null=True, blank=True)
    shared_experts = models.PositiveIntegerField(null=True, blank=True)
    shared_intermediate = models.PositiveIntegerField(null=True, blank=True)
    moe_layers = models.PositiveIntegerField(null=True, blank=True)
    dense_layers = models.PositiveIntegerField(null=True, blank=True)
    kv_bytes_per_token_16bit = models.PositiveIntegerField()
    native_dtype = models.CharField(max_length=30, blank=True)
    source = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="language_model_name_any_case")]

    def __str__(self) -> str:
        return self.name


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


class PriceRow(models.Model):
    """A price of one component from an instant on, until the next row of the same key. Never changed, never deleted."""

    class Kind(models.TextChoices):
        PRICE = "price"
        FREE = "free"
        WITHDRAWN = "withdrawn"

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
                fields=["item", "component", "mode", "region", "context_over", "window", "currency", "valid_from"],
                condition=Q(voided_in_version__isnull=True),
                name="price_once_a_start",
            ),
            models.CheckConstraint(condition=amount_matches_kind(), name="price_amount_matches_kind"),
            models.CheckConstraint(condition=unit_matches_component(), name="price_unit_matches_component"),
            models.CheckConstraint(condition=mode_matches_component(), name="price_mode_matches_component"),
            models.CheckConstraint(
                condition=Q(amount__isnull=True) | Q(amount__lt=AMOUNT_LIMIT, amount=Round(F("amount"), 9)),
                name="price_amount_fifteen_digits",
            ),
            models.CheckConstraint(condition=Q(tax_basis="HT"), name="price_without_tax"),
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


class Figure(models.Model):
    """A sourced number for SKU × model × precision × engine × lengths × concurrency. Withdrawn, never changed."""

    class Metric(models.TextChoices):
        OUTPUT = "output_tok_per_s"
        PREFILL = "prefill_tok_per_s"

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
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sku", "-published_at", "-id"]
        indexes = [models.Index(fields=["metric", "sku", "published_at"], name="figure_by_sku")]
        constraints = [
            models.CheckConstraint(condition=Q(value__gt=0, value__lt=1e12), name="figure_value_positive"),
            models.CheckConstraint(condition=Q(unit="tok/s"), name="figure_in_tokens_a_second"),
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
