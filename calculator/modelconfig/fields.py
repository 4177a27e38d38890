"""Typed, bounded reads of a parsed configuration: a wrong value is an error that names its key, never a default."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from calculator.modelconfig.errors import ModelConfigError

CEILINGS = {
    "num_hidden_layers": 1_000,
    "num_attention_heads": 4_096,
    "num_key_value_heads": 4_096,
    "num_kv_heads": 4_096,
    "head_dim": 16_384,
    "hidden_size": 1_000_000,
    "vocab_size": 10_000_000,
    "max_position_embeddings": 1_000_000_000,
    "sliding_window": 1_000_000_000,
    "attention_chunk_size": 1_000_000_000,
}
"""Far above any model known: what lies beyond is a slip or mischief."""
CEILING = 10_000_000


@dataclass(frozen=True, slots=True)
class Fields:
    """A configuration, with the values that its family takes for absent keys."""

    values: Mapping[str, Any]
    defaults: Mapping[str, Any]

    def given(self, key: str) -> Any:
        """The raw value, the family's default, or None; an explicit null counts as absent."""
        value = self.values.get(key)
        return self.defaults.get(key) if value is None else value

    @overload
    def whole(self, key: str, default: int, low: int = 1) -> int: ...

    @overload
    def whole(self, key: str, default: None = None, low: int = 1) -> int | None: ...

    def whole(self, key: str, default: int | None = None, low: int = 1) -> int | None:
        """A whole number from `low` to the key's ceiling, or the default where it is absent."""
        value = self.given(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            raise ModelConfigError("not_whole", key)
        high = CEILINGS.get(key, CEILING)
        if not low <= value <= high:
            raise ModelConfigError("out_of_range", key, low=str(low), high=str(high))
        return value

    def required(self, key: str) -> int:
        """A whole number that must be there."""
        value = self.whole(key)
        if value is None:
            raise ModelConfigError("missing", key)
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """true or false."""
        value = self.given(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ModelConfigError("not_true_or_false", key)
        return value

    def text(self, key: str) -> str:
        """A text, empty where it is absent."""
        value = self.given(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise ModelConfigError("not_text", key)
        return value

    def listed(self, key: str) -> Sequence[Any] | None:
        """A list, or None where it is absent."""
        value = self.given(key)
        if value is None or isinstance(value, list):
            return value
        raise ModelConfigError("not_list", key)

    def nested(self, key: str) -> Mapping[str, Any] | None:
        """An object, or None where it is absent."""
        value = self.given(key)
        if value is None or isinstance(value, dict):
            return value
        raise ModelConfigError("not_object_at", key)
