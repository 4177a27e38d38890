"""What the driver says of itself and of a GPU at one instant: taken once before and once after a run.

Units are in the names; counters run since the driver was loaded. The serial number is kept as a digest only.
"""

import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any

from benchmarks.telemetry.driver import Device, Driver

AFFINITY_WORDS_COUNT = 16  # Of 64 processors each: more than any host has.
WORD_BITS = 64
MW_PER_W = 1000
LINK_ERROR_COUNTERS = ("replay", "recovery", "crc_flit", "crc_data")


def driver_state(driver: Driver) -> dict[str, Any]:
    """Versions of the driver, of the CUDA that it speaks, and of NVML."""
    return {
        "driver_version": driver.ask("nvmlSystemGetDriverVersion"),
        "cuda_version": cuda_version(
            driver.first(("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"))
        ),
        "nvml_version": driver.ask("nvmlSystemGetNVMLVersion"),
    }


def cuda_version(number: int | None) -> str | None:
    """13020 is CUDA 13.2."""
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"


def gpu_state(driver: Driver, device: Device) -> dict[str, Any]:
    """Everything that 3.3 of the record asks once of one GPU."""
    whole = device.handle if device.parent is None else device.parent
    return {
        "uuid": device.uuid,
        "name": device.name,
        **identity(driver, device, whole),
        **link(driver, whole),
        **modes(driver, device, whole),
        **memory_health(driver, whole),
        **power(driver, whole),
        **clocks(driver, whole),
        **memory(driver, device.handle),
        **violations(driver, whole),
        "nvlinks": nvlinks(driver, whole),
        "fabric_state": fabric_state(driver, whole),
        "processes": processes(driver, device.handle),
        "cpu_affinity": cpu_affinity(driver, whole),
    }


def identity(driver: Driver, device: Device, whole: Any) -> dict[str, Any]:
    serial = driver.ask("nvmlDeviceGetSerial", whole)
    pci = driver.ask("nvmlDeviceGetPciInfo", whole)
    bus = getattr(pci, "busId", None)
    return {
        "serial_sha256": None if serial is None else hashlib.sha256(str(serial).encode()).hexdigest(),
        "board_part_number": driver.ask("nvmlDeviceGetBoardPartNumber", whole),
        "vbios_version": driver.ask("nvmlDeviceGetVbiosVersion", whole),
        "inforom_version": driver.ask("nvmlDeviceGetInforomImageVersion", whole),
        "pci_bus_id": bus.decode(errors="replace") if isinstance(bus, bytes) else bus,
        "parent_uuid": None if device.parent is None else driver.ask("nvmlDeviceGetUUID", device.parent),
        "gpu_instance_id": None if device.parent is None else driver.ask("nvmlDeviceGetGpuInstanceId", device.handle),
        "compute_instance_id": (
            None if device.parent is None else driver.ask("nvmlDeviceGetComputeInstanceId", device.handle)
        ),
    }


def link(driver: Driver, whole: Any) -> dict[str, Any]:
    """The PCIe link as it is now and as it could be; an idle GPU lowers its generation to save power."""
    return {
        "link_gen": driver.ask("nvmlDeviceGetCurrPcieLinkGeneration", whole),
        "link_gen_max": driver.ask("nvmlDeviceGetMaxPcieLinkGeneration", whole),
        "link_width": driver.ask("nvmlDeviceGetCurrPcieLinkWidth", whole),
        "link_width_max": driver.ask("nvmlDeviceGetMaxPcieLinkWidth", whole),
    }


def modes(driver: Driver, device: Device, whole: Any) -> dict[str, Any]:
    mig = driver.ask("nvmlDeviceGetMigMode", whole)
    ecc = driver.ask("nvmlDeviceGetEccMode", whole)
    return {
        "persistence_enabled": enabled(driver.ask("nvmlDeviceGetPersistenceMode", whole)),
        "compute_mode": driver.ask("nvmlDeviceGetComputeMode", whole),
        "mig_enabled": enabled(part(mig, 0)),
        "ecc_enabled": enabled(part(ecc, 0)),
        "ecc_pending": enabled(part(ecc, 1)),
    }


def memory_health(driver: Driver, whole: Any) -> dict[str, Any]:
    """ECC errors since the driver was loaded, and rows of memory that were replaced by spares."""
    rows = driver.ask("nvmlDeviceGetRemappedRows", whole)
    return {
        "ecc_corrected_count": driver.ask("nvmlDeviceGetTotalEccErrors", whole, 0, 0),
        "ecc_uncorrected_count": driver.ask("nvmlDeviceGetTotalEccErrors", whole, 1, 0),
        "rows_remapped_corrected_count": part(rows, 0),
        "rows_remapped_uncorrected_count": part(rows, 1),
        "rows_remap_pending": enabled(part(rows, 2)),
        "rows_remap_failed": enabled(part(rows, 3)),
    }


def power(driver: Driver, whole: Any) -> dict[str, Any]:
    bounds = driver.ask("nvmlDeviceGetPowerManagementLimitConstraints", whole)
    return {
        "power_limit_default_w": watts(driver.ask("nvmlDeviceGetPowerManagementDefaultLimit", whole)),
        "power_limit_w": watts(driver.ask("nvmlDeviceGetEnforcedPowerLimit", whole)),
        "power_limit_min_w": watts(part(bounds, 0)),
        "power_limit_max_w": watts(part(bounds, 1)),
        "energy_mj": driver.ask("nvmlDeviceGetTotalEnergyConsumption", whole),
    }


def clocks(driver: Driver, whole: Any) -> dict[str, Any]:
    """Clock domains 1 and 2 are the multiprocessors' and the memory's; thresholds 0 to 3 as NVML numbers them."""
    names = ("shutdown_c", "slowdown_c", "memory_max_c", "gpu_max_c")
    limits = {
        f"temperature_{name}": driver.ask("nvmlDeviceGetTemperatureThreshold", whole, kind)
        for kind, name in enumerate(names)
    }
    return {
        "clock_max_mhz": driver.ask("nvmlDeviceGetMaxClockInfo", whole, 1),
        "memory_clock_max_mhz": driver.ask("nvmlDeviceGetMaxClockInfo", whole, 2),
        **limits,
    }


def memory(driver: Driver, handle: Any) -> dict[str, Any]:
    """The second layout of the answer tells what the driver keeps for itself apart."""
    version = getattr(driver.nvml, "nvmlMemory_v2", None)
    found = driver.ask("nvmlDeviceGetMemoryInfo", handle, version) if version else None
    found = found or driver.ask("nvmlDeviceGetMemoryInfo", handle)
    names = (("memory_total_bytes", "total"), ("memory_reserved_bytes", "reserved"), ("memory_used_bytes", "used"))
    return {name: getattr(found, field, None) for name, field in names}


def violations(driver: Driver, whole: Any) -> dict[str, Any]:
    """How long the clocks were held down since the driver was loaded, by power (0) and by heat (1)."""
    policies = (("violation_power_ns", 0), ("violation_thermal_ns", 1))
    return {
        name: getattr(driver.ask("nvmlDeviceGetViolationStatus", whole, policy), "violationTime", None)
        for name, policy in policies
    }


def nvlinks(driver: Driver, whole: Any) -> list[dict[str, Any]] | None:
    """Each NVLink of the GPU with its errors; None where there is none to ask."""
    found = []
    for number in range(getattr(driver.nvml, "NVML_NVLINK_MAX_LINKS", 0)):
        state = driver.ask("nvmlDeviceGetNvLinkState", whole, number)
        if state is None:
            break
        errors = {
            name: driver.ask("nvmlDeviceGetNvLinkErrorCounter", whole, number, counter)
            for counter, name in enumerate(LINK_ERROR_COUNTERS)
        }
        version = driver.ask("nvmlDeviceGetNvLinkVersion", whole, number)
        found.append({"link": number, "active": bool(state), "version": version, **errors})
    return found or None


def fabric_state(driver: Driver, whole: Any) -> int | None:
    """How far the GPU has joined the NVSwitch fabric (3 = completed), as NVML numbers it."""
    layout = getattr(driver.nvml, "c_nvmlGpuFabricInfoV_t", None)
    if layout is None:
        return None
    answer = layout()
    if driver.ask("nvmlDeviceGetGpuFabricInfoV", whole, ctypes.byref(answer)) is None:
        return None
    return int(answer.state)


def processes(driver: Driver, handle: Any) -> list[dict[str, Any]] | None:
    """The processes that compute on the GPU. The driver numbers them as the host does, outside any container."""
    found = driver.ask("nvmlDeviceGetComputeRunningProcesses", handle)
    if found is None:
        return None
    return [{"pid": process.pid, "memory_bytes": getattr(process, "usedGpuMemory", None)} for process in found]


def cpu_affinity(driver: Driver, whole: Any) -> list[int] | None:
    """The processors that are near the GPU."""
    words: Sequence[int] | None = driver.ask("nvmlDeviceGetCpuAffinity", whole, AFFINITY_WORDS_COUNT)
    if words is None:
        return None
    return [place * WORD_BITS + bit for place, word in enumerate(words) for bit in range(WORD_BITS) if word >> bit & 1]


def enabled(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def part(values: Sequence[Any] | None, place: int) -> Any | None:
    return None if values is None else values[place]


def watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / MW_PER_W
