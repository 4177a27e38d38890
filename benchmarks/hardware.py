"""What machine this is, as far as it says so. Unknown is None or empty, never a guess."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

import psutil

CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Host:
    """The facts of a host that a measurement depends on."""

    name: str
    cpu_model: str
    cpu_count: int | None
    memory_bytes: int
    kernel: str
    python_version: str


def cpu_model(info: str) -> str:
    """The processor's name from the text of /proc/cpuinfo; empty when it is not there."""
    for line in info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return ""


def this_host() -> Host:
    return Host(
        name=platform.node(),
        cpu_model=cpu_model(CPU_INFO.read_text()) if CPU_INFO.exists() else platform.processor(),
        cpu_count=os.cpu_count(),
        memory_bytes=psutil.virtual_memory().total,
        kernel=f"{platform.system()} {platform.release()}",
        python_version=platform.python_version(),
    )
