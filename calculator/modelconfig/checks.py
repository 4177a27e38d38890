"""What holds for every model of a visitor, wherever its values come from."""

from calculator.domain.llm import MLA, LanguageModel
from calculator.domain.precision import expert_params
from calculator.modelconfig.errors import ModelConfigError

PARAMETER_LIMIT = 10**14


def check(model: LanguageModel) -> None:
    """Values that contradict each other, or that no formula can use. Raises ModelConfigError."""
    if model.params_total > PARAMETER_LIMIT:
        raise ModelConfigError("too_many_parameters", limit=str(PARAMETER_LIMIT))
    if model.heads % model.kv_heads:
        raise ModelConfigError(
            "kv_heads_do_not_divide", "num_key_value_heads", heads=str(model.heads), kv=str(model.kv_heads)
        )
    if model.attention == MLA and not (model.kv_lora_rank and model.qk_rope_head_dim):
        raise ModelConfigError("missing", "kv_lora_rank")
    _check_experts(model)
    embeddings = model.params_total - model.params_non_embedding
    if not (0 < embeddings < model.params_active <= model.params_total):
        raise ModelConfigError("parameters_do_not_add_up")


def _check_experts(model: LanguageModel) -> None:
    count, active = model.n_experts, model.experts_top_k
    if (count is None) != (active is None):
        raise ModelConfigError("missing", "num_experts_per_tok")
    if count is None or active is None:
        if model.params_active != model.params_total:
            raise ModelConfigError("parameters_do_not_add_up")
        return
    if active > count:
        raise ModelConfigError("more_active_than_experts", "num_experts_per_tok", active=str(active), count=str(count))
    if expert_params(model) > model.params_non_embedding:
        raise ModelConfigError("parameters_do_not_add_up")
