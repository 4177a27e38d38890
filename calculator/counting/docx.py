"""The text of a DOCX: the paragraphs of its main part, without headers, notes and deleted text."""

import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from calculator import zipfaults
from calculator.counting.limits import XML_BYTES, XML_DEPTH
from calculator.counting.problems import ReadingError

MAIN_PART = "word/document.xml"
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
PARAGRAPH = f"{WORD}p"
RUN_TEXT = f"{WORD}t"
WRITTEN = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "\u2011"}
DAMAGED = (*zipfaults.DAMAGED, ParseError, DefusedXmlException)
"""What zipfile, its decompressors and the XML parser raise for a damaged file."""


def _main_part(file: BinaryIO) -> Any:
    """The main part, opened. Its declared size is what it may unpack to: a longer one fails its check sum."""
    start = file.read(len(zipfaults.ENCRYPTED_OFFICE))
    file.seek(0)
    if start == zipfaults.ENCRYPTED_OFFICE:
        raise ReadingError("docx_encrypted")
    try:
        archive = zipfile.ZipFile(file)
        part = archive.getinfo(MAIN_PART)
    except DAMAGED:
        raise ReadingError("docx_broken") from None
    if part.flag_bits & zipfaults.IS_ENCRYPTED:
        raise ReadingError("docx_encrypted")
    if part.file_size > XML_BYTES:
        raise ReadingError("docx_too_large", limit=XML_BYTES)
    try:
        return archive.open(part)
    except DAMAGED:
        raise ReadingError("docx_broken") from None


def _text(paragraph: Any) -> str:
    pieces = (
        (element.text or "") if element.tag == f"{WORD}t" else WRITTEN.get(element.tag, "")
        for element in paragraph.iter()
    )
    return "".join(pieces)


def _paragraphs(part: Any) -> Iterator[str]:
    inside_fallback = depth = 0
    for event, element in iterparse(part, events=("start", "end"), forbid_dtd=True):
        depth += 1 if event == "start" else -1
        if depth > XML_DEPTH:
            raise ReadingError("docx_broken")
        if element.tag == FALLBACK:
            inside_fallback += 1 if event == "start" else -1
        elif event == "end" and element.tag == PARAGRAPH:
            if not inside_fallback:
                yield _text(element) + "\n"
            element.clear()


def paragraphs_of_docx(file: BinaryIO) -> Iterator[str]:
    """Each paragraph with its line feed, unpacked and parsed as it is read. Raises ReadingError."""
    with _main_part(file) as part:
        try:
            yield from _paragraphs(part)
        except ReadingError:
            raise
        except DAMAGED:
            raise ReadingError("docx_broken") from None
