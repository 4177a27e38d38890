"""The reference counts, the sizes of the vocabularies, and data that is read only when it is the right one."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest
import tiktoken_ext.openai_public as official

from calculator.counting import encoders, vocabularies
from calculator.counting.encoders import ENCODERS, encoder
from calculator.counting.vocabularies import Source, VocabularyError

SENTENCE = "Le cloud européen, bâti pour la production."
REFERENCE_IDS = [2356, 9624, 95199, 268, 11, 293, 9011, 10462, 5019, 1208, 5788, 13]


def test_the_reference_sentence_gives_the_published_ids() -> None:
    assert (len(SENTENCE), len(SENTENCE.encode())) == (43, 45)
    assert encoder("cl100k_base").ids(SENTENCE) == REFERENCE_IDS
    assert round(len(REFERENCE_IDS) / len(SENTENCE), 2) == 0.28


@pytest.mark.parametrize(
    ("code", "tokens"),
    [("cl100k_base", 12), ("o200k_base", 10), ("mistral-v1", 13), ("mistral-v3", 13), ("tekken", 10)],
)
def test_the_reference_sentence_is_counted_by_each_tokenizer(code: str, tokens: int) -> None:
    assert len(encoder(code).ids(SENTENCE)) == tokens


@pytest.mark.parametrize(
    ("code", "vocabulary"),
    [
        ("cl100k_base", 100_277),
        ("o200k_base", 200_019),
        ("mistral-v1", 32_000),
        ("mistral-v3", 32_768),
        ("tekken", 131_072),
    ],
)
def test_the_vocabularies_have_their_published_sizes(code: str, vocabulary: int) -> None:
    assert encoder(code).vocabulary_count == vocabulary


def test_cl100k_has_100256_mergeable_ranks_and_tekken_all_but_its_thousand_special_tokens() -> None:
    assert encoder("cl100k_base").mergeable_count == 100_256
    assert encoder("tekken").mergeable_count == 131_072 - 1_000


def test_mistral_v1_merges_all_its_pieces_but_the_three_control_tokens() -> None:
    assert encoder("mistral-v1").mergeable_count == 32_000 - 3


@pytest.mark.parametrize(
    ("name", "pattern"), [("cl100k_base", encoders.CL100K_PATTERN), ("o200k_base", encoders.O200K_PATTERN)]
)
def test_the_patterns_and_hashes_are_those_of_tiktoken(
    name: str, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(official, "load_tiktoken_bpe", lambda _address, expected_hash: asked.append(expected_hash))
    assert getattr(official, name)()["pat_str"] == pattern
    ours = {"cl100k_base": vocabularies.CL100K, "o200k_base": vocabularies.O200K}[name]
    assert asked == [ours.sha256]


@pytest.mark.parametrize("code", ENCODERS)
@pytest.mark.parametrize("special", ["<|endoftext|>", "<s>", "</s>", "[INST]", "<unk>", "<0x0A>", "<|endofprompt|>"])
def test_the_text_of_a_special_token_is_ordinary_text(code: str, special: str) -> None:
    tokens = encoder(code).tokens(special)
    assert len(tokens) > 1
    assert b"".join(token.raw for token in tokens).decode() == special


def test_another_content_than_the_expected_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.model").write_bytes(b"another content")
    found = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: found)
    with pytest.raises(VocabularyError, match="is not the file"):
        Source("some_package", "a.model", "0" * 64).content()
    with pytest.raises(VocabularyError, match=r"lacks b\.model"):
        Source("some_package", "b.model", "0" * 64).content()


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(VocabularyError, match="no_such_package is not installed"):
        Source("no_such_package", "a", "0" * 64).content()


def test_an_unknown_tokenizer_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        encoder("gpt-5")
