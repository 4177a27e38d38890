"""`make bench`: the performance benchmarks, one after the other on an otherwise quiet machine; JSON in var/bench/."""

import os
import subprocess
import sys
from pathlib import Path

from scripts import browser

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "var" / "bench"


def main() -> int:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    found = browser.find() or browser.install()
    environment = {**os.environ, **({"CHROME_PATH": str(found)} if found else {})}
    options = ["-m", "bench", "-q", "-p", "no:cacheprovider", f"--benchmark-json={OUTPUT / 'estimate.json'}"]
    order = [
        f"bench/test_{name}.py"
        for name in ("estimate", "sweep", "tokens", "price_files", "load_client", "pages", "lighthouse")
    ]
    command = [sys.executable, "-m", "pytest", *options, *order]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
