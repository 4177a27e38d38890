"""The same two paragraphs in French and in English, written for this product: what a language costs in tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from calculator.counting.encoders import ENCODERS, encoder

FOLDER = Path(__file__).parent / "samples"
LANGUAGES = ("fr", "en")
REFERENCE_SENTENCE = "Le cloud européen, bâti pour la production."
"""The sentence of the published offer: 43 characters, 12 tokens of cl100k."""


@lru_cache(maxsize=1)
def texts() -> Mapping[str, str]:
    """The text of each language, without the line feed at its end."""
    return {code: (FOLDER / f"parallel.{code}.txt").read_text(encoding="utf-8").rstrip("\n") for code in LANGUAGES}


@dataclass(frozen=True, slots=True)
class Compared:
    """The tokens of both texts under one tokenizer, and their words, which are the texts' own."""

    tokenizer: str
    french_tokens: int
    english_tokens: int
    french_words: int
    english_words: int

    @property
    def ratio(self) -> float:
        """French ÷ English tokens for the same content."""
        return self.french_tokens / self.english_tokens


@lru_cache(maxsize=1)
def compared() -> tuple[Compared, ...]:
    """Both texts under every tokenizer, counted once a process."""
    found = texts()
    words = [len(found[language].split()) for language in LANGUAGES]
    return tuple(
        Compared(code, *(encoder(code).count(found[language]) for language in LANGUAGES), *words) for code in ENCODERS
    )
