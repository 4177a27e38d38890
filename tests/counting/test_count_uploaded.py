"""A tokenizer.json that a visitor uploads: counted like any other, never able to hang or bring down the server."""

import json
import time
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from calculator.counting import isolated
from calculator.counting.isolated import count_with
from calculator.counting.problems import ReadingError


def described(**changes: Any) -> bytes:
    """A tokenizer of words, with a special token and a mark put before each text."""
    words = {"[UNK]": 0, "<s>": 1, "le": 2, "cloud": 3, "<": 4, "s": 5, ">": 6}
    made = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["<s>"])
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    made.enable_truncation(max_length=2)
    made.enable_padding(length=50)
    return json.dumps({**json.loads(made.to_str()), **changes}).encode()


def refused(tokenizer: bytes, documents: tuple[str, ...] = ("le cloud",), seconds: float = 30) -> ReadingError:
    with pytest.raises(ReadingError) as caught:
        count_with(tokenizer, documents, seconds)
    return caught.value


def test_an_uploaded_tokenizer_counts_without_marks_padding_or_truncation() -> None:
    found = count_with(described(), ("le cloud", "le le le autre", ""))
    assert found.counts == (2, 4, 0)
    assert found.spans == ((2, 0, 2), (3, 3, 8))
    assert found.vocabulary_count == 7


def test_the_text_of_its_special_token_is_text() -> None:
    assert [number for number, *_span in count_with(described(), ("<s>",)).spans] == [4, 5, 6]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"a"',
        b"\xff\xfe",
        b'{"version": "1.0"}',
        b"[" * 200_000,
        b'{"added_tokens": 3}',
        b'{"a":1}',
    ],
)
def test_a_malformed_tokenizer_is_refused(content: bytes) -> None:
    assert refused(content).code == "tokenizer_malformed"


def test_a_tokenizer_with_a_model_of_no_kind_is_refused_with_the_reason() -> None:
    error = refused(described(model={"type": "Nothing", "vocab": {}}))
    assert error.code == "tokenizer_malformed" and error.values["reason"]


def test_a_pattern_that_never_ends_is_stopped() -> None:
    trap = {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False}
    started = time.monotonic()
    error = refused(described(pre_tokenizer=trap), ("x" * 60,), seconds=3)
    assert error.code in ("tokenizer_too_slow", "tokenizer_broken", "tokenizer_malformed")
    assert time.monotonic() - started < 15


def test_a_tokenizer_over_the_limit_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "TOKENIZER_BYTES", 10)
    error = refused(b" " * 11)
    assert (error.code, error.values["limit"]) == ("tokenizer_too_large", 10)


def test_too_much_text_for_a_tokenizer_that_takes_it_whole_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "FOREIGN_CHARACTERS", 10)
    assert refused(described(), ("a" * 6, "b" * 6)).code == "tokenizer_too_much_text"


def test_a_child_that_crashes_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated.sys, "executable", "/bin/false")
    assert refused(described()).code == "tokenizer_broken"
