"""All-reduce: what several GPUs (NCCL) or processes on a processor (gloo) add a second, by size.

Run by the GPU's own Python: `python -m benchmarks.probes.allreduce`. Bytes of the buffer ÷ time is the algorithm's
bandwidth; × 2(n−1)/n the bus bandwidth, a model of a flat network. A time is the mean over a batch of calls between
two barriers, and the slowest rank's; small sizes are latency. The sum is checked before anything is timed.
"""

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from benchmarks.probes import guards, machine
from benchmarks.probes.arithmetic import collective
from benchmarks.probes.guards import Finding
from benchmarks.probes.machine import Device
from benchmarks.probes.measuring import Measured, measure
from benchmarks.probes.options import Options, Times
from benchmarks.probes.report import Figure, Report, Subject

ABOUT = "all-reduce bandwidth by message size"
ELEMENT_BYTES = 4
GPU_LARGEST, CPU_LARGEST = 2**30, 2**22
SMALLEST, STEP = 2**10, 2**4
WARM_UPS, CALLS = 5, 20
CURVE_S = 0.5
CPU_RANKS = 2
LOOPBACK = "lo"


def sizes(largest: int) -> list[int]:
    """Message sizes in bytes, sixteen times apart, up to the largest: the curve, then the figure that counts."""
    found = [largest]
    while found[0] > SMALLEST:
        found.insert(0, max(SMALLEST, found[0] // STEP))
    return found


def figures(asked: Options, size: int, ranks: int, headline: bool) -> list[Figure]:
    """Algorithm and bus bandwidth. Where the switch adds, what leaves a GPU once is held against the wire, else what
    a ring would send."""
    link = asked.sheet.link_bytes_per_s
    shape = f"{size} B x {ranks} ranks"
    parts: list[tuple[str, str, bool, Callable[[float], float]]] = [
        (
            "allreduce_bus",
            "S ÷ t · 2(n−1)/n",
            not asked.sheet.reducing_switch,
            lambda seconds: bus(size, ranks, seconds),
        ),
        ("allreduce_alg", "S ÷ t", asked.sheet.reducing_switch, lambda seconds: size / seconds),
    ]
    return [
        Figure(metric, "B/s", shape, "fp32", value_of, link if held else None, formula, headline and place == 0)
        for place, (metric, formula, held, value_of) in enumerate(parts)
    ]


def bus(size: int, ranks: int, seconds: float) -> float:
    found = collective("all_reduce", size, ranks, seconds).bus_gb_per_s
    return 0.0 if found is None else found * 1e9


class Ring:
    """One rank's side: the group, its buffer, and the slowest rank's time for n calls."""

    def __init__(self, rank: int, ranks: int, store: str, on_cpu: bool) -> None:
        self.rank, self.ranks, self.on_cpu = rank, ranks, on_cpu
        if on_cpu:
            os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)
            torch.set_num_threads(1)
        else:
            torch.cuda.set_device(rank)
        self.place = torch.device("cpu") if on_cpu else torch.device("cuda", rank)
        dist.init_process_group(
            "gloo" if on_cpu else "nccl", init_method=f"file://{store}", rank=rank, world_size=ranks
        )
        self.buffer: Any = None

    def close(self) -> None:
        dist.destroy_process_group()

    def sized(self, size: int) -> bool:
        """A buffer of that size, and whether the sum of the ranks' numbers is right."""
        self.buffer = torch.full((size // ELEMENT_BYTES,), float(self.rank + 1), device=self.place)
        dist.all_reduce(self.buffer)
        wanted = self.ranks * (self.ranks + 1) / 2
        correct = bool((self.buffer == wanted).all().item())
        self.buffer.normal_()
        for _ in range(WARM_UPS):
            self.call()
        return correct

    def call(self) -> None:
        dist.all_reduce(self.buffer, op=dist.ReduceOp.AVG if not self.on_cpu else dist.ReduceOp.MAX)

    def times(self, count: int) -> list[float]:
        """`count` times, each the mean of a batch of calls on the slowest rank."""
        return [self.one() for _ in range(count)]

    def one(self) -> float:
        dist.barrier()
        spent = machine.timer(self.device(), self.calls)(1)[0] / CALLS
        slowest = torch.tensor([spent], dtype=torch.float64, device=self.place)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        return float(slowest.item())

    def calls(self) -> None:
        for _ in range(CALLS):
            self.call()

    def device(self) -> Device:
        if not hasattr(self, "_device"):
            self._device = unflushed(self.rank, self.on_cpu)
        return self._device


class Unflushed(Device):
    """Messages are many times the cache or too small to matter: nothing is flushed between calls."""

    def flush(self) -> None:
        """Nothing."""


def unflushed(rank: int, on_cpu: bool) -> Device:
    if on_cpu:
        return Unflushed(torch.device("cpu"), Subject("cpu", machine.cpu_name(), True), None)
    found = machine.gpu(rank)
    return Unflushed(found.place, found.subject, found.cache_bytes, found.capability)


COUNT, SIZE, STOP = "count", "size", "stop"


def follow(rank: int, ranks: int, store: str, on_cpu: bool, pipe: Any, parent: int) -> None:
    """A rank other than the first: does what the first one says, until it says stop or is gone."""
    machine.end_with_parent(parent)
    # A signal to the whole group is the leader's to answer: a rank that left would leave the others waiting.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ring = Ring(rank, ranks, store, on_cpu)
    while True:
        try:
            word, value = pipe.recv()
        except EOFError:
            return
        if word == SIZE:
            ring.sized(value)
        elif word == COUNT:
            ring.times(value)
        else:
            ring.close()
            return


class Leader:
    """The first rank, which also tells the others what to do and writes the lines."""

    def __init__(self, ranks: int, on_cpu: bool, folder: str) -> None:
        store = str(Path(folder) / "ranks")
        context = get_context("spawn")
        self.pipes: list[Any] = []
        self.others: list[Any] = []
        for rank in range(1, ranks):
            ours, theirs = context.Pipe()
            other = context.Process(target=follow, args=(rank, ranks, store, on_cpu, theirs, os.getpid()), daemon=True)
            other.start()
            theirs.close()
            self.pipes.append(ours)
            self.others.append(other)
        self.ring = Ring(0, ranks, store, on_cpu)

    def tell(self, word: str, value: int) -> None:
        for pipe in self.pipes:
            pipe.send((word, value))

    def sized(self, size: int) -> Finding:
        self.tell(SIZE, size)
        return guards.result_correct(self.ring.sized(size))

    def timer(self, count: int) -> list[float]:
        self.tell(COUNT, count)
        return self.ring.times(count)

    def close(self) -> None:
        self.tell(STOP, 0)
        self.ring.close()
        for other in self.others:
            other.join(10)


def body(report: Report, asked: Options, devices: list[Device], times: Times) -> None:
    on_cpu = devices[0].is_cpu
    ranks = asked.ranks or (CPU_RANKS if on_cpu else len(devices))
    if ranks < 2 or (not on_cpu and ranks > len(devices)):
        raise ValueError(f"an all-reduce needs two ranks or more, each on a GPU of its own: {ranks} of {len(devices)}")
    with tempfile.TemporaryDirectory() as folder:
        leader = Leader(ranks, on_cpu, folder)
        try:
            curve(report, asked, leader, devices[:1] if on_cpu else devices[:ranks], times)
        finally:
            leader.close()


def curve(report: Report, asked: Options, leader: Leader, devices: list[Device], times: Times) -> None:
    """Every size shortly, the largest for as long as asked; all GPUs are watched, the figure is the group's."""
    on_cpu, ranks = leader.ring.on_cpu, leader.ring.ranks
    own = [other.pid for other in leader.others]
    largest = asked.size or (CPU_LARGEST if on_cpu else GPU_LARGEST)
    for size in sizes(largest - largest % ELEMENT_BYTES):
        if report.stopped:
            return
        headline = size >= largest - largest % ELEMENT_BYTES
        told = figures(asked, size, ranks, headline)
        correct = leader.sized(size)
        asked_s = times if headline else Times(0.0, 0.0, min(CURVE_S, times.measured_s))
        subject = devices[0].subject
        with ExitStack() as stack:
            found = [stack.enter_context(machine.watched(device, own)) for device in devices]
            measured: Measured = measure(leader.timer, asked_s, report.clock(), report.rows(told[0], subject))
        report.figures(told, subject, measured, [correct, *(finding for one in found for finding in one)])


if __name__ == "__main__":
    sys.exit(machine.run("allreduce", ABOUT, body))
