"""A visitor's own model, from the config.json that comes with its weights.

`read` takes the file's text, `typed` gives the same as the inputs of a scenario, so that the link carries it, and
`precision_code` says how the weights are stored. What is wrong raises ModelConfigError with a code, and nothing else.
"""

from calculator.modelconfig.errors import ModelConfigError
from calculator.modelconfig.quantised import precision_code
from calculator.modelconfig.reading import read
from calculator.modelconfig.strictjson import LIMIT_BYTES
from calculator.modelconfig.typed import typed

__all__ = ["LIMIT_BYTES", "ModelConfigError", "precision_code", "read", "typed"]
