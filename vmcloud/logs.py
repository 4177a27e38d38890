"""Log lines without secrets: passwords in addresses, and the paths that open something to whoever knows them."""

import logging
import re

from django.core.exceptions import PermissionDenied

from calculator import requestid

PASSWORD_IN_URL = re.compile(r"(?P<before>[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]*(?=@)", re.IGNORECASE)
PASSWORD_IN_DSN = re.compile(r"(?P<before>\bpassword\s*=\s*)(?:'[^']*'|[^\s'&]+)", re.IGNORECASE)
SECRET_IN_PATH = re.compile(r"(?P<before>/quotes/open/|/account/set/[^\s/]+/)[^\s/?#]+")
"""The link of a quote and that of a new password: the address alone opens them, and 4xx answers log it."""


def without_secrets(text: str) -> str:
    """`text` with `user:secret@`, `password=secret` and secret paths made unreadable."""
    for pattern in (PASSWORD_IN_URL, PASSWORD_IN_DSN, SECRET_IN_PATH):
        text = pattern.sub(r"\g<before>***", text)
    return text


class SecretFreeFormatter(logging.Formatter):
    """Formats as usual, names the request, then blots secrets out of the whole record, traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        request = requestid.current()
        record.request = f"[{request}] " if request else ""
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = None  # an answer, not a fault: the line says which page, and nobody needs its stack
        return without_secrets(super().format(record))
