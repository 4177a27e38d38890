"""How the hardware stood during a run, a row a second and device: what the chart is made of."""

from django.db import models
from django.db.models import Q

from benchmarks.models.runs import BenchmarkRun


class TelemetrySecond(models.Model):
    """The mean of a second's samples of one device; `device` is a GPU's UUID, empty for the host itself.

    None: the device does not tell. `event_reasons` holds every bit that was up in some sample of the second, and
    `throttled_count` in how many of `samples_count` a throttling bit was.
    """

    run = models.ForeignKey(BenchmarkRun, on_delete=models.CASCADE, related_name="telemetry")
    device = models.CharField(max_length=96, blank=True)
    second = models.PositiveIntegerField()
    samples_count = models.PositiveSmallIntegerField()
    utilisation_ratio = models.FloatField(null=True, blank=True)
    memory_utilisation_ratio = models.FloatField(null=True, blank=True)
    memory_used_bytes = models.PositiveBigIntegerField(null=True, blank=True)
    clock_mhz = models.FloatField(null=True, blank=True)
    memory_clock_mhz = models.FloatField(null=True, blank=True)
    power_w = models.FloatField(null=True, blank=True)
    temperature_c = models.FloatField(null=True, blank=True)
    memory_temperature_c = models.FloatField(null=True, blank=True)
    p_state = models.PositiveSmallIntegerField(null=True, blank=True)
    pcie_sent_bytes_per_s = models.FloatField(null=True, blank=True)
    pcie_received_bytes_per_s = models.FloatField(null=True, blank=True)
    event_reasons = models.PositiveBigIntegerField(null=True, blank=True)
    throttled_count = models.PositiveSmallIntegerField(null=True, blank=True)
    load_1m = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["run", "device", "second"]
        constraints = [
            models.UniqueConstraint(fields=["run", "device", "second"], name="telemetry_once_a_second"),
            models.CheckConstraint(condition=Q(samples_count__gte=1), name="telemetry_has_samples"),
        ]

    def __str__(self) -> str:
        return f"{self.run} {self.device or 'host'} {self.second} s"
