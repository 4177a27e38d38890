"""The built-in queue of files: kombu's, made safe for a reader that comes while a message is being written.

Kombu's sender makes the file first and fills it afterwards, and its reader takes whatever file it finds. On a busy
machine it took an empty one: the message was lost and the worker ended with it.
"""

import logging
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """A message appears under its name only once it is whole; one that cannot be read is named and let go."""

    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:  # type: ignore[override]  # kombu's own is
        """Write `payload` beside the queue, then rename it into the queue; OSError where the disk does not take it."""
        # Readers take names in alphabetical order: the oldest first.
        path = Path(self.data_folder_out) / f"{time_ns()}_{uuid.uuid4()}.{queue}.msg"
        unfinished = path.with_name(f"{path.name}.part")
        try:
            unfinished.write_text(dumps(payload), encoding="utf-8")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The next message; queue.Empty when there is none, or when the next one was no message."""
        try:
            message = super()._get(queue)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            logger.error("A file in the queue %s was no message and was taken out.", queue)
            raise Empty
        return message


class Transport(filesystem.Transport):
    """What CELERY_BROKER_TRANSPORT names."""

    Channel = Channel
