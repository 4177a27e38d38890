"""The six probes really run, small, on this machine's processor, by GPU_PYTHON: `make test-probes`.

What a processor gives says nothing about a GPU: these tests hold that every probe runs, writes strict lines with its
label, judges itself, and stops when asked.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.probeprocess import LINES_NAME, Order, ProbeProcess
from benchmarks.probes import lines

PYTHON = os.environ.get("GPU_PYTHON", "")
SMALL = ("--device=cpu", "--seconds=0.3")
SIZES: dict[str, tuple[str, ...]] = {
    "gemm": ("--size=256",),
    "membw": ("--size=33554432",),
    "decode": ("--config=tiny", "--context=64"),
    "prefill": ("--config=tiny", "--context=64"),
    "train_step": ("--config=tiny", "--context=32", "--recompute"),
    "allreduce": ("--ranks=2", "--size=65536"),
}
METRICS = {
    "gemm": {"gemm_bf16", "gemm_fp16"},
    "membw": {"membw_copy", "membw_triad"},
    "decode": {"decode", "decode_bandwidth"},
    "prefill": {"prefill", "prefill_flop"},
    "train_step": {"train_full", "train_lora"},
    "allreduce": {"allreduce_bus", "allreduce_alg"},
}
SLOW_SHEET = json.dumps({"name": "a sheet far too low", "bf16_flop_per_s": 1e6, "bytes_per_s": 1e3})


def probed(probe: str, folder: Path, *arguments: str) -> lines.Probe:
    """The whole file of one probe."""
    order = Order(PYTHON, probe, (*SMALL, *SIZES[probe], *arguments), folder, limit_s=120)
    with ProbeProcess(order) as process:
        for record in process.records():
            del record
        assert process.exit_code == 0, process.log_end()
    return lines.read((folder / LINES_NAME).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("probe", SIZES)
def test_a_probe_runs_and_is_labelled_as_a_processors(probe: str, tmp_path: Path) -> None:
    found = probed(probe, tmp_path)
    assert found.end["status"] == "succeeded" and found.start["labels"] == ["cpu"]
    assert {reading.metric for reading in found.readings} >= METRICS[probe]
    for reading in found.readings:
        assert reading.on_cpu and reading.gpu == "cpu" and reading.accepted
        assert reading.value is not None and reading.value > 0
        assert "sustained" in reading.flags and "plausible?" in reading.flags
    assert found.samples_count >= sum(reading.samples_count for reading in found.readings if reading.headline) > 0
    assert found.start["environment"]["torch"] and found.start["method"] == lines.METHOD


def test_the_sum_of_an_all_reduce_is_checked(tmp_path: Path) -> None:
    found = probed("allreduce", tmp_path)
    checks = [guard["verdict"] for guard in found.guards if guard["name"] == "result_correct"]
    assert checks and set(checks) == {"passed"}
    sizes = [reading.shape for reading in found.readings if reading.metric == "allreduce_bus"]
    assert sizes == ["1024 B x 2 ranks", "4096 B x 2 ranks", "65536 B x 2 ranks"]
    assert [reading.shape for reading in found.readings if reading.headline] == ["65536 B x 2 ranks"]


@pytest.mark.parametrize(("probe", "metric"), [("gemm", "gemm_bf16"), ("membw", "membw_copy"), ("decode", "decode")])
def test_l42_above_the_data_sheet_is_refused(probe: str, metric: str, tmp_path: Path) -> None:
    found = probed(probe, tmp_path, f"--sheet={SLOW_SHEET}")
    refusals = {reading.metric: reading.refusal for reading in found.readings}
    assert refusals[metric] == "plausible"


def test_hfu_counts_the_recomputed_pass_and_mfu_does_not(tmp_path: Path) -> None:
    sheet = json.dumps({"name": "far above a processor", "fp32_flop_per_s": 1e15})
    found = probed("train_step", tmp_path, f"--sheet={sheet}")
    rates: dict[str, Any] = {reading.metric: reading for reading in found.readings}
    mfu, hfu = rates["train_full_mfu"], rates["train_full_hfu"]
    assert hfu.value == pytest.approx(mfu.value * 4 / 3, rel=1e-6)
    assert "N without the input embedding" in mfu.formula and "recomputed forward" in hfu.formula
    assert rates["train_lora_hfu"].value > rates["train_lora_mfu"].value


@pytest.mark.parametrize("probe", ["gemm", "allreduce"])
def test_a_probe_asked_to_stop_writes_what_it_has_and_ends(probe: str, tmp_path: Path) -> None:
    order = Order(PYTHON, probe, ("--device=cpu", "--seconds=60", *SIZES[probe]), tmp_path, limit_s=120)
    with ProbeProcess(order) as process:
        for record in process.records():
            if record is not None and record["kind"] == "samples":
                process.stop()
    found = lines.read((tmp_path / LINES_NAME).read_text(encoding="utf-8").splitlines())
    assert found.end["status"] == "cancelled"
    assert found.readings[-1].refusal == "complete"


def test_a_probe_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Its parent is killed outright: the kernel ends the probe, and its ranks with it."""
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.argv[1], '-m', 'benchmarks.probes.allreduce', f'--parent={os.getpid()}',\n"
        "                          '--device=cpu', '--seconds=60'], stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([PYTHON, "-c", script, PYTHON], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(3)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{child}/cmdline").exists() and Path(f"/proc/{child}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the probe outlived its parent"
        time.sleep(0.1)
