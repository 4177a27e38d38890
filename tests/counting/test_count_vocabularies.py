"""The reference counts, the sizes of the vocabularies, and data that is read only when it is the right one."""

import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import sentencepiece
import tiktoken_ext.openai_public as official

from calculator.counting import encoders, vocabularies
from calculator.counting.encoders import ENCODERS, encoder
from calculator.counting.vocabularies import Source, VocabularyError
from calculator.domain.tokens import TOKENIZER_OF_OPEN_MODEL

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "fixtures" / "models.json"

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


SIZES = {"mistral-v1": 32_000, "mistral-v3": 32_768, "tekken": 131_072}
"""Vocabulary of each tokenizer, as in the configuration of the models that ship it."""


def test_each_open_model_has_the_tokenizer_of_its_vocabulary() -> None:
    vocabulary = {one["name"]: one["vocab"] for one in json.loads(MODELS.read_text(encoding="utf-8"))}
    mistral = {name: code for name, code in TOKENIZER_OF_OPEN_MODEL.items() if not name.startswith("gpt-oss")}
    assert {name: SIZES[code] for name, code in mistral.items()} == {name: vocabulary[name] for name in mistral}
    others = {name for name, size in vocabulary.items() if size in SIZES.values() and "istral" in name} - set(mistral)
    assert others == {"Mistral-Small-2409"}


def test_gpt_oss_merges_as_o200k_base_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(address: str, **_hash: str) -> dict[bytes, int]:
        asked.append(address)
        return {}

    monkeypatch.setattr(official, "load_tiktoken_bpe", noted)
    harmony, base = official.o200k_harmony(), official.o200k_base()
    assert harmony["pat_str"] == base["pat_str"] == encoders.O200K_PATTERN
    assert len(set(asked)) == 1


def test_the_vocabularies_of_mistral_before_tekken_count_alike() -> None:
    data = vocabularies.TEKKEN.file.parent
    text = (ROOT / "docs" / "methodology.md").read_text(encoding="utf-8")[:20_000]
    counts = {
        len(sentencepiece.SentencePieceProcessor(str(data / name)).encode(text))
        for name in (
            "tokenizer.model.v1",
            "mistral_instruct_tokenizer_240216.model.v2",
            "mistral_instruct_tokenizer_240323.model.v3",
        )
    }
    assert len(counts) == 1
