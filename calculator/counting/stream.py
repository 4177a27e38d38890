"""Counting a text of any size in bounded memory: the same number as the whole text would give, exactly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from calculator.counting.encoders import Encoder, UncountableError

CHUNK_CHARACTERS = 65_536
"""How much text is encoded at once: large enough that the calls cost nothing, small enough to hold."""
RUN_CHARACTERS = 200_000
"""How long a text may go on without a safe cut. 300 000 spaces still encode, a million make a pattern fail."""

IN_WORD = bytes(not chr(byte).isspace() if byte < 128 else 1 for byte in range(256))
"""Of each byte of UTF-8, whether it is part of a word; white space beyond ASCII is replaced first."""
WIDE_SPACES = tuple((sign, sign.encode()) for sign in map(chr, range(128, 0x3001)) if sign.isspace())


@dataclass(slots=True)
class Stream:
    """The tokens of one document under one tokenizer, fed piece by piece."""

    encoder: Encoder
    tokens_count: int = 0
    waiting: list[str] = field(default_factory=list)
    waiting_characters: int = 0
    continued: bool = False
    chunk_characters: int = CHUNK_CHARACTERS
    run_characters: int = RUN_CHARACTERS
    try_at_characters: int = 0

    def __post_init__(self) -> None:
        self.try_at_characters = self.chunk_characters

    @property
    def pending(self) -> str:
        """What is not encoded yet."""
        return "".join(self.waiting)

    def feed(self, text: str) -> None:
        """Take the next part of the text. Raises UncountableError over a run too long without a safe cut."""
        for start in range(0, len(text), self.chunk_characters):
            part = text[start : start + self.chunk_characters]
            self.waiting.append(part)
            self.waiting_characters += len(part)
            if self.waiting_characters >= self.try_at_characters:
                self._encode_most()

    def _encode_most(self) -> None:
        """Encode up to the last cut. What is left holds none: looked at again only when a chunk has come to it."""
        text = self.pending
        cut = self.encoder.cut(text)
        if cut:
            self._count(text[:cut])
        elif len(text) >= self.run_characters:
            raise UncountableError(f"{len(text)} characters without a place to cut")
        self.waiting, self.waiting_characters = [text[cut:]], len(text) - cut
        self.try_at_characters = self.waiting_characters + self.chunk_characters

    def _count(self, part: str) -> None:
        self.tokens_count += self.encoder.count(part, continued=self.continued)
        self.continued = True

    def close(self) -> int:
        """Count what is left and give the total."""
        if self.waiting_characters:
            self._count(self.pending)
            self.waiting, self.waiting_characters = [], 0
        return self.tokens_count


@dataclass(slots=True)
class Measure:
    """Characters (code points), bytes in UTF-8 and words (runs without white space) of a text fed piece by piece."""

    characters_count: int = 0
    bytes_count: int = 0
    words_count: int = 0
    in_word: bool = False

    def feed(self, text: str) -> None:
        """Take the next part; a word cut between two parts counts once."""
        if not text:
            return
        raw = text.encode()
        self.characters_count += len(text)
        self.bytes_count += len(raw)
        self.words_count += words_of(text, raw) - (self.in_word and not text[0].isspace())
        self.in_word = not text[-1].isspace()


def words_of(text: str, raw: bytes) -> int:
    """len(text.split()), without making the words: `raw` is the text in UTF-8, and a word begins where white space
    ends.

    >>> words_of("un  deux", b"un  deux")
    2
    """
    if len(raw) != len(text):
        for sign, written in WIDE_SPACES:
            if sign in text:
                raw = raw.replace(written, b" ")
    marks = raw.translate(IN_WORD)
    return marks.count(b"\0\1") + marks.startswith(b"\1")


@dataclass(frozen=True, slots=True)
class Counted:
    """One document: its measures and its tokens by tokenizer."""

    characters_count: int
    bytes_count: int
    words_count: int
    tokens: Mapping[str, int] = field(default_factory=dict)


def count(parts: Iterable[str], encoders: Mapping[str, Encoder]) -> Counted:
    """Count one document given in parts, under several tokenizers at once."""
    measure, streams = Measure(), {code: Stream(one) for code, one in encoders.items()}
    for part in parts:
        measure.feed(part)
        for stream in streams.values():
            stream.feed(part)
    tokens = {code: stream.close() for code, stream in streams.items()}
    return Counted(measure.characters_count, measure.bytes_count, measure.words_count, tokens)
