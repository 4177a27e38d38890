"""A probe of one roof of a GPU: what it was asked, what ran it, and the figures it found, accepted or refused."""

from django.db import models
from django.db.models import Q

from benchmarks.models.runs import BenchmarkRun


class ProbeJob(models.Model):
    """The settings of a run of kind probe, and the software that it found. None or blank = what the device calls for.

    `seconds` is the measured time of a figure; below 30 s, and on a processor, the figures are labelled so.
    `sheet_name` is the data sheet that they were held against. `lines_sha256` is the digest of the lines as they came.
    """

    run = models.OneToOneField(BenchmarkRun, on_delete=models.CASCADE, related_name="probe_job")
    seconds = models.FloatField(null=True, blank=True)
    dtypes = models.CharField(max_length=40, blank=True)
    size = models.PositiveBigIntegerField(null=True, blank=True)
    config = models.TextField(blank=True)
    batch = models.PositiveIntegerField(null=True, blank=True)
    context_tokens = models.PositiveIntegerField(null=True, blank=True)
    recompute = models.BooleanField(default=False)
    sheet_name = models.CharField(max_length=40, blank=True)
    method_version = models.PositiveSmallIntegerField(null=True, blank=True)
    torch_version = models.CharField(max_length=60, blank=True)
    cuda_version = models.CharField(max_length=20, blank=True)
    environment = models.JSONField(default=dict, blank=True)
    on_cpu = models.BooleanField(default=False)
    lines_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(seconds__isnull=True) | Q(seconds__gt=0), name="probe_lasts"),
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.run.probe}"


class ProbeReading(models.Model):
    """One figure of one GPU: the median at one shape, the best beside it, its share of the data sheet.

    `refusal` names the guard that makes it meaningless; `flags` those that failed otherwise or could not tell.
    """

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="readings")
    position = models.PositiveIntegerField()
    metric = models.CharField(max_length=40)
    value = models.FloatField(null=True, blank=True)
    best = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=10)
    sheet_value = models.FloatField(null=True, blank=True)
    sheet_ratio = models.FloatField(null=True, blank=True)
    gpu_uuid = models.CharField(max_length=96)
    gpu_name = models.CharField(max_length=120)
    shape = models.CharField(max_length=120)
    dtype = models.CharField(max_length=10)
    span_s = models.FloatField(default=0.0)
    samples_count = models.PositiveIntegerField(default=0)
    spread_ratio = models.FloatField(null=True, blank=True)
    formula = models.CharField(max_length=200, blank=True)
    headline = models.BooleanField(default=True)
    refusal = models.CharField(max_length=40, blank=True)
    flags = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="reading_once_a_position"),
            models.CheckConstraint(
                condition=Q(refusal__gt="") | Q(value__gt=0, value__isnull=False), name="reading_accepted_has_a_value"
            ),
            models.CheckConstraint(
                condition=Q(unit__in=["FLOP/s", "B/s", "tok/s", "ratio"]), name="reading_unit_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.metric} {self.gpu_uuid}"
