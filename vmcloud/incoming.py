"""What is being uploaded lies in a folder of its own; what a killed process left there goes at the next start."""

import contextlib
from pathlib import Path


def clear(folder: Path) -> None:
    """Remove the files in `folder`. One that another process still reads stays readable to it."""
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            path.unlink()
