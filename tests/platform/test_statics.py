"""Static files as served: one style sheet, lighter and the same; scripts lighter, line for line the same."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.template import Context, Template
from django.test import override_settings

from vmcloud.statics import light_css, light_js


class Joined(StaticFilesStorage):
    """Says that sheets are joined, as the product's own storage does."""

    joins_styles = True


STATIC = Path(settings.BASE_DIR) / "static"
SCRIPTS = sorted((STATIC / "js").glob("*.js"))


@pytest.mark.parametrize(
    ("written", "light"),
    [
        ("a { color: red; }", "a{color:red}"),
        ("a,\nb > c {\n  margin: 0 auto;\n\n  padding: 1px\n}", "a,b > c{margin:0 auto;padding:1px}"),
        ("/* why */ .x { & :has(:checked) { top: calc(-1 * 2px) } }", ".x{& :has(:checked){top:calc(-1 * 2px)}}"),
        ('q::before { content: "a: b ; { } /* no */  c" }', 'q::before{content:"a: b ; { } /* no */  c"}'),
        (
            "@media (width < 30rem) { .a :is(b, i):hover { top: 0 } }",
            "@media (width < 30rem){.a :is(b,i):hover{top:0}}",
        ),
        ("a /* one */ b { c: d } /* two\nlines */", "a b{c:d}"),
        ("", ""),
    ],
)
def test_blanks_and_comments_go_and_meaning_stays(written: str, light: str) -> None:
    assert light_css(written) == light


def test_a_script_keeps_its_lines_but_comments_and_indentation() -> None:
    assert light_js('"use strict";\n// why\n  a();\n\n    b("// not a comment");\n') == (
        '"use strict";\na();\nb("// not a comment");\n'
    )


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_of_a_script_spans_lines(path: Path) -> None:
    """Such a text would lose its indentation."""
    assert all(line.count("`") % 2 == 0 for line in path.read_text().splitlines())


def test_sheets_quote_with_the_sign_that_is_looked_for() -> None:
    for name in settings.STYLE_PARTS:
        assert "'" not in re.sub(r"/\*.*?\*/", "", (STATIC / name).read_text(), flags=re.DOTALL), name


def test_pages_link_the_parts_until_files_are_collected_and_then_one_sheet() -> None:
    template = Template("{% load site %}{% style_sheets %}")
    parts = re.findall(r'href="/static/([^"]+)"', template.render(Context()))
    assert tuple(parts) == settings.STYLE_PARTS
    joined = {**settings.STORAGES, "staticfiles": {"BACKEND": "tests.platform.test_statics.Joined"}}
    with override_settings(STORAGES=joined):
        assert template.render(Context()) == '<link rel="stylesheet" href="/static/css/site.css">'


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that collectstatic fills with the product's own settings."""
    folder = tmp_path_factory.mktemp("collected")
    environment = {**os.environ, "VMCLOUD_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "vmcloud.settings"}
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "-v0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, timeout=120)
    return folder / "static"


def test_the_joined_sheet_is_all_parts_in_their_order_hashed_and_compressed(collected: Path) -> None:
    manifest = json.loads((collected / "staticfiles.json").read_text())["paths"]
    sheet = collected / manifest["css/site.css"]
    assert sheet.read_text() == "".join(light_css((STATIC / name).read_text()) for name in settings.STYLE_PARTS)
    assert sheet.with_name(sheet.name + ".br").exists() and sheet.with_name(sheet.name + ".gz").exists()
    assert sheet.read_text().startswith("@layer tokens,base,layout,components,print;")


def test_what_a_first_view_loads_stays_light(collected: Path) -> None:
    manifest = json.loads((collected / "staticfiles.json").read_text())["paths"]
    scripts = [collected / manifest[f"js/{path.name}"] for path in SCRIPTS]
    assert sum(path.with_name(path.name + ".br").stat().st_size for path in scripts) <= 3_000
    sheet = collected / manifest["css/site.css"]
    assert sheet.stat().st_size <= 30_000
    assert sheet.with_name(sheet.name + ".gz").stat().st_size <= 8_000
    assert sheet.with_name(sheet.name + ".br").stat().st_size <= 7_000


def test_files_of_others_are_served_as_they_are(collected: Path) -> None:
    for name in ("vendor/htmx.min.js", "vendor/plotly-cartesian.min.js"):
        assert (collected / name).read_bytes() == (STATIC / name).read_bytes()


@pytest.mark.parametrize(("name", "limit_bytes"), [("staff", 3_000), ("sales", 6_000)])
def test_the_sheet_of_a_few_pages_stays_small_and_apart(collected: Path, name: str, limit_bytes: int) -> None:
    manifest = json.loads((collected / "staticfiles.json").read_text())["paths"]
    assert (collected / manifest[f"css/{name}.css"]).stat().st_size <= limit_bytes
    assert f"css/{name}.css" not in settings.STYLE_PARTS
    templates = (Path(settings.BASE_DIR) / "templates").rglob("*.html")
    linking = [path for path in templates if f"{name}.css" in path.read_text()]
    assert {path.name for path in linking if path.parent.name != name} == {f"{name}.html"}
