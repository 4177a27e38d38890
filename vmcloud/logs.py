"""Log lines without secrets: the password in any address that a message or a traceback carries is blotted out."""

import logging
import re

PASSWORD_IN_URL = re.compile(r"(?P<before>[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]*(?=@)", re.IGNORECASE)
PASSWORD_IN_DSN = re.compile(r"(?P<before>\bpassword\s*=\s*)(?:'[^']*'|[^\s'&]+)", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """`text` with `user:secret@` and `password=secret` made unreadable."""
    return PASSWORD_IN_DSN.sub(r"\g<before>***", PASSWORD_IN_URL.sub(r"\g<before>***", text))


class SecretFreeFormatter(logging.Formatter):
    """Formats as usual, then blots passwords out of the whole record, traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return without_passwords(super().format(record))
