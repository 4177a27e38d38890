"""Checks outside `make test` that need what most machines lack: they run, or say what is missing (status 2).

Their files are named real_….py, which pytest takes up only when it is told to.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"test-vllm": ROOT / "tests" / "vllm", "test-probes": ROOT / "tests" / "probes"}
FILES = "python_files=real_*.py test_*.py"
NEEDS = {
    "test-vllm": "a vLLM server program (VLLM=/path/to/vllm, or vllm on PATH)",
    "test-probes": "a Python with torch (GPU_PYTHON=/path/to/python) and the probe tests in tests/probes",
}


def tool_is_there(name: str) -> bool:
    if name == "test-vllm":
        return shutil.which(os.environ.get("VLLM") or "vllm") is not None
    python = os.environ.get("GPU_PYTHON")
    if not python:
        return False
    try:
        return subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main(name: str) -> int:
    if not tool_is_there(name) or not FOLDERS[name].is_dir():
        print(f"{name} was not run: it needs {NEEDS[name]}. See docs/operations.md.", file=sys.stderr)
        return 2
    return subprocess.run([sys.executable, "-m", "pytest", "-o", FILES, str(FOLDERS[name])], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
