"""What the strict content policy forbids must not stand in a template: the browser would drop it without a word."""

import re
from pathlib import Path

import pytest

from tests.architecture import tree

TEMPLATES = tree.files(".html", under=("templates", *tree.PACKAGES))
INLINE_STYLE = re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE)
STYLE_ELEMENT = re.compile(r"<style\b", re.IGNORECASE)
SCRIPT_WITHOUT_SOURCE = re.compile(r"<script\b(?![^>]*\bsrc\s*=)[^>]*>", re.IGNORECASE)
HANDLER = re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE)
# Each of these makes htmx evaluate text as code, which the policy forbids.
HTMX_CODE = re.compile(r"hx-on|hx-(?:vals|headers)\s*=\s*['\"]js:|hx-trigger\s*=\s*\"[^\"]*\[", re.IGNORECASE)
LOADING = r"<(?:script|link|img|iframe|form|source|video|audio)\b"
LOADED_FOREIGN = re.compile(LOADING + r"[^>]*(?:src|href|action)\s*=\s*[\"'](?:https?:)?//", re.IGNORECASE)
DATA_BLOCK = re.compile(r'<script\b[^>]*type="application/json"', re.IGNORECASE)


@pytest.mark.parametrize("path", TEMPLATES, ids=tree.name)
@pytest.mark.parametrize("forbidden", [INLINE_STYLE, STYLE_ELEMENT, HANDLER, HTMX_CODE, LOADED_FOREIGN], ids=str)
def test_no_inline_style_handler_or_foreign_file(path: Path, forbidden: re.Pattern[str]) -> None:
    assert forbidden.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=tree.name)
def test_each_script_comes_from_a_file(path: Path) -> None:
    found = SCRIPT_WITHOUT_SOURCE.findall(path.read_text(encoding="utf-8"))
    assert [tag for tag in found if not DATA_BLOCK.match(tag)] == []


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ('<p style="color:red">', INLINE_STYLE),
        ("<script>alert(1)</script>", SCRIPT_WITHOUT_SOURCE),
        ('<button onclick="x()">', HANDLER),
        ('<div hx-on:click="x()">', HTMX_CODE),
        ('<input hx-trigger="keyup[key==13]">', HTMX_CODE),
        ('<script src="//cdn.example/x.js"></script>', LOADED_FOREIGN),
    ],
)
def test_the_patterns_catch_what_they_are_for(text: str, pattern: re.Pattern[str]) -> None:
    assert pattern.search(text)


def test_scripts_use_no_evaluated_text() -> None:
    evaluated = re.compile(r"\beval\(|new Function\(|innerHTML|document\.write|insertAdjacentHTML")
    ours = tree.files(".js", under=("static/js",))
    assert {tree.name(path): found for path in ours if (found := evaluated.findall(path.read_text()))} == {}
