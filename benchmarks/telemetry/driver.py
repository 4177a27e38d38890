"""NVIDIA's management library (NVML) as questions that may stay without an answer.

Any call may be unknown to the binding, to the driver or to the device (consumer cards, slices, virtual GPUs): then the
answer is None, and `problems` keeps the reason of what was no plain "not supported".
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Not supported, not found, function not found, argument version mismatch: an absence, not a trouble.
ABSENT = (3, 6, 13, 25)


class NoGpuError(Exception):
    """There is no NVML to ask on this host; the message says why."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU that a run can have for itself: a whole one, or a slice (MIG) of the one that `parent` is the handle of."""

    index: int
    uuid: str
    name: str
    handle: Any
    parent: Any | None = None


class Driver:
    """An initialised NVML. `nvml` is the module pynvml or an object of its shape."""

    def __init__(self, nvml: Any) -> None:
        self.nvml = nvml
        self.problems: dict[str, str] = {}

    def ask(self, call: str, *arguments: Any) -> Any | None:
        """What the function `call` of the library answers; None where it has no answer."""
        function = getattr(self.nvml, call, None)
        if function is None:
            return None
        try:
            answer = function(*arguments)
        except self.nvml.NVMLError as error:
            if error.value not in ABSENT:
                self.problems[call] = str(error)
            return None
        return answer.decode(errors="replace") if isinstance(answer, bytes) else answer

    def first(self, calls: tuple[str, ...], *arguments: Any) -> Any | None:
        """The first answer among several names of one question: the newest first."""
        return next((found for call in calls if (found := self.ask(call, *arguments)) is not None), None)

    def devices(self) -> list[Device]:
        """Every GPU of the host; a GPU that is cut into slices is listed as its slices."""
        found: list[Device] = []
        for index in range(self.ask("nvmlDeviceGetCount") or 0):
            handle = self.ask("nvmlDeviceGetHandleByIndex", index)
            if handle is None:
                continue
            slices = list(self._slices(handle))
            owners = [(part, handle) for part in slices] or [(handle, None)]
            for part, parent in owners:
                uuid = self.ask("nvmlDeviceGetUUID", part)
                if uuid:
                    found.append(Device(len(found), uuid, self.ask("nvmlDeviceGetName", part) or "", part, parent))
        return found

    def _slices(self, handle: Any) -> Iterator[Any]:
        mode = self.ask("nvmlDeviceGetMigMode", handle)
        if not mode or not mode[0]:
            return
        for number in range(self.ask("nvmlDeviceGetMaxMigDeviceCount", handle) or 0):
            if (part := self.ask("nvmlDeviceGetMigDeviceHandleByIndex", handle, number)) is not None:
                yield part

    def close(self) -> None:
        self.ask("nvmlShutdown")


def open_driver(nvml: Any | None = None) -> Driver:
    """The host's NVML, initialised; NoGpuError when the binding, the library or the driver is missing."""
    library = binding() if nvml is None else nvml
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        raise NoGpuError(str(error)) from error
    return Driver(library)


def binding() -> Any:
    try:
        return importlib.import_module("pynvml")
    except ImportError as error:
        raise NoGpuError(f"nvidia-ml-py: {error}") from error
