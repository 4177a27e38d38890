"""What a worker's host is and has, read once when the worker starts. Knows no Django."""

from dataclasses import dataclass, field
from typing import Any

from benchmarks import installed
from benchmarks.hardware import Host, this_host
from benchmarks.telemetry import states
from benchmarks.telemetry.driver import Device, Driver, NoGpuError, open_driver

PROBLEM_CHARS = 200


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU of the host; None = the driver does not tell."""

    uuid: str
    index: int
    name: str
    memory_bytes: int | None
    mig_enabled: bool | None
    pci_bus_id: str
    link_gen: int | None
    link_gen_max: int | None
    link_width: int | None
    link_width_max: int | None
    power_limit_w: float | None
    ecc_enabled: bool | None


@dataclass(frozen=True, slots=True)
class Inventory:
    """`gpu_problem` says why no GPU could be asked; empty where NVML answered."""

    host: Host
    engines: dict[str, str]
    versions: dict[str, str] = field(default_factory=dict)
    gpus: tuple[Gpu, ...] = ()
    gpu_problem: str = ""


def take(nvml: Any | None = None) -> Inventory:
    """The inventory of this host. A host without NVML has no GPUs and says why."""
    host, engines = this_host(), installed.engines()
    try:
        driver = open_driver(nvml)
    except NoGpuError as error:
        return Inventory(host, engines, gpu_problem=str(error)[:PROBLEM_CHARS])
    try:
        versions = {name: value or "" for name, value in states.driver_state(driver).items()}
        return Inventory(host, engines, versions, tuple(gpu(driver, device) for device in driver.devices()))
    finally:
        driver.close()


def gpu(driver: Driver, device: Device) -> Gpu:
    known = states.gpu_state(driver, device)
    return Gpu(
        uuid=device.uuid,
        index=device.index,
        name=device.name,
        memory_bytes=known["memory_total_bytes"],
        mig_enabled=known["mig_enabled"],
        pci_bus_id=known["pci_bus_id"] or "",
        link_gen=known["link_gen"],
        link_gen_max=known["link_gen_max"],
        link_width=known["link_width"],
        link_width_max=known["link_width_max"],
        power_limit_w=known["power_limit_w"],
        ecc_enabled=known["ecc_enabled"],
    )
