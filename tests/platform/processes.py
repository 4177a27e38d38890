"""Run the project's commands as a person would, in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*command: str, timeout_s: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python COMMAND…` in the checkout with the product's own settings and the variables given."""
    clean = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout_s,
        env={**clean, "DJANGO_SETTINGS_MODULE": "vmcloud.settings", **environment}, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run("manage.py", *arguments, **environment)
