"""The active language, asked once for a page: Django looks it up anew for each text, and a page prints hundreds.

Presenters take their `_` from here, so that each text is looked up once a process while a page is put into words.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from django.utils import translation

TEXTS_KEPT = 4096

_code: ContextVar[str | None] = ContextVar("code", default=None)
_french: ContextVar[bool | None] = ContextVar("french", default=None)


def active() -> str:
    """The code of the active language; French where translations are off."""
    return _code.get() or translation.get_language() or "fr"


def is_french() -> bool:
    """Whether texts and numbers are written for French readers."""
    known = _french.get()
    return active().startswith("fr") if known is None else known


@contextmanager
def one_language() -> Iterator[None]:
    """Within it the active language does not change: nothing inside may activate another."""
    code, french = _code.set(active()), _french.set(is_french())
    try:
        yield
    finally:
        _code.reset(code)
        _french.reset(french)


def gettext(message: str) -> str:
    """Django's gettext; within `one_language` what it said before."""
    known = _code.get()
    return translation.gettext(message) if known is None else _translated(message, known)


def ngettext(singular: str, plural: str, count: int) -> str:
    """The same for a text that depends on a count."""
    known = _code.get()
    if known is None:
        return translation.ngettext(singular, plural, count)
    return _counted(singular, plural, count, known)


@lru_cache(maxsize=TEXTS_KEPT)
def _translated(message: str, code: str) -> str:
    """`code` is the active language's and only part of the key."""
    del code
    return translation.gettext(message)


@lru_cache(maxsize=TEXTS_KEPT)
def _counted(singular: str, plural: str, count: int, code: str) -> str:
    del code
    return translation.ngettext(singular, plural, count)
