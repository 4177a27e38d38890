"""From bytes to text, never by guessing: UTF-8, or UTF-16 and UTF-32 that say so by their mark; all else is refused."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from calculator.counting.limits import LINE_CHARACTERS
from calculator.counting.problems import ReadingError

BLOCK_BYTES = 65_536
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UTF8 = "utf-8"
BINARY_RATIO = 0.05
"""Control characters above this share are not text."""
TEXT_CONTROLS = b"\t\n\r\f\x0b\x1b"
ZEROS_OF_UTF16_RATIO = 0.3
FRENCH_IN_WINDOWS_1252 = "àâäçéèêëîïôöùûüÿœæÀÂÄÇÉÈÊËÎÏÔÖÙÛÜŸŒÆ«»’‘“”–—…€°·\u00a0"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text given in parts, and the encoding that its bytes were in."""

    encoding: str
    parts: Iterator[str]


def encoding_of(start: bytes) -> str:
    """The encoding that a mark at the beginning names, else UTF-8."""
    return next((name for mark, name in MARKS if start.startswith(mark)), UTF8)


def decode(file: BinaryIO) -> Decoded:
    """The text of a file, read block by block. Raises ReadingError, at once or while the parts are read."""
    start = file.read(BLOCK_BYTES)
    if not start:
        raise ReadingError("empty")
    encoding = encoding_of(start)
    if encoding == UTF8 and b"\0" in start:
        raise ReadingError(_code_with_zeros(start))
    return Decoded(encoding, _parts(file, start, encoding))


def _code_with_zeros(start: bytes) -> str:
    half = len(start) // 2
    zeros = max(start[0::2].count(0), start[1::2].count(0))
    return "utf16_without_mark" if half and zeros > half * ZEROS_OF_UTF16_RATIO and _is_paired(start) else "binary"


def _is_paired(start: bytes) -> bool:
    """Whether the zeros stand on one side of each pair of bytes only, as in UTF-16 text of a European language."""
    return not (start[0::2].count(0) and start[1::2].count(0))


def _parts(file: BinaryIO, block: bytes, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    offset = 0
    while block:
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block)
        except UnicodeDecodeError as error:
            raise _undecodable(encoding, error, offset - waiting) from None
        if encoding == UTF8 and "\0" in text:
            raise ReadingError("binary")
        offset += len(block)
        block = file.read(BLOCK_BYTES)
        yield text
    waiting = len(decoder.getstate()[0])
    try:
        rest = decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _undecodable(encoding, error, offset - waiting) from None
    if rest:
        yield rest


def _undecodable(encoding: str, error: UnicodeDecodeError, before: int) -> ReadingError:
    content = bytes(error.object)
    if encoding != UTF8:
        return ReadingError("broken_utf16", encoding=encoding.upper(), position=before + error.start)
    if is_binary(content):
        return ReadingError("binary")
    code = "windows_1252" if is_windows_1252(content) else "not_utf8"
    return ReadingError(code, position=before + error.start, byte=f"0x{content[error.start]:02X}")


def is_binary(content: bytes) -> bool:
    """Whether control characters are too many for a text."""
    controls = sum(byte < 0x20 and byte not in TEXT_CONTROLS for byte in content)
    return controls > len(content) * BINARY_RATIO


def is_windows_1252(content: bytes) -> bool:
    """Whether most bytes above ASCII would be French letters and signs in Windows-1252: likely, never certain."""
    high = bytes(byte for byte in content if byte >= 0x80)
    shown = high.decode("cp1252", errors="replace")
    return bool(high) and sum(sign in FRENCH_IN_WINDOWS_1252 for sign in shown) * 2 > len(high)


def lines(parts: Iterator[str]) -> Iterator[str]:
    """Lines with their line feed. Raises ReadingError for one that is too long to hold."""
    waiting: list[str] = []
    length = 0
    for part in parts:
        *whole, rest = part.split("\n")
        for line in whole:
            yield "".join((*waiting, line, "\n"))
            waiting, length = [], 0
        if rest:
            waiting.append(rest)
            length += len(rest)
        if length > LINE_CHARACTERS:
            raise ReadingError("line_too_long", limit=LINE_CHARACTERS)
    if waiting:
        yield "".join(waiting)
