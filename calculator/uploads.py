"""The limits on what requests may send, decided from the announced length before anything is read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from calculator.counting.limits import BIG_BYTES, BIG_COUNTS, UPLOAD_BYTES

ROOM = threading.BoundedSemaphore(BIG_COUNTS)
"""Big bodies that this process reads and counts at a time."""


class LimitedUpload(FileUploadHandler):
    """Counts what arrives and stops the reading beyond the limit; the handlers after it keep the files."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.received_bytes = 0
        self.is_over = False

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass a chunk on, or stop."""
        del start
        self.received_bytes += len(raw_data)
        if self.received_bytes > UPLOAD_BYTES:
            self.is_over = True
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """The next handler makes the file."""
        del file_size


def announced_bytes(request: HttpRequest) -> int:
    """The length of the body as the client gave it; 0 without one, and then nothing is read."""
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isdecimal() else 0


def is_announced_too_large(request: HttpRequest) -> bool:
    """Whether the body is over the limit by its announced length."""
    return announced_bytes(request) > UPLOAD_BYTES


def is_length_unsaid(request: HttpRequest) -> bool:
    """Whether the body comes without a length, in pieces or not at all: Django would take it for an empty one."""
    return not str(request.META.get("CONTENT_LENGTH") or "").isdecimal()


@contextmanager
def room_for(request: HttpRequest) -> Iterator[bool]:
    """Whether there is room for this body now: a small one always has it, a big one while few others are there."""
    if announced_bytes(request) <= BIG_BYTES:
        yield True
        return
    is_free = ROOM.acquire(blocking=False)
    try:
        yield is_free
    finally:
        if is_free:
            ROOM.release()
