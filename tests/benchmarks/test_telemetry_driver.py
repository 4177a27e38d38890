"""What a GPU does not tell is unknown, never 0; what it tells is kept with its unit."""

import hashlib
import inspect
import re
from pathlib import Path

import pynvml
import pytest

from benchmarks import inventory, telemetry
from benchmarks.telemetry import states
from benchmarks.telemetry.driver import Driver, NoGpuError, open_driver
from tests.benchmarks.fakenvml import MIB, UUID, FakeNvml, Gpu, a100

ROOM = Path(telemetry.__file__).parent


def state(gpu: Gpu) -> dict[str, object]:
    driver = Driver(FakeNvml(gpu))
    return states.gpu_state(driver, driver.devices()[0])


def test_every_question_that_is_asked_exists_in_the_binding() -> None:
    """The stand-in may not answer what the real library would not know."""
    asked = set(re.findall(r'"(nvml[A-Z]\w+)"', "".join(path.read_text() for path in ROOM.glob("*.py"))))
    assert len(asked) > 40
    assert {name for name in asked if not hasattr(pynvml, name)} == set()


def test_the_stand_in_has_the_parameters_of_the_binding() -> None:
    for name, function in inspect.getmembers(FakeNvml, inspect.isfunction):
        if name.startswith("nvml"):
            real = inspect.signature(getattr(pynvml, name))
            assert len(inspect.signature(function).parameters) - 1 == len(real.parameters), name


def test_a_host_without_the_library_has_no_gpu_and_says_why() -> None:
    with pytest.raises(NoGpuError, match="Driver Not Loaded"):
        open_driver(FakeNvml(refuses=pynvml.NVML_ERROR_DRIVER_NOT_LOADED))


def test_versions_of_the_driver_are_read() -> None:
    assert states.driver_state(Driver(FakeNvml())) == {
        "driver_version": "580.65.06",
        "cuda_version": "13.2",
        "nvml_version": "13.580.65.06",
    }


@pytest.mark.parametrize(("number", "text"), [(12040, "12.4"), (13000, "13.0"), (11080, "11.8"), (None, None)])
def test_cudas_number_is_read_as_a_version(number: int | None, text: str | None) -> None:
    assert states.cuda_version(number) == text


def test_power_is_in_watts_memory_in_bytes_and_energy_in_millijoules() -> None:
    found = state(a100())
    assert (found["power_limit_default_w"], found["power_limit_w"]) == (400.0, 350.0)
    assert (found["power_limit_min_w"], found["power_limit_max_w"]) == (100.0, 400.0)
    assert found["memory_total_bytes"] == 80 * 1024 * MIB
    assert (found["memory_reserved_bytes"], found["memory_used_bytes"]) == (1024 * MIB, 2048 * MIB)
    assert found["energy_mj"] == 5_000_000


def test_the_serial_number_is_kept_as_a_digest_only() -> None:
    found = state(a100())
    assert found["serial_sha256"] == hashlib.sha256(b"1324921000000").hexdigest()
    assert "1324921000000" not in str(found)


def test_bytes_of_an_older_binding_are_read_as_text() -> None:
    assert state(a100())["inforom_version"] == "G506.0210.00.04"


def test_link_modes_clocks_and_thresholds_are_read() -> None:
    found = state(a100(nvmlDeviceGetCurrPcieLinkWidth=8))
    assert (found["link_gen"], found["link_gen_max"], found["link_width"], found["link_width_max"]) == (4, 4, 8, 16)
    assert (found["persistence_enabled"], found["mig_enabled"]) == (True, False)
    assert (found["ecc_enabled"], found["ecc_pending"]) == (True, True)
    assert (found["ecc_corrected_count"], found["ecc_uncorrected_count"]) == (2, 0)
    assert (found["clock_max_mhz"], found["memory_clock_max_mhz"]) == (1410, 1593)
    assert (found["temperature_slowdown_c"], found["temperature_gpu_max_c"]) == (89, 85)
    assert (found["violation_power_ns"], found["violation_thermal_ns"]) == (1_500_000_000, 0)


def test_links_between_gpus_are_listed_with_their_errors() -> None:
    links = state(a100())["nvlinks"]
    assert isinstance(links, list) and len(links) == 12
    assert links[3] == {
        "link": 3,
        "active": True,
        "version": 3,
        "replay": 0,
        "recovery": 0,
        "crc_flit": 0,
        "crc_data": 0,
    }


def test_the_fabric_is_read_from_the_structure_of_the_binding() -> None:
    assert state(a100())["fabric_state"] is None
    assert state(a100(fabric=3))["fabric_state"] == 3


def test_processors_near_the_gpu_are_listed() -> None:
    assert state(a100())["cpu_affinity"] == [0, 1, 2, 3, 4, 5, 6, 7, 64]


def test_processes_on_the_gpu_are_listed_with_their_memory() -> None:
    process = pynvml.c_nvmlProcessInfo_t()
    process.pid, process.usedGpuMemory = 4711, 512 * MIB
    assert state(a100(nvmlDeviceGetComputeRunningProcesses=[process]))["processes"] == [
        {"pid": 4711, "memory_bytes": 512 * MIB}
    ]
    assert state(a100())["processes"] == []


def test_what_a_consumer_card_does_not_tell_is_unknown_and_never_zero() -> None:
    """A card that names itself and nothing else."""
    found = state(Gpu({"nvmlDeviceGetUUID": "GPU-1", "nvmlDeviceGetName": "NVIDIA GeForce RTX 4090"}))
    told = {name: value for name, value in found.items() if value is not None}
    assert told == {"uuid": "GPU-1", "name": "NVIDIA GeForce RTX 4090"}


def test_a_failing_answer_is_unknown_and_its_reason_is_kept() -> None:
    lost = pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
    driver = Driver(FakeNvml(a100(nvmlDeviceGetEccMode=lost, nvmlDeviceGetSerial=None)))
    assert states.gpu_state(driver, driver.devices()[0])["ecc_enabled"] is None
    assert list(driver.problems) == ["nvmlDeviceGetEccMode"]
    assert "lost" in driver.problems["nvmlDeviceGetEccMode"].lower()


def test_a_sliced_gpu_is_listed_as_its_slices() -> None:
    parts = [Gpu({"nvmlDeviceGetUUID": f"MIG-{n}", "nvmlDeviceGetGpuInstanceId": n + 1}) for n in range(2)]
    sliced = a100(nvmlDeviceGetMigMode=[1, 1])
    sliced.slices = parts
    driver = Driver(FakeNvml(a100(1), sliced))
    assert [(device.index, device.uuid) for device in driver.devices()] == [
        (0, UUID.format(1)),
        (1, "MIG-0"),
        (2, "MIG-1"),
    ]
    found = states.gpu_state(driver, driver.devices()[2])
    assert (found["parent_uuid"], found["gpu_instance_id"], found["mig_enabled"]) == (UUID.format(0), 2, True)
    assert found["memory_total_bytes"] is None


def test_the_inventory_of_a_gpu_host() -> None:
    nvml = FakeNvml(a100(), a100(1, nvmlDeviceGetEccMode=None))
    found = inventory.take(nvml)
    assert [gpu.uuid for gpu in found.gpus] == [UUID.format(0), UUID.format(1)]
    assert (found.gpus[0].memory_bytes, found.gpus[0].power_limit_w, found.gpus[0].pci_bus_id) == (
        85_899_345_920,
        350.0,
        "00000000:07:00.0",
    )
    assert (found.gpus[0].ecc_enabled, found.gpus[1].ecc_enabled) == (True, None)
    assert (found.versions["driver_version"], found.gpu_problem) == ("580.65.06", "")
    assert nvml.open_count == 0


def test_a_host_without_gpus_says_so_in_its_inventory() -> None:
    found = inventory.take(FakeNvml(refuses=pynvml.NVML_ERROR_LIBRARY_NOT_FOUND))
    assert (found.gpus, found.versions) == ((), {})
    assert "Shared Library Not Found" in found.gpu_problem
    assert found.engines["llama.cpp"].startswith("xllamacpp ")
