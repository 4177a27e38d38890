"""Why a step with a quote was refused: a code with values; `words` has the sentences."""


class Refused(Exception):  # noqa: N818  (it is an answer, not a fault)
    """The step was not taken and nothing was written."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(f"{code} {values}" if values else code)
        self.code, self.values = code, values
