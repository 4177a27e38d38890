"""One look at a GPU and at the host: what changes while a run is measured, in the units named."""

import os
from dataclasses import dataclass, fields
from typing import Any

import psutil

from benchmarks.telemetry.driver import Device, Driver
from benchmarks.telemetry.states import watts

PERCENT = 100
HOST = -1  # The place of the host among the devices that are looked at.
BYTES_PER_KB = 1000  # NVML tells PCIe throughput in KB/s.
SM_CLOCK, MEMORY_CLOCK, CORE_SENSOR, PCIE_SENT, PCIE_RECEIVED = 1, 2, 0, 0, 1


@dataclass(frozen=True, slots=True)
class GpuSample:
    """A GPU at one instant. What is asked less often than the rest is None in between, as is what it does not tell."""

    utilisation_ratio: float | None
    memory_utilisation_ratio: float | None
    memory_used_bytes: int | None
    clock_mhz: int | None
    memory_clock_mhz: int | None
    power_w: float | None
    power_average_w: float | None
    temperature_c: int | None
    memory_temperature_c: int | None
    p_state: int | None
    event_reasons: int | None
    pcie_sent_bytes_per_s: int | None = None
    pcie_received_bytes_per_s: int | None = None
    link_gen: int | None = None
    link_width: int | None = None
    foreign_count: int | None = None


@dataclass(frozen=True, slots=True)
class HostSample:
    """The host at one instant; `utilisation_ratio` covers the time since the last look."""

    utilisation_ratio: float | None
    memory_used_bytes: int
    load_1m: float | None
    clock_mhz: float | None = None


GPU_FIELDS = tuple(field.name for field in fields(GpuSample))
HOST_FIELDS = tuple(field.name for field in fields(HostSample))


def gpu_sample(driver: Driver, device: Device, *, more: dict[str, int | None] | None = None) -> GpuSample:
    """Ask what is cheap; `more` are the slower answers where it was their turn."""
    whole = device.handle if device.parent is None else device.parent
    used = driver.ask("nvmlDeviceGetUtilizationRates", device.handle)
    power, average, heat = field_values(driver, whole)
    return GpuSample(
        utilisation_ratio=ratio(getattr(used, "gpu", None)),
        memory_utilisation_ratio=ratio(getattr(used, "memory", None)),
        memory_used_bytes=getattr(driver.ask("nvmlDeviceGetMemoryInfo", device.handle), "used", None),
        clock_mhz=driver.ask("nvmlDeviceGetClockInfo", whole, SM_CLOCK),
        memory_clock_mhz=driver.ask("nvmlDeviceGetClockInfo", whole, MEMORY_CLOCK),
        power_w=watts(power if power is not None else driver.ask("nvmlDeviceGetPowerUsage", whole)),
        power_average_w=watts(average),
        temperature_c=driver.first(("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature"), whole, CORE_SENSOR),
        memory_temperature_c=heat,
        p_state=driver.ask("nvmlDeviceGetPerformanceState", whole),
        event_reasons=driver.first(
            ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"), whole
        ),
        **(more or {}),
    )


def field_values(driver: Driver, whole: Any) -> tuple[int | None, int | None, int | None]:
    """Power of the instant and averaged, both in mW, and the memory's temperature: three fields in one question."""
    nvml = driver.nvml
    ids = [nvml.NVML_FI_DEV_POWER_INSTANT, nvml.NVML_FI_DEV_POWER_AVERAGE, nvml.NVML_FI_DEV_MEMORY_TEMP]
    found = driver.ask("nvmlDeviceGetFieldValues", whole, ids)
    if found is None:
        return None, None, None
    told = [int(item.value.uiVal) if item.nvmlReturn == nvml.NVML_SUCCESS else None for item in found]
    # A sensor that is not there is answered with 0 by some drivers.
    return told[0] or None, told[1] or None, told[2] or None


def pcie(driver: Driver, device: Device) -> dict[str, int | None]:
    """What goes over the link; each of the two questions takes the driver 20 ms, so not every look asks them."""
    whole = device.handle if device.parent is None else device.parent
    counters = (("pcie_sent_bytes_per_s", PCIE_SENT), ("pcie_received_bytes_per_s", PCIE_RECEIVED))
    return {name: in_bytes(driver.ask("nvmlDeviceGetPcieThroughput", whole, number)) for name, number in counters}


def link(driver: Driver, device: Device) -> dict[str, int | None]:
    """The link under load: an idle GPU lowers its generation, a busy one that stays low is down-trained."""
    whole = device.handle if device.parent is None else device.parent
    return {
        "link_gen": driver.ask("nvmlDeviceGetCurrPcieLinkGeneration", whole),
        "link_width": driver.ask("nvmlDeviceGetCurrPcieLinkWidth", whole),
    }


def host_sample(*, with_clock: bool) -> HostSample:
    """The host without its GPUs. The clock is read once a second: it is a file a core."""
    return HostSample(
        utilisation_ratio=ratio(psutil.cpu_percent(None)),
        memory_used_bytes=psutil.virtual_memory().used,
        load_1m=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        clock_mhz=host_clock_mhz() if with_clock else None,
    )


def host_clock_mhz() -> float | None:
    """The mean clock of the cores; None on machines that do not tell, as most virtual ones."""
    try:
        told = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        return None
    return told.current if told and told.current else None


def ratio(percent: float | None) -> float | None:
    return None if percent is None else percent / PERCENT


def in_bytes(kilobytes: int | None) -> int | None:
    return None if kilobytes is None else kilobytes * BYTES_PER_KB
