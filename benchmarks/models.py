"""What a measurement was asked to do, how far it is, what it found and on what machine. Nothing here computes.

The job's state lives in these rows, not in the task queue: a run is claimed by a conditional update, shows that it is
alive by its heartbeat, and is marked stalled by whoever finds the heartbeat too old.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

LIVE = ("queued", "running")


class BenchmarkRun(models.Model):
    """One measurement of one engine: several steps, one a concurrency or (open loop) one a rate.

    Without `target_url` the engine is started on this host. `key_variable` names the environment variable that holds
    the bearer key of a target; the key itself is nowhere in the database. `limit_…_ms` are the targets of goodput.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"
        STALLED = "stalled"

    class Phase(models.TextChoices):
        WAITING = "waiting"
        PREPARING = "preparing"
        WARMING_UP = "warming_up"
        MEASURING = "measuring"
        AGGREGATING = "aggregating"

    class Pattern(models.TextChoices):
        CLOSED = "closed"
        CONSTANT = "constant"
        POISSON = "poisson"
        RAMP = "ramp"

    code = models.CharField(max_length=16, unique=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    phase = models.CharField(max_length=12, choices=Phase, default=Phase.WAITING)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="benchmark_runs"
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    claimed_by = models.CharField(max_length=200, blank=True)

    requests_count = models.PositiveIntegerField()
    prompt_tokens = models.PositiveIntegerField()
    output_tokens = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField()
    pattern = models.CharField(max_length=8, choices=Pattern, default=Pattern.CLOSED)
    ramp_s = models.FloatField(default=0.0)
    duration_s = models.FloatField(null=True, blank=True)
    shared_prefix_tokens = models.PositiveIntegerField(default=0)
    prompts_name = models.CharField(max_length=120, blank=True)
    prompts_sha256 = models.CharField(max_length=64, blank=True)
    limit_ttft_ms = models.FloatField(null=True, blank=True)
    limit_tpot_ms = models.FloatField(null=True, blank=True)
    search = models.CharField(max_length=6, blank=True)
    search_end = models.CharField(max_length=20, blank=True)

    target_url = models.CharField(max_length=300, blank=True)
    target_route = models.CharField(max_length=12, blank=True)
    target_model = models.CharField(max_length=200, blank=True)
    target_ignore_eos = models.BooleanField(default=True)
    target_length_field = models.CharField(max_length=24, blank=True)
    key_variable = models.CharField(max_length=60, blank=True)
    rate_limit_per_s = models.FloatField(null=True, blank=True)

    model_name = models.CharField(max_length=60, blank=True)
    model_sha256 = models.CharField(max_length=64, blank=True)
    precision = models.CharField(max_length=20, blank=True)
    engine = models.CharField(max_length=60, blank=True)
    engine_version = models.CharField(max_length=60, blank=True)
    engine_threads_count = models.PositiveSmallIntegerField(null=True, blank=True)
    engine_cores = models.CharField(max_length=300, blank=True)
    client_cores = models.CharField(max_length=300, blank=True)
    host_name = models.CharField(max_length=120, blank=True)
    cpu_model = models.CharField(max_length=120, blank=True)
    cpu_count = models.PositiveSmallIntegerField(null=True, blank=True)
    memory_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    kernel = models.CharField(max_length=120, blank=True)
    python_version = models.CharField(max_length=20, blank=True)
    samples_sha256 = models.CharField(max_length=64, blank=True)

    flag_single_run = models.BooleanField(default=True)
    flag_random_weights = models.BooleanField(default=True)
    flag_partial = models.BooleanField(default=False)
    flag_shared_core = models.BooleanField(default=False)
    flag_client_bound = models.BooleanField(default=False)
    flag_tokens_estimated = models.BooleanField(default=False)
    flag_outputs_short = models.BooleanField(default=False)
    flag_prefix_cache_warm = models.BooleanField(default=False)
    flag_saturated = models.BooleanField(default=False)
    flag_censored = models.BooleanField(default=False)
    flag_retried = models.BooleanField(default=False)

    error_code = models.CharField(max_length=40, blank=True)
    error_detail = models.TextField(blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["status", "heartbeat_at"], name="run_by_heartbeat")]
        permissions = [("operate_benchmarks", "Can start, cancel and publish measurements")]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "succeeded", "failed", "cancelled", "stalled"]),
                name="run_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=LIVE, finished_at__isnull=True)
                | (~Q(status__in=LIVE) & Q(finished_at__isnull=False)),
                name="run_finished_when_not_live",
            ),
            models.CheckConstraint(
                condition=Q(status="queued", started_at__isnull=True, heartbeat_at__isnull=True)
                | ~Q(status__in=["queued", "running"])
                | Q(status="running", started_at__isnull=False, heartbeat_at__isnull=False, claimed_by__gt=""),
                name="run_claimed_when_running",
            ),
            models.CheckConstraint(
                condition=Q(requests_count__gte=1, prompt_tokens__gte=1, output_tokens__gte=1),
                name="run_asks_for_something",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True) | Q(status="succeeded"), name="run_published_when_succeeded"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True)
                | Q(published_at__isnull=False, withdrawn_at__gte=F("published_at")),
                name="run_withdrawn_after_published",
            ),
            models.UniqueConstraint(fields=["host_name"], condition=Q(status="running"), name="run_alone_on_its_host"),
        ]

    def __str__(self) -> str:
        return self.code


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
