"""What a damaged zip looks like to whoever opens one: office documents, price workbooks, packed tables."""

import lzma
import struct
import zipfile
import zlib

ENCRYPTED_OFFICE = b"\xd0\xcf\x11\xe0"
"""An office document with a password is no zip: it begins so."""
IS_ENCRYPTED = 0x1
"""The bit of a part's flags."""
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What zipfile and its decompressors raise for a damaged file; an XML parser adds its own."""
