"""The tokenizers: how each encodes a text, where its text may be cut, and its size. Text of special tokens is text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock
from typing import Protocol

import sentencepiece
import tiktoken

from calculator.counting import vocabularies
from calculator.counting.cuts import SPACE, after_word, between_pieces, pairs
from calculator.counting.vocabularies import Ranks, Source

# The patterns of tiktoken's own list of encodings; a test compares them.
CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + CONTRACTION + "|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + CONTRACTION + "|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class UncountableError(ValueError):
    """A text that a tokenizer cannot encode, or that can be cut nowhere over a length too long to hold."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its number and the bytes it stands for (not always whole characters)."""

    id: int
    raw: bytes


class Encoder(Protocol):
    """What the counter asks of a tokenizer. `continued` = the text follows another part of the same document."""

    @property
    def mergeable_count(self) -> int: ...

    @property
    def vocabulary_count(self) -> int: ...

    def load(self) -> None: ...

    def ids(self, text: str, *, continued: bool = False) -> list[int]: ...

    def count(self, text: str, *, continued: bool = False) -> int: ...

    def tokens(self, text: str) -> list[Token]: ...

    def cut(self, text: str) -> int: ...


@dataclass(frozen=True)
class ByteLevel:
    """cl100k, o200k, tekken: a pattern, then merges by rank inside each match.

    `vocabulary_count` counts special tokens and the unused numbers before them; where they come first, the ranks begin
    at `first_id`.
    """

    read: Callable[[], Ranks]
    vocabulary_count: int
    first_id: int = 0

    @cached_property
    def encoding(self) -> tiktoken.Encoding:
        """tiktoken's encoder with these ranks and no special token at all."""
        ranks = self.read()
        return tiktoken.Encoding(name="ranks", pat_str=ranks.pattern, mergeable_ranks=ranks.by_bytes, special_tokens={})

    @property
    def mergeable_count(self) -> int:
        """The tokens that text can become."""
        return self.encoding.n_vocab

    def load(self) -> None:
        """Read the ranks now."""
        _ = self.encoding

    def ids(self, text: str, *, continued: bool = False) -> list[int]:
        """Token numbers. A part of a text is encoded as a text of its own: nothing looks back."""
        found = self._ranks_of(text)
        return [number + self.first_id for number in found] if self.first_id else found

    def count(self, text: str, *, continued: bool = False) -> int:
        """How many tokens; see `ids`."""
        return len(self._ranks_of(text))

    def tokens(self, text: str) -> list[Token]:
        """The tokens with their bytes."""
        single = self.encoding.decode_single_token_bytes
        return [Token(number + self.first_id, single(number)) for number in self._ranks_of(text)]

    def _ranks_of(self, text: str) -> list[int]:
        try:
            return self.encoding.encode_ordinary(text)
        except BaseException as error:
            # The compiled part panics with a class of its own, which is no Exception, where its pattern gives up.
            if type(error).__name__ != "PanicException":
                raise
            raise UncountableError("a run that the tokenizer's pattern cannot match") from None

    def cut(self, text: str) -> int:
        """The last place where the pattern begins a new match."""
        return after_word(text)


@dataclass(frozen=True)
class SentencePiece:
    """Mistral v1 and v3: merges over the whole text, a space before its first word.

    A part that continues a text must not get that space. It is encoded behind a line feed, which no piece of the
    vocabulary holds and which is therefore a token of its own; the space before it and itself are dropped.
    """

    source: Source
    SENTINEL = "\n"
    SENTINEL_TOKENS = 2

    @cached_property
    def model(self) -> sentencepiece.SentencePieceProcessor:
        """The loaded model."""
        return sentencepiece.SentencePieceProcessor(model_proto=self.source.content())

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """Every piece that stands for text: no control token, no single byte."""
        model, numbers = self.model, range(self.model.get_piece_size())
        own = (i for i in numbers if not (model.is_control(i) or model.is_byte(i) or model.is_unknown(i)))
        return tuple(model.id_to_piece(number) for number in own)

    @cached_property
    def joined(self) -> frozenset[str]:
        """The pairs of characters that a merge may cross."""
        return pairs(self.pieces)

    @property
    def mergeable_count(self) -> int:
        """The tokens that text can become, single bytes included."""
        return sum(not self.model.is_control(i) and not self.model.is_unknown(i) for i in range(self.vocabulary_count))

    @property
    def vocabulary_count(self) -> int:
        """All tokens, control tokens included."""
        return int(self.model.get_piece_size())

    def load(self) -> None:
        """Read the model and the pairs of its pieces now."""
        _ = self.joined

    def ids(self, text: str, *, continued: bool = False) -> list[int]:
        """Token numbers, without the mark of a text's beginning."""
        if not continued:
            return list(self.model.encode(text))
        return list(self.model.encode(self.SENTINEL + text)[self.SENTINEL_TOKENS :])

    def count(self, text: str, *, continued: bool = False) -> int:
        """How many tokens; see `ids`."""
        return len(self.ids(text, continued=continued))

    def tokens(self, text: str) -> list[Token]:
        """The tokens with their bytes; the space before the first word, which the text does not hold, is dropped."""
        numbers = list(self.model.encode(text))
        raws = [self._raw(number) for number in numbers]
        if raws:
            raws[0] = raws[0].removeprefix(b" ")
        return [Token(number, raw) for number, raw in zip(numbers, raws, strict=True)]

    def _raw(self, number: int) -> bytes:
        piece: str = self.model.id_to_piece(number)
        return bytes([int(piece[3:5], 16)]) if self.model.is_byte(number) else piece.replace(SPACE, " ").encode()

    def cut(self, text: str) -> int:
        """The last place that no piece of the vocabulary spans."""
        return between_pieces(text, self.joined)


ENCODERS: Mapping[str, Encoder] = {
    "cl100k_base": ByteLevel(partial(vocabularies.tiktoken_ranks, vocabularies.CL100K, CL100K_PATTERN), 100_277),
    "o200k_base": ByteLevel(partial(vocabularies.tiktoken_ranks, vocabularies.O200K, O200K_PATTERN), 200_019),
    "mistral-v1": SentencePiece(vocabularies.MISTRAL_V1),
    "mistral-v3": SentencePiece(vocabularies.MISTRAL_V3),
    "tekken": ByteLevel(partial(vocabularies.tekken_ranks, vocabularies.TEKKEN), 131_072, first_id=1_000),
}
"""Every tokenizer we ship, by code."""
_loading = Lock()


def encoder(code: str) -> Encoder:
    """The tokenizer of a code, its data read once a process (0.2 to 1 s). KeyError for an unknown code."""
    found = ENCODERS[code]
    with _loading:
        found.load()
    return found
