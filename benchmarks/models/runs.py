"""A run: what it was asked to do, how far it is, on what machine, and what speaks against its figures."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

LIVE = ("queued", "running")
CPU_QUEUE = "default"


class BenchmarkRun(models.Model):
    """One measurement: of an engine in several steps, one a concurrency or (open loop) one a rate, or by one probe.

    A serving run asks a server by `target_url` (engine_kind url) or starts its engine on the worker's host.
    `key_variable` names the environment variable that holds the bearer key of a target; the key itself is nowhere in
    the database. `limit_…_ms` are the targets of goodput. `queue` says which workers may take the run, `gpus_count`
    how many GPUs it has for itself (0: it has the whole host), `sku_code` what is measured (blank: the host itself).
    `engine_config` is what vLLM is started with, `engine_arguments` what it became; `server_…` are what the server
    counted between its two looks at /metrics, `client_…` what was counted of the same requests here.
    At the soft limit the run is asked to stop, at the hard one it is killed; None takes the settings' limits.
    A series is its first run (`parent` None, `repeats_count` asked in all) and the repeats that name it as parent;
    the first run stands for all where they are published. `gates_…` say who answered for which closed gate, and why.
    An imported run was measured elsewhere by `import_tool`, whose own meaning of the metrics is `import_definition`;
    `import_number` is its place among the results of its file.
    """

    class Origin(models.TextChoices):
        MEASURED = "measured"
        IMPORTED = "imported"

    class Kind(models.TextChoices):
        SERVING = "serving"
        PROBE = "probe"

    class EngineKind(models.TextChoices):
        LLAMA_CPP = "llama_cpp"
        URL = "url"
        VLLM = "vllm"

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
    kind = models.CharField(max_length=7, choices=Kind, default=Kind.SERVING)
    probe = models.CharField(max_length=40, blank=True)
    engine_kind = models.CharField(max_length=9, choices=EngineKind, default=EngineKind.LLAMA_CPP, blank=True)
    queue = models.CharField(max_length=60, default=CPU_QUEUE)
    sku_code = models.CharField(max_length=40, blank=True)
    gpus_count = models.PositiveSmallIntegerField(default=0)
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.MEASURED)
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="repeats")
    repeat_number = models.PositiveSmallIntegerField(default=1)
    repeats_count = models.PositiveSmallIntegerField(default=1)
    soft_limit_s = models.PositiveIntegerField(null=True, blank=True)
    hard_limit_s = models.PositiveIntegerField(null=True, blank=True)
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

    target_region = models.CharField(max_length=60, blank=True)
    engine_config = models.TextField(blank=True)

    model_name = models.CharField(max_length=60, blank=True)
    model_sha256 = models.CharField(max_length=64, blank=True)
    precision = models.CharField(max_length=20, blank=True)
    engine = models.CharField(max_length=60, blank=True)
    engine_version = models.CharField(max_length=60, blank=True)
    engine_threads_count = models.PositiveSmallIntegerField(null=True, blank=True)
    engine_cores = models.CharField(max_length=300, blank=True)
    engine_arguments = models.TextField(blank=True)
    engine_log = models.TextField(blank=True)
    server_prompt_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    server_output_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    server_prefix_queries = models.PositiveBigIntegerField(null=True, blank=True)
    server_prefix_hits = models.PositiveBigIntegerField(null=True, blank=True)
    server_preemptions_count = models.PositiveBigIntegerField(null=True, blank=True)
    client_prompt_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    client_output_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    client_cores = models.CharField(max_length=300, blank=True)
    host_name = models.CharField(max_length=120, blank=True)
    cpu_model = models.CharField(max_length=120, blank=True)
    cpu_count = models.PositiveSmallIntegerField(null=True, blank=True)
    memory_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    kernel = models.CharField(max_length=120, blank=True)
    python_version = models.CharField(max_length=20, blank=True)
    samples_sha256 = models.CharField(max_length=64, blank=True)
    telemetry_sha256 = models.CharField(max_length=64, blank=True)

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
    flag_throttled = models.BooleanField(default=False)
    flag_foreign_process = models.BooleanField(default=False)
    flag_ecc_errors = models.BooleanField(default=False)
    flag_link_down_trained = models.BooleanField(default=False)
    flag_server_disagrees = models.BooleanField(default=False)
    flag_dummy_weights = models.BooleanField(default=False)

    flag_noisy = models.BooleanField(default=False)

    import_tool = models.CharField(max_length=40, blank=True)
    import_tool_version = models.CharField(max_length=80, blank=True)
    import_definition = models.CharField(max_length=40, blank=True)
    import_hardware = models.CharField(max_length=200, blank=True)
    import_file_name = models.CharField(max_length=120, blank=True)
    import_file_sha256 = models.CharField(max_length=64, blank=True)
    import_number = models.PositiveSmallIntegerField(default=1)
    measured_at = models.DateTimeField(null=True, blank=True)

    gates_failed = models.CharField(max_length=120, blank=True)
    gates_reason = models.CharField(max_length=300, blank=True)
    gates_passed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="gates_passed"
    )

    error_code = models.CharField(max_length=40, blank=True)
    error_detail = models.TextField(blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["status", "heartbeat_at"], name="run_by_heartbeat")]
        permissions = [
            ("operate_benchmarks", "Can start, cancel and publish measurements"),
            ("approve_results", "Can answer for a closed gate and publish through it, with a reason"),
        ]
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
                condition=Q(kind="probe")
                | Q(origin="imported")
                | Q(requests_count__gte=1, prompt_tokens__gte=1, output_tokens__gte=1),
                name="run_asks_for_something",
            ),
            models.CheckConstraint(
                condition=Q(kind="serving", probe="", engine_kind__in=["llama_cpp", "url", "vllm"])
                | Q(kind="probe", probe__gt="", engine_kind="")
                | Q(kind="serving", probe="", engine_kind="", origin="imported"),
                name="run_serves_or_probes",
            ),
            models.CheckConstraint(
                condition=(Q(engine_kind="url") & Q(target_url__gt="")) | (~Q(engine_kind="url") & Q(target_url="")),
                name="run_target_when_asked_by_url",
            ),
            models.CheckConstraint(
                condition=(Q(engine_kind="vllm") & Q(engine_config__gt=""))
                | (~Q(engine_kind="vllm") & Q(engine_config="")),
                name="run_configured_when_vllm",
            ),
            models.CheckConstraint(
                condition=Q(engine_kind="url") | Q(target_region=""), name="run_region_when_asked_by_url"
            ),
            models.CheckConstraint(
                condition=Q(origin="measured", import_tool="", import_definition="")
                | Q(origin="imported", import_tool__gt="", import_definition__gt="", parent__isnull=True),
                name="run_imported_with_its_definition",
            ),
            models.UniqueConstraint(
                fields=["import_file_sha256", "import_number"],
                condition=Q(import_file_sha256__gt=""),
                name="run_imported_once_a_result",
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True, repeat_number=1, repeats_count__gte=1)
                | Q(parent__isnull=False, repeat_number__gte=2, repeats_count=1),
                name="run_repeat_numbered",
            ),
            models.UniqueConstraint(fields=["parent", "repeat_number"], name="run_once_a_repeat"),
            models.CheckConstraint(
                condition=Q(gates_failed="") | Q(gates_reason__gt=""), name="run_gate_passed_with_a_reason"
            ),
            models.CheckConstraint(condition=Q(queue__gt=""), name="run_has_a_queue"),
            models.CheckConstraint(
                condition=Q(soft_limit_s__isnull=True)
                | Q(hard_limit_s__isnull=True)
                | Q(hard_limit_s__gt=F("soft_limit_s")),
                name="run_soft_limit_before_hard",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True) | Q(status="succeeded"), name="run_published_when_succeeded"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True)
                | Q(published_at__isnull=False, withdrawn_at__gte=F("published_at")),
                name="run_withdrawn_after_published",
            ),
            models.UniqueConstraint(
                fields=["host_name"], condition=Q(status="running", gpus_count=0), name="run_alone_on_its_host"
            ),
        ]

    def __str__(self) -> str:
        return self.code
