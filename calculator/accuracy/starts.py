"""Where the fit starts, and how far each constant may be pulled from it: the physics that the data then corrects.

A start is a plausible value, not a result; `sigma` is the spread of its logarithm, 0 keeps it. A factor is the ratio of
a class to the base: vLLM of 2024 in 16 bits on Ampere.
"""

from collections.abc import Mapping

from calculator.accuracy.leastsquares import Parameter

Spread = tuple[float, float]

SERVING: dict[str, Spread] = {
    "weight_bandwidth_ratio": (0.75, 0.3),
    "norm": (1.5, 0.5),
    "decode_compute_ratio": (0.6, 0.3),
    "kv_bandwidth_ratio": (0.7, 0.3),
    "kv_emulated_ratio": (0.06, 0.3),
    "kv_eight_bit_ratio": (0.8, 0.3),
    "kv_half_streams": (4.0, 1.0),
    "decode_attention_ratio": (0.4, 0.3),
    "prefill_compute_ratio": (0.6, 0.3),
    "prefill_attention_ratio": (0.4, 0.3),
    "score_bytes": (1e-3, 0.0),
    "power_flop_per_j": (1e14, 0.0),
    "chunk_tokens": (8192.0, 0.0),
    "stage_s": (3e-4, 0.7),
    "stage_overlap_ratio": (0.85, 0.1),
    "expert_bandwidth_ratio": (0.8, 0.3),
    "expert_compute_ratio": (0.7, 0.4),
    "small_matrix_columns": (200.0, 1.0),
    "allreduce_latency_s": (8e-6, 1.0),
    "pcie_latency_factor": (2.0, 1.0),
    "link_ratio": (0.6, 0.3),
    "pcie_ratio": (0.6, 0.3),
    "link_pipeline_s": (1e-5, 1.0),
    "step_s": (2e-3, 0.7),
    "layer_s": (3e-5, 0.7),
    "expert_layer_factor": (0.3, 1.0),
    "latent_layer_factor": (0.3, 1.0),
    "sequence_s": (3e-5, 0.7),
    "sampling_bytes": (100.0, 1.0),
    "prompt_s": (5e-4, 1.0),
    "request_s": (0.01, 1.0),
    "prompt_token_s": (1e-6, 1.0),
    "overlap_ratio": (1.0, 0.5),
    "burst_ratio": (0.04, 1.0),
    "arrival_ratio": (1.0, 0.7),
    "inflight_steps": (2.0, 0.15),
    "memory_ratio": (0.92, 0.0),
    "runtime_bytes": (3e9, 0.3),
    "live_output_ratio": (0.5, 0.0),
    "max_sequences": (256.0, 0.0),
}

AGES = ("TensorRT-LLM/old", "new", "TensorRT-LLM/new", "SGLang/new", "llama.cpp")
BITS = ("fp8", "fp4", "int8", "int4", "gguf-q4", "gguf-q8")
CHIPS = ("Ada", "Hopper", "Blackwell", "Turing", "GDDR")
PLACES = ("TensorRT-LLM/Hopper", "TensorRT-LLM/Blackwell", "vLLM/Hopper", "vLLM/Blackwell", "fp4/Hopper")
LLAMA_CHIPS = ("llama.cpp/Ada", "llama.cpp/Hopper", "llama.cpp/GDDR")


def _factors(sigma: float, *classes: str, **starts: float) -> dict[str, Spread]:
    return dict.fromkeys(classes, (1.0, sigma)) | {name: (start, sigma) for name, start in starts.items()}


SERVING_FACTORS: dict[str, dict[str, Spread]] = {
    "weight_bandwidth_ratio": _factors(0.25, "TensorRT-LLM", "llama.cpp", *LLAMA_CHIPS, *BITS, *CHIPS)
    | _factors(0.12, "SGLang"),
    "norm": _factors(0.3, "llama.cpp"),
    "decode_compute_ratio": _factors(0.25, "TensorRT-LLM", "fp8", "fp4", "int4") | _factors(0.12, "SGLang"),
    "kv_bandwidth_ratio": _factors(0.25, "TensorRT-LLM", "llama.cpp", *CHIPS) | _factors(0.12, "SGLang"),
    "kv_eight_bit_ratio": _factors(0.25, "vLLM/old"),
    "kv_half_streams": {"new": (0.3, 0.7), "TensorRT-LLM": (0.5, 0.7), "llama.cpp": (0.1, 0.7)},
    "prefill_compute_ratio": _factors(0.25, "TensorRT-LLM", "llama.cpp", *LLAMA_CHIPS, *BITS, *CHIPS)
    | _factors(0.12, "SGLang"),
    "prefill_attention_ratio": _factors(0.25, "llama.cpp"),
    "score_bytes": {"llama.cpp": (14e3, 0.3)},
    "power_flop_per_j": {"llama.cpp": (5e-3, 0.5)},
    "chunk_tokens": {"llama.cpp": (1 / 16, 0.0)},
    "step_s": _factors(0.5, *AGES),
    "layer_s": _factors(0.4, *AGES, "fp8", "fp4", "int4") | _factors(0.2, *PLACES),
    "sequence_s": _factors(0.5, "TensorRT-LLM/new", "SGLang/new") | {"TensorRT-LLM/old": (0.2, 0.5), "new": (0.3, 0.5)},
    "sampling_bytes": _factors(0.5, *AGES),
    "prompt_s": _factors(0.5, *AGES),
    "allreduce_latency_s": _factors(0.5, *AGES),
    "expert_bandwidth_ratio": _factors(0.3, *AGES, "fp8", "fp4", "fp4/Hopper", "TensorRT-LLM/Hopper"),
    "expert_compute_ratio": _factors(0.4, *AGES, "fp8", "fp4"),
    "overlap_ratio": _factors(0.5, "TensorRT-LLM", "SGLang"),
    "request_s": _factors(0.7, "TensorRT-LLM", "SGLang", "llama.cpp"),
    "inflight_steps": _factors(0.12, "TensorRT-LLM") | _factors(0.4, "SGLang"),
    "burst_ratio": _factors(0.7, "TensorRT-LLM", "SGLang"),
    "arrival_ratio": _factors(0.5, "TensorRT-LLM", "SGLang"),
    "runtime_bytes": _factors(0.5, "TensorRT-LLM/old", "new") | {"llama.cpp": (0.15, 0.0)},
    "memory_ratio": {"llama.cpp": (1.07, 0.0)},
    "live_output_ratio": {"TensorRT-LLM": (2.0, 0.0)},
    "max_sequences": {"TensorRT-LLM": (8.0, 0.0), "new": (4.0, 0.0), "TensorRT-LLM/new": (0.25, 0.0)},
}
"""TensorRT-LLM reserves the whole output (2 × 0.5) and takes 2 048 sequences; vLLM took 256, and 1 024 from 2025."""


def parameters(base: Mapping[str, Spread], factors: Mapping[str, Mapping[str, Spread]]) -> list[Parameter]:
    """The parameters of one group, bases first."""
    bases = [Parameter(name, "", start, sigma) for name, (start, sigma) in base.items()]
    of_classes = [
        Parameter(name, cls, start, sigma)
        for name, classes in factors.items()
        for cls, (start, sigma) in classes.items()
    ]
    return [*bases, *of_classes]


TRAINING: dict[str, Spread] = {
    "compute_ratio": (0.6, 0.3),
    "attention_ratio": (0.4, 0.4),
    "small_matrix_columns": (300.0, 1.0),
    "small_pass_tokens": (300.0, 1.0),
    "layer_s": (2e-4, 1.0),
    "step_s": (2e-2, 1.0),
    "expert_compute_ratio": (0.5, 0.4),
    "dequantised_bytes": (6.0, 0.7),
    "adapter_layer_factor": (1.5, 0.5),
    "exposed_ratio": (0.2, 1.0),
    "cluster_exponent": (0.03, 0.7),
}
TRAINING_FACTORS: dict[str, dict[str, Spread]] = {
    "compute_ratio": _factors(
        0.25, "Megatron", "Transformers", "native", "fp8", "fp4", "int4", "lora", "Hopper", "Ada", "Blackwell", "GDDR"
    )
    | _factors(0.15, "native/fp8", "Megatron/fp8"),
    "attention_ratio": _factors(0.3, "Megatron", "Transformers", "native", "Hopper", "Blackwell"),
    "layer_s": _factors(0.7, "Megatron", "Transformers", "native"),
    "step_s": _factors(0.7, "Transformers", "native"),
    "exposed_ratio": _factors(0.5, "Megatron", "Transformers", "native", "qlora", "lora"),
    "expert_compute_ratio": _factors(0.3, "fp8", "fp4", "Blackwell", "rack"),
    "cluster_exponent": _factors(0.5, "Megatron"),
}

LINKS: dict[str, Spread] = {
    "start_s": (3e-5, 0.7),
    "hop_s": (2e-6, 0.7),
    "pipeline_s": (1e-5, 1.0),
    "bandwidth_ratio": (0.8, 0.15),
    "switch_gain": (1.3, 0.2),
    "node_start_s": (5e-5, 0.7),
    "node_ratio": (0.85, 0.2),
}
LINK_FACTORS: dict[str, dict[str, Spread]] = {
    "bandwidth_ratio": {"PCIe": (0.65, 0.2), "bridge": (0.75, 0.2), "Blackwell": (0.97, 0.1)},
    "start_s": {"PCIe": (1.0, 0.5), "Hopper": (0.7, 0.5), "Blackwell": (1.0, 0.5)},
    "pipeline_s": {"Blackwell": (1.5, 0.7), "many machines": (3.0, 0.7), "bridge": (1.0, 0.5)},
}

MEMORY: dict[str, Spread] = {
    "context_bytes": (6e8, 0.5),
    "allocator_ratio": (1.1, 0.2),
    "layer_elements": (34.0, 0.4),
    "kept_elements": (1.0, 0.3),
    "logit_bytes": (8.0, 0.5),
    "optimizer_bytes": (8.0, 0.3),
    "prompt_elements": (10.0, 0.7),
}
MEMORY_FACTORS: dict[str, dict[str, Spread]] = {
    "context_bytes": {"reserved": (1.5, 0.5), "training": (1.0, 0.5), "int4": (1.0, 0.5), "inference": (0.2, 0.7)},
    "kept_elements": {"qlora": (1.0, 0.3), "full": (1.0, 0.3)},
    "prompt_elements": {"int4": (1.0, 0.5)},
    "allocator_ratio": {"reserved": (1.1, 0.2), "qlora": (1.0, 0.2), "fused": (0.9, 0.2), "lora": (1.0, 0.2)},
    "optimizer_bytes": {"full": (1.2, 0.3), "reserved": (0.6, 0.5)},
    "layer_elements": {"qlora": (1.0, 0.3), "lora": (1.0, 0.3)},
}
