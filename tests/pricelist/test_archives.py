"""Archives and XML of unknown origin: bounded before they are unpacked, and never expanded or fetched from."""

import io
import zipfile

import pytest

from calculator.pricelist.archives import elements, opened, parser, part_bytes, refusing, unpacked_bytes
from calculator.pricelist.contract import PriceFileError


def packed(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def refused_by(action: object) -> str:
    with pytest.raises(PriceFileError) as refused:
        action()  # type: ignore[operator]
    return refused.value.code


def test_a_part_is_read_whole() -> None:
    assert part_bytes(opened(packed(a=b"hello")), "a") == b"hello"


def test_a_part_above_its_limit_is_refused_by_its_declared_size() -> None:
    archive = opened(packed(a=b"0" * 1_000))
    assert refused_by(lambda: part_bytes(archive, "a", 999)) == "archive_bomb"


def test_a_part_that_is_not_there_or_does_not_fit_its_check_sum_is_refused() -> None:
    archive = opened(packed(a=b"hello hello hello"))
    assert refused_by(lambda: part_bytes(archive, "b")) == "archive_broken"
    damaged = packed(a=b"hello hello hello").replace(b"\xcb\x48\xcd", b"\xcb\x48\xcc", 1)
    assert damaged != packed(a=b"hello hello hello")
    assert refused_by(lambda: part_bytes(opened(damaged), "a")) == "archive_broken"


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04" + b"\0" * 40, packed(a=b"x")[:-10]])
def test_what_is_no_zip_is_refused(content: bytes) -> None:
    assert refused_by(lambda: opened(content)) == "archive_broken"


def test_an_encrypted_part_is_refused() -> None:
    content = bytearray(packed(a=b"x"))
    content[6] |= 1
    place = content.index(b"PK\x01\x02")
    content[place + 8] |= 1
    assert refused_by(lambda: opened(bytes(content))) == "archive_encrypted"


def test_the_sum_of_all_parts_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculator.pricelist.archives.UNPACKED_BYTES", 1_500)
    assert part_bytes(opened(packed(a=b"0" * 1_000)), "a")
    assert refused_by(lambda: opened(packed(a=b"0" * 1_000, b=b"0" * 1_000))) == "archive_bomb"


@pytest.mark.parametrize(
    "declared",
    [
        b'<!DOCTYPE a [<!ENTITY b "c">]>',
        b'<!DOCTYPE a SYSTEM "https://example.org/a.dtd">',
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        b"<!DOCTYPE a>",
    ],
)
def test_a_document_type_is_refused_before_anything_is_done_with_it(declared: bytes) -> None:
    assert refused_by(lambda: elements(declared + b"<a>&b;</a>")) == "xml_forbidden"


@pytest.mark.parametrize("content", [b"", b"<a>", b"<a></b>", b"<a/><b/>", b"\xff", b"<a>&b;</a>"])
def test_broken_xml_is_refused(content: bytes) -> None:
    assert refused_by(lambda: elements(content)) == "workbook_broken"


def test_elements_come_by_their_local_names_with_their_ends() -> None:
    assert elements(b'<x:a xmlns:x="n" k="v"><x:b/></x:a>') == [
        ("a", {"xmlns:x": "n", "k": "v"}),
        ("b", {}),
        ("/b", {}),
        ("/a", {}),
    ]


def test_a_refusal_inside_is_passed_on_as_it_is() -> None:
    def inside() -> None:
        with refusing("ecb_broken"):
            raise PriceFileError("empty")

    assert refused_by(inside) == "empty"


def test_what_is_no_fault_of_the_file_is_not_hidden() -> None:
    with pytest.raises(AssertionError), refusing("ecb_broken"):
        raise AssertionError


def test_the_parser_joins_neighbouring_text() -> None:
    found: list[str] = []
    feed = parser()
    feed.CharacterDataHandler = found.append
    feed.Parse(b"<a>one &amp; two</a>", True)
    assert found == ["one & two"]


def test_what_a_zip_unpacks_to_is_known_before_it_is_unpacked() -> None:
    content = packed(a=b"0" * 70_000, b=b"1" * 30_000)
    assert len(content) < 1_000 and unpacked_bytes(content) == 100_000
    assert unpacked_bytes(b"no zip") == 6
    assert unpacked_bytes(b"PK" + b"0" * 50) == 52
