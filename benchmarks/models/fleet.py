"""The hosts that measure: who serves which queue, with which GPUs, and which run has which GPU."""

from django.db import models
from django.db.models import Q

from benchmarks.models.runs import BenchmarkRun


class Worker(models.Model):
    """One worker process from its start to its end. It is alive while its heartbeat is young.

    `engines` names each engine that the host can start with its version; `queues` are those it takes runs from.
    """

    name = models.CharField(max_length=200)
    host_name = models.CharField(max_length=120)
    queues = models.JSONField(default=list)
    sku_code = models.CharField(max_length=40, blank=True)
    pid = models.PositiveIntegerField()
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True, blank=True)
    engines = models.JSONField(default=dict, blank=True)
    cpu_model = models.CharField(max_length=120, blank=True)
    cpu_count = models.PositiveSmallIntegerField(null=True, blank=True)
    memory_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    python_version = models.CharField(max_length=20, blank=True)
    driver_version = models.CharField(max_length=40, blank=True)
    cuda_version = models.CharField(max_length=20, blank=True)
    nvml_version = models.CharField(max_length=40, blank=True)
    gpu_problem = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-started_at", "-id"]
        indexes = [models.Index(fields=["stopped_at", "heartbeat_at"], name="worker_by_heartbeat")]
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(stopped_at__isnull=True), name="worker_once_a_name"),
            models.CheckConstraint(condition=Q(name__gt="", host_name__gt=""), name="worker_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class WorkerGpu(models.Model):
    """A GPU of a worker's host as it was when the worker started. None: the driver does not tell."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="gpus")
    uuid = models.CharField(max_length=96)
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120, blank=True)
    memory_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    mig_enabled = models.BooleanField(null=True, blank=True)
    pci_bus_id = models.CharField(max_length=40, blank=True)
    link_gen = models.PositiveSmallIntegerField(null=True, blank=True)
    link_gen_max = models.PositiveSmallIntegerField(null=True, blank=True)
    link_width = models.PositiveSmallIntegerField(null=True, blank=True)
    link_width_max = models.PositiveSmallIntegerField(null=True, blank=True)
    power_limit_w = models.FloatField(null=True, blank=True)
    ecc_enabled = models.BooleanField(null=True, blank=True)

    class Meta:
        ordering = ["worker", "index"]
        constraints = [
            models.UniqueConstraint(fields=["worker", "uuid"], name="worker_gpu_once"),
            models.CheckConstraint(condition=Q(uuid__gt=""), name="worker_gpu_has_a_uuid"),
        ]

    def __str__(self) -> str:
        return f"{self.worker} GPU {self.index}"


class RunGpu(models.Model):
    """A GPU that a run has for itself from its claim to its end, and what the driver said of it at both.

    A run that measures the host without a GPU holds the host's GPUs unused (`used` False), so that no other run
    starts there. `energy_j` and `throttled_ratio` cover the time between the two states.
    """

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="gpus")
    uuid = models.CharField(max_length=96)
    index = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=120, blank=True)
    used = models.BooleanField(default=True)
    reserved_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)
    state_at_start = models.JSONField(null=True, blank=True)
    state_at_end = models.JSONField(null=True, blank=True)
    energy_j = models.FloatField(null=True, blank=True)
    throttled_ratio = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], condition=Q(released_at__isnull=True), name="gpu_in_one_live_run"),
            models.UniqueConstraint(fields=["run", "uuid"], name="run_gpu_once"),
            models.CheckConstraint(condition=Q(uuid__gt=""), name="run_gpu_has_a_uuid"),
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.uuid}"
