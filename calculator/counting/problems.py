"""Why a file or a text is not counted, as a code and values; the presenters write the sentence."""

from collections.abc import Mapping

Value = str | int | tuple[str, ...]


class ReadingError(ValueError):
    """Something the visitor gave cannot be counted. `code` names a sentence, `values` what it says."""

    def __init__(self, code: str, **values: Value) -> None:
        # Not the values: they hold what the visitor wrote, and what an exception says may end up in a log.
        super().__init__(code)
        self.code = code
        self.values: Mapping[str, Value] = values
