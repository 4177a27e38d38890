"""How far long work on a file is: told by whoever does it, for the page that waits."""

import enum
from collections.abc import Callable, Iterable, Iterator


class Stage(enum.StrEnum):
    """What is being done. A workbook is opened by its bytes; the rest counts lines; writing has no parts."""

    OPENING = "opening"
    READING = "reading"
    COMPARING = "comparing"
    GUARDING = "guarding"
    WRITING = "writing"


Tell = Callable[[Stage, int, int], None]
"""Takes the stage, what is done and what there is in all; 0 in all where that is not known."""
TOLD_EVERY = 500


def nobody(_stage: Stage, _done: int, _in_all: int) -> None:
    """Nobody waits."""


def told[One](found: Iterable[One], tell: Tell, stage: Stage, in_all: int) -> Iterator[One]:
    """`found` as it is, and every few hundred of it a word of how far it is."""
    for count, one in enumerate(found):
        if count % TOLD_EVERY == 0:
            tell(stage, min(count, in_all) if in_all else count, in_all)
        yield one
