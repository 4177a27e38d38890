"""Sliding windows: how many tokens a layer looks back, and which layers do."""

from collections.abc import Sequence
from typing import Any

from calculator.domain.llm import LOCAL_LAYERS
from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.families import Family, Window
from calculator.modelconfig.fields import Fields

ALL, EVERY_OTHER, FIVE_TO_ONE, THREE_OF_FOUR = LOCAL_LAYERS
LOCAL_TYPES = frozenset({"sliding_attention", "chunked_attention"})
LAYER_TYPES = LOCAL_TYPES | {"full_attention"}
RHYTHMS = {1: "", 2: EVERY_OTHER, 6: FIVE_TO_ONE}
"""Of how many layers the last one sees everything, as a pattern that the cache formula knows."""
NOTHING: tuple[None, str] = (None, "")


def window(fields: Fields, family: Family, layers: int, max_context: int) -> tuple[int | None, str]:
    """Window in tokens and pattern of layers. A window without a known pattern is kept and not applied, which sizes the
    cache too large and never too small; one as long as the context limits nothing."""
    tokens = _tokens(fields, family)
    if tokens is None or (max_context and tokens >= max_context):
        return NOTHING
    pattern = _pattern(fields, family, layers)
    return (tokens, pattern) if pattern is not None else NOTHING


def _tokens(fields: Fields, family: Family) -> int | None:
    if family.window is Window.NONE or (family.window is Window.ASKED and not fields.flag("use_sliding_window")):
        return None
    return fields.whole("attention_chunk_size" if family.window is Window.CHUNKED else "sliding_window")


def _pattern(fields: Fields, family: Family, layers: int) -> str | None:
    """The pattern by name, empty where it is none we know; None where no layer is local."""
    types = fields.listed("layer_types")
    if types is not None:
        return _listed_pattern(types, layers)
    if family.window is Window.ASKED:
        return _above(fields.whole("max_window_layers", layers, low=0), layers)
    return {
        Window.SET: ALL,
        Window.EVERY_OTHER: EVERY_OTHER,
        Window.CHUNKED: THREE_OF_FOUR,
        Window.RHYTHM: RHYTHMS.get(fields.whole("sliding_window_pattern", 1), ""),
    }.get(family.window, "")


def _above(first: int, layers: int) -> str | None:
    """Layers from `first` on have the window."""
    if first >= layers:
        return None
    return ALL if first == 0 else ""


def _listed_pattern(types: Sequence[Any], layers: int) -> str | None:
    if len(types) != layers:
        raise ModelConfigError("layer_types_length", "layer_types", listed=str(len(types)), layers=str(layers))
    unknown = [kind for kind in types if str(kind) not in LAYER_TYPES]
    if unknown:
        raise ModelConfigError("attention_unknown", "layer_types", name=str(unknown[0])[:60])
    local = sum(1 for kind in types if kind in LOCAL_TYPES)
    if not local:
        return None
    return next((name for name, count in LOCAL_LAYERS.items() if count(layers) == local), "")
