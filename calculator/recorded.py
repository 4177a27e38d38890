"""What the last accuracy check found, read once a process: the check itself takes seconds, a page may not."""

from functools import lru_cache

from django.conf import settings

from calculator.accuracy.record import FILE, Record, read


@lru_cache(maxsize=1)
def accuracy() -> Record | None:
    """The record of fixtures/accuracy.json; None when there is none that can be read."""
    try:
        return read(settings.BASE_DIR / "fixtures" / FILE)
    except (OSError, KeyError, TypeError, ValueError):
        return None
