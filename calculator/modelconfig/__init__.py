"""A visitor's own model: from the config.json that comes with its weights, and as values in a link.

`read` takes a file's text, `to_value` and `from_value` carry the model in a link, `precision_code` says how its weights
are stored. All raise ModelConfigError with a code, never anything else.
"""

from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.links import from_pairs, from_value, to_pairs, to_value
from calculator.modelconfig.quantised import precision_code
from calculator.modelconfig.reading import read
from calculator.modelconfig.strictjson import LIMIT_BYTES

__all__ = [
    "LIMIT_BYTES",
    "ModelConfigError",
    "from_pairs",
    "from_value",
    "precision_code",
    "read",
    "to_pairs",
    "to_value",
]
