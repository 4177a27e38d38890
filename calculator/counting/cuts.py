"""Where a text may be cut so that the parts, counted apart, give exactly the tokens of the whole.

Byte-level tokenizers (cl100k, o200k, tekken) first split a text by a pattern and merge inside each match only. Their
patterns have no look-behind, so the matches of a text that begins at a match are those of the whole. Three places are
always such a beginning, and what ends there matches as it does in the whole:

- before a space that follows a character that is not white space: no alternative takes a space but as its first
  character or among other white space;
- after a line feed, before what is neither white space nor "/": line feeds end every alternative that takes them, save
  that o200k and tekken let "/" follow;
- after a letter or an ASCII digit, before one of the closing marks below: letters and digits never take one in.

SentencePiece models merge over the whole text. A merge gives a piece of the vocabulary, so none ever crosses a place
whose two characters stand side by side in no piece.
"""

import re
from collections.abc import Iterable

SPACE = "▁"
"""How SentencePiece writes a space."""
MARKS = ',.;:!?()[]{}"«»…，。、；：！？（）「」'
OTHER_CUT = re.compile(rf"(?<=\n)(?=[^\s/])|(?<=[0-9]|[^\W\d_])(?=[{re.escape(MARKS)}])")


def _before_space(text: str) -> int:
    """The last place before a space that follows something else than white space; 0 where there is none."""
    at = text.rfind(" ", 1)
    while at > 0 and text[at - 1].isspace():
        at = text.rfind(" ", 1, at)
    return max(at, 0)


def after_word(text: str) -> int:
    """The last safe cut of a byte-level tokenizer's text, 0 where there is none.

    >>> after_word("un deux, trois ")
    14
    >>> after_word("abc")
    0
    """
    at = _before_space(text)
    if at > len(text) // 2:
        return at
    places = (found.start() for found in OTHER_CUT.finditer(text, at) if _is_plain(text[found.start() - 1]))
    return max(places, default=at)


def _is_plain(character: str) -> bool:
    """A line feed, an ASCII digit or a letter: "\\w" of the pattern also holds a few number signs and marks."""
    return character == "\n" or character.isalpha() or character in "0123456789"


def pairs(pieces: Iterable[str]) -> frozenset[str]:
    """The characters that stand side by side in some piece of a vocabulary, two by two.

    >>> sorted(pairs(["▁le", "."]))
    ['le', '▁l']
    """
    return frozenset(piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1))


def between_pieces(text: str, joined: frozenset[str]) -> int:
    """The last place whose two characters no piece joins, 0 where there is none.

    >>> between_pieces("le chat", frozenset({"le", "▁c", "ch", "ha", "at"}))
    2
    """
    written = text.replace(" ", SPACE)
    for at in range(len(written) - 1, 0, -1):
        if written[at - 1 : at + 1] not in joined:
            return at
    return 0
