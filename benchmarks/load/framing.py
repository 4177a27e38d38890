"""Server-sent events from bytes, whatever way the network cut them.

Works on bytes so that a character split between two reads does no harm. Line ends may be LF, CR LF or CR; comments
and fields other than `data` are dropped; an event is complete at its blank line (WHATWG HTML, section 9.2).
"""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LF, CR = 10, 13


class Framer:
    """Feed reads in, get the data of each event that the read completed."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._after_cr = False
        self._first_line = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The `data` of every event completed by `chunk`, in order; several `data` lines are joined by LF."""
        events: list[bytes] = []
        for line in self._lines(chunk):
            if line:
                self._take(line)
            elif self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        return events

    def _lines(self, chunk: bytes) -> list[bytes]:
        """Complete lines without their ends. A CR ends a line at once; an LF right after it belongs to it."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        return self._lines_with_cr(chunk) if b"\r" in chunk else self._lines_with_lf(chunk)

    def _lines_with_lf(self, chunk: bytes) -> list[bytes]:
        """What nearly every server sends, cut in one go: this is most of the client's own work."""
        first, *others = chunk.split(b"\n")
        self._line += first
        if not others:
            return []
        rest = others.pop()
        lines = [self._finish_line(), *others]
        self._line += rest
        return lines

    def _lines_with_cr(self, chunk: bytes) -> list[bytes]:
        lines, start = [], 0
        while (end := next_end(chunk, start)) >= 0:
            self._line += chunk[start:end]
            lines.append(self._finish_line())
            start = end + 1
            if chunk[end] == CR:
                if start == len(chunk):
                    self._after_cr = True
                elif chunk[start] == LF:
                    start += 1
        self._line += chunk[start:]
        return lines

    def _finish_line(self) -> bytes:
        line = bytes(self._line)
        self._line.clear()
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(BYTE_ORDER_MARK)
        return line

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))


def next_end(chunk: bytes, start: int) -> int:
    """Where the next CR or LF stands at or after `start`; −1 when there is none."""
    lf = chunk.find(b"\n", start)
    cr = chunk.find(b"\r", start, lf if lf >= 0 else len(chunk))
    return cr if cr >= 0 else lf
