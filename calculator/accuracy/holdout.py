"""The measurements that no fit has seen: whole sources, and whole GPU × model pairs, never single rows.

Rows of one rig share their errors, so a random split would flatter. The sources are those whose rigs appear nowhere
else; the pairs (machines of one kind, for
links) leave every engine, precision and GPU architecture at least one other pair to learn from.
"""

from calculator.accuracy.cases import Case

SOURCES = (
    "ai.wmx.dev",
    "AutoAWQ/pull",
    "arc53/llm-price-compass",
    "databasemart.com",
    "dstackai/benchmarks",
    "FlagOpen/FlagPerf",
    "fms-fsdp",
    "ggml-org/llama.cpp/pull",
    "johnmusgrave.com",
    "Lightning-AI/litgpt/blob/26857050fe3f/config_hub",
    "mushfiqrahman.dev",
    "neuralmagic/nm-vllm",
    "NVIDIA/Megatron-LM",
    "rkooo567/llm_benchmark",
    "vllm-project/vllm/issues/5316",
    "yobitelcomm",
)
PAIRS = frozenset(
    {
        "B200-SXM|32|4",
        "H100-SXM-80GB|16|2",
        "H200-SXM|8|1",
        "RTX 5090|8|1",
        "A100-SXM-40GB|Llama-2-7B",
        "A100-PCIe-80GB|Llama-3.1-8B",
        "A100-PCIe-80GB|Llama-3-8B",
        "A100-SXM-80GB|MPT-7B",
        "A100-SXM-80GB|Qwen2.5-7B",
        "A100-SXM-80GB|Qwen2.5-14B",
        "A100-SXM-80GB|Qwen-7B",
        "A40|Llama-3-70B",
        "GB200|Llama-3.3-70B",
        "GB200|Qwen3-30B-A3B",
        "GB300|Llama-3-70B",
        "GH200-96GB|Mistral-7B",
        "GH200-96GB|Qwen2-7B",
        "H100-SXM-80GB|Llama-2-70B",
        "H100-SXM-80GB|Llama-4-Maverick",
        "H100-SXM-80GB|MPT-13B",
        "H100-SXM-80GB|MPT-1B",
        "H100-SXM-80GB|Qwen2-7B",
        "H100-SXM-80GB|Qwen3-235B-A22B",
        "H200-SXM|Llama-3.1-70B",
        "H200-SXM|Llama-3.3-70B",
        "H200-SXM|Mixtral-8x7B",
        "L40S|Mistral-7B",
        "L40S|Qwen2.5-3B",
        "RTX 3090|Llama-3-8B",
        "RTX 4090|Qwen2.5-7B",
        "RTX 6000 Ada|Llama-3-8B",
        "RTX A6000|Llama-3-8B",
        "RTX PRO 6000|Qwen2.5-1.5B",
    }
)


def held_out(case: Case) -> bool:
    """Whether the fit must not see this case."""
    return case.pair in PAIRS or any(part in case.source for part in SOURCES)
