"""What nvidia-smi says of a GPU: once, and several times a second beside a probe. Standard library only.

A probe runs in the GPU's own Python, where no binding of the driver can be counted on; the program comes with it.
Every field may be "[N/A]" or "[Not Supported]" on consumer cards, slices and virtual machines: that is None, never 0.
"""

import contextlib
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

PROGRAM = "nvidia-smi"
SAMPLE_MS = 150
ANSWER_S = 10
ONCE = (
    *("uuid", "name", "driver_version", "vbios_version", "pci.bus_id", "persistence_mode", "mig.mode.current"),
    *("ecc.mode.current", "ecc.errors.uncorrected.volatile.total", "power.limit", "power.max_limit"),
    *("clocks.max.sm", "clocks.max.memory", "memory.total", "compute_mode"),
    *("pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max"),
)
SAMPLED = (
    *("clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "clocks_event_reasons.active"),
    *("pcie.link.gen.current", "pcie.link.width.current"),
)


def known(text: str) -> str | None:
    """A field, or None where the driver does not tell."""
    value = text.strip()
    return None if not value or value.startswith("[") or value in ("N/A", "Unknown Error") else value


def number(text: str | None) -> float | None:
    """A field as a number, hexadecimal too; None where it is none.

    >>> number("0x0000000000000004"), number("412.50"), number("Enabled")
    (4.0, 412.5, None)
    """
    if text is None:
        return None
    with contextlib.suppress(ValueError):
        return float(int(text, 16)) if text.startswith("0x") else float(text)
    return None


def fields_of(line: str, names: Sequence[str]) -> dict[str, str | None]:
    """A line of comma-separated values by name; what lacks is None."""
    values = [known(part) for part in line.split(",")]
    return dict(zip(names, [*values, *[None] * len(names)], strict=False))


def query(gpu: str, names: Sequence[str]) -> dict[str, str | None]:
    """The fields of one GPU (its UUID), all None where the program is missing, fails or does not know one."""
    found = _asked([f"--query-gpu={','.join(names)}", f"--id={gpu}", "--format=csv,noheader,nounits"])
    return fields_of(found.splitlines()[0] if found else "", names)


def processes(gpu: str) -> list[int] | None:
    """Process ids that compute on a GPU; None where the program does not say."""
    found = _asked(["--query-compute-apps=pid", f"--id={gpu}", "--format=csv,noheader"])
    return None if found is None else pids_of(found)


def pids_of(text: str) -> list[int]:
    """Process ids, one a line."""
    return [int(line) for line in map(str.strip, text.splitlines()) if line.isdecimal()]


def _asked(arguments: list[str]) -> str | None:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603 - fixed program and fields, no shell
            [PROGRAM, *arguments], capture_output=True, text=True, timeout=ANSWER_S, check=False
        )
        return done.stdout if done.returncode == 0 else None
    return None


@dataclass
class Sampler:
    """Clocks, power and event reasons of one GPU, read from a program of its own: the timed loop pays nothing."""

    gpu: str
    lines: list[str] = field(default_factory=list)
    _child: "subprocess.Popen[str] | None" = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Sampler":
        command = [PROGRAM, f"--query-gpu={','.join(SAMPLED)}", f"--id={self.gpu}", f"--loop-ms={SAMPLE_MS}"]
        with contextlib.suppress(OSError):
            self._child = subprocess.Popen(  # noqa: S603 - fixed program and fields, no shell
                [*command, "--format=csv,noheader,nounits"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._thread = threading.Thread(target=self._read, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        if self._thread is not None:
            self._thread.join(ANSWER_S)

    def _read(self) -> None:
        if self._child is not None and self._child.stdout is not None:
            for line in self._child.stdout:
                self.lines.append(line)

    def column(self, name: str) -> list[float | None]:
        """One sampled field over time."""
        return [number(fields_of(line, SAMPLED)[name]) for line in list(self.lines)]

    def reasons(self) -> list[int | None]:
        """The bits that say what held the clock, one value a sample."""
        return [None if bits is None else int(bits) for bits in self.column("clocks_event_reasons.active")]
