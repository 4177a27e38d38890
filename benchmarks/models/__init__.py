"""What a measurement was asked to do, how far it is, what it found and on what machine. Nothing here computes.

The job's state lives in these rows, not in the task queue: a run is claimed by a conditional update, shows that it is
alive by its heartbeat, and is marked stalled by whoever finds the heartbeat too old.
"""

from benchmarks.models.fleet import RunGpu, Worker, WorkerGpu
from benchmarks.models.probes import ProbeJob, ProbeReading
from benchmarks.models.runs import CPU_QUEUE, LIVE, BenchmarkRun
from benchmarks.models.steps import BenchmarkSample, BenchmarkStep, BenchmarkTick
from benchmarks.models.telemetry import TelemetrySecond

__all__ = [
    "CPU_QUEUE",
    "LIVE",
    "BenchmarkRun",
    "BenchmarkSample",
    "BenchmarkStep",
    "BenchmarkTick",
    "ProbeJob",
    "ProbeReading",
    "RunGpu",
    "TelemetrySecond",
    "Worker",
    "WorkerGpu",
]
