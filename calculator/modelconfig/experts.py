"""The routed experts of a configuration, whatever its family calls them."""

from calculator.domain.paramcount import Experts
from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.families import Family, Routing
from calculator.modelconfig.fields import Fields

COUNT_KEYS = {
    Routing.MIXTRAL: "num_local_experts",
    Routing.QWEN2: "num_experts",
    Routing.QWEN3: "num_experts",
    Routing.DEEPSEEK: "n_routed_experts",
    Routing.GPT_OSS: "num_local_experts",
    Routing.LLAMA4: "num_local_experts",
}
OWN_WIDTH = frozenset({Routing.QWEN2, Routing.QWEN3, Routing.DEEPSEEK})
"""Families whose experts have a width of their own; the others' is `intermediate_size`."""
ACTIVE_KEY = "num_experts_per_tok"


def experts(fields: Fields, family: Family, layers: int) -> Experts | None:
    """Experts of this model, or None: a DeepSeek without routed experts is a dense model."""
    routing = family.routing
    if routing is None:
        return None
    if routing is Routing.DEEPSEEK and fields.whole(COUNT_KEYS[routing], low=0) in (None, 0):
        return None
    count, active = fields.required(COUNT_KEYS[routing]), fields.required(ACTIVE_KEY)
    if active > count:
        raise ModelConfigError("more_active_than_experts", ACTIVE_KEY, active=str(active), count=str(count))
    width = fields.required("moe_intermediate_size" if routing in OWN_WIDTH else "intermediate_size")
    return Experts(
        count=count,
        active=active,
        width=width,
        layers=_layers(fields, routing, layers),
        shared_width=_shared_width(fields, routing, width),
        shared_gate=routing is Routing.QWEN2,
        router_bias=family.router_bias,
        bias=routing is Routing.GPT_OSS,
    )


def _shared_width(fields: Fields, routing: Routing, width: int) -> int:
    if routing is Routing.QWEN2:
        return fields.whole("shared_expert_intermediate_size", 0, low=0)
    if routing is Routing.DEEPSEEK:
        return fields.whole("n_shared_experts", 0, low=0) * width
    return width if routing is Routing.LLAMA4 else 0


def _layers(fields: Fields, routing: Routing, layers: int) -> int:
    """Layers with experts; the others are dense."""
    if routing is Routing.DEEPSEEK:
        return _from_a_layer_on(fields, layers)
    if routing is Routing.LLAMA4:
        return _every(fields.whole("interleave_moe_layer_step", 1), layers)
    if routing in (Routing.QWEN2, Routing.QWEN3):
        dense = fields.listed("mlp_only_layers") or ()
        if any(isinstance(index, bool) or not isinstance(index, int) for index in dense):
            raise ModelConfigError("not_whole", "mlp_only_layers")
        step = fields.whole("decoder_sparse_step", 1)
        return sum(1 for index in range(layers) if index not in dense and (index + 1) % step == 0)
    return layers


def _every(step: int, layers: int) -> int:
    """Layers with experts where every `step`th one, counted from the first, has them."""
    return layers // step


def _from_a_layer_on(fields: Fields, layers: int) -> int:
    first, step = fields.whole("first_k_dense_replace", 0, low=0), fields.whole("moe_layer_freq", 1)
    if first > layers:
        raise ModelConfigError("dense_layers_beyond", "first_k_dense_replace", dense=str(first), layers=str(layers))
    return sum(1 for index in range(first, layers) if index % step == 0)
