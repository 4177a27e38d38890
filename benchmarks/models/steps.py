"""What a serving run found: its steps, every request of them, and each second while it ran."""

from django.db import models
from django.db.models import F, Q

from benchmarks.models.runs import BenchmarkRun


class BenchmarkStep(models.Model):
    """One concurrency, or one rate, of a run. Its figures are None until it has ended, and where nothing was seen.

    In an open loop `concurrency` is the most requests that may be under way. `client_reasons` says by which self-checks
    the client, not the server, may have set the pace.
    """

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveSmallIntegerField()
    concurrency = models.PositiveIntegerField()
    rate_per_s = models.FloatField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    complete = models.BooleanField(default=False)
    client_bound = models.BooleanField(default=False)
    client_reasons = models.CharField(max_length=60, blank=True)
    saturated = models.BooleanField(default=False)

    warm_up_count = models.PositiveIntegerField(null=True, blank=True)
    measured_count = models.PositiveIntegerField(null=True, blank=True)
    ok_count = models.PositiveIntegerField(null=True, blank=True)
    error_count = models.PositiveIntegerField(null=True, blank=True)
    short_output_count = models.PositiveIntegerField(null=True, blank=True)
    tokens_from_failed = models.PositiveIntegerField(null=True, blank=True)
    output_tok_per_s = models.FloatField(null=True, blank=True)
    whole_output_tok_per_s = models.FloatField(null=True, blank=True)
    total_tok_per_s = models.FloatField(null=True, blank=True)
    requests_per_s = models.FloatField(null=True, blank=True)
    window_s = models.FloatField(null=True, blank=True)
    ttft_p50_ms = models.FloatField(null=True, blank=True)
    ttft_p95_ms = models.FloatField(null=True, blank=True)
    ttft_p99_ms = models.FloatField(null=True, blank=True)
    tpot_p50_ms = models.FloatField(null=True, blank=True)
    tpot_p95_ms = models.FloatField(null=True, blank=True)
    e2e_p50_ms = models.FloatField(null=True, blank=True)
    e2e_p95_ms = models.FloatField(null=True, blank=True)
    gap_p95_ms = models.FloatField(null=True, blank=True)
    gap_p99_ms = models.FloatField(null=True, blank=True)
    gap_max_ms = models.FloatField(null=True, blank=True)
    dispatch_lag_p99_ms = models.FloatField(null=True, blank=True)
    client_lag_p99_ms = models.FloatField(null=True, blank=True)
    loop_lag_p99_ms = models.FloatField(null=True, blank=True)
    client_cpu_ratio = models.FloatField(null=True, blank=True)
    near_zero_gap_ratio = models.FloatField(null=True, blank=True)
    prompt_tokens_mean = models.FloatField(null=True, blank=True)
    output_tokens_mean = models.FloatField(null=True, blank=True)
    cached_prompt_ratio = models.FloatField(null=True, blank=True)
    incomplete_count = models.PositiveIntegerField(null=True, blank=True)
    delivered_tok_per_s = models.FloatField(null=True, blank=True)
    offered_per_s = models.FloatField(null=True, blank=True)
    achieved_per_s = models.FloatField(null=True, blank=True)
    ttft_planned_p50_ms = models.FloatField(null=True, blank=True)
    ttft_planned_p95_ms = models.FloatField(null=True, blank=True)
    ttft_planned_p99_ms = models.FloatField(null=True, blank=True)
    e2e_planned_p50_ms = models.FloatField(null=True, blank=True)
    e2e_planned_p95_ms = models.FloatField(null=True, blank=True)
    met_count = models.PositiveIntegerField(null=True, blank=True)
    without_tpot_count = models.PositiveIntegerField(null=True, blank=True)
    goodput_per_s = models.FloatField(null=True, blank=True)
    attainment_ratio = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="step_once_a_position"),
            models.UniqueConstraint(
                fields=["run", "concurrency"], condition=Q(rate_per_s__isnull=True), name="step_once_a_concurrency"
            ),
            models.UniqueConstraint(
                fields=["run", "rate_per_s"], condition=Q(rate_per_s__isnull=False), name="step_once_a_rate"
            ),
            models.CheckConstraint(
                condition=Q(rate_per_s__isnull=True) | Q(rate_per_s__gt=0), name="step_rate_asked_above_zero"
            ),
            models.CheckConstraint(condition=Q(concurrency__gte=1, position__gte=1), name="step_from_one"),
            models.CheckConstraint(
                condition=Q(measured_count__isnull=True) | Q(measured_count=F("ok_count") + F("error_count")),
                name="step_counts_add_up",
            ),
            models.CheckConstraint(
                condition=Q(output_tok_per_s__isnull=True) | Q(output_tok_per_s__gte=0), name="step_rate_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} × {self.concurrency}"


class BenchmarkSample(models.Model):
    """One request of a step: its times in ms from sending, its counts, and why it failed if it did."""

    step = models.ForeignKey(BenchmarkStep, on_delete=models.CASCADE, related_name="samples")
    number = models.PositiveIntegerField()
    warm_up = models.BooleanField()
    sent_s = models.FloatField(null=True, blank=True)
    ttft_ms = models.FloatField(null=True, blank=True)
    tpot_ms = models.FloatField(null=True, blank=True)
    e2e_ms = models.FloatField(null=True, blank=True)
    gap_max_ms = models.FloatField(null=True, blank=True)
    dispatch_lag_ms = models.FloatField(null=True, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    events_count = models.PositiveIntegerField()
    token_source = models.CharField(max_length=8, blank=True)
    finish_reason = models.CharField(max_length=20, blank=True)
    done_seen = models.BooleanField()
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    error_kind = models.CharField(max_length=24, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    attempts_count = models.PositiveSmallIntegerField(default=1)

    class Meta:
        ordering = ["step", "number"]
        constraints = [models.UniqueConstraint(fields=["step", "number"], name="sample_once_a_number")]

    def __str__(self) -> str:
        return f"{self.step} #{self.number}"


class BenchmarkTick(models.Model):
    """How a running step stood at one second: what the live page, its curve and its log lines are made of."""

    step = models.ForeignKey(BenchmarkStep, on_delete=models.CASCADE, related_name="ticks")
    at = models.DateTimeField()
    warming_up = models.BooleanField()
    done_count = models.PositiveIntegerField()
    error_count = models.PositiveIntegerField()
    tok_per_s = models.FloatField(null=True, blank=True)
    ttft_p50_ms = models.FloatField(null=True, blank=True)
    loop_lag_ms = models.FloatField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.step} {self.at:%H:%M:%S}"
