"""The link of an inference scenario."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import fields
from calculator.domain.calibration import Engine, Era
from calculator.domain.llm import LOCAL_LAYERS
from calculator.domain.offers import Basis
from calculator.domain.serving_scenario import (
    CachePrecision,
    IncompleteModelError,
    InferenceScenario,
    LoadBy,
    is_own_model,
    own_model,
)
from calculator.fields import Quantity, Text, limits
from calculator.permalinks.notation import (
    Key,
    Notation,
    Problem,
    automatic,
    catalogue_state,
    code,
    enum,
    flag,
    name,
    number,
    parse_choice,
)

PRECISION_CODES = (
    "fp16",
    "bf16",
    "fp8",
    "int8",
    "awq-int4",
    "gptq-int4",
    "gptq-int8",
    "nvfp4",
    "mxfp4",
    "gguf-q8_0",
    "gguf-q5_0",
    "gguf-q4_k_m",
    "gguf-q4_0",
)
"""Weight formats that a server is offered with; the calibration knows more, for measurements alone."""
PATTERN_CODES: Mapping[str, str] = dict(zip(("all", "half", "five_of_six", "three_of_four"), LOCAL_LAYERS, strict=True))
"""Which layers a window binds, by the code that stands in the link."""


def pattern_code(words: str) -> str:
    """How a pattern of local layers is written in the link."""
    return next(code for code, pattern in PATTERN_CODES.items() if pattern == words)


TOKENS = Quantity(limits("1", "10000000"), fields.TOKENS, whole=True)
INSTANCES = Quantity(limits("1", "1024"), whole=True)
PARALLEL = Quantity(limits("1", "1024"), ("gpu",), whole=True)
ARRIVALS = Quantity(limits("0.0001", "1000000"), ("requêtes/s", "requests/s", "req/s", "/s"))
MILLISECONDS = Quantity(limits("0", "86400000"), ("ms",))
MEMORY = Quantity(limits("0.05", "1"), ("%",), percent=True)
SEQUENCES = Quantity(limits("1", "1000000"), whole=True)
PARAMS = Quantity(limits("1000", "100000000000000"), scaled=True, whole=True)
SIZE = Quantity(limits("1", "10000000"), whole=True)
CONTEXT = Quantity(limits("1", "100000000"), whole=True)
"""A model's longest context; the longest of the catalogue is 10 485 760 tokens."""
LAYERS = Quantity(limits("1", "1000"), whole=True)

KEYS: tuple[Key, ...] = (
    *catalogue_state(),
    name("model", "model"),
    code("sku", "sku"),
    name("gpu", "gpu"),
    number("count", "instances", INSTANCES),
    automatic(number("tp", "tensor_parallel", PARALLEL)),
    automatic(number("pp", "pipeline_parallel", PARALLEL)),
    number("replicas", "replicas", INSTANCES),
    Key("prec", "precision", parse_choice(PRECISION_CODES)),
    enum("kv", "cache", CachePrecision),
    enum("engine", "engine", Engine),
    enum("era", "era", Era),
    number("in", "prompt_tokens", TOKENS),
    number("out", "output_tokens", TOKENS),
    enum("load", "load", LoadBy),
    number("conc", "concurrency", fields.CONCURRENCY),
    number("rps", "requests_per_s", ARRIVALS),
    number("hit", "prefix_hit_ratio", fields.SHARE),
    number("ttft", "first_token_ms", MILLISECONDS),
    number("tpot", "token_ms", MILLISECONDS),
    number("e2e", "end_to_end_ms", MILLISECONDS),
    number("mem", "memory_ratio", MEMORY),
    number("maxseq", "max_sequences", SEQUENCES),
    enum("basis", "basis", Basis),
    number("price", "price_eur", fields.PRICE),
    number("hours", "hours_per_month_h", fields.HOURS),
    number("util", "utilisation_ratio", fields.UTILISATION),
    number("volume", "volume_tokens", fields.VOLUME),
    Key("also", "also_ranked", parse_choice(PRECISION_CODES), many=True),
    number("params", "params", PARAMS),
    number("active", "active_params", PARAMS),
    number("layers", "layers", LAYERS),
    number("width", "hidden", SIZE),
    number("heads", "heads", SIZE),
    number("kv_heads", "kv_heads", SIZE),
    number("head_dim", "head_dim", SIZE),
    number("intermediate", "intermediate", SIZE),
    number("vocab", "vocab", SIZE),
    flag("tied", "tied"),
    number("context", "max_context", CONTEXT),
    number("experts", "experts", SIZE),
    number("topk", "experts_top_k", SIZE),
    number("latent", "latent_rank", SIZE),
    number("rope", "rope_dim", SIZE),
    number("window", "window", SIZE),
    Key(
        "pattern",
        "window_pattern",
        parse_choice(tuple(PATTERN_CODES), PATTERN_CODES.__getitem__),
        pattern_code,
    ),
    code("cal", "calibration"),
)
OPTIONAL = frozenset(
    {
        *("gpu", "replicas", "rps", "mem", "maxseq", "price", "volume", "cal"),
        *("params", "active", "layers", "width", "heads", "kv_heads", "head_dim", "intermediate", "vocab", "context"),
        *("experts", "topk", "latent", "rope", "window", "pattern"),
    }
)
DIMENSIONS: Mapping[str, Text] = {
    "params": gettext_lazy("Indiquez le nombre de paramètres, embeddings compris (params)."),
    "active_params": gettext_lazy("Les paramètres actifs (active) sont entre ceux des embeddings et le total."),
    "layers": gettext_lazy("Indiquez le nombre de couches (layers)."),
    "hidden": gettext_lazy("Indiquez la largeur cachée (width)."),
    "heads": gettext_lazy("Indiquez le nombre de têtes d’attention (heads), au plus la largeur cachée."),
    "vocab": gettext_lazy("Indiquez la taille du vocabulaire (vocab)."),
    "rope_dim": gettext_lazy("L’attention latente a besoin de la dimension rotative (rope)."),
}
"""What to type where a model that the visitor describes is not whole, by the scenario's field."""


def model_problems(scenario: InferenceScenario) -> list[Problem]:
    """What is missing of a model that the visitor describes himself."""
    if not is_own_model(scenario):
        return []
    try:
        own_model(scenario)
    except IncompleteModelError as error:
        key_of = {key.attribute: key.name for key in KEYS}
        return [Problem(key_of[name], str(DIMENSIONS[name])) for name in error.missing]
    return []


def load_problems(scenario: InferenceScenario) -> list[Problem]:
    """A load given as a rate needs the rate."""
    if scenario.load is LoadBy.RATE and scenario.requests_per_s is None:
        return [Problem("rps", _("Indiquez le nombre de requêtes par seconde (rps)."))]
    return []


def consistency_problems(scenario: InferenceScenario) -> list[Problem]:
    """What single values cannot show."""
    return [*model_problems(scenario), *load_problems(scenario)]


NOTATION = Notation(InferenceScenario, KEYS, OPTIONAL, consistency_problems)
