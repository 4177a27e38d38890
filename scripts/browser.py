"""Find a Chromium for the browser tests, or install Debian's; `python -m scripts.browser` prints where it is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNPACKED = ROOT / "var" / "chromium"
WRAPPER = UNPACKED / "chromium.sh"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def runs(path: Path) -> bool:
    """Whether the program starts at all; a broken package or a stub does not."""
    try:
        done = subprocess.run([str(path), "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def playwrights_own() -> list[Path]:
    """The browser of playwright's own download, where there is one."""
    from playwright.sync_api import Error, sync_playwright

    try:
        with sync_playwright() as playwright:
            return [Path(playwright.chromium.executable_path)]
    except Error:
        return []


def find() -> Path | None:
    """CHROME_PATH, a Chromium on PATH, one unpacked into var/, or playwright's own; None where none of them starts."""
    if given := os.environ.get("CHROME_PATH"):
        return Path(given) if runs(Path(given)) else None
    named = [Path(found) for name in NAMES if (found := shutil.which(name))]
    for path in [*named, WRAPPER]:
        if path.exists() and runs(path):
            return path
    return next((path for path in playwrights_own() if path.exists() and runs(path)), None)


def quiet(*command: str, cwd: Path | None = None) -> bool:
    """Run a set-up command; its output is shown only when it fails."""
    done = subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip
    if done.returncode != 0:
        print(f"{' '.join(command[:4])} failed: {(done.stderr or done.stdout).strip()[-400:]}", file=sys.stderr)
    return done.returncode == 0


def install_as_root() -> None:
    quiet("apt-get", "update", "-q")
    quiet("apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium")


def packages_missing() -> list[str]:
    """Chromium and what it needs beyond what is installed, as apt would install it (nothing is installed)."""
    plan = subprocess.run(
        ["apt-get", "install", "-s", "-q", "--no-install-recommends", "chromium"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [line.split()[1] for line in plan.stdout.splitlines() if line.startswith("Inst ")]


def unpack_as_user() -> None:
    """Download the packages and unpack them into var/chromium, with a wrapper that points at their libraries."""
    debs = UNPACKED / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    names = packages_missing()
    if not names or not quiet("apt-get", "download", "-q", *names, cwd=debs):
        return
    for deb in sorted(debs.glob("*.deb")):
        quiet("dpkg-deb", "-x", str(deb), str(UNPACKED))
    shutil.rmtree(debs)
    folders = {str(path.parent) for path in UNPACKED.rglob("*.so*")}
    libraries = ":".join(sorted(folders))
    program = UNPACKED / "usr" / "lib" / "chromium" / "chromium"
    WRAPPER.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{libraries}" exec "{program}" "$@"\n')
    WRAPPER.chmod(0o755)


def install() -> Path | None:
    """Install a Chromium by the means this user has, and say where it is."""
    if shutil.which("apt-get"):
        install_as_root() if os.geteuid() == 0 else unpack_as_user()
        if found := find():
            return found
    quiet(sys.executable, "-m", "playwright", "install", "chromium")
    return find()


def main() -> int:
    path = find() or install()
    if path is None:
        print("No Chromium was found and none could be installed; set CHROME_PATH to one.", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
