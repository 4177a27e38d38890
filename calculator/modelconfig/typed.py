"""A model as the inputs that a visitor would have typed: the link then carries values, and no file is kept."""

from typing import Any

from calculator.domain.llm import LanguageModel


def typed(model: LanguageModel) -> dict[str, Any]:
    """The fields of `InferenceScenario` that describe this model; what it lacks is None, so that nothing remains of a
    model described before.

    >>> from calculator.domain.llm import MISTRAL_7B
    >>> typed(MISTRAL_7B)["params"], typed(MISTRAL_7B)["active_params"]
    (7241732096, None)
    """
    active = model.params_active
    return {
        "model": model.name,
        "params": model.params_total,
        "active_params": None if active == model.params_total else active,
        "layers": model.layers,
        "hidden": model.hidden,
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "intermediate": model.intermediate,
        "vocab": model.vocab,
        "tied": model.tied_embeddings,
        "max_context": model.max_context or None,
        "experts": model.n_experts,
        "experts_top_k": model.experts_top_k,
        "latent_rank": model.kv_lora_rank,
        "rope_dim": model.qk_rope_head_dim,
        "window": model.sliding_window,
        "window_pattern": model.sliding_pattern,
    }
