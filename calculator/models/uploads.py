"""How prices come in: the uploaded bytes, what each line asks for, who did what, and remembered column headers."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from calculator.models.prices import PriceRow
from calculator.models.versions import Audience, CatalogVersion


class PriceUpload(models.Model):
    """One price file with its bytes, as it goes from draft to applied. The bytes never change once received.

    `encoding`, `decimal_mark`, `columns` and `today` are the person's choices for reading; with the bytes they give
    the same diff again, which `diff_hash` proves. An approval counts only for the diff that it was given to.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        VALIDATED = "validated"
        APPLIED = "applied"
        REJECTED = "rejected"
        ROLLED_BACK = "rolled_back"

    original_name = models.CharField(max_length=255)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveIntegerField()
    content = models.BinaryField()
    origin = models.CharField(max_length=16, choices=PriceRow.Origin, default=PriceRow.Origin.UPLOAD)
    audience = models.CharField(max_length=8, choices=Audience, default=Audience.PUBLIC)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="price_uploads")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    today = models.DateField()

    kind = models.CharField(max_length=16, blank=True)
    format = models.CharField(max_length=16, blank=True)
    encoding = models.CharField(max_length=16, blank=True)
    delimiter = models.CharField(max_length=4, blank=True)
    decimal_mark = models.CharField(max_length=1, blank=True)
    columns = models.JSONField(default=dict, blank=True)
    default_valid_from = models.DateTimeField(null=True, blank=True)

    status = models.CharField(max_length=16, choices=Status, default=Status.DRAFT)
    base_version = models.ForeignKey(
        CatalogVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="compared_uploads"
    )
    diff_hash = models.CharField(max_length=64, blank=True)
    new_count = models.PositiveIntegerField(default=0)
    changed_count = models.PositiveIntegerField(default=0)
    unchanged_count = models.PositiveIntegerField(default=0)
    withdrawn_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    warning_count = models.PositiveIntegerField(default=0)
    blocked_count = models.PositiveIntegerField(default=0)

    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="approved_uploads"
    )
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_hash = models.CharField(max_length=64, blank=True)
    applied_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="applied_uploads"
    )
    applied_at = models.DateTimeField(null=True, blank=True)
    effective_at = models.DateTimeField(null=True, blank=True)
    applied_version = models.OneToOneField(
        CatalogVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="upload"
    )
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        permissions = [
            ("upload_prices", "Can send price files"),
            ("approve_prices", "Can approve price files sent by somebody else"),
            ("apply_prices", "Can put a checked price file into force"),
            ("backdate_prices", "Can let a price begin in the past"),
            ("rollback_prices", "Can roll back and cancel planned prices"),
            ("view_private_prices", "Can see negotiated and private prices"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(audience__in=("public", "sales")), name="upload_audience_known"),
            models.CheckConstraint(
                condition=Q(status__in=("applied", "rolled_back"), applied_version__isnull=False)
                | (~Q(status__in=("applied", "rolled_back")) & Q(applied_version__isnull=True)),
                name="upload_applied_has_version",
            ),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True) | ~Q(approved_by=F("uploaded_by")),
                name="upload_approved_by_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.original_name} ({self.status})"


class PriceUploadLine(models.Model):
    """What one line of a validated file asks for, as it was compared: kept as the record of what was shown.

    Lines that change nothing are counted, not kept. `messages` are codes with values; presenters word them.
    """

    class Verdict(models.TextChoices):
        NEW = "new"
        CHANGED = "changed"
        WITHDRAWN = "withdrawn"
        UNCHANGED = "unchanged"
        ERROR = "error"

    upload = models.ForeignKey(PriceUpload, on_delete=models.PROTECT, related_name="lines")
    line_no = models.PositiveIntegerField()
    raw = models.TextField(blank=True)
    verdict = models.CharField(max_length=16, choices=Verdict)
    item = models.CharField(max_length=120, blank=True)
    component = models.CharField(max_length=60, blank=True)
    mode = models.CharField(max_length=16, blank=True)
    context_over = models.PositiveIntegerField(default=0)
    currency = models.CharField(max_length=3, blank=True)
    unit = models.CharField(max_length=20, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    current_row = models.ForeignKey(PriceRow, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    old_amount = models.DecimalField(max_digits=15, decimal_places=9, null=True, blank=True)
    new_amount = models.DecimalField(max_digits=15, decimal_places=9, null=True, blank=True)
    change_percent = models.FloatField(null=True, blank=True)
    is_blocked = models.BooleanField(default=False)
    has_warning = models.BooleanField(default=False)
    messages = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["upload", "line_no", "id"]
        default_permissions = ()
        indexes = [models.Index(fields=["upload", "verdict"], name="line_by_verdict")]

    def __str__(self) -> str:
        return f"{self.line_no}: {self.verdict} {self.item} {self.component}"


class PriceWork(models.Model):
    """Something long that a worker does to a price file: how far it is, and how it ended. The newest one counts.

    The message in the queue only says which; a worker claims the row by a conditional update, and shows by `seen_at`
    that it is alive. `code` and `values` say why the step was refused; presenters word them.
    """

    class Step(models.TextChoices):
        COMPARE = "compare"
        APPLY = "apply"

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        REFUSED = "refused"
        FAILED = "failed"
        LOST = "lost"

    upload = models.ForeignKey(PriceUpload, on_delete=models.PROTECT, related_name="works")
    step = models.CharField(max_length=16, choices=Step)
    status = models.CharField(max_length=16, choices=Status, default=Status.WAITING)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    effective_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    seen_hash = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    stage = models.CharField(max_length=16, blank=True)
    done_count = models.PositiveIntegerField(default=0)
    all_count = models.PositiveIntegerField(default=0)
    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    code = models.CharField(max_length=60, blank=True)
    values = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["upload"], condition=Q(status__in=("waiting", "running")), name="work_once_a_file"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.step} {self.status}"


class PriceEvent(models.Model):
    """Who did what to the prices, when, why, before and after. Never changed, never deleted."""

    class Action(models.TextChoices):
        RECEIVED = "received"
        CONFIGURED = "configured"
        VALIDATED = "validated"
        APPROVED = "approved"
        REJECTED = "rejected"
        REFUSED = "refused"
        APPLIED = "applied"
        ROLLED_BACK = "rolled_back"
        PRICE = "price"
        RATE = "rate"
        ITEM = "item"
        SHEET = "sheet"
        VOIDED = "voided"

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="price_events"
    )
    action = models.CharField(max_length=16, choices=Action)
    audience = models.CharField(max_length=8, choices=Audience, default=Audience.PUBLIC)
    upload = models.ForeignKey(PriceUpload, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    version = models.ForeignKey(CatalogVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="events")
    subject = models.CharField(max_length=300, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    reason = models.CharField(max_length=500, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        indexes = [models.Index(fields=["version", "action"], name="event_by_version")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"


class ColumnMapping(models.Model):
    """A foreign header that a person has told the meaning of once; "" leaves the column out."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="column_mappings")
    kind = models.CharField(max_length=16)
    header = models.CharField(max_length=120)
    column = models.CharField(max_length=60, blank=True)

    class Meta:
        ordering = ["user", "kind", "header"]
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "header"], name="mapping_once_a_header"),
        ]

    def __str__(self) -> str:
        return f"{self.header} → {self.column}"
