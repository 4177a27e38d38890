"""A Python that needs no torch in place of a GPU host's own: it writes lines as a probe does, and can misbehave.

`GPU_PYTHON` is started as `PYTHON -m benchmarks.probes.NAME …`; the script made here ignores the module and does what
its test wants, with the same lines that a probe writes.
"""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.probes import lines

READING: dict[str, Any] = {
    "metric": "gemm_bf16",
    "value": 250e12,
    "best": 260e12,
    "unit": "FLOP/s",
    "gpu": "GPU-1",
    "gpu_name": "NVIDIA A100-SXM4-80GB",
    "shape": "8192x8192x8192",
    "dtype": "bf16",
    "span_s": 31.0,
    "samples_count": 6800,
    "formula": "2·M·N·K ÷ t",
    "refusal": "",
    "flags": [],
    "on_cpu": False,
    "headline": True,
}
START: dict[str, Any] = {
    "method": 1,
    "probe": "gemm",
    "labels": [],
    "environment": {"torch": "2.13.0", "cuda": "12.8", "gpus": [{"gpu": "GPU-1"}]},
}


def start(**values: Any) -> str:
    return lines.dump("start", {**START, **values})


def reading(**values: Any) -> str:
    return lines.dump("reading", {**READING, **values})


def guard(name: str, verdict: str) -> str:
    return lines.dump("guard", {"name": name, "verdict": verdict, "metric": "gemm_bf16", "gpu": "GPU-1"})


def end(status: str = "succeeded", error: str = "") -> str:
    return lines.dump("end", {"status": status, "error": error})


def python(folder: Path, *written: str, then: str = "", exit_code: int = 0) -> str:
    """A program that writes these lines, does `then` (Python text) and ends; its path."""
    script = folder / "gpu-python"
    # A first line that names Python itself would break where its path has a space: sh runs it, in the same process.
    body = ["#!/bin/sh", f'"exec" "{sys.executable}" "$0" "$@"', "import json, os, signal, sys, time"]
    body += [f"print(json.loads({json.dumps(json.dumps(line))}), flush=True)" for line in written]
    body += [then, f"sys.exit({exit_code})"]
    script.write_text("\n".join(body) + "\n")
    script.chmod(0o755)
    return str(script)
