"""The budget that a visitor left to count a text: its link, read and written anew, so that counting keeps it."""

from urllib.parse import parse_qsl

from django.http import QueryDict

from calculator import permalinks
from calculator.tools import tokens

MOST_CHARACTERS = 2_000
SAMPLED = frozenset({"mean", "tokenizer", "n", "sd", "p50", "p95"})
"""What counting says anew."""


def kept(text: str) -> tuple[tuple[str, str], ...]:
    """The keys and texts of a budget's link that do not come from a sample; empty for what is no such link."""
    if not text or len(text) > MOST_CHARACTERS:
        return ()
    read = permalinks.read(QueryDict(text), tokens.default_scenario())
    if read.problems:
        return ()
    pairs = parse_qsl(permalinks.write(read.scenario), keep_blank_values=True)
    return tuple((name, value) for name, value in pairs if name not in SAMPLED)
