"""What is typed into a form as a file of one line."""

import json
from collections.abc import Mapping

from calculator.pricelist.contract import FileKind

AMOUNT_COLUMN = "amount"
"""A file of prices has this column even where the only price in it is withdrawn."""


def file_of(kind: FileKind, row: Mapping[str, str]) -> bytes:
    """A file of one line; what was left empty is not said."""
    said = {name: value for name, value in row.items() if value != "" or name == AMOUNT_COLUMN}
    return json.dumps({"kind": kind, "rows": [said]}, ensure_ascii=False, indent=1).encode()
