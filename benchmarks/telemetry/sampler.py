"""The process that looks at the hardware beside a run, five times a second, and writes what it saw line by line.

Run as `python -m benchmarks.telemetry.sampler FILE --gpus UUID,UUID --parent PID`. The first line says how everything
stood before, each further line is one look at one device, the last line says how everything stood after SIGTERM. It is
a process of its own so that a slow answer of the driver delays no request; it keeps off the client's core.
"""

import argparse
import dataclasses
import datetime as dt
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from benchmarks.load import process
from benchmarks.telemetry import samples, states
from benchmarks.telemetry.driver import Device, Driver, NoGpuError, open_driver
from benchmarks.telemetry.foreign import Census

PERIOD_S = 0.2
SLOW_EVERY = 5  # Looks between two questions that cost more.


class Sampler:
    """Looks at the host and at `devices` until `over` is set. `driver` None: there is no GPU to look at."""

    def __init__(self, driver: Driver | None, devices: Sequence[Device], parent: int, file: BinaryIO) -> None:
        self.driver = driver
        self.devices = list(devices)
        self.file = file
        self.census = {device.uuid: Census(parent) for device in devices}
        self.over = threading.Event()
        self._turn = 0

    def run(self, period_s: float = PERIOD_S, clock: Callable[[], float] = time.monotonic) -> None:
        began = clock()
        self.begin(period_s)
        while True:
            self.look(clock() - began)
            self._turn += 1
            # Instants are absolute: a slow look shortens the pause and not the pace.
            if self.over.wait(max(0.0, began + self._turn * period_s - clock())):
                break
        self.finish(clock() - began)

    def begin(self, period_s: float) -> None:
        for device in self.devices:
            self.census[device.uuid].begin(self.pids(device))
        self.write(
            {
                "type": "start",
                "at": dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
                "period_s": period_s,
                "host_fields": samples.HOST_FIELDS,
                "gpu_fields": samples.GPU_FIELDS,
                "driver": states.driver_state(self.driver) if self.driver else None,
                "gpus": self.states(),
            }
        )

    def look(self, at_s: float) -> None:
        """One line for the host and one a GPU."""
        slow = self._turn % SLOW_EVERY == 0
        self.line(samples.HOST, at_s, samples.host_sample(with_clock=slow))
        if self.driver is None:
            return
        for place, device in enumerate(self.devices):
            more: dict[str, int | None] = {}
            if slow:
                more |= samples.link(self.driver, device)
                more["foreign_count"] = self.strangers(device)
            if self._turn % len(self.devices) == place:
                more |= samples.pcie(self.driver, device)
            self.line(place, at_s, samples.gpu_sample(self.driver, device, more=more))

    def strangers(self, device: Device) -> int | None:
        present = self.present(device)
        return None if present is None else self.census[device.uuid].look(present)

    def finish(self, at_s: float) -> None:
        for device in self.devices:
            self.census[device.uuid].end(self.pids(device))
        foreign = {uuid: sorted(census.foreign) for uuid, census in self.census.items()}
        problems = self.driver.problems if self.driver else {}
        self.write({"type": "end", "at_s": at_s, "gpus": self.states(), "foreign": foreign, "problems": problems})

    def states(self) -> list[dict[str, Any]]:
        return [states.gpu_state(self.driver, device) for device in self.devices] if self.driver else []

    def present(self, device: Device) -> list[int] | None:
        found = states.processes(self.driver, device.handle) if self.driver else None
        return None if found is None else [item["pid"] for item in found]

    def pids(self, device: Device) -> list[int]:
        return self.present(device) or []

    def line(self, place: int, at_s: float, sample: samples.GpuSample | samples.HostSample) -> None:
        self.write([place, round(at_s, 3), *dataclasses.astuple(sample)])

    def write(self, item: Any) -> None:
        self.file.write(orjson.dumps(item) + b"\n")
        self.file.flush()


def open_devices(uuids: Sequence[str]) -> tuple[Driver | None, list[Device]]:
    """The driver and those of its GPUs that the run has; without a driver or without GPUs asked for, neither."""
    if not uuids:
        return None, []
    try:
        driver = open_driver()
    except NoGpuError:
        return None, []
    return driver, [device for device in driver.devices() if device.uuid in uuids]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--gpus", default="")
    parser.add_argument("--parent", type=int, required=True)
    given = parser.parse_args()
    process.end_with_parent(given.parent, signal.SIGTERM)
    process.pin(process.split_cores(process.available_cores()).engine)
    driver, devices = open_devices([uuid for uuid in given.gpus.split(",") if uuid])
    with given.file.open("wb") as file:
        sampler = Sampler(driver, devices, given.parent, file)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sampler.over.set())
        sampler.run()
    if driver:
        driver.close()


if __name__ == "__main__":
    main()
