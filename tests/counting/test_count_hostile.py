"""Files made to hold the server: the work they cause is bounded, and what is refused says so without their content."""

import io
import json
import random
import zipfile
from collections.abc import Iterator

import pytest

from calculator.counting import child, isolated
from calculator.counting.budget import Budget
from calculator.counting.encoders import Encoder, encoder
from calculator.counting.problems import ReadingError
from calculator.counting.readers import Reading, Split
from calculator.counting.sample import counted, of_files
from calculator.counting.stream import CHUNK_CHARACTERS, RUN_CHARACTERS, Stream
from calculator.modelconfig import ModelConfigError
from tests.counting import papers

PARAGRAPH = "<w:p><w:r><w:t>a b</w:t></w:r></w:p>"


def read(content: bytes, name: str, column: str = "") -> list[str]:
    found = of_files([(io.BytesIO(content), name)], Reading(Split.WHOLE, column))
    return ["".join(document) for document in found]


def refusal(content: bytes, name: str, column: str = "") -> ReadingError:
    with pytest.raises(ReadingError) as caught:
        read(content, name, column)
    return caught.value


class Watched:
    """A tokenizer whose text can be cut nowhere, which counts the characters it is asked to look through."""

    looked_at = 0

    def cut(self, text: str) -> int:
        self.looked_at += len(text)
        return 0

    def count(self, text: str, *, continued: bool = False) -> int:
        return len(text)


def fed_one_by_one(tokenizer: "Watched | Encoder", characters: int) -> Stream:
    stream = Stream(tokenizer)  # type: ignore[arg-type]
    for _number in range(characters):
        stream.feed("\n")
    return stream


def test_a_text_without_a_cut_is_looked_through_once_a_chunk_however_small_its_pieces() -> None:
    watched = Watched()
    assert fed_one_by_one(watched, 190_000).close() == 190_000
    # 65 536 characters, then 131 072: two looks, where a look at each character would be a thousand million.
    assert watched.looked_at == CHUNK_CHARACTERS + 2 * CHUNK_CHARACTERS


def test_what_a_cut_leaves_is_looked_at_again_only_with_a_chunk_more() -> None:
    class EarlyCut(Watched):
        def cut(self, text: str) -> int:
            self.looked_at += len(text)
            return 1

    watched = EarlyCut()
    fed_one_by_one(watched, 190_000)
    # The second look is at the 65 535 left and a chunk: 131 071.
    assert watched.looked_at == CHUNK_CHARACTERS + (2 * CHUNK_CHARACTERS - 1)


def test_empty_paragraphs_in_any_number_are_refused_or_counted_never_rescanned() -> None:
    body = "<w:p/>" * 70_000 + PARAGRAPH
    assert read(papers.docx(body), "a.docx") == ["\n" * 70_000 + "a b\n"]
    with pytest.raises(ReadingError) as caught:
        many = papers.docx("<w:p/>" * 1_000_000 + PARAGRAPH)
        counted(of_files([(io.BytesIO(many), "a.docx")], Reading()), {"cl100k_base": encoder("cl100k_base")})
    assert (caught.value.code, caught.value.values["limit"]) == ("nowhere_to_cut", RUN_CHARACTERS)


def test_paragraphs_inside_each_other_without_end_are_refused() -> None:
    assert refusal(papers.docx("<w:p>" * 300_000 + "</w:p>" * 300_000), "a.docx").code == "docx_broken"
    assert read(papers.docx("<w:p>" * 100 + "</w:p>" * 100), "a.docx") == ["\n" * 100]


@pytest.mark.parametrize("task", ["docx", "pdf"])
def test_a_file_that_takes_too_long_to_read_is_stopped_with_its_child(task: str) -> None:
    reader = {"docx": isolated.text_of_docx, "pdf": isolated.text_of_pdf}[task]
    with pytest.raises(ReadingError) as caught:
        reader(io.BytesIO(b""), seconds=0)
    assert caught.value.code == f"{task}_too_slow"


def test_a_child_that_used_up_its_processor_time_was_too_slow_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Done:
        returncode = -24

    monkeypatch.setattr(isolated.subprocess, "run", lambda *_a, **_k: Done())
    assert refusal(b"PK", "a.docx").code == "docx_too_slow"


def test_every_reader_of_a_packed_format_works_in_the_child() -> None:
    assert set(child.TASKS) == {"docx", "pdf", "tokenizer"}


def ticking(step: float) -> "Iterator[float]":
    now = 0.0
    while True:
        yield now
        now += step


def test_a_budget_is_asked_between_the_parts_of_a_document_and_between_documents() -> None:
    def budget() -> Budget:
        ticks = ticking(1.0)
        return Budget(10, clock=lambda: next(ticks))

    tokenizers = {"cl100k_base": encoder("cl100k_base")}
    for found in ([("mot " * CHUNK_CHARACTERS * 4,)], [("mot",)] * 20):
        with pytest.raises(ReadingError) as caught:
            counted(found, tokenizers, budget=budget())
        assert (caught.value.code, caught.value.values["seconds"]) == ("too_slow", 10)
    assert counted([("mot",)] * 5, tokenizers, budget=budget()).documents_count == 5


def test_a_budget_is_asked_while_lines_that_hold_nothing_are_passed_over() -> None:
    ticks = ticking(1.0)
    reading = Reading(Split.PARAGRAPHS, budget=Budget(2, clock=lambda: next(ticks)))
    with pytest.raises(ReadingError) as caught:
        list(of_files([(io.BytesIO(b"\n" * 500_000), "a.txt")], reading))
    assert caught.value.code == "too_slow"


def test_blank_documents_count_towards_the_limit_and_nothing_is_encoded_beyond_it() -> None:
    encoded = []

    class Noting(Watched):
        def count(self, text: str, *, continued: bool = False) -> int:
            encoded.append(text)
            return 1

    with pytest.raises(ReadingError) as caught:
        counted([("un",), (" ",), ("deux",), ("trois",)], {"x": Noting()}, limit_documents=3)  # type: ignore[dict-item]
    assert (caught.value.code, caught.value.values["limit"]) == ("too_many_documents", 3)
    assert "trois" not in encoded


HALVES = [(b'{"a": "\\ud800"}', "a"), (b'{"\\ud800": "x"}', ""), (b'{"a": "x", "b": ["\\uDFFF"]}', "a")]


@pytest.mark.parametrize(("line", "column"), HALVES)
def test_half_a_character_in_a_jsonl_line_is_refused_with_its_line(line: bytes, column: str) -> None:
    error = refusal(b'{"a": "ok"}\n' * bool(column) + line, "a.jsonl", column)
    assert (error.code, error.values["line"]) == ("jsonl_half_character", 1 + bool(column))


def test_both_halves_of_a_character_are_a_character() -> None:
    assert read(json.dumps({"a": "👍 \\ud800"}).encode(), "a.jsonl", "a") == ["👍 \\ud800"]


def test_a_refusal_says_its_code_only() -> None:
    assert str(ReadingError("csv_no_column", column="secret", columns=("secret",))) == "csv_no_column"
    assert "secret" not in repr(ReadingError("a", column="secret"))
    error = ModelConfigError("missing", "secret", value="secret")
    assert str(error) == "missing" and "secret" not in repr(error)


def packed(xml: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as archive:
        archive.writestr("word/document.xml", xml)
    return written.getvalue()


@pytest.mark.parametrize(
    "encoding", ["utf-7", "idna", "rot13", "zlib_codec", "nosuch", "shift_jis", "utf-16", "punycode", "x" * 5000]
)
def test_an_xml_that_declares_an_odd_encoding_is_refused_or_read(encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><w:document xmlns:w="{papers.WORD}">{PARAGRAPH}</w:document>'
    assert refusal(packed(xml.encode()), "a.docx").code == "docx_broken"


def test_a_damaged_lzma_part_is_refused() -> None:
    whole = bytearray(papers.docx(PARAGRAPH * 200, compression=zipfile.ZIP_LZMA))
    start = whole.index(b"word/document.xml") + len("word/document.xml")
    whole[start : start + 40] = b"\xff" * 40
    assert refusal(bytes(whole), "a.docx").code == "docx_broken"


def test_thirty_damaged_files_are_refused_or_read_and_nothing_else() -> None:
    draw = random.Random(20261130)
    whole = papers.docx(PARAGRAPH * 50)
    for _attempt in range(30):
        damaged = bytearray(whole)
        for _flip in range(draw.randint(1, 8)):
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        answer, text = child.docx(bytes(damaged))
        assert answer.get("error", "docx_broken") in ("docx_broken", "docx_encrypted", "docx_too_large")
        assert bool(text) is ("error" not in answer)
