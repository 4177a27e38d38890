"""The probes run under a GPU's own Python, where neither Django nor our packages are: what they import says so."""

import ast
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "probes"
FILES = sorted(FOLDER.glob("*.py"))
WITH_TORCH = {
    "allreduce",
    "decode",
    "decoder",
    "gemm",
    "machine",
    "membw",
    "prefill",
    "train_step",
}
PROBES = {"allreduce", "decode", "gemm", "membw", "prefill", "train_step"}
OLDEST = (3, 10)


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(str(node.module))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_probe_imports_torch_and_the_standard_library_only(path: Path) -> None:
    for name in imported(path):
        top = name.split(".")[0]
        own = name == "benchmarks.probes" or name.startswith("benchmarks.probes.")
        assert own or top in sys.stdlib_module_names or (top == "torch" and path.stem in WITH_TORCH), name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_probe_is_read_by_the_oldest_python_of_gpu_hosts(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=OLDEST)


def test_arithmetic_guards_and_lines_stand_apart_from_torch() -> None:
    """A module without torch must not import one that needs it."""
    for path in FILES:
        if path.stem not in WITH_TORCH:
            names = {name.rpartition(".")[2] for name in imported(path)}
            assert not names & (WITH_TORCH | {"torch"}), path


def test_the_six_probes_are_there() -> None:
    assert {path.stem for path in FILES} >= PROBES
    for name in PROBES:
        assert f'machine.run("{name}"' in (FOLDER / f"{name}.py").read_text(encoding="utf-8")
