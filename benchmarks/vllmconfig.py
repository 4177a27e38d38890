"""The configuration that a vLLM run is started with: the file of the inference page, read, checked, made arguments.

Only keys that change how a model is served are taken. What would load code, open files, write elsewhere or listen to
the network is not; address, port and served name are the run's own.
"""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from calculator.deploy import vllm
from calculator.deploy.arguments import arguments
from calculator.deploy.point import LONGEST_NAME, OPTION_DASH, is_folder, is_loadable

MODEL = vllm.MODEL_KEY
LONGEST_TEXT = 4000
OWN = frozenset({"host", "port", "served-model-name"})
"""Keys of a deployed server that a run sets itself; they are dropped."""
TAKEN = frozenset(
    {
        MODEL,
        "async-scheduling",
        "attention-backend",
        "block-size",
        "cpu-offload-gb",
        "dtype",
        "enable-chunked-prefill",
        "enable-expert-parallel",
        "enable-prefix-caching",
        "enforce-eager",
        "gpu-memory-utilization",
        "kv-cache-dtype",
        "kv-cache-memory-bytes",
        "kv-offloading-size",
        "load-format",
        "max-model-len",
        "max-num-batched-tokens",
        "max-num-seqs",
        "optimization-level",
        "performance-mode",
        "pipeline-parallel-size",
        "quantization",
        "revision",
        "seed",
        "structured-outputs-config",
        "tensor-parallel-size",
    }
)
LOAD_FORMATS = ("auto", "safetensors", "dummy")
DUMMY = "dummy"
TYPES: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}
PRECISIONS = {"half": "fp16", "float16": "fp16", "bfloat16": "bf16", "float": "fp32", "float32": "fp32"}


class ConfigError(ValueError):
    """A configuration that is not taken; `code` says why, `detail` which part of it."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class VllmConfig:
    """Checked keys and values, in the order given."""

    values: Mapping[str, vllm.Value]

    @property
    def text(self) -> str:
        """As the inference page would write it: the same configuration is the same text."""
        return vllm.config_yaml(self.values)

    @property
    def model(self) -> str:
        return str(self.values[MODEL])

    @property
    def dummy(self) -> bool:
        """Whether the weights are made up instead of loaded."""
        return self.values.get("load-format") == DUMMY

    @property
    def gpus_count(self) -> int:
        return int(str(self.values.get("tensor-parallel-size", 1))) * int(
            str(self.values.get("pipeline-parallel-size", 1))
        )

    @property
    def precision(self) -> str:
        """Of the weights; empty where the model's own files decide."""
        method = str(self.values.get("quantization", ""))
        return "fp8" if method.startswith("fp8") else method[:20] or PRECISIONS.get(str(self.values.get("dtype")), "")

    def arguments(self) -> tuple[str, ...]:
        """What follows `vllm serve`: the model, then an option for each other key."""
        options = [vllm.option(key, value) for key, value in self.values.items() if key != MODEL]
        return (self.model, *(part for option in options for part in shlex.split(option)))


def read(text: str) -> VllmConfig:
    """The configuration in a YAML text of `key: value` lines; ConfigError when any part of it is not taken."""
    if len(text) > LONGEST_TEXT:
        raise ConfigError("too_long", str(LONGEST_TEXT))
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError("unreadable") from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise ConfigError("unreadable")
    named = {key.lstrip("-").replace("_", "-"): value for key, value in found.items()}
    values = {key: checked(key, value) for key, value in named.items() if key not in OWN}
    if MODEL not in values:
        raise ConfigError("model_missing")
    return VllmConfig({MODEL: values[MODEL], **values})


def checked(key: str, value: Any) -> vllm.Value:
    """The value of a key, of the type that vLLM wants."""
    if key not in TAKEN:
        raise ConfigError("key_refused" if key in arguments().flags else "key_unknown", key)
    if key == MODEL:
        return checked_model(value)
    flag = arguments().flags[key]
    if flag["type"] == "json":
        return checked_backend(key, value)
    if not isinstance(value, TYPES[flag["type"]]) or (isinstance(value, bool) and flag["type"] != "bool"):
        raise ConfigError("value_type", key)
    choices = LOAD_FORMATS if key == "load-format" else flag.get("choices")
    if choices and value not in choices:
        raise ConfigError("value_unknown", key)
    if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value < 10**15:
        raise ConfigError("value_range", key)
    if isinstance(value, str) and (not value.isprintable() or value.startswith(OPTION_DASH)):
        raise ConfigError("value_unknown", key)
    return cast("vllm.Value", value)


def checked_model(value: Any) -> str:
    """A folder of the measuring host, or owner/model of a hub."""
    name = value.strip() if isinstance(value, str) else ""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or not is_loadable(name):
        raise ConfigError("model_name")
    return name


def checked_backend(key: str, value: Any) -> dict[str, str]:
    """The one JSON value that the inference page writes: the backend of structured outputs."""
    if not isinstance(value, dict) or list(value) != ["backend"] or value["backend"] not in (
        arguments().structured_outputs
    ):  # fmt: skip
        raise ConfigError("value_unknown", key)
    return {"backend": str(value["backend"])}


def vocabulary_of(folder: str) -> int:
    """The vocabulary's size in the config.json of a model folder of this host; 0 where it is not told."""
    if not is_folder(folder):
        return 0
    try:
        described = json.loads((Path(folder).expanduser() / "config.json").read_text(encoding="utf-8"))
        size = described.get("vocab_size") or (described.get("text_config") or {}).get("vocab_size")
        return size if isinstance(size, int) and size > 0 else 0
    except (OSError, ValueError, AttributeError):
        return 0
