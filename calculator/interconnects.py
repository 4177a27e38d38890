"""The interconnects and the published runs that ship with the product, read once a process."""

import json
from functools import lru_cache
from typing import Any

from django.conf import settings

from calculator.domain.hardware import TERA, Gpu
from calculator.domain.interconnects import Interconnect, Reach, Way
from calculator.domain.parallel_scenario import PublishedRun
from calculator.domain.parallelism import bytes_per_s_of_gbit
from calculator.domain.units import GB

LINKS_FILE = "interconnects.json"
RUNS_FILE = "published_runs.json"


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((settings.BASE_DIR / "fixtures" / name).read_text(encoding="utf-8"))
    return rows


def interconnect_of(row: dict[str, Any]) -> Interconnect:
    """One row of interconnects.json: a link in GB/s one way, a network card in Gb/s. KeyError where both lack."""
    link = row.get("gb_s_per_direction")
    rate = link * GB if link is not None else bytes_per_s_of_gbit(row["gbit_s_per_card"])
    return Interconnect(
        code=row["code"],
        name=row["name"],
        reach=Reach(row["reach"]),
        bytes_per_s=float(rate),
        way=Way(row["way"]),
        most_gpus=row["most_gpus"],
        reducing=row["reducing"],
        source=row["source"],
        note=row["note"],
    )


@lru_cache(maxsize=1)
def interconnects() -> tuple[Interconnect, ...]:
    """Every interconnect, links inside a machine first."""
    return tuple(interconnect_of(row) for row in _rows(LINKS_FILE))


def of_reach(reach: Reach) -> tuple[Interconnect, ...]:
    """The links inside a machine, or the networks between machines."""
    return tuple(one for one in interconnects() if one.reach is reach)


def interconnect(code: str) -> Interconnect | None:
    """The interconnect of that code; None when there is none."""
    return next((one for one in interconnects() if one.code == code), None)


@lru_cache(maxsize=1)
def _runs() -> tuple[dict[str, Any], ...]:
    return tuple(_rows(RUNS_FILE))


def published_run(gpu: Gpu) -> PublishedRun:
    """The run that the offer publishes, with the 16-bit peak of the GPU it names, whose data sheet is given."""
    row = _runs()[0]
    return PublishedRun(
        params_count=row["params_count"],
        tokens_count=row["tokens_count"],
        gpu=row["gpu"],
        gpu_count=row["gpu_count"],
        one_days=row["one_days"],
        many_days=row["many_days"],
        peak_flop_per_s=float((gpu.fp16_tflops_dense_fp32acc or 0.0) * TERA),
        source=row["source"],
    )


def published_gpu() -> str:
    """The GPU that the published run names."""
    name: str = _runs()[0]["gpu"]
    return name
