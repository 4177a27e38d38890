"""The processor time that reading and counting may take: asked between parts of a text, none of which takes long."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from calculator.counting.problems import ReadingError


@dataclass(slots=True)
class Budget:
    """Seconds of this thread's processor time from now on; `clock` gives what was used."""

    seconds: float
    clock: Callable[[], float] = time.thread_time
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def check(self) -> None:
        """Raises ReadingError "too_slow" when it is used up."""
        if self.clock() - self.began > self.seconds:
            raise ReadingError("too_slow", seconds=int(self.seconds))

    def checked[T](self, parts: Iterable[T]) -> Iterator[T]:
        """The same parts, the budget asked before each."""
        for part in parts:
            self.check()
            yield part


def unlimited() -> Budget:
    """For the command, whose user may interrupt it."""
    return Budget(math.inf)
