"""Words into tokens: the two paragraphs are counted again with the tokenizers that the product ships."""

import doctest
from decimal import Decimal

import pytest

from calculator.counting.encoders import ENCODERS, encoder
from sales.domain import language
from sales.domain.language import (
    ENGLISH_SAMPLE,
    FRENCH_SAMPLE,
    TOKENS,
    WORDS,
    Language,
    api_token_ratio,
    tokens_a_word,
)

SAMPLES = {Language.FRENCH: FRENCH_SAMPLE, Language.ENGLISH: ENGLISH_SAMPLE}


def test_the_worked_numbers_of_the_docstrings_hold() -> None:
    assert doctest.testmod(language).failed == 0


@pytest.mark.parametrize("spoken", SAMPLES)
def test_the_table_is_what_our_tokenizers_count(spoken: Language) -> None:
    text = SAMPLES[spoken]
    assert len(text.split()) == WORDS[spoken]
    assert {code: encoder(code).count(text) for code in ENCODERS} == TOKENS[spoken]


def test_p74_french_takes_fewer_tokens_on_the_larger_vocabulary() -> None:
    """170 ÷ 230 = 0.739; in English 140 ÷ 146 = 0.959."""
    assert api_token_ratio(Language.FRENCH, "Mistral-7B-v0.3", "gpt-5.4-mini") == Decimal("0.74")
    assert api_token_ratio(Language.ENGLISH, "Mistral-7B-v0.3", "gpt-5.4-mini") == Decimal("0.96")


def test_half_of_each_language_lies_between() -> None:
    both = tokens_a_word(Language.BOTH, "cl100k_base")
    assert both == (Decimal(208) / 124 + Decimal(141) / 120) / 2


@pytest.mark.parametrize(("model", "api"), [("Qwen2.5-7B", "gpt-5.4"), ("Mistral-7B-v0.3", "claude-haiku-4-5")])
def test_an_unpublished_tokenizer_changes_nothing(model: str, api: str) -> None:
    assert api_token_ratio(Language.FRENCH, model, api) == 1
