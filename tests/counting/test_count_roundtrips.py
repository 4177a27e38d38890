"""What is written into a file is read from it, whatever the text; damaged files are refused and nothing else."""

import csv
import io
import json
import random
import zipfile
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator.counting.decoding import decode, is_binary, is_windows_1252, lines
from calculator.counting.problems import ReadingError
from calculator.counting.readers import SUFFIXES, Reading, Split, split_text
from calculator.counting.sample import of_files
from tests.counting import papers

plain = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs", "Cc"]), max_size=40)
cells = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=40)


def read(content: bytes, name: str, column: str = "", split: Split = Split.WHOLE) -> list[str]:
    return ["".join(document) for document in of_files([(io.BytesIO(content), name)], Reading(split, column))]


@given(st.lists(cells, max_size=20), st.sampled_from(",;\t|"))
def test_csv_cells_come_back_as_they_were_written(texts: list[str], delimiter: str) -> None:
    written = io.StringIO()
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["id", "texte"])
    writer.writerows([number, text] for number, text in enumerate(texts))
    assert read(written.getvalue().encode(), "a.csv", "texte") == texts


@given(st.lists(cells, max_size=20))
def test_jsonl_values_come_back_as_they_were_written(texts: list[str]) -> None:
    content = "\n".join(json.dumps({"id": 1, "texte": text}) for text in texts)
    if content:
        assert read(content.encode(), "a.jsonl", "texte") == texts


@given(st.lists(plain, min_size=1, max_size=12))
def test_docx_paragraphs_come_back_as_they_were_written(texts: list[str]) -> None:
    allowed = ["".join(sign for sign in text if sign.isprintable() or sign == " ") for text in texts]
    body = "".join(f'<w:p><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>' for text in allowed)
    assert read(papers.docx(body), "a.docx") == ["".join(text + "\n" for text in allowed)]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.integers(1, 20))
def test_lines_put_together_are_the_text(text: str, piece: int) -> None:
    parts = iter([text[start : start + piece] for start in range(0, len(text), piece)])
    found = list(lines(parts))
    assert "".join(found) == text
    assert all(line.endswith("\n") for line in found[:-1]) and all(line.count("\n") <= 1 for line in found)


@given(st.lists(plain.filter(str.strip), min_size=1, max_size=8))
def test_paragraphs_are_what_stands_between_blank_lines(texts: list[str]) -> None:
    kept = ["".join(text.splitlines()) for text in texts]
    found = ["".join(document) for document in split_text(iter(["\n\n".join(kept)]), Split.PARAGRAPHS)]
    assert found == [text for text in kept if text.strip()]


@given(st.binary(max_size=400))
def test_any_bytes_are_a_text_or_a_reading_error(content: bytes) -> None:
    try:
        text = "".join(decode(io.BytesIO(content)).parts)
    except ReadingError as error:
        assert error.code
    else:
        assert "\0" not in text or content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"))


@settings(max_examples=40)
@given(st.sampled_from([suffix for suffix in SUFFIXES if suffix != ".pdf"]), st.binary(max_size=200))
def test_any_bytes_under_any_name_are_documents_or_a_reading_error(suffix: str, content: bytes) -> None:
    try:
        read(content, f"a{suffix}", "1")
    except ReadingError as error:
        assert error.values["file"] == f"a{suffix}"


def test_a_docx_damaged_anywhere_is_read_or_refused_never_a_crash() -> None:
    whole = papers.docx("<w:p><w:r><w:t>Bonjour le monde</w:t></w:r></w:p>" * 20)
    draw = random.Random(7)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(draw.randrange(1, 6)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged), "a.docx")
        except ReadingError as error:
            assert error.code in ("docx_broken", "docx_encrypted", "docx_too_large")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_docx_packed_another_way_is_read(method: int) -> None:
    assert read(papers.docx("<w:p><w:r><w:t>un</w:t></w:r></w:p>", compression=method), "a.docx") == ["un\n"]


def test_a_pdf_damaged_anywhere_is_text_or_refused() -> None:
    whole = papers.pdf("Bonjour", "le monde")
    draw = random.Random(8)
    for _ in range(4):
        damaged = bytearray(whole)
        for _ in range(40):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged), "a.pdf")
        except ReadingError as error:
            assert error.code.startswith("pdf_")


def test_french_in_windows_1252_is_known_from_its_letters_and_other_bytes_are_not() -> None:
    assert is_windows_1252("L’été à Noël, où cela coûte 3 €".encode("cp1252"))
    assert not is_windows_1252(bytes(range(0x80, 0xC0)))
    assert not is_windows_1252(b"ascii")
    assert is_binary(bytes(range(32))) and not is_binary(b"une ligne\n\tune autre\r\n")
