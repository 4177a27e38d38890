"""A disk that takes no more: told apart from other errors, and never half a line in the middle of a file."""

import errno
from typing import BinaryIO

FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def is_full(error: OSError) -> bool:
    """Whether the disk, the quota or the largest size of a file is reached."""
    return error.errno in FULL


def append(file: BinaryIO, line: bytes) -> None:
    """Write a whole line to an unbuffered file; OSError when less of it was taken."""
    if file.write(line) != len(line):
        raise OSError(errno.ENOSPC, "the line was written in part")
