"""Work on what a visitor uploaded that could hang, exhaust memory or crash: done in a process of its own, with limits.

A PDF is a program of sorts, a DOCX unpacks to what its author likes, and an uploaded tokenizer.json brings its own
regular expressions. The child reads from and writes to unnamed temporary files, so nothing is left on disk whatever
happens.
"""

import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from calculator.counting.limits import CHILD_COUNTS, CHILD_SECONDS, FOREIGN_CHARACTERS, RETRY_SECONDS, TOKENIZER_BYTES
from calculator.counting.problems import ReadingError

ROOT = Path(__file__).resolve().parent.parent.parent
COPY_BYTES = 1_048_576
ROOM = threading.BoundedSemaphore(CHILD_COUNTS)
"""Children at a time: each may take 2 GiB and a processor."""


def _answer(task: str, given: IO[bytes], seconds: float) -> tuple[dict[str, Any], str]:
    """What the child says: a first line of JSON, then text."""
    if not ROOM.acquire(blocking=False):
        raise ReadingError("too_busy", seconds=RETRY_SECONDS)
    try:
        return _worked(task, given, seconds)
    finally:
        ROOM.release()


def _worked(task: str, given: IO[bytes], seconds: float) -> tuple[dict[str, Any], str]:
    given.seek(0)
    with tempfile.TemporaryFile() as said:
        command = [sys.executable, "-m", "calculator.counting.child", task]
        try:
            done = subprocess.run(  # noqa: S603  (our own interpreter, a fixed word)
                command, stdin=given, stdout=said, stderr=subprocess.DEVNULL, timeout=seconds, cwd=ROOT, check=False
            )
        except subprocess.TimeoutExpired:
            raise ReadingError(f"{task}_too_slow", seconds=int(seconds)) from None
        if done.returncode == -signal.SIGXCPU:
            raise ReadingError(f"{task}_too_slow", seconds=CHILD_SECONDS)
        said.seek(0)
        first = said.readline()
        if done.returncode or not first:
            raise ReadingError(f"{task}_broken")
        return json.loads(first), said.read().decode()


def text_of_pdf(file: BinaryIO, seconds: float = CHILD_SECONDS) -> str:
    """The text of a PDF, page by page. Raises ReadingError: encrypted, broken, without text, too long, too slow."""
    return _text_of("pdf", file, seconds)


def text_of_docx(file: BinaryIO, seconds: float = CHILD_SECONDS) -> str:
    """The paragraphs of a DOCX, each with its line feed. Raises ReadingError: encrypted, broken, large, too slow."""
    return _text_of("docx", file, seconds)


def _text_of(task: str, file: BinaryIO, seconds: float) -> str:
    with tempfile.TemporaryFile() as given:
        while block := file.read(COPY_BYTES):
            given.write(block)
        answer, text = _answer(task, given, seconds)
    if "error" in answer:
        raise ReadingError(answer["error"], **answer.get("values", {}))
    return text


@dataclass(frozen=True, slots=True)
class Foreign:
    """What an uploaded tokenizer makes of the documents. `spans` = (number, start, end) of the first one's tokens."""

    vocabulary_count: int
    counts: tuple[int, ...]
    spans: tuple[tuple[int, int, int], ...]


def count_with(tokenizer: bytes, documents: Sequence[str], seconds: float = CHILD_SECONDS) -> Foreign:
    """Count documents with a tokenizer.json. Raises ReadingError: too large, malformed, too slow, too much text."""
    if len(tokenizer) > TOKENIZER_BYTES:
        raise ReadingError("tokenizer_too_large", limit=TOKENIZER_BYTES)
    if sum(map(len, documents)) > FOREIGN_CHARACTERS:
        raise ReadingError("tokenizer_too_much_text", limit=FOREIGN_CHARACTERS)
    with tempfile.TemporaryFile() as given:
        given.write(f"{len(tokenizer)}\n".encode())
        given.write(tokenizer)
        given.write(json.dumps(list(documents)).encode())
        answer, _rest = _answer("tokenizer", given, seconds)
    if "error" in answer:
        raise ReadingError(answer["error"], **answer.get("values", {}))
    spans = tuple((number, start, end) for number, start, end in answer["spans"])
    return Foreign(answer["vocabulary"], tuple(answer["counts"]), spans)
