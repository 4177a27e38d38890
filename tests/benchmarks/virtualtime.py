"""An event loop whose time jumps to the next timer instead of passing: minutes of schedule in milliseconds, exactly."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class Selector(selectors.DefaultSelector):
    """Never waits: what it was asked to wait is added to the time."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found and timeout:
            self.now_s += timeout
        return found


class Loop(asyncio.SelectorEventLoop):
    """`spend` is work that holds the loop: time passes and nothing else happens."""

    def __init__(self) -> None:
        self.selector = Selector()
        super().__init__(self.selector)

    def time(self) -> float:
        return self.selector.now_s

    def clock(self) -> int:
        """Nanoseconds, as the client's clock gives them."""
        return round(self.selector.now_s * 1e9)

    def spend(self, seconds: float) -> None:
        self.selector.now_s += seconds


def run(act: Callable[[Loop], Coroutine[Any, Any, None]]) -> None:
    """Run `act` on a loop of its own."""
    loop = Loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(act(loop))
