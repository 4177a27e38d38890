"""A sample of documents counted under several tokenizers: totals, tokens of each document, and the visual split."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from calculator.counting.budget import Budget, unlimited
from calculator.counting.encoders import Encoder, Token, UncountableError
from calculator.counting.limits import DOCUMENTS, SPLIT_CHARACTERS, SPLIT_TOKENS
from calculator.counting.problems import ReadingError
from calculator.counting.readers import Document, Reading, documents
from calculator.counting.stream import CHUNK_CHARACTERS, RUN_CHARACTERS, Measure, Stream


@dataclass(slots=True)
class Sample:
    """Documents counted so far. `tokens` holds one number a document; `start` is the first document's beginning."""

    encoders: Mapping[str, Encoder]
    limit_documents: int = DOCUMENTS
    budget: Budget = field(default_factory=unlimited)
    characters_count: int = 0
    bytes_count: int = 0
    words_count: int = 0
    blank_count: int = 0
    tokens: dict[str, "array[int]"] = field(default_factory=dict)
    start: str = ""
    start_is_whole: bool = False

    def __post_init__(self) -> None:
        self.tokens = {code: array("Q") for code in self.encoders}

    @property
    def documents_count(self) -> int:
        """Documents that were not blank."""
        return len(next(iter(self.tokens.values()), ()))

    def add(self, document: Document) -> None:
        """Count one document. Raises ReadingError; blank documents are only counted as such."""
        if self.documents_count + self.blank_count >= self.limit_documents:
            raise ReadingError("too_many_documents", limit=self.limit_documents)
        measure, streams = Measure(), {code: Stream(one) for code, one in self.encoders.items()}
        first: list[str] | None = None if self.documents_count else []
        try:
            for part in self.budget.checked(blocks(document)):
                measure.feed(part)
                if first is not None and measure.characters_count - len(part) < SPLIT_CHARACTERS:
                    first.append(part)
                for stream in streams.values():
                    stream.feed(part)
            counts = {code: stream.close() for code, stream in streams.items()}
        except UncountableError:
            raise ReadingError("nowhere_to_cut", limit=RUN_CHARACTERS) from None
        if not measure.words_count:
            self.blank_count += 1
            return
        if first is not None:
            self._keep_start("".join(first), measure.characters_count)
        self._keep(measure, counts)

    def _keep(self, measure: Measure, counts: Mapping[str, int]) -> None:
        self.characters_count += measure.characters_count
        self.bytes_count += measure.bytes_count
        self.words_count += measure.words_count
        for code, tokens_count in counts.items():
            self.tokens[code].append(tokens_count)

    def _keep_start(self, text: str, whole_count: int) -> None:
        self.start = text[:SPLIT_CHARACTERS]
        self.start_is_whole = len(self.start) == whole_count


def split_tokens(encoder: Encoder, start: str, start_is_whole: bool) -> list[Token]:
    """The first tokens of a text whose beginning is given: only as far as more text could not change them."""
    sure = start if start_is_whole else start[: encoder.cut(start)]
    return encoder.tokens(sure)[:SPLIT_TOKENS]


def blocks(document: Document) -> Iterator[str]:
    """The same text in parts that take a bounded time to count."""
    for part in document:
        if len(part) <= CHUNK_CHARACTERS:
            yield part
            continue
        for start in range(0, len(part), CHUNK_CHARACTERS):
            yield part[start : start + CHUNK_CHARACTERS]


def counted(
    found: Iterable[Document],
    encoders: Mapping[str, Encoder],
    limit_documents: int = DOCUMENTS,
    budget: Budget | None = None,
) -> Sample:
    """Count documents. Raises ReadingError: "empty" where none holds a word, over the limit, over the budget."""
    sample = Sample(encoders, limit_documents, budget or unlimited())
    for document in found:
        sample.add(document)
    if not sample.documents_count:
        raise ReadingError("empty")
    return sample


def of_files(files: Iterable[tuple[BinaryIO, str]], reading: Reading) -> Iterator[Document]:
    """The documents of several files. A problem of one is raised with its name."""
    for file, name in files:
        for document in _named(_started(file, name, reading), name):
            yield _named(document, name)


def _started(file: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    """The same documents, the check of the name's ending being part of what is read."""
    yield from documents(file, name, reading)


def _named[T](items: Iterable[T], name: str) -> Iterator[T]:
    try:
        yield from items
    except ReadingError as error:
        raise ReadingError(error.code, **{**error.values, "file": name}) from None


def kept_whole(found: Iterable[Document], limit_characters: int) -> tuple[str, ...] | None:
    """The documents as strings, for a tokenizer that takes them whole; None when they are over the limit."""
    kept: list[str] = []
    length = 0
    for document in found:
        text = "".join(document)
        length += len(text)
        if length > limit_characters:
            return None
        if text.strip():
            kept.append(text)
    return tuple(kept)
