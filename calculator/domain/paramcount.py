"""Parameters of a decoder from its dimensions: what a checkpoint holds, and what one token passes through.

Every matrix, bias and norm of the layers is counted; extra heads for drafting and towers for pictures are not. A model
with unusual parts is another shape, never an approximation of these.
"""

from dataclasses import dataclass

ATTENTION_NORM_AND_MLP_NORM = 2


@dataclass(frozen=True, slots=True)
class Attention:
    """Projections of one layer. `q_rank`, `kv_rank`, `rope_dim`, `nope_dim`, `v_dim` are latent attention's only;
    `kv_rank` 0 is ordinary attention. `head_norm` is a norm of queries and keys over the head dimension; `sinks` one
    learnt number a head."""

    heads: int
    kv_heads: int
    head_dim: int
    qkv_bias: bool = False
    output_bias: bool = False
    head_norm: bool = False
    sinks: bool = False
    q_rank: int = 0
    kv_rank: int = 0
    rope_dim: int = 0
    nope_dim: int = 0
    v_dim: int = 0


@dataclass(frozen=True, slots=True)
class Experts:
    """The routed part of a layer: `count` experts of width `width`, `active` of them a token, and a shared one."""

    count: int
    active: int
    width: int
    layers: int
    shared_width: int = 0
    shared_gate: bool = False
    router_bias: bool = False
    bias: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """Dimensions that decide a parameter count. `norms` a layer, each with a bias if `norm_bias`."""

    hidden: int
    layers: int
    vocab: int
    intermediate: int
    attention: Attention
    tied: bool = False
    gated: bool = True
    mlp_bias: bool = False
    norms: int = ATTENTION_NORM_AND_MLP_NORM
    norm_bias: bool = False
    head_bias: bool = False
    experts: Experts | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Total, what one token passes through (embeddings included, as published), and all but the embeddings."""

    total: int
    active: int
    non_embedding: int


def attention_params(shape: Shape) -> int:
    """Query, key, value and output projections of one layer with their biases and norms.

    >>> attention_params(Shape(4096, 32, 32_000, 14_336, Attention(32, 8, 128)))
    41943040
    """
    attention = shape.attention
    if attention.kv_rank:
        return _latent_params(shape.hidden, attention)
    query, key = attention.heads * attention.head_dim, attention.kv_heads * attention.head_dim
    matrices = shape.hidden * (query + 2 * key) + query * shape.hidden
    biases = (query + 2 * key) * attention.qkv_bias + shape.hidden * attention.output_bias
    return matrices + biases + 2 * attention.head_dim * attention.head_norm + attention.heads * attention.sinks


def _latent_params(hidden: int, attention: Attention) -> int:
    """Latent attention: queries through a low rank (or not), keys and values through one latent with its norm."""
    query = attention.heads * (attention.nope_dim + attention.rope_dim)
    down = hidden * attention.q_rank + attention.q_rank if attention.q_rank else 0
    up = (attention.q_rank or hidden) * query
    latent = hidden * (attention.kv_rank + attention.rope_dim) + attention.kv_rank
    expand = attention.kv_rank * attention.heads * (attention.nope_dim + attention.v_dim)
    return down + up + latent + expand + attention.heads * attention.v_dim * hidden


def mlp_params(hidden: int, width: int, gated: bool, bias: bool) -> int:
    """Up, down and, if gated, gate matrix.

    >>> mlp_params(4096, 14_336, gated=True, bias=False)
    176160768
    """
    inner = 2 if gated else 1
    return (inner + 1) * hidden * width + (inner * width + hidden) * bias


def expert_params(shape: Shape) -> int:
    """One routed expert of one layer; 0 without experts."""
    if shape.experts is None:
        return 0
    return mlp_params(shape.hidden, shape.experts.width, shape.gated, shape.experts.bias)


def routing_params(shape: Shape) -> int:
    """Router and shared expert of one layer with experts: what every token passes through beside its own experts."""
    experts = shape.experts
    if experts is None:
        return 0
    router = shape.hidden * experts.count + experts.count * experts.router_bias
    shared = mlp_params(shape.hidden, experts.shared_width, shape.gated, bias=False) if experts.shared_width else 0
    return router + shared + shape.hidden * experts.shared_gate


def embedding_params(shape: Shape) -> int:
    """Input embedding, and the output head where it is not the same matrix.

    >>> embedding_params(Shape(4096, 32, 32_000, 14_336, Attention(32, 8, 128)))
    262144000
    """
    return shape.vocab * shape.hidden * (1 if shape.tied else 2)


def counts(shape: Shape) -> Counts:
    """Parameters of the whole model. Mistral-7B-v0.1 as published, and Mixtral-8x7B:

    >>> mistral = Shape(4096, 32, 32_000, 14_336, Attention(32, 8, 128))
    >>> counts(mistral).total
    7241732096
    >>> from dataclasses import replace
    >>> mixtral = counts(replace(mistral, experts=Experts(count=8, active=2, width=14_336, layers=32)))
    >>> mixtral.total, mixtral.active
    (46702792704, 12879925248)
    """
    norm = shape.hidden * (2 if shape.norm_bias else 1)
    dense_layers = shape.layers - (shape.experts.layers if shape.experts else 0)
    rest = (
        shape.layers * (attention_params(shape) + shape.norms * norm)
        + dense_layers * mlp_params(shape.hidden, shape.intermediate, shape.gated, shape.mlp_bias)
        + norm
        + shape.vocab * shape.head_bias
    )
    used, unused = _expert_totals(shape)
    non_embedding = rest + used + unused
    total = non_embedding + embedding_params(shape)
    return Counts(total=total, active=total - unused, non_embedding=non_embedding)


def _expert_totals(shape: Shape) -> tuple[int, int]:
    """Parameters of the layers' experts: those of a token with router and shared expert, and the others."""
    experts = shape.experts
    if experts is None:
        return 0, 0
    one = expert_params(shape)
    used = experts.layers * (routing_params(shape) + experts.active * one)
    return used, experts.layers * (experts.count - experts.active) * one
