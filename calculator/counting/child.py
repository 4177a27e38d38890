"""The program of the child process, `python -m calculator.counting.child docx|pdf|tokenizer`: one task from stdin to
stdout.

The answer's first line is JSON; an error is a code there, not an exit status, which stands for a crash.
"""

import io
import json
import resource
import sys
from collections.abc import Callable, Mapping
from typing import Any

from calculator.counting.limits import CHILD_MEMORY_BYTES, CHILD_SECONDS, PDF_PAGES, SPLIT_CHARACTERS, SPLIT_TOKENS
from calculator.counting.problems import ReadingError

Answer = tuple[dict[str, Any], str]


def _error(code: str, **values: str | int) -> Answer:
    return {"error": code, "values": values}, ""


def docx(content: bytes) -> Answer:
    """The text of a DOCX's paragraphs."""
    from calculator.counting.docx import paragraphs_of_docx

    try:
        return {}, "".join(paragraphs_of_docx(io.BytesIO(content)))
    except ReadingError as error:
        return {"error": error.code, "values": dict(error.values)}, ""
    except MemoryError:
        return _error("docx_broken")


def pdf(content: bytes) -> Answer:
    """The text of a PDF's pages."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return _error("pdf_encrypted")
        count = len(reader.pages)
        if count > PDF_PAGES:
            return _error("pdf_too_long", pages=count, limit=PDF_PAGES)
        text = "\n".join(page.extract_text() for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError):
        return _error("pdf_broken")
    if not text.strip():
        return _error("pdf_without_text", pages=count)
    return {"pages": count}, text


def _plain(described: Any) -> str:
    """The description without special tokens, padding, truncation and what is added around a text.

    Special tokens written in a text then are text, as with the tokenizers we ship.
    """
    kept = {**described, "truncation": None, "padding": None, "post_processor": None}
    kept["added_tokens"] = [token for token in described.get("added_tokens") or [] if not token.get("special")]
    return json.dumps(kept)


def tokenizer(content: bytes) -> Answer:
    """Counts of documents under an uploaded tokenizer, and the first tokens of the first one."""
    from tokenizers import Tokenizer

    size, _, rest = content.partition(b"\n")
    raw, documents = rest[: int(size)], json.loads(rest[int(size) :])
    try:
        described = json.loads(raw)
        loaded = Tokenizer.from_str(_plain(described))
    except RecursionError:
        return _error("tokenizer_malformed", reason="nested too deep")
    except Exception as error:  # the compiled part raises plain Exception
        return _error("tokenizer_malformed", reason=str(error)[:200])
    counts = [len(loaded.encode(document, add_special_tokens=False).ids) for document in documents]
    shown = loaded.encode(documents[0][:SPLIT_CHARACTERS], add_special_tokens=False) if documents else None
    spans = [(number, *span) for number, span in zip(shown.ids, shown.offsets, strict=True)] if shown else []
    return {"vocabulary": loaded.get_vocab_size(), "counts": counts, "spans": spans[:SPLIT_TOKENS]}, ""


TASKS: Mapping[str, Callable[[bytes], Answer]] = {"docx": docx, "pdf": pdf, "tokenizer": tokenizer}


def main(task: str) -> None:
    """Set the limits, work, answer."""
    resource.setrlimit(resource.RLIMIT_CPU, (CHILD_SECONDS, CHILD_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (CHILD_MEMORY_BYTES, CHILD_MEMORY_BYTES))
    answer, text = TASKS[task](sys.stdin.buffer.read())
    out = sys.stdout.buffer
    out.write(json.dumps(answer).encode() + b"\n")
    out.write(text.encode("utf-8", errors="replace"))


if __name__ == "__main__":
    main(sys.argv[1])
