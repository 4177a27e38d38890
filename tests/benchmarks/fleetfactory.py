"""Workers in the database as they register, with or without GPUs."""

from typing import Any

from benchmarks import fleet, inventory
from benchmarks.hardware import Host
from benchmarks.models import Worker

UUIDS = tuple(f"GPU-0a1b2c3d-0000-0000-0000-00000000000{number}" for number in range(8))
THIS_HOST = ""


def gpu(uuid: str, index: int = 0, **values: Any) -> inventory.Gpu:
    known: dict[str, Any] = {
        "uuid": uuid,
        "index": index,
        "name": "NVIDIA A100-SXM4-80GB",
        "memory_bytes": 85_899_345_920,
        "mig_enabled": False,
        "pci_bus_id": f"00000000:0{index}:00.0",
        "link_gen": 4,
        "link_gen_max": 4,
        "link_width": 16,
        "link_width_max": 16,
        "power_limit_w": 400.0,
        "ecc_enabled": True,
    }
    return inventory.Gpu(**(known | values))


def found(*uuids: str, host: str = "here", **values: Any) -> inventory.Inventory:
    known: dict[str, Any] = {
        "host": Host(host, "AMD EPYC 7763", 64, 2**38, "Linux 6.8", "3.12.3"),
        "engines": {"llama.cpp": "xllamacpp 2026.10", "vllm": "0.24.0"},
        "versions": {"driver_version": "580.65.06", "cuda_version": "13.0", "nvml_version": "13.580.65.06"},
        "gpus": tuple(gpu(uuid, index) for index, uuid in enumerate(uuids)),
    }
    return inventory.Inventory(**(known | values))


def worker(name: str = "celery@here", queues: tuple[str, ...] = ("default",), *uuids: str, **values: Any) -> Worker:
    """A live worker; without UUIDs its host has no GPU. `host` names it."""
    return fleet.register(name, queues, found(*uuids, **values))
