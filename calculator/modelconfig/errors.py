"""Why a model's configuration gives no model."""

from collections.abc import Mapping


class ModelConfigError(ValueError):
    """`code` names the reason for a presenter, `field` the key that it is about, `values` what it speaks of."""

    def __init__(self, code: str, field: str = "", **values: str) -> None:
        super().__init__(f"{code}: {field} {values}".strip())
        self.code = code
        self.field = field
        self.values: Mapping[str, str] = values
