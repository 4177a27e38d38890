"""The documents of a file: text, Markdown, CSV, JSONL, DOCX and PDF, each document given in parts.

A CSV or JSONL file holds a document in each row, a text may hold one in each line or paragraph; anything else is one
document. Blank documents are left out. Only the text a reader would copy is read: no headers of a DOCX, no images.
"""

import csv
import enum
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, BinaryIO

from calculator.counting.budget import Budget, unlimited
from calculator.counting.decoding import Decoded, decode, lines
from calculator.counting.isolated import text_of_docx, text_of_pdf
from calculator.counting.limits import LINE_CHARACTERS
from calculator.counting.problems import ReadingError

Document = Iterable[str]
DELIMITERS = ",;\t|"
NAMES_SHOWN = 12
ESCAPED_SURROGATE = "\\ud"
csv.field_size_limit(LINE_CHARACTERS)


class Split(enum.StrEnum):
    """What one document is, in a pasted text or a text file."""

    WHOLE = "whole"
    PARAGRAPHS = "paragraphs"
    LINES = "lines"


@dataclass(slots=True)
class Reading:
    """How files are read, and what was found while reading: the encodings that were not UTF-8, by file."""

    split: Split = Split.WHOLE
    column: str = ""
    encodings: dict[str, str] = field(default_factory=dict)
    budget: Budget = field(default_factory=unlimited)

    def decoded(self, file: BinaryIO, name: str) -> Iterator[str]:
        """The text of a file; its encoding is kept where it is worth saying."""
        found: Decoded = decode(file)
        if found.encoding not in ("utf-8", "utf-8-sig"):
            self.encodings[name] = found.encoding.upper()
        return self.budget.checked(found.parts)


def split_text(parts: Iterator[str], split: Split) -> Iterator[Document]:
    """The documents of a text. Paragraphs are separated by blank lines."""
    if split is Split.WHOLE:
        yield parts
        return
    waiting: list[str] = []
    for line in lines(parts):
        if split is Split.LINES:
            yield (line.rstrip("\r\n"),)
        elif line.strip():
            waiting.append(line)
        elif waiting:
            yield ("".join(waiting).rstrip("\r\n"),)
            waiting = []
    if waiting:
        yield ("".join(waiting).rstrip("\r\n"),)


def _of_text(file: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    return split_text(reading.decoded(file, name), reading.split)


def _delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)


def _column(names: list[str], asked: str) -> int:
    """The place of a column by its name in any case, else by its number from 1."""
    folded = [name.strip().casefold() for name in names]
    wanted = asked.strip().casefold()
    shown = tuple(name.strip() for name in names[:NAMES_SHOWN])
    if not wanted:
        if len(names) == 1:
            return 0
        raise ReadingError("csv_which_column", columns=shown)
    if wanted in folded:
        return folded.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise ReadingError("csv_no_column", column=asked.strip(), columns=shown)


def _of_csv(file: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    source = lines(reading.decoded(file, name))
    header = next(source, "")
    rows = csv.reader(source, delimiter=_delimiter(header), strict=True)
    try:
        names = next(csv.reader([header], delimiter=_delimiter(header), strict=True), [])
        at = _column(names, reading.column)
        for row in rows:
            if not row:
                continue
            if len(row) <= at:
                raise ReadingError("csv_short_row", line=rows.line_num + 1, column=names[at])
            yield (row[at],)
    except csv.Error as error:
        raise ReadingError("csv_broken", line=rows.line_num + 1, reason=str(error)) from None


def _value(found: Any, path: str, line: int) -> Any:
    for key in path.split("."):
        if not isinstance(found, dict) or key not in found:
            known = tuple(str(name) for name in found)[:NAMES_SHOWN] if isinstance(found, dict) else ()
            raise ReadingError("jsonl_no_key", line=line, column=path, columns=known)
        found = found[key]
    return found


def _said(value: Any, path: str, line: int) -> str:
    """A string, or the messages of a conversation one under the other."""
    messages = value if isinstance(value, list) else [value]
    found = [message.get("content") if isinstance(message, dict) else message for message in messages]
    texts = [text for text in found if isinstance(text, str)]
    if len(texts) < len(found):
        raise ReadingError("jsonl_not_text", line=line, column=path)
    return "\n".join(texts)


def is_text(row: Any) -> bool:
    """Whether every string of a JSON value is text: an escape may name half of a character, which no encoding has."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_jsonl(file: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    path = reading.column.strip()
    for number, line in enumerate(lines(reading.decoded(file, name)), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            whole = ESCAPED_SURROGATE not in line.lower() or is_text(row)
        except (ValueError, RecursionError):
            raise ReadingError("jsonl_broken", line=number) from None
        if not whole:
            raise ReadingError("jsonl_half_character", line=number)
        if not path:
            raise ReadingError("jsonl_which_key", columns=tuple(row)[:NAMES_SHOWN] if isinstance(row, dict) else ())
        yield (_said(_value(row, path, number), path, number),)


def _of_docx(file: BinaryIO, _name: str, _reading: Reading) -> Iterator[Document]:
    yield (text_of_docx(file),)


def _of_pdf(file: BinaryIO, _name: str, _reading: Reading) -> Iterator[Document]:
    yield (text_of_pdf(file),)


Reader = Callable[[BinaryIO, str, Reading], Iterator[Document]]
READERS: dict[str, Reader] = {
    ".txt": _of_text,
    ".text": _of_text,
    ".log": _of_text,
    ".md": _of_text,
    ".markdown": _of_text,
    ".csv": _of_csv,
    ".tsv": _of_csv,
    ".jsonl": _of_jsonl,
    ".ndjson": _of_jsonl,
    ".docx": _of_docx,
    ".pdf": _of_pdf,
}
SUFFIXES = tuple(READERS)


def documents(file: BinaryIO, name: str, reading: Reading) -> Iterator[Document]:
    """The documents of one file, by the ending of its name. Raises ReadingError, at once or while they are read."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in READERS:
        raise ReadingError("unknown_kind", suffix=suffix or name, suffixes=SUFFIXES)
    return READERS[suffix](file, name, reading)
