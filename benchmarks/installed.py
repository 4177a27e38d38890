"""Which engines this host can start, with their versions, found without starting any of them."""

import importlib.metadata
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

ASK_DEADLINE_S = 30
VERSION_OF = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
LLAMA_CPP, VLLM, TORCH = "llama.cpp", "vllm", "torch"


def engines(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Engine or library → version: llama.cpp of this Python, vLLM (VLLM, else on PATH), torch of GPU_PYTHON.

    An engine that is not there is left out; one whose version cannot be read has an empty version.
    """
    environment = os.environ if environment is None else environment
    found = {LLAMA_CPP: own_version("xllamacpp")}
    if program := environment.get("VLLM") or shutil.which("vllm", path=environment.get("PATH")):
        found[VLLM] = version_by(python_beside(Path(program)), VLLM)
    if python := environment.get("GPU_PYTHON"):
        found[TORCH] = version_by(Path(python), TORCH)
    return {name: version for name, version in found.items() if version is not None}


def own_version(package: str) -> str | None:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return None


def python_beside(program: Path) -> Path:
    """The interpreter of the environment that a console program was installed into."""
    return program.parent / "python"


def version_by(python: Path, package: str) -> str | None:
    """The version of `package` as that Python has it; None where it is not installed or cannot be asked."""
    command = [str(python), "-c", VERSION_OF, package]
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter that the operator of the host named
            command, capture_output=True, text=True, timeout=ASK_DEADLINE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
