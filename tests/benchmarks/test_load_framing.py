"""Events come out the same however the network cut the bytes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.load.framing import Framer

LINE_ENDS = (b"\n", b"\r\n", b"\r")


def events(*chunks: bytes) -> list[bytes]:
    framer = Framer()
    return [event for chunk in chunks for event in framer.feed(chunk)]


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A body of events, comments and other fields under one kind of line end, with the data it carries."""
    end = draw(st.sampled_from(LINE_ENDS))
    text = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
    body, expected = b"", []
    for kind in draw(st.lists(st.sampled_from(["event", "two lines", "comment", "id", "blank"]), max_size=12)):
        value = draw(text).encode()
        # A value that begins with a space would lose it: one space after the colon belongs to the format.
        if kind in ("event", "two lines"):
            lines = [value] if kind == "event" else [value, b"x"]
            body += b"".join(b"data: " + line + end for line in lines) + end
            expected.append(b"\n".join(lines))
        else:
            body += {"comment": b": " + value, "id": b"id: 7", "blank": b""}[kind] + end
    return body, expected


@given(streams(), st.data())
def test_any_chunking_of_a_stream_gives_the_same_events(stream: tuple[bytes, list[bytes]], data: st.DataObject) -> None:
    body, expected = stream
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    bounds = [0, *cuts, len(body)]
    chunks = [body[start:end] for start, end in pairwise(bounds)]
    assert events(*chunks) == expected


@given(streams())
def test_byte_by_byte_is_the_same_as_at_once(stream: tuple[bytes, list[bytes]]) -> None:
    body, expected = stream
    assert events(*(bytes([byte]) for byte in body)) == events(body) == expected


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=6))
def test_bytes_that_are_no_stream_never_raise_and_never_depend_on_cuts(body: bytes, cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    chunks = [body[start:end] for start, end in pairwise(bounds)]
    assert events(*chunks) == events(body)


@pytest.mark.parametrize("end", LINE_ENDS, ids=["lf", "crlf", "cr"])
def test_l06_line_ends_make_no_difference(end: bytes) -> None:
    assert events(b"data: a" + end + end + b"data: b" + end + end) == [b"a", b"b"]


def test_l05_comments_make_no_event_even_glued_to_one() -> None:
    assert events(b": keep-alive\n\n", b": again\ndata: x\n\n") == [b"x"]


def test_l07_a_character_cut_in_two_arrives_whole() -> None:
    body = "data: é漢\n\n".encode()
    cut = body.index("漢".encode()) + 1
    assert events(body[:cut]) == []
    assert events(body[:cut], body[cut:]) == ["é漢".encode()]


def test_l08_the_space_after_the_colon_is_optional_and_may_come_later() -> None:
    assert events(b"data:", b' {"a":1}\n\n') == [b'{"a":1}']
    assert events(b'data:{"a":1}\n\n') == [b'{"a":1}']


def test_l09_one_read_may_hold_several_events_and_half_of_another() -> None:
    framer = Framer()
    assert framer.feed(b"data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4") == [b"1", b"2", b"3"]
    assert framer.feed(b"\n\n") == [b"4"]


def test_an_event_is_only_complete_at_its_blank_line() -> None:
    assert events(b"data: x\n") == []


def test_only_one_space_belongs_to_the_format() -> None:
    assert events(b"data:  x\n\n") == [b" x"]


def test_a_byte_order_mark_at_the_very_start_is_dropped() -> None:
    assert events(b"\xef\xbb\xbfdata: x\n\n") == [b"x"]


def test_other_fields_and_fields_without_a_colon_carry_no_data() -> None:
    assert events(b"event: ping\nid: 3\nretry: 5\ndatabase: no\n\n") == []
    assert events(b"data\n\n") == [b""]
