"""Why a model's configuration gives no model."""

from collections.abc import Mapping


class ModelConfigError(ValueError):
    """`code` names the reason for a presenter, `field` the key that it is about, `values` what it speaks of."""

    def __init__(self, code: str, field: str = "", **values: str) -> None:
        # Not the values: they hold what the visitor wrote, and what an exception says may end up in a log.
        super().__init__(code)
        self.code = code
        self.field = field
        self.values: Mapping[str, str] = values
