"""Log lines without secrets: the password in any address that a message or a traceback carries is blotted out."""

import logging
import re

from django.core.exceptions import PermissionDenied

from calculator import requestid

PASSWORD_IN_URL = re.compile(r"(?P<before>[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]*(?=@)", re.IGNORECASE)
PASSWORD_IN_DSN = re.compile(r"(?P<before>\bpassword\s*=\s*)(?:'[^']*'|[^\s'&]+)", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """`text` with `user:secret@` and `password=secret` made unreadable."""
    return PASSWORD_IN_DSN.sub(r"\g<before>***", PASSWORD_IN_URL.sub(r"\g<before>***", text))


class SecretFreeFormatter(logging.Formatter):
    """Formats as usual, names the request, then blots passwords out of the whole record, traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        request = requestid.current()
        record.request = f"[{request}] " if request else ""
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = None  # an answer, not a fault: the line says which page, and nobody needs its stack
        return without_passwords(super().format(record))
