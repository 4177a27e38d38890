"""The documents tell what is there: commands, settings, files."""

import re

import pytest

from tests.platform import processes

ROOT = processes.ROOT
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) | {"test-vllm", "test-probes"}
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/operations.md"]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_command_that_a_document_names_exists(name: str) -> None:
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)(?=[ `;,.\n])", (ROOT / name).read_text()))
    assert named - TARGETS - {"up", "sure"} == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_file_that_a_document_names_exists(name: str) -> None:
    named = re.findall(r"`((?:calculator|benchmarks|vmcloud|tests|docs|scripts|static|fixtures|bench)/[\w/.-]*)`",
                       (ROOT / name).read_text())  # fmt: skip
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_each_setting_is_documented_and_each_documented_setting_is_read() -> None:
    code = "".join((ROOT / path).read_text() for path in ("vmcloud/settings.py", "gunicorn.conf.py", "scripts/run.py"))
    read = set(re.findall(r"(?:env_\w+|environ\.get)\([\"']([A-Z_]+)[\"']", code))
    rows = re.findall(r"^\| (`[A-Z_`, ]+`) \|", (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"[A-Z_]+", row)}
    assert read - told - {"VMCLOUD_VAR"} == set()
    assert told - read == set()


def test_the_readme_gives_two_commands_first() -> None:
    text = (ROOT / "README.md").read_text()
    assert text.index("make run") < text.index("make test") < text.index("make admin")


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.name)
def test_each_decision_is_numbered_dated_and_short(path: object) -> None:
    text = path.read_text()  # type: ignore[attr-defined]
    number = path.name[:4]  # type: ignore[attr-defined]
    assert text.startswith(f"# {number} ")
    assert re.search(r"\b\d{4}-\d{2}-\d{2}\b.*\b(accepted|superseded by \d{4})\b", text)
    assert len(text.splitlines()) <= 60


def test_every_chosen_dependency_has_its_licence_and_reason() -> None:
    text = "\n".join(path.read_text() for path in DECISIONS).lower()
    for name in ("base.in", "dev.in"):
        chosen = [re.split(r"[\[<>=~]", line)[0] for line in (ROOT / "requirements" / name).read_text().splitlines()]
        missing = [one for one in chosen if one and not one.startswith("#") and not _told(one, text)]
        assert missing == []


def _told(name: str, text: str) -> bool:
    return name in text or ((name.startswith("types-") or name.endswith("-types")) and "type stubs" in text)
