"""Which documents a file holds, and the reason where it holds none that can be counted."""

import io
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.counting import decoding, limits, readers
from calculator.counting.encoders import encoder
from calculator.counting.problems import ReadingError
from calculator.counting.readers import Reading, Split
from calculator.counting.sample import Sample, counted, kept_whole, of_files, split_tokens
from tests.counting import papers

SENTENCE = "Le cloud européen, bâti pour la production."


def read(content: bytes, name: str = "texte.txt", split: Split = Split.WHOLE, column: str = "") -> list[str]:
    """The documents of a file, whole."""
    found = of_files([(io.BytesIO(content), name)], Reading(split, column))
    return ["".join(document) for document in found]


def refusal(content: bytes, name: str = "texte.txt", split: Split = Split.WHOLE, column: str = "") -> ReadingError:
    """The reason why a file is refused, which names the file."""
    with pytest.raises(ReadingError) as caught:
        read(content, name, split, column)
    assert caught.value.values["file"] == name
    return caught.value


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=300))
def test_what_is_written_in_utf8_is_read_back(text: str) -> None:
    plain = text.removeprefix("\ufeff")
    assert not plain or read(plain.encode()) == [plain]


def test_a_text_longer_than_a_block_is_read_whole_though_characters_lie_across_blocks() -> None:
    text = "a" + "é" * 200_000
    assert read(text.encode()) == [text]


@pytest.mark.parametrize(
    ("encoding", "said"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("utf-8-sig", None), ("utf-8", None)]
)
def test_a_byte_order_mark_decides_the_encoding_and_another_than_utf8_is_said(encoding: str, said: str | None) -> None:
    reading = Reading()
    found = of_files([(io.BytesIO(SENTENCE.encode(encoding)), "a.txt")], reading)
    assert ["".join(document) for document in found] == [SENTENCE]
    assert reading.encodings.get("a.txt") == said


def test_windows_1252_is_recognised_and_refused_with_the_place_of_its_first_byte() -> None:
    error = refusal(SENTENCE.encode("cp1252"))
    assert (error.code, error.values["position"], error.values["byte"]) == ("windows_1252", 14, "0xE9")


def test_other_bytes_are_refused_with_their_place_even_behind_the_first_block() -> None:
    error = refusal(b"a" * 100_000 + b"\xff\xfe\xfd")
    assert (error.code, error.values["position"]) == ("not_utf8", 100_000)


def test_a_character_cut_at_the_end_of_the_file_is_refused_at_its_first_byte() -> None:
    error = refusal(b"abc\xe2\x82")
    assert (error.code, error.values["position"]) == ("not_utf8", 3)


def test_a_broken_utf16_text_is_refused_by_its_name() -> None:
    error = refusal("été".encode("utf-16") + b"\x00")
    assert (error.code, error.values["encoding"]) == ("broken_utf16", "UTF-16")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_named_not_guessed(encoding: str) -> None:
    assert refusal(SENTENCE.encode(encoding)).code == "utf16_without_mark"


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(256)), b"\x7fELF\x02\x01\x01" + b"\0" * 60, b"a" * 70_000 + b"\0"],
)
def test_a_binary_file_is_called_one(content: bytes) -> None:
    assert refusal(content).code == "binary"


def test_an_empty_file_and_a_blank_text_are_empty() -> None:
    assert refusal(b"").code == "empty"
    with pytest.raises(ReadingError) as caught:
        counted([(" \n\t ",), ("",)], {"cl100k_base": encoder("cl100k_base")})
    assert caught.value.code == "empty"


def test_a_text_may_hold_a_document_in_each_paragraph_or_line() -> None:
    text = b"un\ndeux\n\n \ntrois\r\n\r\nquatre"
    assert read(text, split=Split.PARAGRAPHS) == ["un\ndeux", "trois", "quatre"]
    assert read(text, split=Split.LINES) == ["un", "deux", "", " ", "trois", "", "quatre"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_csv_file_holds_a_document_in_each_row_of_the_chosen_column(delimiter: str) -> None:
    rows = [["id", "Texte"], ["1", '"un ""mot"""'], ["2", '"a\nb"'], [], ["3", "c"]]
    content = "\n".join(delimiter.join(row) for row in rows).encode()
    assert read(content, "a.csv", column="texte") == ['un "mot"', "a\nb", "c"]
    assert read(content, "a.CSV", column="2") == ['un "mot"', "a\nb", "c"]


def test_a_csv_file_of_one_column_needs_no_choice() -> None:
    assert read(b"texte\nbonjour\n", "a.csv") == ["bonjour"]


def test_a_csv_file_names_its_columns_where_the_choice_is_missing_or_wrong() -> None:
    assert refusal(b"id,texte\n1,a", "a.csv").values["columns"] == ("id", "texte")
    error = refusal(b"id,texte\n1,a", "a.csv", column="corps")
    assert (error.code, error.values["column"], error.values["columns"]) == ("csv_no_column", "corps", ("id", "texte"))


def test_a_short_row_and_a_broken_quote_are_refused_with_their_line() -> None:
    short = refusal(b"id,texte\n1,a\n2\n", "a.csv", column="texte")
    assert (short.code, short.values["line"]) == ("csv_short_row", 3)
    assert refusal(b'id,texte\n1,"a"b\n', "a.csv", column="texte").code == "csv_broken"


def test_a_jsonl_file_holds_a_document_in_each_line_under_the_chosen_key() -> None:
    rows = [{"a": {"text": "un"}}, {"a": {"text": "deux"}}]
    content = "\n\n".join(map(json.dumps, rows)).encode()
    assert read(content, "a.jsonl", column="a.text") == ["un", "deux"]


def test_a_conversation_is_its_messages_one_under_the_other() -> None:
    row = {"messages": [{"role": "user", "content": "Bonjour"}, {"role": "assistant", "content": "Oui ?"}]}
    assert read(json.dumps(row).encode(), "a.ndjson", column="messages") == ["Bonjour\nOui ?"]


@pytest.mark.parametrize(
    ("line", "column", "code"),
    [
        (b'{"text": "a"}', "", "jsonl_which_key"),
        (b'{"text": "a"}', "corps", "jsonl_no_key"),
        (b'{"text": 3}', "text", "jsonl_not_text"),
        (b'{"text": [{"content": null}]}', "text", "jsonl_not_text"),
        (b"[1]", "text", "jsonl_no_key"),
        (b"{broken", "text", "jsonl_broken"),
        (b"[" * 100_000, "text", "jsonl_broken"),
    ],
)
def test_a_jsonl_line_without_the_text_is_refused(line: bytes, column: str, code: str) -> None:
    assert refusal(line, "a.jsonl", column=column).code == code


def test_a_line_too_long_to_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LINE_CHARACTERS", 100_000)
    assert refusal(b"a" * 200_000, split=Split.LINES).code == "line_too_long"


def test_a_docx_gives_its_paragraphs_without_what_was_deleted_or_stands_twice() -> None:
    body = (
        "<w:p><w:r><w:t>Un</w:t><w:tab/><w:t xml:space='preserve'>mot </w:t></w:r>"
        "<w:del><w:r><w:delText>retiré</w:delText></w:r></w:del></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cellule</w:t><w:br/></w:r></w:p></w:tc></w:tr></w:tbl>"
        "<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>cadre</w:t></w:r></w:p></mc:Choice>"
        "<mc:Fallback><w:p><w:r><w:t>cadre</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>"
    )
    assert read(papers.docx(body), "a.docx") == ["Un\tmot \ncellule\n\ncadre\n"]


def test_a_docx_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = papers.docx("<w:p><w:r><w:t>" + "a" * 20_000_000 + "</w:t></w:r></w:p>")
    assert len(bomb) < 50_000
    assert refusal(bomb, "a.docx").code == "docx_too_large"


def test_a_docx_whose_declared_size_lies_unpacks_no_further_than_declared() -> None:
    honest = papers.docx("<w:p/>" * 5_000)
    size = struct.pack("<L", len(b"".join(part.encode() for part in ["<w:p/>"] * 5_000)) + 200)
    real = next(
        struct.pack("<L", count)
        for count in range(30_000, 31_000)
        if honest.count(struct.pack("<L", count)) == 2 and struct.pack("<L", count) != size
    )
    assert refusal(honest.replace(real, struct.pack("<L", 900)), "a.docx").code == "docx_broken"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"PK\x03\x04 not a zip", "docx_broken"),
        (b"\xd0\xcf\x11\xe0 locked by a password", "docx_encrypted"),
        (papers.docx("<w:p><w:r>"), "docx_broken"),
        (papers.docx("<w:p/>", '<!DOCTYPE a [<!ENTITY b "c">]>'), "docx_broken"),
        (papers.docx("<w:p/>")[:-40], "docx_broken"),
        (papers.docx("<w:p>text</w:p>" * 900)[:120] + papers.docx("<w:p>text</w:p>" * 900)[121:], "docx_broken"),
    ],
)
def test_a_docx_that_is_none_is_refused(content: bytes, code: str) -> None:
    assert refusal(content, "a.docx").code == code


def test_a_pdf_gives_the_text_of_its_pages() -> None:
    assert read(papers.pdf("Bonjour", "le monde"), "a.pdf") == ["Bonjour\nle monde"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (papers.encrypted_pdf("secret"), "pdf_encrypted"),
        (papers.pdf(""), "pdf_without_text"),
        (b"%PDF-1.7 nothing behind it", "pdf_broken"),
        (b"", "pdf_broken"),
    ],
)
def test_a_pdf_without_readable_text_is_refused(content: bytes, code: str) -> None:
    assert refusal(content, "a.pdf").code == code


def test_an_unknown_ending_is_refused_with_those_that_are_read() -> None:
    error = refusal(b"a", "image.PNG")
    assert (error.code, error.values["suffix"]) == ("unknown_kind", ".png")
    assert refusal(b"a", "sans-fin").values["suffix"] == "sans-fin"


def test_a_sample_adds_up_its_documents_and_leaves_blank_ones_out() -> None:
    sample = counted([(SENTENCE,), (" ",), ("un ", "deux")], {"cl100k_base": encoder("cl100k_base")})
    assert (sample.documents_count, sample.blank_count) == (2, 1)
    assert list(sample.tokens["cl100k_base"]) == [12, len(encoder("cl100k_base").ids("un deux"))]
    assert (sample.characters_count, sample.words_count) == (43 + 7, 7 + 2)
    assert sample.bytes_count == 45 + 7
    assert (sample.start, sample.start_is_whole) == (SENTENCE, True)


def test_a_sample_has_a_limit_of_documents() -> None:
    with pytest.raises(ReadingError) as caught:
        counted([("mot",)] * 4, {"cl100k_base": encoder("cl100k_base")}, limit_documents=3)
    assert caught.value.code == "too_many_documents"


def test_a_document_that_can_be_cut_nowhere_is_refused() -> None:
    with pytest.raises(ReadingError) as caught:
        counted([("a" * 400_000,)], {"tekken": encoder("tekken")})
    assert (caught.value.code, caught.value.values["limit"]) == ("nowhere_to_cut", 200_000)


@pytest.mark.parametrize("code", ["cl100k_base", "mistral-v1"])
def test_the_split_shows_only_tokens_that_more_text_could_not_change(code: str) -> None:
    sample = Sample({code: encoder(code)})
    text = SENTENCE + " " + "mot " * 20_000
    sample.add((text[:30], text[30:]))
    assert (len(sample.start), sample.start_is_whole) == (limits.SPLIT_CHARACTERS, False)
    shown = split_tokens(encoder(code), sample.start, sample.start_is_whole)
    assert len(shown) == limits.SPLIT_TOKENS
    assert [token.id for token in shown] == encoder(code).ids(text)[: limits.SPLIT_TOKENS]


def test_documents_are_kept_whole_only_below_the_limit() -> None:
    assert kept_whole([("a", "b"), (" ",)], 10) == ("ab",)
    assert kept_whole([("a" * 11,)], 10) is None


def test_every_reader_has_a_lower_case_ending() -> None:
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in readers.SUFFIXES)
