"""Configurations as publishers write them: the public keys of each family, filled from the catalogue's dimensions."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE: dict[str, dict[str, Any]] = {
    item["name"]: item for item in json.loads((ROOT / "fixtures" / "models.json").read_text())
}
FAMILY_BY_PREFIX = {
    "Llama-4": "llama4_text",
    "Llama": "llama",
    "CodeLlama": "llama",
    "TinyLlama": "llama",
    "Mixtral": "mixtral",
    "Mistral": "mistral",
    "Ministral": "mistral",
    "Qwen2": "qwen2",
    "Qwen3-30B": "qwen3_moe",
    "Qwen3-235B": "qwen3_moe",
    "Qwen3": "qwen3",
    "Gemma-2-": "gemma2",
    "Gemma-3-": "gemma3_text",
    "Gemma": "gemma",
    "Phi-2": "phi",
    "Phi": "phi3",
    "Falcon": "falcon",
    "gpt-oss": "gpt_oss",
    "DeepSeek-V2": "deepseek_v2",
    "DeepSeek": "deepseek_v3",
    "Kimi": "kimi_k2",
}
EXPERT_KEYS = {
    "mixtral": ("num_local_experts", None),
    "gpt_oss": ("num_local_experts", None),
    "llama4_text": ("num_local_experts", None),
    "qwen3_moe": ("num_experts", "moe_intermediate_size"),
    "deepseek_v2": ("n_routed_experts", "moe_intermediate_size"),
    "deepseek_v3": ("n_routed_experts", "moe_intermediate_size"),
    "kimi_k2": ("n_routed_experts", "moe_intermediate_size"),
}


def family(name: str) -> str:
    """The `model_type` of a catalogue model; the longest beginning of its name decides."""
    return FAMILY_BY_PREFIX[max((key for key in FAMILY_BY_PREFIX if name.startswith(key)), key=len)]


def config(name: str) -> dict[str, Any]:
    """A minimal config.json of a catalogue model."""
    row, kind = CATALOGUE[name], family(name)
    found = {
        "model_type": kind,
        "hidden_size": row["hidden"],
        "num_hidden_layers": row["layers"],
        "num_attention_heads": row["heads"],
        "num_key_value_heads": row["kv_heads"],
        "intermediate_size": row["intermediate"],
        "vocab_size": row["vocab"],
        "max_position_embeddings": row["max_context"],
        "tie_word_embeddings": row["tied_embeddings"],
        "torch_dtype": "bfloat16",
    }
    if row["sliding_window"]:
        found["sliding_window"] = row["sliding_window"]
    if row["attention"] != "MLA" and row["head_dim"] * row["heads"] != row["hidden"]:
        found["head_dim"] = row["head_dim"]
    return found | _experts(row, kind) | _latent(row) | _special(row, kind)


def _experts(row: dict[str, Any], kind: str) -> dict[str, Any]:
    if not row["n_experts"]:
        return {}
    count, width = EXPERT_KEYS[kind]
    found = {count: row["n_experts"], "num_experts_per_tok": row["experts_top_k"]}
    return found | ({width: row["moe_intermediate"]} if width else {"intermediate_size": row["moe_intermediate"]})


def _latent(row: dict[str, Any]) -> dict[str, Any]:
    if row["attention"] != "MLA":
        return {}
    keys = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    return {key: row[key] for key in keys} | {
        "q_lora_rank": row["q_lora_rank"] or None,
        "n_shared_experts": row["shared_experts"],
        "first_k_dense_replace": row["dense_layers"],
        "moe_layer_freq": 1,
    }


def _special(row: dict[str, Any], kind: str) -> dict[str, Any]:
    if kind == "llama4_text":
        return {
            "intermediate_size_mlp": row["intermediate"],
            "interleave_moe_layer_step": 2 if row["dense_layers"] else 1,
            "attention_chunk_size": 8192,
        }
    if kind == "falcon":
        return {"new_decoder_architecture": row["kv_heads"] > 1, "num_kv_heads": row["kv_heads"], "bias": False}
    if kind == "gpt_oss":
        return {"layer_types": ["sliding_attention", "full_attention"] * (row["layers"] // 2)}
    return {}


def text(name: str, **changes: Any) -> str:
    """The configuration as a file's text, with keys changed; None removes one."""
    changed = config(name) | changes
    return json.dumps({key: value for key, value in changed.items() if value is not None})
