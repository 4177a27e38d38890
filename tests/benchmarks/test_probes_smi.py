"""What nvidia-smi prints, read: fields, words for "not supported", and a program that is not there."""

from pathlib import Path

import pytest

from benchmarks.probes import smi


@pytest.mark.parametrize("text", ["[N/A]", "[Not Supported]", "", " [Unknown Error] ", "N/A"])
def test_what_the_driver_does_not_tell_is_none_and_never_zero(text: str) -> None:
    assert smi.known(text) is None
    assert smi.number(smi.known(text)) is None


def test_a_line_is_read_by_the_names_asked_for() -> None:
    found = smi.fields_of("1980, 2619, 412.55, 61, 0x0000000000000004, 5, 16", smi.SAMPLED)
    assert found["clocks.sm"] == "1980"
    assert smi.number(found["power.draw"]) == 412.55
    assert smi.number(found["clocks_event_reasons.active"]) == 4


def test_a_line_that_lacks_fields_leaves_them_unknown() -> None:
    assert smi.fields_of("1980", ("clocks.sm", "clocks.mem")) == {"clocks.sm": "1980", "clocks.mem": None}


def test_processes_are_listed_one_a_line() -> None:
    assert smi.pids_of("1207\n 1300 \n\nNo running processes found\n") == [1207, 1300]


def answering(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")


def test_without_the_program_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert set(smi.query("GPU-1", smi.ONCE).values()) == {None}
    assert smi.processes("GPU-1") is None
    with smi.Sampler("GPU-1") as sampler:
        pass
    assert sampler.reasons() == []


def test_a_program_that_fails_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(tmp_path, monkeypatch, "exit 9")
    assert smi.processes("GPU-1") is None
    assert set(smi.query("GPU-1", ("name",)).values()) == {None}


def test_samples_are_read_beside_the_work_and_the_program_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program prints two samples and would go on for ever."""
    script = "echo '1980, 2619, 400, 60, 0x0000000000000000, 5, 16'\n"
    script += "echo '1200, 2619, 500, 80, 0x0000000000000004, 5, 16'\nexec sleep 100"
    answering(tmp_path, monkeypatch, script)
    with smi.Sampler("GPU-1") as sampler:
        while len(sampler.lines) < 2:
            pass
    assert sampler.reasons() == [0, 4]
    assert sampler.column("clocks.sm") == [1980.0, 1200.0]
    assert sampler._child is not None and sampler._child.poll() is not None
