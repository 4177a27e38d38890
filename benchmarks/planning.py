"""From a run's row to the plan of its supervisor: which model or which server, with what load and what prompts."""

import hashlib
from pathlib import Path

from django.conf import settings

from benchmarks import engineplan
from benchmarks.limits import limits_of
from benchmarks.load import records, testmodel
from benchmarks.load.targets import Target
from benchmarks.models import BenchmarkRun

PRECISION = "fp16"


def run_folder(run: BenchmarkRun) -> Path:
    """Where the raw files of a run lie."""
    return Path(settings.VAR_DIR) / "runs" / run.code


def prompts_folder() -> Path:
    """Where an operator's own prompts lie, one JSONL file each."""
    return Path(settings.VAR_DIR) / "prompts"


def plan_of(run: BenchmarkRun) -> records.Plan:
    """What the supervisor is to do; makes the test model if it is not there, and records what is measured."""
    steps = list(run.steps.order_by("position"))
    rates = tuple(step.rate_per_s for step in steps if step.rate_per_s is not None)
    vllm = engineplan.plan_of(run)
    return records.Plan(
        model_path=model_of(run) if run.engine_kind == BenchmarkRun.EngineKind.LLAMA_CPP else "",
        folder=str(run_folder(run)),
        concurrencies=tuple(dict.fromkeys(step.concurrency for step in steps)),
        requests_count=run.requests_count,
        prompt_tokens=run.prompt_tokens,
        output_tokens=run.output_tokens,
        seed=run.seed,
        vocabulary_size=engineplan.vocabulary_of(vllm.model) if vllm else testmodel.TEST_MODEL.vocabulary_size,
        pattern=run.pattern,
        rates_per_s=rates,
        ramp_s=run.ramp_s,
        duration_s=run.duration_s,
        search=run.search,
        limit_ttft_ms=run.limit_ttft_ms,
        limit_tpot_ms=run.limit_tpot_ms,
        shared_prefix_tokens=run.shared_prefix_tokens,
        prompts_path=prompts_of(run),
        target=target_of(run),
        vllm=vllm,
        run_deadline_s=limits_of(run).soft_s,
        **start_limits(vllm),
    )


def start_limits(vllm: records.VllmPlan | None) -> dict[str, float]:
    """A vLLM has as long to load its weights as the setting says."""
    return {} if vllm is None else {"start_deadline_s": float(settings.VLLM_START_S)}


def model_of(run: BenchmarkRun) -> str:
    """The test model's file, made if it is not there and recorded with the run."""
    path = testmodel.ensure(Path(settings.VAR_DIR) / "models")
    run.model_name, run.precision = testmodel.TEST_MODEL.name, PRECISION
    run.model_sha256 = testmodel.sha256(path)
    run.save(update_fields=["model_name", "precision", "model_sha256"])
    return str(path)


def prompts_of(run: BenchmarkRun) -> str:
    """The path of the run's own prompts, whose digest is recorded; empty when prompts are made."""
    if not run.prompts_name:
        return ""
    path = prompts_folder() / Path(run.prompts_name).name
    if path.exists():
        with path.open("rb") as file:
            run.prompts_sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        run.save(update_fields=["prompts_sha256"])
    return str(path)


def target_of(run: BenchmarkRun) -> Target | None:
    """The server to ask, with the addresses that this installation allows now."""
    if not run.target_url:
        return None
    return Target(
        base_url=run.target_url,
        route=run.target_route,
        model=run.target_model,
        key_variable=run.key_variable,
        ignore_eos=run.target_ignore_eos,
        length_field=run.target_length_field,
        rate_limit_per_s=run.rate_limit_per_s,
        allowed=tuple(settings.BENCHMARK_TARGETS),
    )
