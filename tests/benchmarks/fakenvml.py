"""A stand-in for NVIDIA's library, for hosts without a GPU: the binding's own errors and structures, values by hand.

The values have the shape and size that an A100 of 80 GB reports. Product code never imports this module.
"""

import ctypes
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pynvml

MIB = 2**20
UUID = "GPU-0a1b2c3d-1111-2222-3333-44445555666{}"
NOT_SUPPORTED = pynvml.NVML_ERROR_NOT_SUPPORTED


def a100(number: int = 0, **values: Any) -> "Gpu":
    """An idle A100 SXM of 80 GB; `values` are other answers, by the name of the question."""
    known: dict[str, Any] = {
        "nvmlDeviceGetUUID": UUID.format(number),
        "nvmlDeviceGetName": "NVIDIA A100-SXM4-80GB",
        "nvmlDeviceGetSerial": f"132492100000{number}",
        "nvmlDeviceGetBoardPartNumber": "692-2G506-0210-002",
        "nvmlDeviceGetVbiosVersion": "92.00.45.00.03",
        "nvmlDeviceGetInforomImageVersion": b"G506.0210.00.04",
        "nvmlDeviceGetPciInfo": SimpleNamespace(busId=f"00000000:{7 + number:02X}:00.0"),
        "nvmlDeviceGetCurrPcieLinkGeneration": 4,
        "nvmlDeviceGetMaxPcieLinkGeneration": 4,
        "nvmlDeviceGetCurrPcieLinkWidth": 16,
        "nvmlDeviceGetMaxPcieLinkWidth": 16,
        "nvmlDeviceGetPersistenceMode": 1,
        "nvmlDeviceGetComputeMode": 0,
        "nvmlDeviceGetMigMode": [0, 0],
        "nvmlDeviceGetEccMode": [1, 1],
        "nvmlDeviceGetTotalEccErrors": {(0, 0): 2, (1, 0): 0},
        "nvmlDeviceGetRemappedRows": (0, 0, 0, 0),
        "nvmlDeviceGetPowerManagementDefaultLimit": 400_000,
        "nvmlDeviceGetEnforcedPowerLimit": 350_000,
        "nvmlDeviceGetPowerManagementLimitConstraints": [100_000, 400_000],
        "nvmlDeviceGetTotalEnergyConsumption": 5_000_000,
        "nvmlDeviceGetMaxClockInfo": {(1,): 1410, (2,): 1593},
        "nvmlDeviceGetTemperatureThreshold": {(0,): 92, (1,): 89, (2,): 95, (3,): 85},
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=81920 * MIB, reserved=1024 * MIB, used=2048 * MIB),
        "nvmlDeviceGetViolationStatus": {
            (0,): SimpleNamespace(violationTime=1_500_000_000),
            (1,): SimpleNamespace(violationTime=0),
        },
        "nvmlDeviceGetNvLinkState": {(link,): 1 for link in range(12)},
        "nvmlDeviceGetNvLinkVersion": {(link,): 3 for link in range(12)},
        "nvmlDeviceGetNvLinkErrorCounter": {(link, kind): 0 for link in range(12) for kind in range(4)},
        "nvmlDeviceGetComputeRunningProcesses": [],
        "nvmlDeviceGetCpuAffinity": (ctypes.c_ulonglong * 16)(0xFF, 1),
        "nvmlDeviceGetClockInfo": {(1,): 1410, (2,): 1593},
        "nvmlDeviceGetPowerUsage": 310_000,
        "nvmlDeviceGetTemperatureV": {(0,): 61},
        "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=97, memory=72),
        "nvmlDeviceGetPerformanceState": 0,
        "nvmlDeviceGetCurrentClocksEventReasons": 0,
        "nvmlDeviceGetPcieThroughput": {(0,): 1200, (1,): 3400},
    }
    fields = {pynvml.NVML_FI_DEV_MEMORY_TEMP: 66, pynvml.NVML_FI_DEV_POWER_INSTANT: 320_000}
    return Gpu(known | values, fields | {pynvml.NVML_FI_DEV_POWER_AVERAGE: 305_000})


@dataclass
class Gpu:
    """Answers of one GPU: a value, or a mapping from the further arguments to a value. An absent one is unsupported."""

    answers: dict[str, Any]
    fields: dict[int, int] = field(default_factory=dict)
    slices: list["Gpu"] = field(default_factory=list)


class FakeNvml:
    """Has the shape of the module pynvml: its constants, structures and errors are the real ones."""

    NVMLError = pynvml.NVMLError

    def __init__(self, *gpus: Gpu, driver: str = "580.65.06", refuses: int = 0) -> None:
        self.gpus = gpus
        self.driver = driver
        self.refuses = refuses
        self.open_count = 0

    def nvmlInit(self) -> None:
        if self.refuses:
            raise pynvml.NVMLError(self.refuses)
        self.open_count += 1

    def nvmlShutdown(self) -> None:
        self.open_count -= 1

    def nvmlSystemGetDriverVersion(self) -> str:
        return self.driver

    def nvmlSystemGetNVMLVersion(self) -> str:
        return f"13.{self.driver}"

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return 13020

    def nvmlDeviceGetCount(self) -> int:
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Gpu:
        return self.gpus[index]

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Gpu) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Gpu, index: int) -> Gpu:
        if index >= len(handle.slices):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return handle.slices[index]

    def nvmlDeviceGetFieldValues(self, handle: Gpu, ids: list[int]) -> list[Any]:
        return [self._field(handle, number) for number in ids]

    def _field(self, handle: Gpu, number: int) -> Any:
        given = handle.fields.get(number)
        answer = pynvml.c_nvmlFieldValue_t()
        answer.nvmlReturn = pynvml.NVML_SUCCESS if given is not None else NOT_SUPPORTED
        answer.valueType = pynvml.NVML_VALUE_TYPE_UNSIGNED_INT
        answer.value.uiVal = given or 0
        return answer

    def nvmlDeviceGetGpuFabricInfoV(self, handle: Gpu, info: Any) -> int:
        if "fabric" not in handle.answers:
            raise pynvml.NVMLError(NOT_SUPPORTED)
        info._obj.state = handle.answers["fabric"]
        return int(pynvml.NVML_SUCCESS)

    def __getattr__(self, name: str) -> Any:
        """A constant or a structure of the binding, or a question to a GPU."""
        real = getattr(pynvml, name)
        if not name.startswith("nvmlDeviceGet"):
            return real

        def ask(handle: Gpu, *arguments: Any) -> Any:
            answer = handle.answers.get(name)
            if isinstance(answer, dict):
                answer = answer.get(arguments)
            if isinstance(answer, pynvml.NVMLError):
                raise answer
            if answer is None:
                raise pynvml.NVMLError(NOT_SUPPORTED)
            return answer

        return ask
