"""The set-up: which Python is taken, and when the environment is made again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import install
from tests.platform import processes

SCRIPT = processes.ROOT / "scripts" / "python.sh"


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def found(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What python.sh prints where PATH holds only the test's own programs."""
    return subprocess.run(
        ["/bin/sh", str(SCRIPT)], capture_output=True, text=True, check=False,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), **environment},
    )  # fmt: skip


def delegate(path: Path) -> Path:
    """A program on PATH that is a working Python."""
    return program(path, f'exec "{sys.executable}" "$@"')


def test_no_python_at_all_is_one_sentence(tmp_path: Path) -> None:
    done = found(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("No Python 3.12 or newer") and done.stderr.count("\n") == 1


def test_a_shim_that_fails_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "python3.14", "exit 127")
    program(tmp_path / "python3.13", "echo Python 3.13; exit 1")
    delegate(tmp_path / "python3.12")
    assert found(tmp_path).stdout.strip() == sys.executable


def test_a_version_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "python3", f'"{sys.executable}" -c "import sys; sys.version_info = (3, 11)" ; exit 1')
    assert found(tmp_path).returncode == 1


def test_the_python_named_by_hand_comes_first(tmp_path: Path) -> None:
    program(tmp_path / "python3.14", "exit 127")
    assert found(tmp_path, PYTHON=sys.executable).stdout.strip() == sys.executable


def test_pyenv_versions_are_found_without_its_shims(tmp_path: Path) -> None:
    folder = tmp_path / ".pyenv" / "versions" / "3.12.9" / "bin"
    folder.mkdir(parents=True)
    delegate(folder / "python")
    assert found(tmp_path).stdout.strip() == sys.executable


def test_uv_is_asked_last(tmp_path: Path) -> None:
    program(tmp_path / "uv", f'[ "$1 $2" = "python find" ] && echo "{sys.executable}"')
    assert found(tmp_path).stdout.strip() == sys.executable


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with requirements and a .venv whose Python works."""
    (tmp_path / "requirements").mkdir()
    for name in ("base", "dev"):
        (tmp_path / "requirements" / f"{name}.txt").write_text("")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for name, path in {"ROOT": "", "VENV": ".venv", "PYTHON": ".venv/bin/python", "STAMP": ".venv/installed.json",
                       "MARKER": ".venv/installing"}.items():  # fmt: skip
        monkeypatch.setattr(install, name, tmp_path / path)
    return tmp_path


def stamp(*names: str) -> None:
    install.STAMP.write_text(json.dumps({name: install.fingerprint(name) for name in names}))


def test_nothing_is_done_where_everything_is_up_to_date(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp("base")
    monkeypatch.setattr(install, "install", lambda names: pytest.fail("installed again"))
    assert install.main("base") == 0


def test_tools_are_installed_on_top_of_the_product(checkout: Path) -> None:
    stamp("base")
    assert install.up_to_date(("base",)) and not install.up_to_date(("base", "dev"))
    stamp("base", "dev")
    assert install.up_to_date(("base", "dev")) and install.up_to_date(("base",))


def test_changed_requirements_are_noticed(checkout: Path) -> None:
    stamp("base")
    (checkout / "requirements" / "base.txt").write_text("django==6.1.3\n")
    assert not install.up_to_date(("base",))


@pytest.mark.parametrize("content", ["", "[]", "{broken"])
def test_a_damaged_stamp_counts_as_none(checkout: Path, content: str) -> None:
    install.STAMP.write_text(content)
    assert not install.up_to_date(("base",))


def test_an_interrupted_installation_is_made_again(checkout: Path) -> None:
    stamp("base")
    install.MARKER.touch()
    assert not install.up_to_date(("base",))


def test_a_python_that_was_removed_is_noticed(checkout: Path) -> None:
    stamp("base")
    install.PYTHON.unlink()
    install.PYTHON.symlink_to(checkout / "gone")
    assert not install.up_to_date(("base",))


def test_a_failed_installation_leaves_no_stamp_and_says_so(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stamp("base")
    (checkout / "requirements" / "base.txt").write_text("no-such-package==1\n")
    monkeypatch.setattr(install, "make_venv", lambda: None)
    monkeypatch.setattr(install.subprocess, "run", failing)
    assert install.main("base") == 1
    assert not install.STAMP.exists() and install.MARKER.exists()
    assert "could not be installed" in capsys.readouterr().err


def failing(command: list[str], **_options: object) -> subprocess.CompletedProcess[bytes]:
    if "install" in command:
        raise subprocess.CalledProcessError(1, command)
    return subprocess.CompletedProcess(command, 0)


def test_the_set_up_needs_the_standard_library_only() -> None:
    alone = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import runpy; runpy.run_path({str(SCRIPT.with_name('install.py'))!r})"],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert alone.returncode == 0, alone.stderr
