"""A config.json as a language model: its dimensions as stated, its parameters counted from them."""

from calculator.deploy.point import HUB_NAME
from calculator.domain.llm import MLA, LanguageModel
from calculator.domain.paramcount import Attention, Shape, counts
from calculator.modelconfig import strictjson
from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.experts import experts
from calculator.modelconfig.families import FAMILIES, Bias, Family, family_name, language_part
from calculator.modelconfig.fields import Fields
from calculator.modelconfig.quantised import native_dtype
from calculator.modelconfig.windows import window

LONGEST_NAME = 60
PARAMETER_LIMIT = 10**14
FALCON = "falcon"
LLAMA_4 = "llama4_text"


def read(text: str | bytes, name: str = "") -> LanguageModel:
    """The model that a config.json describes. Raises ModelConfigError for anything that is not one we count."""
    part = language_part(strictjson.parse(text))
    kind = family_name(part)
    family = FAMILIES[kind]
    fields = Fields(part, family.defaults)
    return _model(fields, family, kind, _name(fields, kind, name))


def _name(fields: Fields, kind: str, given: str) -> str:
    """What the visitor called it, else the configuration's own name, else its kind."""
    name = " ".join((given or fields.text("_name_or_path") or kind).split())
    shown = "".join(character for character in name if character.isprintable())
    return shown[:LONGEST_NAME].strip() or kind


def _model(fields: Fields, family: Family, kind: str, name: str) -> LanguageModel:
    shape = _shape(fields, family, kind)
    counted = counts(shape)
    if counted.total > PARAMETER_LIMIT:
        raise ModelConfigError("too_many_parameters", limit=str(PARAMETER_LIMIT))
    max_context = fields.whole("max_position_embeddings", 0, low=0)
    tokens, pattern = window(fields, family, shape.layers, max_context)
    routed = shape.experts
    hub = fields.text("_name_or_path")
    return LanguageModel(
        name=name,
        hf_id=hub if HUB_NAME.fullmatch(hub) else "",
        params_total=counted.total,
        params_active=counted.active,
        params_non_embedding=counted.non_embedding,
        layers=shape.layers,
        hidden=shape.hidden,
        heads=shape.attention.heads,
        kv_heads=shape.attention.kv_heads,
        head_dim=shape.attention.head_dim,
        intermediate=shape.intermediate,
        vocab=shape.vocab,
        tied_embeddings=shape.tied,
        gated_mlp=shape.gated,
        max_context=max_context,
        attention=attention_kind(shape.attention),
        sliding_window=tokens,
        sliding_pattern=pattern,
        kv_lora_rank=shape.attention.kv_rank or None,
        qk_rope_head_dim=shape.attention.rope_dim or None,
        n_experts=routed.count if routed else None,
        experts_top_k=routed.active if routed else None,
        native_dtype=native_dtype(fields),
    )


def attention_kind(attention: Attention) -> str:
    """MLA, MHA, MQA or GQA, as the number of KV heads says.

    >>> attention_kind(Attention(32, 8, 128))
    'GQA'
    """
    if attention.kv_rank:
        return MLA
    if attention.kv_heads == attention.heads:
        return "MHA"
    return "MQA" if attention.kv_heads == 1 else "GQA"


def _shape(fields: Fields, family: Family, kind: str) -> Shape:
    hidden, layers = fields.required("hidden_size"), fields.required("num_hidden_layers")
    return Shape(
        hidden=hidden,
        layers=layers,
        vocab=fields.required("vocab_size"),
        intermediate=_intermediate(fields, kind, hidden),
        attention=_latent(fields) if family.latent else _attention(fields, family, kind, hidden),
        tied=fields.flag("tie_word_embeddings"),
        gated=family.gated,
        mlp_bias=family.mlp_bias or fields.flag("mlp_bias") or (kind == FALCON and fields.flag("bias")),
        norms=_falcon_norms(fields) if kind == FALCON else family.norms,
        norm_bias=family.norm_bias,
        head_bias=family.head_bias,
        experts=experts(fields, family, layers),
    )


def _intermediate(fields: Fields, kind: str, hidden: int) -> int:
    """Width of the dense layers; Falcon's is four times the hidden width unless stated, Llama 4's has its own key."""
    if kind == FALCON:
        return fields.whole("ffn_hidden_size", 4 * hidden)
    return fields.required("intermediate_size_mlp" if kind == LLAMA_4 else "intermediate_size")


def _attention(fields: Fields, family: Family, kind: str, hidden: int) -> Attention:
    heads = fields.required("num_attention_heads")
    kv_heads = _falcon_kv_heads(fields, heads) if kind == FALCON else fields.whole("num_key_value_heads", heads)
    if kv_heads > heads or heads % kv_heads:
        raise ModelConfigError("kv_heads_do_not_divide", "num_key_value_heads", heads=str(heads), kv=str(kv_heads))
    if fields.flag("qk_layernorm"):
        raise ModelConfigError("attention_unknown", "qk_layernorm", name="qk_layernorm")
    every = family.bias is Bias.ALL or (family.bias is Bias.KEY and fields.flag("attention_bias"))
    every = every or (kind == FALCON and fields.flag("bias"))
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=_head_dim(fields, hidden, heads),
        qkv_bias=every or family.bias is Bias.QKV,
        output_bias=every,
        head_norm=family.head_norm,
        sinks=family.sinks,
    )


def _head_dim(fields: Fields, hidden: int, heads: int) -> int:
    stated = fields.whole("head_dim")
    if stated is not None:
        return stated
    if hidden % heads:
        raise ModelConfigError("heads_do_not_divide", "num_attention_heads", hidden=str(hidden), heads=str(heads))
    return hidden // heads


def _latent(fields: Fields) -> Attention:
    """Latent attention. The width of a head is that of its query and key: with and without position."""
    heads, rope, nope = (
        fields.required(key) for key in ("num_attention_heads", "qk_rope_head_dim", "qk_nope_head_dim")
    )
    if fields.flag("attention_bias"):
        raise ModelConfigError("attention_unknown", "attention_bias", name="attention_bias")
    return Attention(
        heads=heads,
        kv_heads=heads,
        head_dim=rope + nope,
        q_rank=fields.whole("q_lora_rank", 0, low=0),
        kv_rank=fields.required("kv_lora_rank"),
        rope_dim=rope,
        nope_dim=nope,
        v_dim=fields.required("v_head_dim"),
    )


def _falcon_kv_heads(fields: Fields, heads: int) -> int:
    if fields.flag("new_decoder_architecture"):
        return fields.whole("num_kv_heads", heads)
    return 1 if fields.flag("multi_query") else heads


def _falcon_norms(fields: Fields) -> int:
    """Falcon's layers share one norm where attention and MLP stand side by side, and have two otherwise."""
    if fields.flag("new_decoder_architecture"):
        return fields.whole("num_ln_in_parallel_attn", 2)
    return 1 if fields.flag("parallel_attn") else 2
