"""The torch side of every probe: devices, what software runs, timers with events, and the cache flushed between runs.

Imported only under the GPU's own Python. Times on a GPU come from events around each run with one wait a batch; on a
processor from a monotonic clock.
"""

import ctypes
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from benchmarks.probes import guards, options, smi
from benchmarks.probes.guards import Finding
from benchmarks.probes.measuring import Measured, Timer, measure
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report, Subject

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
FP8_FROM = (8, 9)
BF16_FROM = (8, 0)
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
CPU_INFO = Path("/proc/cpuinfo")
PR_SET_PDEATHSIG = 1
Work = Callable[[], object]


def on_cpu(asked: Options) -> bool:
    """Whether the processor is probed: asked for, or no GPU is there. SystemExit for a GPU asked for and missing."""
    if asked.device == options.CUDA and not torch.cuda.is_available():
        raise SystemExit("no CUDA device: torch sees none")
    return asked.device == options.CPU or not torch.cuda.is_available()


def cpu_name() -> str:
    """The processor's name."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cpu_cache_bytes() -> int | None:
    """The largest cache of the first core; None where the system does not say."""
    sizes = [path.read_text().strip() for path in CACHES.glob("index*/size")]
    return max((int(size[:-1]) * 1024 for size in sizes if size.endswith("K") and size[:-1].isdecimal()), default=None)


@dataclass
class Device:
    """One GPU, or the processor: what it is called, its cache, and the buffer that empties it."""

    place: Any
    subject: Subject
    cache_bytes: int | None
    capability: tuple[int, int] = (0, 0)
    memory_bytes: int | None = None
    _flush: Any = field(default=None, repr=False)

    @property
    def is_cpu(self) -> bool:
        return self.subject.on_cpu

    def dtypes(self, asked: Sequence[str], known: Sequence[str]) -> list[str]:
        """The number formats to probe: those asked for, else those that the device multiplies natively."""
        native = [name for name in known if self.is_native(name)]
        return [name for name in asked if name in known] or native

    def is_native(self, dtype: str) -> bool:
        if dtype == "fp8":
            return not self.is_cpu and self.capability >= FP8_FROM
        return self.is_cpu or dtype != "bf16" or self.capability >= BF16_FROM

    def flush(self) -> None:
        """Write a buffer larger than the cache, so that no run finds its data there."""
        if self._flush is None:
            size = guards.flush_bytes(self.cache_bytes)
            self._flush = torch.empty(size // 4, dtype=torch.int32, device=self.place)
        self._flush.zero_()

    def wait(self) -> None:
        if not self.is_cpu:
            torch.cuda.synchronize(self.place)

    def reserved_bytes(self) -> int | None:
        return None if self.is_cpu else int(torch.cuda.memory_reserved(self.place))

    def close(self) -> None:
        """Give the memory back before the next probe."""
        self._flush = None
        if not self.is_cpu:
            torch.cuda.empty_cache()


def devices(asked: Options) -> list[Device]:
    """The processor, or every GPU that this process may see: each has its own rows."""
    if on_cpu(asked):
        return [Device(torch.device("cpu"), Subject("cpu", cpu_name(), True), cpu_cache_bytes())]
    return [gpu(index) for index in range(torch.cuda.device_count())]


def gpu(index: int) -> Device:
    """One GPU by its place among the visible ones."""
    sheet = torch.cuda.get_device_properties(index)
    uuid = str(getattr(sheet, "uuid", "")) or f"cuda:{index}"
    name = uuid if uuid.startswith(("GPU-", "MIG-", "cuda:")) else f"GPU-{uuid}"
    cache = getattr(sheet, "L2_cache_size", None)
    capability = torch.cuda.get_device_capability(index)
    subject = Subject(name, sheet.name, False)
    return Device(torch.device("cuda", index), subject, cache, capability, int(sheet.total_memory))


def environment(found: Sequence[Device]) -> dict[str, Any]:
    """Versions, flags and devices, as they are recorded at the start."""
    matmul = torch.backends.cuda.matmul
    about: dict[str, Any] = {
        "python": sys.version.split()[0],
        "torch": torch.__version__,
        "kernel": platform.release(),
        "host": platform.node(),
        "cpu": cpu_name(),
        "threads": torch.get_num_threads(),
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None,
        "nccl": nccl_version(),
        "matmul_precision": torch.get_float32_matmul_precision(),
        "allow_tf32": matmul.allow_tf32,
        "bf16_reduced_accumulation": matmul.allow_bf16_reduced_precision_reduction,
        "fp16_reduced_accumulation": matmul.allow_fp16_reduced_precision_reduction,
        "cublas_workspace": os.environ.get("CUBLAS_WORKSPACE_CONFIG"),
        "data": "normal random",
        "flush_bytes": [guards.flush_bytes(one.cache_bytes) for one in found],
    }
    about["gpus"] = [about_device(one) for one in found]
    return about


def nccl_version() -> str | None:
    """The version of NCCL that torch carries; None without one."""
    if not torch.cuda.is_available() or not torch.distributed.is_available():
        return None
    version = torch.cuda.nccl.version()
    return ".".join(map(str, version)) if isinstance(version, tuple) else str(version)


def about_device(device: Device) -> dict[str, Any]:
    """Name, cache and, on a GPU, what its driver says."""
    about: dict[str, Any] = {"gpu": device.subject.gpu, "name": device.subject.name, "cache_bytes": device.cache_bytes}
    if not device.is_cpu:
        about["capability"] = ".".join(map(str, device.capability))
        about["driver"] = smi.query(device.subject.gpu, smi.ONCE)
    return about


def prepare(seed: int) -> None:
    """Fixed random data, no TensorFloat-32, sums kept in 32 bits."""
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False


def timer(device: Device, work: Work) -> Timer:
    """Runs the work n times on this device: all queued, one wait, the cache flushed before each outside the times."""
    return cpu_timer(device, work) if device.is_cpu else gpu_timer(device, work)


def cpu_timer(device: Device, work: Work) -> Timer:
    def run(count: int) -> list[float]:
        found = []
        for _ in range(count):
            device.flush()
            began = time.perf_counter()
            work()
            found.append(time.perf_counter() - began)
        return found

    return run


def gpu_timer(device: Device, work: Work) -> Timer:
    def run(count: int) -> list[float]:
        pairs = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
        for start, end in pairs:
            device.flush()
            start.record()
            work()
            end.record()
        device.wait()
        return [float(start.elapsed_time(end)) / 1000 for start, end in pairs]

    return run


@contextmanager
def watched(device: Device, own: Sequence[int] = ()) -> Iterator[list[Finding]]:
    """Guards that need the driver: they fill the list when the block ends. On a processor none of them is asked.

    `own` are processes of ours besides this one and the one that started it.
    """
    found: list[Finding] = []
    if device.is_cpu:
        yield found
        return
    gpu_id = device.subject.gpu
    before, seen, reserved = smi.query(gpu_id, smi.ONCE), smi.processes(gpu_id), device.reserved_bytes()
    began = time.monotonic()
    with smi.Sampler(gpu_id) as sampler:
        yield found
        span_s = time.monotonic() - began
        during = smi.processes(gpu_id)
    after = smi.query(gpu_id, smi.ONCE)
    ours = [os.getpid(), os.getppid(), *own]
    links = [smi.number(during_or(sampler, after, name)) for name in LINK_FIELDS]
    found += [
        guards.no_foreign_process(ours, None if seen is None and during is None else [*(seen or []), *(during or [])]),
        guards.whole_gpu(device.subject.name),
        guards.no_new_memory(reserved, device.reserved_bytes()),
        guards.not_throttled(sampler.reasons()),
        guards.sampled_often(len(sampler.lines), span_s),
        guards.link_trained(*(None if value is None else int(value) for value in links)),
        guards.no_ecc_errors(*(errors(one) for one in (before, after))),
    ]


LINK_FIELDS = ("pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max")


def during_or(sampler: smi.Sampler, after: dict[str, str | None], name: str) -> str | None:
    """The best value seen under load: links that rest are trained down, so the last look alone says nothing."""
    seen = [value for value in sampler.column(name) if value is not None] if name in smi.SAMPLED else []
    return str(max(seen)) if seen else after[name]


def errors(fields: dict[str, str | None]) -> int | None:
    value = smi.number(fields["ecc.errors.uncorrected.volatile.total"])
    return None if value is None else int(value)


def end_with_parent(parent: int) -> None:
    """A probe must not outlive what started it, nor a rank its probe (Linux: the kernel sees to it)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def main_dtypes(device: Device, asked: Options, known: Sequence[str]) -> list[str]:
    """The types asked for, else the first that the device has: a model is probed in one."""
    found = device.dtypes(asked.dtypes, known)
    return found if asked.dtypes else found[:1]


def each(report: Report, found: Sequence[Device]) -> Iterator[Device]:
    """The devices one after another, none after a stop; each gives its memory back."""
    for device in found:
        if report.stopped:
            return
        if not device.is_cpu:
            torch.cuda.set_device(device.place)
        yield device
        device.close()


def probe(
    report: Report, device: Device, times: Times, figures: Sequence[Figure], work: Work, more: Sequence[Finding] = ()
) -> Measured:
    """Time one piece of work and write the figures that come of it; the first names the rows of times."""
    run = timer(device, work)
    run(1)  # What is allocated on first use is there before the guards look at the memory.
    with watched(device) as found:
        measured = measure(run, times, report.clock(), report.rows(figures[0], device.subject))
    report.figures(figures, device.subject, measured, [*found, *more])
    return measured


def run(name: str, about: str, body: Callable[[Report, Options, list[Device], Times], None]) -> int:
    """A probe from its command line to its exit status; an error becomes the last line, never a lost file."""
    asked = options.read(name, about)
    if asked.parent is not None:
        end_with_parent(asked.parent)
    report = Report(name)
    report.listen()
    prepare(asked.seed)
    found = devices(asked)
    cpu = found[0].is_cpu
    report.start(asked, environment(found), cpu)
    try:
        body(report, asked, found, options.times(asked, cpu))
    except (RuntimeError, ValueError) as error:
        return report.end(f"{type(error).__name__}: {error}")
    return report.end()
