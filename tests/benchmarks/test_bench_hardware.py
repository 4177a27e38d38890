"""A host describes itself, or says nothing."""

import os
import platform

import psutil
import pytest

from benchmarks import hardware

INFO = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6448H\nmodel name\t: another\n"


def test_the_processor_is_the_first_model_name() -> None:
    assert hardware.cpu_model(INFO) == "Intel(R) Xeon(R) Gold 6448H"


@pytest.mark.parametrize("text", ["", "processor : 0\n", "no colon here"])
def test_without_a_name_nothing_is_guessed(text: str) -> None:
    assert hardware.cpu_model(text) == ""


def test_a_machine_without_cpuinfo_says_what_python_knows(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(hardware, "CPU_INFO", hardware.Path(str(tmp_path)) / "absent")
    assert hardware.this_host().cpu_model == platform.processor()


def test_this_host_is_described() -> None:
    host = hardware.this_host()
    assert host.name == platform.node()
    assert host.cpu_count == os.cpu_count()
    assert host.memory_bytes == psutil.virtual_memory().total
    assert host.kernel.startswith(platform.system())
    assert host.python_version == platform.python_version()
