"""How a configuration says that its weights are stored, as one of our precisions."""

from collections.abc import Mapping
from typing import Any

from calculator.domain.llm import LanguageModel
from calculator.domain.precision import PRECISIONS
from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.fields import Fields

KEY = "quantization_config"
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}
BY_BITS = {("awq", 4): "awq-int4", ("gptq", 4): "gptq-int4", ("gptq", 8): "gptq-int8"}
BY_METHOD = {"fp8": "fp8", "mxfp4": "mxfp4", "fbgemm_fp8": "fp8"}
MODELOPT = {"FP8": "fp8", "NVFP4": "nvfp4"}
COMPRESSED = {
    (8, "float", True): "fp8",
    (8, "int", True): "int8",
    (8, "int", False): "gptq-int8",
    (4, "int", False): "gptq-int4",
}
"""compressed-tensors: bits and type of the weights, and whether the activations are quantised too."""
NVFP4_FORMAT = "nvfp4-pack-quantized"


def native_dtype(fields: Fields) -> str:
    """The precision of the stored weights by our code; empty where the configuration does not say."""
    stored = fields.nested(KEY)
    if stored is not None:
        return _quantised(stored)
    name = (fields.text("dtype") or fields.text("torch_dtype")).removeprefix("torch.")
    if not name:
        return ""
    if name not in DTYPES:
        raise ModelConfigError("dtype_unknown", "torch_dtype", name=name[:60])
    return DTYPES[name]


def precision_code(model: LanguageModel) -> str | None:
    """The precision that a model's weights are stored in, where it is one that we size; else None.

    The catalogue writes “mxfp4 experts, bf16 rest”: the first word decides.
    """
    first = model.native_dtype.partition(" ")[0]
    return first if first in PRECISIONS else None


def _quantised(stored: Mapping[str, Any]) -> str:
    method = str(stored.get("quant_method") or "").lower()
    found = {
        "bitsandbytes": _bitsandbytes,
        "modelopt": lambda given: MODELOPT.get(str(given.get("quant_algo"))),
        "compressed-tensors": _compressed,
    }.get(method, lambda given: BY_METHOD.get(method) or BY_BITS.get((method, _bits(given))))(stored)
    if found is None:
        raise ModelConfigError("quantisation_unknown", KEY, name=method[:60])
    return found


def _bits(stored: Mapping[str, Any]) -> int:
    """Bits a weight, 0 where they are not stated: AWQ calls them bits or w_bit."""
    value = stored.get("bits", stored.get("w_bit"))
    return value if isinstance(value, int) else 0


def _bitsandbytes(stored: Mapping[str, Any]) -> str | None:
    if stored.get("load_in_8bit") is True:
        return "bnb-int8"
    if stored.get("load_in_4bit") is not True:
        return None
    return "nf4-dq" if stored.get("bnb_4bit_use_double_quant") is True else "nf4"


def _compressed(stored: Mapping[str, Any]) -> str | None:
    """The one group of compressed-tensors; a mixture of formats has no single precision."""
    groups = stored.get("config_groups")
    if stored.get("format") == NVFP4_FORMAT:
        return "nvfp4"
    if not isinstance(groups, dict) or len(groups) != 1:
        return None
    group = next(iter(groups.values()))
    weights = group.get("weights") if isinstance(group, dict) else None
    if not isinstance(weights, dict):
        return None
    bits, kind = weights.get("num_bits"), weights.get("type")
    if not isinstance(bits, int) or not isinstance(kind, str):
        return None
    return COMPRESSED.get((bits, kind, group.get("input_activations") is not None))
