"""The tree holds what it says it holds: vendored files by hash, no machine's paths, no secrets, exact prices."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture import tree

VENDORED = [tree.ROOT / "static" / "vendor", tree.ROOT / "tests" / "browser" / "vendor"]
ROW = re.compile(r"^\|\s*(?P<file>\S+\.js)\s*\|.*\|\s*(?P<sha>[0-9a-f]{64})\s*\|$", re.MULTILINE)
TEXT_SUFFIXES = (".py", ".md", ".toml", ".txt", ".in", ".html", ".css", ".js", ".json", ".csv", ".sh", ".po", ".yml")
# Written in pieces, so that this file does not contain what it looks for.
REGISTRY = re.compile("|".join(["files" + r"\.pythonhosted", "registry" + r"\.npmjs", "pypi" + r"\.org/simple"]))
MACHINE_PATH = re.compile(r"(?<![\w./-])/(?:" + "|".join(["work", "farm", "root", "home" + r"/\w+"]) + r")(?:/|\b)")
BROKEN_LOCK = re.compile(r"--index-url|--extra-index-url|--find-links|@ https?://|file://")
PRICE_KEYS = ("amount", "price", "rate", "usd", "eur")


def texts() -> list[Path]:
    """Our own text files: what is vendored was written elsewhere."""
    without_suffix = [tree.ROOT / name for name in ("Makefile", "Procfile", ".ci/run")]
    return [path for path in [*tree.files(*TEXT_SUFFIXES), *without_suffix] if "vendor" not in path.parts]


@pytest.mark.parametrize("folder", VENDORED, ids=tree.name)
def test_each_vendored_file_is_the_one_that_was_checked(folder: Path) -> None:
    listed = dict(ROW.findall((folder / "VERSIONS.md").read_text()))
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.js")}
    assert present == listed


@pytest.mark.parametrize("folder", VENDORED, ids=tree.name)
def test_each_vendored_file_comes_with_its_licence(folder: Path) -> None:
    wanted = {path.name.partition(".")[0].partition("-")[0] for path in folder.glob("*.js")}
    assert wanted == {path.stem for path in folder.glob("*.LICENSE")}


def test_no_registry_address_and_no_path_of_a_machine_is_in_the_tree() -> None:
    found = {
        f"{tree.name(path)}: {match.group()}"
        for path in texts()
        for pattern in (REGISTRY, MACHINE_PATH)
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_locked_requirements_pin_exactly_and_name_no_address() -> None:
    for path in (tree.ROOT / "requirements").glob("*.txt"):
        lines = [line.partition(" ;")[0] for line in path.read_text().splitlines() if line and not line.startswith("#")]
        assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,-]+\])?==\S+", line)] == []
        assert BROKEN_LOCK.search(path.read_text()) is None


def test_both_requirement_sets_pin_the_same_versions() -> None:
    folder = tree.ROOT / "requirements"
    base, dev = (set((folder / name).read_text().splitlines()) for name in ("base.txt", "dev.txt"))
    assert base - dev == set()


def test_no_secret_or_database_is_committed() -> None:
    listing = subprocess.run(["git", "ls-files"], cwd=tree.ROOT, capture_output=True, text=True, check=True).stdout
    assert [
        name for name in listing.splitlines() if re.search(r"(^|/)(var/|\.env|secret_key|.*\.sqlite3|id_rsa)", name)
    ] == []


@pytest.mark.parametrize("path", tree.files(".json", under=("fixtures",)), ids=tree.name)
def test_no_price_of_a_fixture_is_a_binary_float(path: Path) -> None:
    floats: list[str] = []

    def look(value: object, key: str) -> None:
        if isinstance(value, dict):
            for name, child in value.items():
                look(child, name)
        elif isinstance(value, list):
            for child in value:
                look(child, key)
        elif isinstance(value, float) and any(word in key for word in PRICE_KEYS):
            floats.append(f"{key}={value}")

    look(json.loads(path.read_text()), "")
    assert floats == []


def test_the_licence_is_the_full_apache_text() -> None:
    text = (tree.ROOT / "LICENSE").read_text()
    assert "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text
    assert 'license = "Apache-2.0"' in (tree.ROOT / "pyproject.toml").read_text()
