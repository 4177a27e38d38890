"""vLLM's configuration file and command line for one serving point."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from calculator.deploy import yamltext
from calculator.deploy.arguments import arguments
from calculator.deploy.number_formats import formats
from calculator.deploy.point import DeployError, Note, ServingPoint, is_folder, model_name
from calculator.domain.memory import parallel_faults

PORT = 8000
MODEL_KEY = "model"
GPUS_A_HOST = 8
"""GPUs of the largest machine that one server process spans here: more would need several machines."""

Value = str | int | float | bool | dict[str, str]


@dataclass(frozen=True, slots=True)
class Settings:
    """Keys of the configuration in the order written, and what must be said about them."""

    values: Mapping[str, Value]
    notes: tuple[Note, ...]


def settings(point: ServingPoint) -> Settings:
    """Every key that this deployment sets. Raises DeployError where vLLM would refuse to start."""
    _check(point)
    chosen = formats(point)
    context, batched, notes = _scheduler(point)
    optional: dict[str, Value | None] = {
        "dtype": chosen.dtype,
        "quantization": chosen.quantization,
        "kv-cache-dtype": chosen.kv_cache_dtype,
        "kv-offloading-size": point.cpu_cache_gib,
        "structured-outputs-config": {"backend": point.structured_outputs} if point.structured_outputs else None,
    }
    values: dict[str, Value] = {
        MODEL_KEY: model_name(point),
        **{key: value for key, value in optional.items() if value is not None},
        "tensor-parallel-size": point.tensor_parallel,
        "pipeline-parallel-size": point.pipeline_parallel,
        "max-model-len": context,
        "max-num-seqs": point.max_sequences,
        "max-num-batched-tokens": batched,
        "gpu-memory-utilization": point.memory_ratio,
        "enable-prefix-caching": point.prefix_caching,
        "enable-chunked-prefill": point.chunked_prefill,
        "port": PORT,
    }
    return Settings(values, (*chosen.notes, *notes, *_published(point), *_placement(point)))


def _check(point: ServingPoint) -> None:
    counts = (
        point.tensor_parallel,
        point.pipeline_parallel,
        point.replicas,
        point.max_sequences,
        point.batched_tokens,
        point.context_tokens,
    )
    if min(counts) < 1:
        raise DeployError("count_below_one")
    if not 0 < point.memory_ratio <= 1:
        raise DeployError("memory_ratio")
    if point.structured_outputs and point.structured_outputs not in arguments().structured_outputs:
        raise DeployError("structured_outputs", backend=point.structured_outputs)
    for fault in parallel_faults(point.model, point.tensor_parallel, point.pipeline_parallel):
        values = {"tensor": str(point.tensor_parallel), "pipeline": str(point.pipeline_parallel)}
        raise DeployError(f"parallel_{fault}", model=point.model.name, **values)
    if point.gpus_a_replica > GPUS_A_HOST:
        raise DeployError("several_hosts", gpus=str(point.gpus_a_replica), limit=str(GPUS_A_HOST))


def _scheduler(point: ServingPoint) -> tuple[int, int, list[Note]]:
    """Context and batched tokens as vLLM accepts them: the context within the model's, a batch that holds one token a
    sequence, and a whole prompt where prompts are not read in chunks."""
    notes = []
    context = min(point.context_tokens, point.model.max_context or point.context_tokens)
    if context < point.context_tokens:
        notes.append(Note("context_capped", {"asked": str(point.context_tokens), "limit": str(context)}))
    needed = max(point.batched_tokens, point.max_sequences, 0 if point.chunked_prefill else context)
    if needed > point.batched_tokens:
        notes.append(Note("batched_tokens_raised", {"asked": str(point.batched_tokens), "written": str(needed)}))
    return context, needed, notes


def _published(point: ServingPoint) -> Iterator[Note]:
    """Keys of the published set-up that this vLLM no longer has."""
    if point.published_example:
        yield Note("swap_space_gone")
        yield Note("guided_decoding_gone")
        yield Note("stats_by_default")


def _placement(point: ServingPoint) -> Iterator[Note]:
    if point.replicas > 1:
        values = {"replicas": str(point.replicas), "gpus": str(point.gpus_a_replica), "machine": str(GPUS_A_HOST)}
        yield Note("replicas", values)
    if is_folder(model_name(point)):
        yield Note("local_folder")


def config_yaml(values: Mapping[str, Value]) -> str:
    """The file for `vllm serve --config`. A text is always quoted: no YAML reader may take a name for a number."""
    return yamltext.write({key: yamltext.quoted(value) if key == MODEL_KEY else value for key, value in values.items()})


def option(key: str, value: Value) -> str:
    """One option as a shell reads it: `--key value`, `--key` or `--no-key`.

    >>> option("enable-prefix-caching", False), option("structured-outputs-config", {"backend": "outlines"})
    ('--no-enable-prefix-caching', '--structured-outputs-config \\'{"backend": "outlines"}\\'')
    """
    if isinstance(value, bool):
        return f"--{key}" if value else f"--no-{key}"
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    return f"--{key} {shlex.quote(text)}"


def command_line(values: Mapping[str, Value]) -> str:
    """The same settings as one command, an option a line; the model stands first, as vLLM wants it."""
    model = shlex.quote(str(values[MODEL_KEY]))
    options = [option(key, value) for key, value in values.items() if key != MODEL_KEY]
    return " \\\n  ".join([f"vllm serve {model}", *options])
