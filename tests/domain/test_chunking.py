"""Chunks with overlap: the count of one document, the mean of many, the tokens read twice."""

import random
from math import log
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.chunking import chunks_of, embedded_tokens, mean_chunks


@pytest.mark.parametrize(
    ("tokens", "chunks"), [(1, 1), (512, 1), (513, 2), (960, 2), (961, 3), (1408, 3), (1409, 4), (0, 1)]
)
def test_a_document_takes_one_chunk_then_one_a_stride(tokens: int, chunks: int) -> None:
    assert chunks_of(tokens, 512, 64) == chunks


@given(st.integers(1, 20_000), st.integers(2, 600), st.data())
def test_chunks_cover_the_document_and_the_last_one_is_needed(tokens: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    chunks = chunks_of(tokens, size, overlap)
    reached = size + (chunks - 1) * (size - overlap)
    assert reached >= tokens
    assert chunks == 1 or reached - (size - overlap) < tokens


def test_without_a_spread_every_document_is_the_mean_one() -> None:
    assert mean_chunks(1000, None, 512, 64) == mean_chunks(1000, 0.0, 512, 64) == 3.0


@pytest.mark.parametrize(
    ("mean", "sd", "size", "overlap"), [(4000, 3000, 512, 64), (300, 250, 512, 64), (9e5, 8e5, 512, 128)]
)
def test_the_mean_of_chunks_is_that_of_log_normal_lengths(mean: float, sd: float, size: int, overlap: int) -> None:

    variance = log(1 + (sd / mean) ** 2)
    draw = random.Random(1)
    drawn = [draw.lognormvariate(log(mean) - variance / 2, variance**0.5) for _ in range(60_000)]
    assert mean_chunks(mean, sd, size, overlap) == pytest.approx(
        fmean(chunks_of(length, size, overlap) for length in drawn), rel=0.015
    )


def test_a_narrow_spread_gives_nearly_the_count_of_the_mean() -> None:
    assert mean_chunks(1200, 1.0, 512, 64) == pytest.approx(3.0, abs=1e-6)


def test_each_chunk_after_the_first_repeats_the_overlap() -> None:
    # 1 000 tokens in 3 chunks of 512 by strides of 448: 2 × 64 tokens are read twice.
    assert embedded_tokens(1000, 3, 64) == 1128
    assert embedded_tokens(100, 1, 64) == 100


@pytest.mark.parametrize("sd_tokens", [1e-6, 1e-9, 1e-200, 5e-324])
def test_a_spread_too_small_for_a_float_leaves_every_document_the_mean_one(sd_tokens: float) -> None:
    # 1 000 tokens in chunks of 512 with an overlap of 64: 512, then 448 and the rest.
    assert mean_chunks(1000, sd_tokens, 512, 64) == pytest.approx(3)
