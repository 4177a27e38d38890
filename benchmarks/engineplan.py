"""A run's vLLM: the columns that keep its configuration, and what its supervisor is told to start on this host."""

import shutil
from pathlib import Path

from django.conf import settings

from benchmarks import vllmconfig
from benchmarks.load import keeper, records
from benchmarks.models import BenchmarkRun
from benchmarks.vllmconfig import VllmConfig
from calculator.deploy.point import is_folder
from calculator.models import LanguageModel

LOG_CHARS = 16_000
NAME_CHARS = 60


def values(config: VllmConfig | None) -> dict[str, object]:
    """The columns of a run that starts vLLM with `config`; none without."""
    if config is None:
        return {}
    return {
        "engine_kind": BenchmarkRun.EngineKind.VLLM,
        "engine_config": config.text,
        "engine_arguments": " ".join(config.arguments()[1:]),
        "model_name": name_of(config.model),
        "precision": config.precision,
        "flag_random_weights": False,
        "flag_dummy_weights": config.dummy,
    }


def name_of(model: str) -> str:
    """The catalogue's name of a model, else what is typed, a folder by its last part."""
    if known := LanguageModel.objects.filter(hf_id=model).first():
        return known.name[:NAME_CHARS]
    return (model.rstrip("/").rsplit("/", 1)[-1] if is_folder(model) else model)[-NAME_CHARS:]


def plan_of(run: BenchmarkRun) -> records.VllmPlan | None:
    """The program of this host and the arguments of the run; None for another engine."""
    if run.engine_kind != BenchmarkRun.EngineKind.VLLM:
        return None
    config = vllmconfig.read(run.engine_config)
    return records.VllmPlan(program(), config.model, config.arguments())


def program() -> str:
    """The path of `vllm` on this host: the setting VLLM, else found on PATH; empty where there is none."""
    return shutil.which(settings.VLLM or "vllm") or ""


def vocabulary_of(model: str) -> int:
    """How many token ids the model knows: its folder says so, else the catalogue; 0 = unknown."""
    if found := vllmconfig.vocabulary_of(model):
        return found
    known = LanguageModel.objects.filter(hf_id=model).values_list("vocab", flat=True).first()
    return known or 0


def log_end(folder: Path) -> str:
    """The end of what the engine of a run printed; empty where there is nothing. NUL is no text for PostgreSQL."""
    path = folder / keeper.LOG_NAME
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LOG_CHARS))
        return file.read().decode(errors="replace").replace("\0", "").strip()
