"""Asking for a probe: what may be asked, and the queued run that it becomes."""

from dataclasses import asdict, dataclass

from django.utils import timezone

from benchmarks import fleet, services
from benchmarks.models import BenchmarkRun, ProbeJob, Worker
from benchmarks.probes import shapes
from benchmarks.probing import PROBES, WITH_WEIGHTS
from calculator.models import CatalogItem

TORCH = "torch"
FLOOR_S, CEILING_S = 0.1, 600.0
DTYPES = ("bf16", "fp16", "fp8")


class ProbeOrderError(ValueError):
    """A probe that cannot be asked for; `code` says why, `value` what was given."""

    def __init__(self, code: str, value: str = "") -> None:
        super().__init__(f"{code}: {value}")
        self.code, self.value = code, value


@dataclass(frozen=True, slots=True)
class ProbeConfig:
    """What is asked: the probe, where, and its settings; None or empty = what the device calls for.

    Without `gpus_count` the processor is probed, small, and its figures stand for no GPU.
    """

    probe: str
    sku_code: str = ""
    gpus_count: int = 0
    seconds: float | None = None
    dtypes: str = ""
    size: int | None = None
    config: str = ""
    batch: int | None = None
    context_tokens: int | None = None
    recompute: bool = False


SETTINGS = ("seconds", "dtypes", "size", "config", "batch", "context_tokens", "recompute")


def checked(asked: ProbeConfig) -> ProbeConfig:
    """`asked` itself. ProbeOrderError for a probe, a duration, a number format, a model or a SKU that there is not."""
    if asked.probe not in PROBES:
        raise ProbeOrderError("probe", asked.probe)
    if asked.seconds is not None and not FLOOR_S <= asked.seconds <= CEILING_S:
        raise ProbeOrderError("seconds", f"{asked.seconds:g}")
    if unknown := [name for name in asked.dtypes.split(",") if name and name not in DTYPES]:
        raise ProbeOrderError("dtypes", unknown[0])
    if asked.config:
        try:
            shapes.read(asked.config)
        except shapes.ConfigError as error:
            raise ProbeOrderError("config", str(error)) from error
    if asked.probe == "allreduce" and asked.gpus_count == 1:
        raise ProbeOrderError("one_gpu")
    if asked.sku_code and sku_called(asked.sku_code) is None:
        raise ProbeOrderError("sku", asked.sku_code)
    return asked


def sku_called(code: str) -> CatalogItem | None:
    """The SKU of that code in any case."""
    return CatalogItem.objects.filter(kind=CatalogItem.Kind.GPU_SKU, code__iexact=code).first()


def create_probe(asked: ProbeConfig, by_id: int | None) -> BenchmarkRun:
    """A queued run with its settings and the next free number of the year. ProbeOrderError as `checked`."""
    order = checked(asked)
    return services.numbered(lambda: _insert(order, by_id))


def _insert(asked: ProbeConfig, by_id: int | None) -> BenchmarkRun:
    now = timezone.now()
    sku = sku_called(asked.sku_code) if asked.sku_code else None
    code = offer_code(sku)
    run = BenchmarkRun.objects.create(
        code=services.next_code(timezone.localtime(now).year),
        kind=BenchmarkRun.Kind.PROBE,
        probe=asked.probe,
        engine_kind="",
        created_by_id=by_id,
        created_at=now,
        requests_count=0,
        prompt_tokens=0,
        output_tokens=0,
        seed=1,
        sku_code=code,
        gpus_count=asked.gpus_count,
        queue=fleet.queue_of(code, asked.gpus_count),
        flag_random_weights=asked.probe in WITH_WEIGHTS,
    )
    values = asdict(asked)
    ProbeJob.objects.create(run=run, **{name: values[name] for name in SETTINGS})
    return run


def offer_code(sku: CatalogItem | None) -> str:
    """The code of an offer; empty for this host, under whatever name it was asked for."""
    return "" if sku is None or sku.is_test_host else sku.code


def torch_is_missing(asked: ProbeConfig) -> bool:
    """Whether the queue is served, and none of its live workers has a Python with torch."""
    sku = sku_called(asked.sku_code) if asked.sku_code else None
    queue = fleet.queue_of(offer_code(sku), asked.gpus_count)
    return fleet.serves(queue) and not torch_is_served(queue)


def torch_is_served(queue: str) -> bool:
    """Whether a live worker of that queue has a Python with torch: without one a probe would only fail."""
    live: list[Worker] = list(fleet.alive())
    return any(queue in worker.queues and TORCH in worker.engines for worker in live)
