"""The page that counts: what is counted and shown, what is refused and when, and that nothing stays behind."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.test import Client, RequestFactory, override_settings
from tokenizers import Tokenizer, models, pre_tokenizers

from calculator import answers, countpages, uploads
from calculator.counting import limits, problems, readers
from calculator.counting.readers import Split
from calculator.counts import Asked, count
from calculator.presenters import count_problems
from calculator.tools.tokens import TOOL
from tests import pagetext
from tests.counting import papers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
COUNT = "/fr/tokens/count"
SENTENCE = "Le cloud européen, bâti pour la production."
EVERY = ["cl100k_base", "o200k_base", "mistral-v1", "mistral-v3", "tekken"]


def sent(client: Client, language: str = "fr", **fields: Any) -> Any:
    """The answer to the form with one tokenizer unless told otherwise."""
    return client.post(f"/{language}/tokens/count", {"tokenizers": ["cl100k_base"], **fields})


def words_of(response: Any) -> str:
    return pagetext.words(response.content.decode())


def file(content: bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_the_form_stands_alone_and_says_what_becomes_of_the_text(client: Client) -> None:
    response = client.get(COUNT)
    assert response.status_code == 200
    text = words_of(response)
    assert "Rien n’est gardé, rien n’est envoyé ailleurs" in text
    assert "50 Mo en tout" in text
    # 213 and 146 tokens of cl100k for the same two paragraphs: 1.46.
    # 213 ÷ 142 words and 146 ÷ 129 words.
    assert re.search(r"cl100k_base 213 146 × 1,46 1,5 1,13", text)


def test_the_samples_tokens_a_word_stand_beside_those_of_both_languages(client: Client) -> None:
    response = sent(client, text=SENTENCE)
    rows = {row.name: row.own_word for row in response.context["parallels"]}
    # 12 tokens for 7 words; the others were not asked for.
    assert rows["cl100k_base"] == "1,71" and rows["Mistral tekken"] == ""


def test_the_reference_sentence_is_counted_by_every_tokenizer_side_by_side(client: Client) -> None:
    response = sent(client, text=SENTENCE, tokenizers=EVERY)
    assert response.status_code == 200
    text = words_of(response)
    assert "12 tokens en cl100k_base, pour 43 caractères" in text
    assert "0,279 token par caractère" in text
    assert "octets en UTF-8 45" in text and "mots 7" in text
    lines = {line.name: line.tokens for line in response.context["page"].lines}
    assert lines == {
        "cl100k_base": "12",
        "o200k_base": "10",
        "Mistral v1": "13",
        "Mistral v3": "13",
        "Mistral tekken": "10",
    }


def test_english_readers_get_english(client: Client) -> None:
    text = words_of(sent(client, "en", text=SENTENCE))
    assert "12 tokens in cl100k_base, for 43 characters" in text
    assert "Compter" not in text


def test_the_split_shows_each_token_with_its_number(client: Client) -> None:
    pieces = sent(client, text=SENTENCE).context["page"].pieces
    assert [piece.number for piece in pieces][:3] == ["2356", "9624", "95199"]
    assert "".join(piece.text for piece in pieces) == SENTENCE
    assert not any(piece.is_part for piece in pieces)


def test_bytes_that_are_no_whole_character_are_shown_as_such(client: Client) -> None:
    pieces = sent(client, text="👩‍👧").context["page"].pieces
    assert any(piece.is_part for piece in pieces)
    assert all(re.fullmatch(r"(\\x[0-9A-F]{2})+", piece.text) for piece in pieces if piece.is_part)


def test_line_feeds_are_marked_and_a_browsers_carriage_returns_are_not_counted(client: Client) -> None:
    response = sent(client, text="un\r\ndeux")
    assert response.context["page"].stats[1].value == "7"
    assert "↵\n" in "".join(piece.text for piece in response.context["page"].pieces)


def test_at_most_two_thousand_tokens_are_shown(client: Client) -> None:
    page = sent(client, text="mot " * 6000).context["page"]
    assert len(page.pieces) == 2000
    assert "Les 2\u202f000 premiers tokens" in page.split_note


def test_markup_in_a_text_is_shown_not_run(client: Client) -> None:
    content = sent(client, text="<script>alert(1)</script>").content.decode()
    assert "<script>alert" not in content


def test_a_sample_leads_to_a_budget_with_its_numbers_only(client: Client) -> None:
    response = sent(client, text="un\ndeux trois\n\nquatre cinq six", split="lines")
    page = response.context["page"]
    query = QueryDict(page.corpus_query)
    assert set(query) == {"v", "mean", "sd", "n", "p50", "p95", "tokenizer"}
    assert query["n"] == "3"
    assert "deux" not in page.corpus_query and "deux" not in page.own_query
    outcome = answers.from_link(TOOL, QueryDict(page.own_query))
    assert outcome.answer is not None and outcome.answer.scenario.documents_count == 3
    assert [message.code for message in outcome.answer.estimate.warnings if message.field == "docs"] == ["whole_corpus"]


def test_counting_keeps_the_budget_that_was_left(client: Client, seeded: None) -> None:
    budget = client.get("/fr/tokens?docs=500000&chunk=256&sku=GPU-TITAN&n=7", follow=True)
    way = re.findall(r'href="(/fr/tokens/count[?]back=[^"]+)"', budget.content.decode())[0]
    asked = client.get(way).content.decode()
    action = re.findall(r'action="(/fr/tokens/count[?]back=[^"]+)"', asked)[0]
    page = client.post(action, {"tokenizers": ["cl100k_base"], "text": SENTENCE}).context["page"]
    corpus, own = QueryDict(page.corpus_query), QueryDict(page.own_query)
    assert (corpus["docs"], corpus["chunk"], corpus["sku"], corpus.getlist("n")) == (
        "500000",
        "256",
        "GPU-TITAN",
        ["1"],
    )
    assert (own.getlist("docs"), own["chunk"]) == (["1"], "256")


@pytest.mark.parametrize("back", ["docs=many", "v=9&docs=5", "docs=5" + "0" * 3000, "x"])
def test_what_is_no_budget_is_not_carried(client: Client, seeded: None, back: str) -> None:
    response = client.get("/fr/tokens/count", {"back": back})
    assert response.status_code == 200 and "many" not in response.context["back"]
    assert "docs=5" not in response.context["back"]


def test_one_document_leads_to_a_budget_without_an_interval(client: Client) -> None:
    outcome = answers.from_link(TOOL, QueryDict(sent(client, text=SENTENCE).context["page"].own_query))
    assert outcome.answer is not None
    assert outcome.answer.estimate.total.value == 12
    assert outcome.answer.estimate.margin_ratio is None


@pytest.mark.parametrize(
    ("name", "content", "column", "documents"),
    [
        ("a.txt", SENTENCE.encode(), "", 1),
        ("a.md", b"# Titre\n\nTexte", "", 1),
        ("a.csv", b"id;texte\n1;un\n2;deux\n", "texte", 2),
        ("a.jsonl", b'{"t": "un"}\n{"t": "deux"}\n{"t": "trois"}', "t", 3),
        ("a.docx", papers.docx("<w:p><w:r><w:t>Bonjour</w:t></w:r></w:p>"), "", 1),
        ("a.pdf", papers.pdf("Bonjour"), "", 1),
    ],
)
def test_each_kind_of_file_is_counted(client: Client, name: str, content: bytes, column: str, documents: int) -> None:
    response = sent(client, uploads=[file(content, name)], column=column)
    assert response.status_code == 200, words_of(response)
    assert response.context["page"].has_sample is (documents > 1)


def test_several_files_and_a_pasted_text_are_one_sample(client: Client) -> None:
    response = sent(client, text="un", uploads=[file(b"deux", "a.txt"), file(b"trois", "b.md")])
    assert "3 documents" in words_of(response)


def test_another_encoding_than_utf8_is_said(client: Client) -> None:
    response = sent(client, uploads=[file(SENTENCE.encode("utf-16"), "a.txt")])
    assert "a.txt était en UTF-16" in words_of(response)
    assert "12 tokens" in words_of(response)


BAD_FILES = [
    (
        "a.txt",
        SENTENCE.encode("cp1252"),
        "a.txt : Ce texte n’est pas en UTF-8 mais sans doute en Windows-1252",
    ),
    ("a.txt", b"abc\xff\xfe", "l’octet 0xFF, à la position 3"),
    ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "fichier binaire"),
    ("a.txt", b"", "vide"),
    ("a.png", b"abc", "« .png » ne sont pas lus"),
    ("a.csv", b"id,texte\n1,a", "Indiquez la colonne à compter. Colonnes : id, texte."),
    ("a.jsonl", b"{", "La ligne 1 n’est pas du JSON"),
    ("a.docx", b"PK", "endommagé"),
    ("a.pdf", papers.encrypted_pdf("secret"), "protégé par un mot de passe"),
    ("a.pdf", papers.pdf(""), "ne contient pas de texte"),
    ("a.txt", b"a" * 400_000, "sans qu’on puisse couper"),
]


@pytest.mark.parametrize(("name", "content", "sentence"), BAD_FILES)
def test_a_file_that_cannot_be_counted_gets_its_sentence(
    client: Client, name: str, content: bytes, sentence: str
) -> None:
    response = sent(client, uploads=[file(content, name)], column="", text="", split="whole")
    assert response.status_code == 422
    assert sentence in words_of(response)
    assert response.context["page"] is None


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"text": " \n "}, "text"),
        ({"text": "a", "tokenizers": []}, "tokenizers"),
        ({"text": "a", "tokenizers": ["gpt2"]}, "tokenizers"),
        ({"text": "a", "split": "pages"}, "split"),
        ({"text": "a", "column": "c" * 300}, "column"),
        ({}, "text"),
    ],
)
def test_a_bad_field_is_named_and_the_text_is_kept(client: Client, fields: dict[str, Any], name: str) -> None:
    response = sent(client, **fields)
    assert response.status_code == 422
    assert name in response.context["form"].errors
    assert response.context["form"]["text"].value() == fields.get("text")


def own_tokenizer() -> bytes:
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "le": 1, "cloud": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made.to_str().encode()


def test_an_uploaded_tokenizer_counts_beside_ours_and_alone(client: Client) -> None:
    beside = sent(client, text="le cloud le", own=file(own_tokenizer(), "tokenizer.json"))
    assert [line.tokens for line in beside.context["page"].lines][-1] == "3"
    alone = sent(client, text="le cloud le", tokenizers=[], own=file(own_tokenizer(), "tokenizer.json"))
    assert alone.status_code == 200
    page = alone.context["page"]
    assert "3 tokens" in words_of(alone)
    assert [(piece.text, piece.number) for piece in page.pieces] == [("le", "1"), ("cloud", "2"), ("le", "1")]
    assert QueryDict(page.corpus_query)["tokenizer"] == "other"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"model": {"type": "BPE"}}'])
def test_a_malformed_tokenizer_is_refused_and_ours_still_count(client: Client, content: bytes) -> None:
    alone = sent(client, text="le", tokenizers=[], own=file(content, "tokenizer.json"))
    assert alone.status_code == 422
    beside = sent(client, text="le", own=file(content, "tokenizer.json"))
    assert beside.status_code == 200
    assert "Ce tokenizer.json n’est pas lisible" in words_of(beside)


def test_a_large_sample_is_counted_with_the_first_tokenizer_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calculator.counts.SEVERAL_TOKENIZERS_BYTES", 10)
    found = count(Asked("un texte assez long", (), Split.WHOLE, "", ("tekken", "cl100k_base")))
    assert [column.tokenizer for column in found.columns] == ["tekken"]
    assert found.left_out == ("cl100k_base",)


def test_an_upload_over_the_limit_is_refused_from_its_announced_length_unread() -> None:
    class Untouched(io.RawIOBase):
        def read(self, *_args: Any) -> bytes:
            raise AssertionError("the body was read")

        readinto = readline = read  # type: ignore[assignment]

    request = RequestFactory().post(COUNT)
    request.META["CONTENT_LENGTH"] = str(10**9)
    request.META["CONTENT_TYPE"] = "multipart/form-data; boundary=x"
    request._stream = Untouched()  # type: ignore[attr-defined]
    response = countpages.count(request)
    assert response.status_code == 413
    assert "50" in pagetext.words(response.content.decode())


def test_an_upload_over_the_limit_is_stopped_while_it_is_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 100_000)
    monkeypatch.setattr(countpages, "is_announced_too_large", lambda _request: False)
    response = sent(client, uploads=[file(b"mot " * 100_000, "a.txt")])
    assert response.status_code == 413
    assert "dépasse" in words_of(response)


def test_a_pasted_text_over_the_limit_is_sent_to_the_file_field(client: Client) -> None:
    response = sent(client, text="mot " * 700_000)
    assert response.status_code == 413
    assert "envoyez-le comme fichier" in words_of(response)


def test_a_request_that_is_no_form_is_answered(client: Client) -> None:
    for content_type in (
        "multipart/form-data",
        "multipart/form-data; boundary=\u00e9",
        "multipart/form-data; boundary=x",
    ):
        response = client.post(COUNT, data=b"garbage", content_type=content_type)
        assert response.status_code in (400, 422), content_type


def test_too_many_files_are_refused(client: Client) -> None:
    response = sent(client, uploads=[file(b"a", f"{number}.txt") for number in range(101)])
    assert response.status_code == 400


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """The folder where uploads go, every file of which goes to disk."""
    with override_settings(FILE_UPLOAD_TEMP_DIR=str(tmp_path), FILE_UPLOAD_MAX_MEMORY_SIZE=0):
        yield tmp_path


@pytest.mark.parametrize("content", [b"mot " * 1000, b"\xff\xfe\xfd", b"a" * 400_000])
def test_temporary_files_are_gone_with_the_request(
    client: Client, temporary: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    counted = countpages.counts.count

    def watching(asked: Asked) -> Any:
        seen.append(len(list(temporary.iterdir())))
        return counted(asked)

    monkeypatch.setattr(countpages.counts, "count", watching)
    sent(client, uploads=[file(content, "a.txt")], own=file(b"{}", "tokenizer.json"))
    assert seen == [2]
    assert list(temporary.iterdir()) == []


def test_a_stopped_upload_leaves_no_temporary_file(
    client: Client, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 100_000)
    monkeypatch.setattr(countpages, "is_announced_too_large", lambda _request: False)
    sent(client, uploads=[file(b"mot " * 100_000, "a.txt")])
    assert list(temporary.iterdir()) == []


def test_a_forged_request_is_refused_and_a_real_one_is_not() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(COUNT, {"text": "a", "tokenizers": ["tekken"]}).status_code == 403
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', strict.get(COUNT).content.decode())
    assert token is not None
    given = {"text": "a", "tokenizers": ["tekken"], "csrfmiddlewaretoken": token[1]}
    assert strict.post(COUNT, given).status_code == 200


def test_the_answer_is_kept_by_no_cache_and_other_methods_are_refused(client: Client) -> None:
    assert "no-store" in sent(client, text="a").headers["Cache-Control"]
    assert client.put(COUNT).status_code == 405


def test_nothing_of_the_text_reaches_a_link_of_the_page(client: Client) -> None:
    content = sent(client, text="motsecret " * 3).content.decode()
    assert not [link for link in re.findall(r'href="([^"]*)"', content) if "motsecret" in link]


def codes_raised() -> set[str]:
    """Every code that the counting package can raise, read from its source."""
    folder = Path(readers.__file__).parent
    source = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    found = set(re.findall(r'(?:ReadingError|_error)\(\s*"(\w+)"', source))
    found |= {f"{task}_{end}" for task in ("docx", "pdf", "tokenizer") for end in ("too_slow", "broken")}
    return found | {"windows_1252", "not_utf8", "utf16_without_mark", "binary"}


def test_every_problem_has_a_sentence_and_no_sentence_is_idle() -> None:
    assert codes_raised() == set(count_problems.SENTENCES)


@pytest.mark.parametrize("code", count_problems.SENTENCES)
def test_every_sentence_fills_its_places(code: str) -> None:
    values = dict.fromkeys(re.findall(r"%\((\w+)\)s", str(count_problems.SENTENCES[code])), "x")
    said = count_problems.sentence(problems.ReadingError(code, **values, file="a.txt"))
    assert "%(" not in said and said.startswith("a.txt")


def test_the_limits_are_those_that_the_page_states() -> None:
    assert (limits.UPLOAD_BYTES, limits.TOKENIZER_BYTES) == (50_000_000, 20_000_000)
    assert (limits.SEVERAL_TOKENIZERS_BYTES, limits.FOREIGN_CHARACTERS) == (5_000_000, 2_000_000)
    assert json.dumps(limits.SPLIT_TOKENS) == "2000"
