"""What a probe is asked: its command line, the same words for all six. Standard library only."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.probes import shapes
from benchmarks.probes.guards import SUSTAINED_S
from benchmarks.probes.shapes import Config, ConfigError

PREHEAT_S = 10.0
DROP_S = 5.0
SHORT_S = 1.0
"""What a processor measures for: long enough to see the median, far from what a GPU needs to settle."""
GPU_WARM_S, CPU_WARM_S = 60.0, 3.0
CPU, CUDA, AUTO = "cpu", "cuda", "auto"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Data sheet of one GPU in SI units, dense; None where it states none.

    `reducing_switch`: its switch adds messages, so the bus bandwidth of an all-reduce may exceed the wire; then what
    leaves each GPU once, the algorithm's bandwidth, is what cannot.
    """

    name: str = ""
    bf16_flop_per_s: float | None = None
    fp16_flop_per_s: float | None = None
    fp8_flop_per_s: float | None = None
    fp32_flop_per_s: float | None = None
    bytes_per_s: float | None = None
    link_bytes_per_s: float | None = None
    reducing_switch: bool = False

    def flop_per_s(self, dtype: str) -> float | None:
        """Dense peak of a type; None for one that the sheet does not list."""
        return {
            "bf16": self.bf16_flop_per_s,
            "fp16": self.fp16_flop_per_s,
            "fp8": self.fp8_flop_per_s,
            "fp32": self.fp32_flop_per_s,
        }.get(dtype)


@dataclass(frozen=True, slots=True)
class Options:
    """One probe's settings. `seconds`, `preheat_s` and `drop_s` None = what the device calls for."""

    device: str = AUTO
    seconds: float | None = None
    preheat_s: float | None = None
    drop_s: float | None = None
    dtypes: tuple[str, ...] = ()
    size: int | None = None
    config: Config | None = None
    batch: int | None = None
    context: int | None = None
    ranks: int | None = None
    rank: int = 16
    recompute: bool = False
    methods: tuple[str, ...] = ()
    seed: int = 1
    parent: int | None = None
    sheet: Sheet = field(default_factory=Sheet)

    def as_asked(self) -> dict[str, Any]:
        """The settings as they are recorded."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Times:
    """How long one figure is pre-heated, dropped and measured, and warmed up at most, in seconds."""

    preheat_s: float
    drop_s: float
    measured_s: float
    warm_s: float = GPU_WARM_S


def times(options: Options, on_cpu: bool) -> Times:
    """On a GPU 10 s of heat, 5 s dropped, 30 s measured; on a processor a second, unless asked otherwise.

    >>> times(Options(), on_cpu=False)
    Times(preheat_s=10.0, drop_s=5.0, measured_s=30.0, warm_s=60.0)
    """
    usual = Times(0.0, 0.0, SHORT_S, CPU_WARM_S) if on_cpu else Times(PREHEAT_S, DROP_S, SUSTAINED_S, GPU_WARM_S)
    return Times(
        usual.preheat_s if options.preheat_s is None else options.preheat_s,
        usual.drop_s if options.drop_s is None else options.drop_s,
        usual.measured_s if options.seconds is None else options.seconds,
        usual.warm_s,
    )


def sheet_of(text: str) -> Sheet:
    """A data sheet from JSON text or a file of it. argparse.ArgumentTypeError when it is none."""
    try:
        values = json.loads(text if text.lstrip().startswith("{") else Path(text).read_text(encoding="utf-8"))
        return Sheet(**values)
    except (OSError, ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(f"no data sheet: {error}") from error


def config_of(text: str) -> Config:
    """A decoder's sizes. argparse.ArgumentTypeError when they are none."""
    try:
        return shapes.read(text)
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def words(text: str) -> tuple[str, ...]:
    """A list with commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def above_zero(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def not_negative(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e6:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def parser(name: str, about: str) -> argparse.ArgumentParser:
    """The command line of one probe."""
    found = argparse.ArgumentParser(prog=f"python -m benchmarks.probes.{name}", description=about)
    found.add_argument("--device", choices=(AUTO, CUDA, CPU), default=AUTO)
    found.add_argument("--seconds", type=not_negative, help="measured time of a figure; below 30 it is labelled short")
    found.add_argument("--preheat", dest="preheat_s", type=not_negative)
    found.add_argument("--drop", dest="drop_s", type=not_negative)
    found.add_argument("--dtypes", type=words, default=(), help="bf16,fp16,fp8: what the device has, when left out")
    found.add_argument("--size", type=above_zero, help="rows of a square matrix, or bytes of an array or message")
    found.add_argument("--config", type=config_of, help="preset, config.json or its text")
    found.add_argument("--batch", type=above_zero)
    found.add_argument("--context", type=above_zero, help="tokens of context, prompt or training sequence")
    found.add_argument("--ranks", type=above_zero, help="processes of an all-reduce")
    found.add_argument("--rank", type=above_zero, default=16, help="rank of the adapters")
    found.add_argument("--recompute", action="store_true", help="compute activations again in the backward pass")
    found.add_argument("--methods", type=words, default=(), help="full,lora")
    found.add_argument("--seed", type=above_zero, default=1)
    found.add_argument("--parent", type=above_zero, help="the process whose end ends this one (Linux)")
    found.add_argument("--sheet", type=sheet_of, default=Sheet(), help="the GPU's data sheet as JSON, SI units")
    return found


def read(name: str, about: str, arguments: Sequence[str] | None = None) -> Options:
    """The settings of a command line; leaves with status 2 and a sentence when they cannot be read."""
    return Options(**vars(parser(name, about).parse_args(arguments)))
