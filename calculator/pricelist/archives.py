"""Opening a zip without unpacking more than was agreed, and parsing its XML without what XML allows too much of."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers import expat

from calculator import zipfaults
from calculator.pricelist.contract import PriceFileError
from calculator.pricelist.limits import PARTS, TEXT_BYTES, UNPACKED_BYTES

BLOCK_BYTES = 1 << 20
DAMAGED = (*zipfaults.DAMAGED, expat.ExpatError)
"""What zipfile, its decompressors and the XML parser raise for a damaged file."""


def opened(content: bytes) -> zipfile.ZipFile:
    """A zip whose parts are few and unpack to a bounded size. PriceFileError: archive_broken, _encrypted, _bomb."""
    if content.startswith(zipfaults.ENCRYPTED_OFFICE):
        raise PriceFileError("office_encrypted_or_old")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        parts = archive.infolist()
    except DAMAGED:
        raise PriceFileError("archive_broken") from None
    if any(part.flag_bits & zipfaults.IS_ENCRYPTED for part in parts):
        raise PriceFileError("archive_encrypted")
    if len(parts) > PARTS or sum(part.file_size for part in parts) > UNPACKED_BYTES:
        raise PriceFileError("archive_bomb", limit=UNPACKED_BYTES, parts=PARTS)
    return archive


def unpacked_bytes(content: bytes) -> int:
    """What a zip says that it unpacks to; the length of anything else, and of a zip that cannot be opened."""
    try:
        return sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(content)).infolist())
    except DAMAGED:
        return len(content)


def part_bytes(archive: zipfile.ZipFile, name: str, limit: int = TEXT_BYTES) -> bytes:
    """One part, whole. Its declared size is what it may unpack to: a longer one fails its check sum."""
    try:
        if archive.getinfo(name).file_size > limit:
            raise PriceFileError("archive_bomb", limit=limit, parts=PARTS)
        return archive.read(name)
    except DAMAGED:
        raise PriceFileError("archive_broken") from None


class _ForbiddenError(ValueError):
    pass


def _forbid(*_given: object) -> None:
    raise _ForbiddenError


def parser() -> expat.XMLParserType:
    """A parser that takes no document type: without one there are no entities to expand and nothing to fetch."""
    made = expat.ParserCreate()
    made.buffer_text = True
    made.StartDoctypeDeclHandler = _forbid
    return made


@contextmanager
def refusing(code: str) -> Iterator[None]:
    """Turns what a parser raises into the one exception of reading: xml_forbidden, or `code`."""
    try:
        yield
    except PriceFileError:
        raise
    except _ForbiddenError:
        raise PriceFileError("xml_forbidden") from None
    except DAMAGED:
        raise PriceFileError(code) from None


def elements(content: bytes) -> list[tuple[str, dict[str, str]]]:
    """The elements of a small XML as (local name, attributes), and each end as ("/name", {}).

    PriceFileError: xml_forbidden, workbook_broken.
    """
    found: list[tuple[str, dict[str, str]]] = []
    parsing = parser()
    parsing.StartElementHandler = lambda name, given: found.append((name.rpartition(":")[2], given))
    parsing.EndElementHandler = lambda name: found.append((f"/{name.rpartition(':')[2]}", {}))
    with refusing("workbook_broken"):
        parsing.Parse(content, True)
    return found
