"""A streamed count equals the count of the whole text, whatever the text, the cuts and the tokenizer."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calculator.counting.cuts import after_word, between_pieces, pairs
from calculator.counting.encoders import ENCODERS, UncountableError, encoder
from calculator.counting.stream import Measure, Stream, count

CODES = tuple(ENCODERS)
PARTS = [
    *(" ", "  ", "   ", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u202f", "\u0085", "\x1c", "\u3000", "\0", "/", "//"),
    *("'", "'s", "’", "'ll", "I'D", "l'été", "é", "e\u0301", "É", "le", "cloud", "européen", "Bâti", "HTTP", "aB", "x"),
    *("7", "42", "12345", "²", "½", "①", "五", "我们", "，", "。", "日本語", "한국", "ß", "👍", "👩‍👩‍👧", "🇫🇷"),
    *(".", ",", "...", "!?", "(", ")", "[INST]", "<s>", "<|endoftext|>", "<|im_start|>", "_", "#", "==", "\\n"),
    *("▁", "▁▁", "ﬁ", "\ufeff", "\u200b", "\u200d", "ǅ", "ʰ", "א", "مرحبا", "़", "क"),
]
texts = st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=6)), max_size=60).map("".join)
cut_sizes = st.integers(min_value=1, max_value=40)


def streamed(code: str, text: str, chunk: int, piece: int) -> int:
    """The count of `text` fed in pieces, encoded as soon as `chunk` characters wait."""
    stream = Stream(encoder(code), chunk_characters=chunk, run_characters=10**6)
    for start in range(0, len(text), piece):
        stream.feed(text[start : start + piece])
    return stream.close()


@pytest.mark.parametrize("code", CODES)
@given(text=texts, chunk=cut_sizes, piece=cut_sizes)
@example(text="a\n /b \n\n c", chunk=2, piece=1)
@example(text="fin.\n/suite", chunk=3, piece=2)
@example(text="  \n  \n\n   x", chunk=3, piece=3)
@example(text="▁ ▁a ▁", chunk=2, piece=1)
@example(text="don't, l'un; J'S", chunk=2, piece=2)
def test_a_streamed_count_is_that_of_the_whole_text(code: str, text: str, chunk: int, piece: int) -> None:
    assert streamed(code, text, chunk, piece) == len(encoder(code).ids(text))


@pytest.mark.parametrize("code", CODES)
@given(text=texts)
def test_every_cut_splits_the_tokens_where_it_splits_the_text(code: str, text: str) -> None:
    tokenizer = encoder(code)
    cut = tokenizer.cut(text)
    assert tokenizer.ids(text[:cut]) + tokenizer.ids(text[cut:], continued=cut > 0) == tokenizer.ids(text)


@pytest.mark.parametrize("code", CODES)
def test_the_default_chunk_counts_a_long_mixed_text_exactly(code: str) -> None:
    draw = random.Random(20261130)
    text = "".join(draw.choice(PARTS) for _ in range(90_000))
    assert count([text], {code: encoder(code)}).tokens[code] == len(encoder(code).ids(text))


@pytest.mark.parametrize("code", CODES)
@given(text=texts)
def test_the_bytes_of_the_tokens_are_the_text(code: str, text: str) -> None:
    written = text.replace("▁", " ") if code.startswith("mistral") else text
    assert b"".join(token.raw for token in encoder(code).tokens(text)).decode() == written


@given(texts, cut_sizes)
def test_words_characters_and_bytes_do_not_depend_on_the_pieces(text: str, piece: int) -> None:
    measure = Measure()
    for start in range(0, len(text), piece):
        measure.feed(text[start : start + piece])
    assert measure.words_count == len(text.split())
    assert (measure.characters_count, measure.bytes_count) == (len(text), len(text.encode()))


@pytest.mark.parametrize("code", ["cl100k_base", "o200k_base", "tekken"])
def test_a_text_without_any_place_to_cut_is_refused_not_held(code: str) -> None:
    stream = Stream(encoder(code))
    with pytest.raises(UncountableError, match="without a place to cut"):
        for _ in range(10):
            stream.feed("a" * 50_000)
    assert len(stream.pending) < 300_000


@pytest.mark.parametrize("code", ["cl100k_base", "o200k_base", "tekken"])
def test_a_panic_of_the_compiled_pattern_is_an_answer_not_a_crash(code: str) -> None:
    with pytest.raises(UncountableError):
        encoder(code).ids("x" + " " * 1_500_000 + "y")


@pytest.mark.parametrize("code", CODES)
def test_long_runs_below_the_limit_are_counted_whole(code: str) -> None:
    run = " " * 150_000
    assert count([run, "x"], {code: encoder(code)}).tokens[code] == len(encoder(code).ids(run + "x"))


def test_no_piece_of_the_mistral_models_holds_a_line_feed_or_a_space_inside_a_word() -> None:
    for code in ("mistral-v1", "mistral-v3"):
        pieces = encoder(code).pieces  # type: ignore[attr-defined]
        assert not [piece for piece in pieces if "\n" in piece or "▁" in piece.lstrip("▁")]


def test_cuts_fall_before_the_space_after_the_line_feed_and_before_the_mark() -> None:
    assert after_word("un deux") == 2
    assert after_word("a\n\nb") == 3
    assert after_word("我们，你") == 2
    assert after_word("a\n/") == 0
    assert after_word("mot'") == 0
    assert after_word("") == after_word(" ") == after_word("  x") == 0


def test_a_cut_between_pieces_joins_no_pair_of_the_vocabulary() -> None:
    joined = pairs(["▁le", "chat"])
    assert joined == {"▁l", "le", "ch", "ha", "at"}
    assert between_pieces("le chat", joined) == 3
    assert between_pieces("chat", joined) == between_pieces("", joined) == 0
