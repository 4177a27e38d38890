"""`manage.py count_tokens`: files and standard input, streamed; a sentence and status 2 for what cannot be read."""

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calculator.management.commands import count_tokens

SENTENCE = "Le cloud européen, bâti pour la production."


def told(*arguments: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("count_tokens", *arguments, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def reference(tmp_path: Path) -> str:
    path = tmp_path / "phrase.txt"
    path.write_text(SENTENCE, encoding="utf-8")
    return str(path)


def test_a_file_is_counted_by_every_tokenizer(reference: str) -> None:
    lines = dict(line.rsplit(maxsplit=1) for line in told(reference).splitlines())
    assert (lines["cl100k_base"], lines["tekken"], lines["mistral-v1"]) == ("12", "10", "13")
    assert (lines["caractères"], lines["octets"], lines["mots"]) == ("43", "45", "7")


def test_one_tokenizer_as_json(reference: str) -> None:
    found = json.loads(told(reference, "--tokenizer", "cl100k_base", "--json"))
    assert found["tokenizers"] == {"cl100k_base": {"tokens": 12, "mean": 12.0, "sd": None, "p50": 12.0, "p95": 12.0}}
    assert (found["documents"], found["words"]) == (1, 7)


def test_standard_input_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_tokens.sys, "stdin", SimpleNamespace(buffer=io.BytesIO(SENTENCE.encode())))
    assert "12" in told("-", "--tokenizer", "cl100k_base").splitlines()[-1]


def test_rows_of_a_csv_file_are_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,texte\n1,un\n2,deux\n", encoding="utf-8")
    found = json.loads(told(str(path), "--column", "texte", "--tokenizer", "tekken", "--json"))
    assert found["documents"] == 2 and found["tokenizers"]["tekken"]["sd"] is not None


def test_english_labels_where_asked(reference: str) -> None:
    assert "characters" in told(reference, "--lang", "en")


@pytest.mark.parametrize(
    ("content", "sentence"), [(b"\xe9", "Windows-1252"), (b"", "vide"), (b"\0", "binaire"), (b"a" * 400_000, "couper")]
)
def test_what_cannot_be_counted_ends_with_status_2_and_names_the_file(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(CommandError) as caught:
        told(str(path))
    assert caught.value.returncode == 2
    assert sentence in str(caught.value)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError) as caught:
        told("no-such-file.txt")
    assert caught.value.returncode == 2 and "no-such-file.txt" in str(caught.value)
