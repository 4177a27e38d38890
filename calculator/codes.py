"""What a code of the catalogue may look like: the same rule for what is listed, linked to and asked for."""

import re

MAX_CODE_CHARACTERS = 100
MAX_NAME_CHARACTERS = 120
"""Other names of an item, which may hold spaces, are not longer."""
NONE = "none"
"""The single word that a link's key with many codes has where it has none of them; no item can be called so."""
CODE = re.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*")


def is_code(text: str) -> bool:
    """Whether links and forms can name an item so; vendors write slashes, colons and signs, but no spaces.

    >>> [is_code(text) for text in ("meta-llama/Llama-3.3:free", "two words", "/begins", "")]
    [True, False, False, False]
    """
    fits = len(text) <= MAX_CODE_CHARACTERS and CODE.fullmatch(text) is not None
    return fits and text.casefold() != NONE


def may_be_a_name(text: str) -> bool:
    """Whether a page may be asked for an item by this text: a code, or another name of an item, which may hold spaces.

    >>> may_be_a_name("mistral small 4"), may_be_a_name("two\\nlines"), may_be_a_name("x" * 121)
    (True, False, False)
    """
    return text.isprintable() and 0 < len(text) <= MAX_NAME_CHARACTERS
