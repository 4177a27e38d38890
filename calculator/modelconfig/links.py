"""A visitor's model as values in a link, and back: only what the estimates need, checked like anything typed."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any
from urllib.parse import quote, unquote

from calculator.domain.llm import LOCAL_LAYERS, MLA, LanguageModel
from calculator.modelconfig.checks import PARAMETER_LIMIT, check
from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.reading import HUB_NAME, LONGEST_NAME

COUNT_LIMIT = 10**9
LONGEST_VALUE = 1_000
BETWEEN_PAIRS, BETWEEN_KEY_AND_VALUE = "~", "."
"""Characters that a link carries as they are; a name that holds the first has it escaped."""
ATTENTIONS = ("MHA", "MQA", "GQA", MLA)
DTYPE_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
PATTERNS = dict(zip(("all", "2", "6", "4"), LOCAL_LAYERS, strict=True))
"""Patterns of windows as links write them: of how many layers one sees everything."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a link: its key, the model's field, and how it is read and written."""

    key: str
    field: str
    read: Callable[[str, str], Any]
    write: Callable[[Any], str] = str


def _whole(limit: int, low: int = 1) -> Callable[[str, str], int]:
    def read(key: str, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= len(str(limit)) and low <= int(text) <= limit):
            raise ModelConfigError("link_value", key)
        return int(text)

    return read


def _one_of(names: Mapping[str, Any]) -> Callable[[str, str], Any]:
    def read(key: str, text: str) -> Any:
        if text not in names:
            raise ModelConfigError("link_value", key)
        return names[text]

    return read


def _name(key: str, text: str) -> str:
    name = unquote(text)
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ModelConfigError("link_value", key)
    return name


def _hub(key: str, text: str) -> str:
    if len(text) > LONGEST_VALUE or HUB_NAME.fullmatch(text) is None:
        raise ModelConfigError("link_value", key)
    return text


def _dtype(key: str, text: str) -> str:
    if len(text) > LONGEST_NAME or not DTYPE_LETTERS.issuperset(text):
        raise ModelConfigError("link_value", key)
    return text


_YES_NO = _one_of({"1": True, "0": False})
_PATTERN_KEYS = {name: key for key, name in PATTERNS.items()}

ENTRIES = (
    Entry("name", "name", _name, lambda value: quote(value, safe=" ").replace(BETWEEN_PAIRS, "%7E")),
    Entry("id", "hf_id", _hub),
    Entry("total", "params_total", _whole(PARAMETER_LIMIT)),
    Entry("active", "params_active", _whole(PARAMETER_LIMIT)),
    Entry("inner", "params_non_embedding", _whole(PARAMETER_LIMIT)),
    Entry("layers", "layers", _whole(COUNT_LIMIT)),
    Entry("hidden", "hidden", _whole(COUNT_LIMIT)),
    Entry("heads", "heads", _whole(COUNT_LIMIT)),
    Entry("kvheads", "kv_heads", _whole(COUNT_LIMIT)),
    Entry("headdim", "head_dim", _whole(COUNT_LIMIT)),
    Entry("ffn", "intermediate", _whole(COUNT_LIMIT)),
    Entry("vocab", "vocab", _whole(COUNT_LIMIT)),
    Entry("tied", "tied_embeddings", _YES_NO, lambda value: str(int(value))),
    Entry("gated", "gated_mlp", _YES_NO, lambda value: str(int(value))),
    Entry("context", "max_context", _whole(COUNT_LIMIT, low=0)),
    Entry("attention", "attention", _one_of({name: name for name in ATTENTIONS})),
    Entry("window", "sliding_window", _whole(COUNT_LIMIT)),
    Entry("pattern", "sliding_pattern", _one_of(PATTERNS), lambda value: _PATTERN_KEYS[value]),
    Entry("latent", "kv_lora_rank", _whole(COUNT_LIMIT)),
    Entry("rope", "qk_rope_head_dim", _whole(COUNT_LIMIT)),
    Entry("experts", "n_experts", _whole(COUNT_LIMIT)),
    Entry("topk", "experts_top_k", _whole(COUNT_LIMIT)),
    Entry("dtype", "native_dtype", _dtype),
)
DEFAULTS = {field.name: field.default for field in fields(LanguageModel) if field.default is not MISSING}


def to_pairs(model: LanguageModel) -> tuple[tuple[str, str], ...]:
    """Key and value of everything that is not at its default, in a fixed order. Source, note and the mark of a test
    model are not carried."""
    return tuple(
        (entry.key, entry.write(value))
        for entry in ENTRIES
        if (value := getattr(model, entry.field)) != DEFAULTS.get(entry.field, MISSING)
    )


def from_pairs(pairs: Mapping[str, str]) -> LanguageModel:
    """The model of these values. Raises ModelConfigError for an unknown or missing key, or values that do not fit."""
    unknown = pairs.keys() - {entry.key for entry in ENTRIES}
    if unknown:
        raise ModelConfigError("link_key", sorted(unknown)[0][:LONGEST_NAME])
    given = {entry.field: entry.read(entry.key, pairs[entry.key]) for entry in ENTRIES if entry.key in pairs}
    absent = [entry.key for entry in ENTRIES if entry.field not in given and entry.field not in DEFAULTS]
    if absent:
        raise ModelConfigError("missing", absent[0])
    model = LanguageModel(**given)
    check(model)
    return model


def to_value(model: LanguageModel) -> str:
    """All of it as one value of a link: `name.My model~layers.32~…`."""
    return BETWEEN_PAIRS.join(f"{key}{BETWEEN_KEY_AND_VALUE}{value}" for key, value in to_pairs(model))


def from_value(text: str) -> LanguageModel:
    """The model of one link value. Raises ModelConfigError."""
    if len(text) > LONGEST_VALUE:
        raise ModelConfigError("link_unreadable")
    pairs: dict[str, str] = {}
    for item in text.split(BETWEEN_PAIRS):
        key, separator, value = item.partition(BETWEEN_KEY_AND_VALUE)
        if not separator or key in pairs:
            raise ModelConfigError("link_unreadable")
        pairs[key] = value
    return from_pairs(pairs)
