"""From a submitted form to a count: the text and the files of this request, read once, kept nowhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from calculator.counting.budget import Budget
from calculator.counting.encoders import ENCODERS, Token, encoder
from calculator.counting.isolated import Foreign, count_with
from calculator.counting.limits import (
    COUNT_SECONDS,
    FOREIGN_CHARACTERS,
    REQUEST_DOCUMENTS,
    SEVERAL_TOKENIZERS_BYTES,
    TOKENIZER_BYTES,
)
from calculator.counting.problems import ReadingError
from calculator.counting.readers import Document, Reading, Split, split_text
from calculator.counting.sample import Sample, counted, kept_whole, of_files, split_tokens
from calculator.domain.samples import SampleStatistics, statistics

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile

OWN = "own"
"""The uploaded tokenizer among the others."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a valid form asks for."""

    text: str
    files: "tuple[UploadedFile[Any], ...]"
    split: Split
    column: str
    tokenizers: tuple[str, ...]
    own: "UploadedFile[Any] | None" = None

    @property
    def size_bytes(self) -> int:
        """The text and the files together."""
        return len(self.text.encode()) + sum(file.size or 0 for file in self.files)


@dataclass(frozen=True, slots=True)
class Column:
    """One tokenizer's count. `tokens` are the first ones of the first document, `spans` those of an uploaded one."""

    tokenizer: str
    statistics: SampleStatistics
    vocabulary_count: int
    tokens: tuple[Token, ...] = ()
    spans: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """The sample under each tokenizer. `left_out` are those that were asked for and not used on so large a sample.

    `start` is the beginning of the first document, `own_problem` why an uploaded tokenizer did not count.
    """

    documents_count: int
    characters_count: int
    bytes_count: int
    words_count: int
    blank_count: int
    columns: tuple[Column, ...]
    left_out: tuple[str, ...]
    encodings: dict[str, str]
    start: str
    split: Split
    own_problem: ReadingError | None = None


def _opened(files: "Iterable[UploadedFile[Any]]") -> list[tuple[BinaryIO, str]]:
    """The files from their beginning, by the names that the visitor gave them."""
    found = []
    for file in files:
        file.seek(0)
        found.append((cast(BinaryIO, file.file), file.name or ""))
    return found


def documents_of(asked: Asked, reading: Reading) -> Iterator[Document]:
    """The documents of the pasted text, then those of the files."""
    if asked.text.strip():
        yield from split_text(iter((asked.text,)), asked.split)
    yield from of_files(_opened(asked.files), reading)


def _own_count(asked: Asked, reading: Reading) -> Foreign | None:
    """The same documents under the uploaded tokenizer. Raises ReadingError."""
    if asked.own is None:
        return None
    if (asked.own.size or 0) > TOKENIZER_BYTES:
        raise ReadingError("tokenizer_too_large", limit=TOKENIZER_BYTES)
    whole = kept_whole(documents_of(asked, reading), FOREIGN_CHARACTERS)
    if whole is None:
        raise ReadingError("tokenizer_too_much_text", limit=FOREIGN_CHARACTERS)
    asked.own.seek(0)
    return count_with(asked.own.read(), whole)


def _column(code: str, sample: Sample) -> Column:
    one = sample.encoders[code]
    shown = split_tokens(one, sample.start, sample.start_is_whole)
    return Column(code, statistics(sample.tokens[code]), one.vocabulary_count, tuple(shown))


def count(asked: Asked) -> CountAnswer:
    """Count what was asked. Raises ReadingError where it cannot be read.

    A large sample is counted with the first tokenizer only. A problem of the uploaded tokenizer is an answer too: the
    other columns stand.
    """
    many = asked.size_bytes <= SEVERAL_TOKENIZERS_BYTES
    codes = asked.tokenizers if many else asked.tokenizers[:1]
    # Words, characters and the beginning are counted with the tokens, so one tokenizer counts even if none was asked.
    used = codes or (next(iter(ENCODERS)),)
    encoders = {code: encoder(code) for code in used}
    reading = Reading(asked.split, asked.column, budget=Budget(COUNT_SECONDS))
    sample = counted(documents_of(asked, reading), encoders, REQUEST_DOCUMENTS, reading.budget)
    columns = [_column(code, sample) for code in codes]
    problem = None
    try:
        own = _own_count(asked, reading)
    except ReadingError as error:
        own, problem = None, error
    if own is not None:
        columns.append(Column(OWN, statistics(own.counts), own.vocabulary_count, spans=own.spans))
    if not columns and problem is not None:
        raise problem
    return CountAnswer(
        documents_count=sample.documents_count,
        characters_count=sample.characters_count,
        bytes_count=sample.bytes_count,
        words_count=sample.words_count,
        blank_count=sample.blank_count,
        columns=tuple(columns),
        left_out=asked.tokenizers[len(codes) :],
        encodings=dict(reading.encodings),
        start=sample.start,
        split=asked.split,
        own_problem=problem,
    )
