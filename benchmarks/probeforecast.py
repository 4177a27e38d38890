"""How long a probe will take and what it costs, before it starts: from the newest one like it, or not known."""

from benchmarks import forecast, limits, probeorders
from benchmarks.forecast import Forecast
from benchmarks.models import BenchmarkRun
from benchmarks.probeorders import ProbeConfig
from benchmarks.probes.guards import SUSTAINED_S
from benchmarks.probes.options import SHORT_S
from calculator.domain.offers import Basis


def forecast_of(asked: ProbeConfig) -> Forecast:
    """The newest like probe's time, longer or shorter by what its figures are asked to take; at most the time limit."""
    code = offer_of(asked)
    like = newest_like(asked, code)
    once = None if like is None else seconds(asked, like)
    limit_s = limits.limits_of(BenchmarkRun(kind=BenchmarkRun.Kind.PROBE)).hard_s
    rented = forecast.rented(code, asked.gpus_count)
    hour = rented.prices.get(Basis.HOUR) if rented else None
    return Forecast(
        seconds=None if once is None else min(once, limit_s),
        limit_s=limit_s,
        repeats_count=1,
        from_code=like.code if like else "",
        sku=rented.name if rented else code,
        eur_per_h=hour.value if hour else None,
    )


def offer_of(asked: ProbeConfig) -> str:
    """The code of the offer that is probed; empty for this host."""
    return probeorders.offer_code(probeorders.sku_called(asked.sku_code) if asked.sku_code else None)


def newest_like(asked: ProbeConfig, code: str) -> BenchmarkRun | None:
    """The newest succeeded run of the same probe on as many GPUs of the same offer, with the same formats and model."""
    runs = BenchmarkRun.objects.filter(
        status=BenchmarkRun.Status.SUCCEEDED,
        kind=BenchmarkRun.Kind.PROBE,
        probe=asked.probe,
        sku_code=code,
        gpus_count=asked.gpus_count,
        started_at__isnull=False,
        probe_job__dtypes=asked.dtypes,
        probe_job__config=asked.config,
    )
    return runs.select_related("probe_job").order_by("-created_at").first()


def seconds(asked: ProbeConfig, like: BenchmarkRun) -> float | None:
    """The time of `like`, with the difference in measured time for each of its figures."""
    if like.started_at is None or like.finished_at is None:
        return None
    spent_s = (like.finished_at - like.started_at).total_seconds()
    longer_s = measured_s(asked.seconds, asked.gpus_count) - measured_s(like.probe_job.seconds, asked.gpus_count)
    return max(0.0, spent_s + like.readings.count() * longer_s)


def measured_s(asked_s: float | None, gpus_count: int) -> float:
    """The measured time of a figure: what is asked, else what the device calls for."""
    if asked_s is not None:
        return asked_s
    return SUSTAINED_S if gpus_count else SHORT_S
