"""Classes of API models, by the name that they are sold under: answers of two classes are not the same good."""

import enum
import re


class Range(enum.StrEnum):
    """SMALL: what a vendor calls mini, small, haiku, flash, nano or lite. LARGE: the rest of his range."""

    SMALL = "small"
    LARGE = "large"


SMALL_NAMES = frozenset({"mini", "small", "haiku", "flash", "nano", "lite", "micro"})
WORD = re.compile(r"[A-Za-z]+")


def range_of(label: str) -> Range:
    """The class of an API model, from its name alone; no quality is measured here, and pages say so.

    >>> [range_of(name).value for name in ("gpt-5.4-mini", "Claude Haiku 4.5", "gpt-5.4", "Claude Sonnet 4.6")]
    ['small', 'small', 'large', 'large']
    """
    return Range.SMALL if SMALL_NAMES & {word.lower() for word in WORD.findall(label)} else Range.LARGE
