"""Work that makes a million objects and no cycles: the collector of cycles would walk all of them again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_later() -> Iterator[None]:
    """Pause the collector of cycles within, where it was on. A quarter of the time of reading a large file was its."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
