"""Cutting documents into chunks that overlap, and the tokens that are then read twice."""

from math import ceil, exp, log, log1p, sqrt
from statistics import NormalDist

SUMMED = 400
"""Chunk limits that are summed one by one; what lies beyond is integrated, which is exact to a millionth there."""


def chunks_of(tokens: float, chunk_tokens: int, overlap_tokens: int) -> int:
    """Chunks of one document: 1 up to the chunk's size, then one for each further stride of size − overlap.

    >>> chunks_of(1000, 512, 64), chunks_of(512, 512, 64), chunks_of(513, 512, 64)
    (3, 1, 2)
    """
    return 1 + max(0, ceil((tokens - chunk_tokens) / (chunk_tokens - overlap_tokens)))


def mean_chunks(mean_tokens: float, sd_tokens: float | None, chunk_tokens: int, overlap_tokens: int) -> float:
    """Mean chunks of a document. Counts of chunks are rounded up, so that of the mean document is not their mean.

    Where the spread is known, lengths are taken as log-normal: 1 + Σ P(tokens > size + k × stride) over k ≥ 0. Where it
    is not, every document is the mean one.

    >>> mean_chunks(1000, None, 512, 64)
    3.0
    """
    if not sd_tokens or not _log_variance(mean_tokens, sd_tokens):
        return float(chunks_of(mean_tokens, chunk_tokens, overlap_tokens))
    lengths = _log_normal(mean_tokens, sd_tokens)
    stride = chunk_tokens - overlap_tokens
    limits = [chunk_tokens + k * stride for k in range(SUMMED)]
    further = sum(1 - lengths.cdf(log(limit)) for limit in limits)
    last = limits[-1] + stride
    tail = _mean_above(lengths, last) / stride + (1 - lengths.cdf(log(last))) / 2
    return 1 + further + tail


def _log_variance(mean: float, sd: float) -> float:
    """The variance of the logarithm; 0 where the spread is too small for a float, and every document is the mean."""
    return log1p((sd / mean) ** 2)


def _log_normal(mean: float, sd: float) -> NormalDist:
    """The normal distribution of the logarithm of a length with this mean and standard deviation."""
    variance = _log_variance(mean, sd)
    return NormalDist(log(mean) - variance / 2, sqrt(variance))


def _mean_above(lengths: NormalDist, limit: float) -> float:
    """E[(length − limit)⁺] of a log-normal length."""
    shifted = NormalDist(lengths.mean + lengths.variance, lengths.stdev)
    mean = exp(lengths.mean + lengths.variance / 2)
    return mean * (1 - shifted.cdf(log(limit))) - limit * (1 - lengths.cdf(log(limit)))


def embedded_tokens(mean_tokens: float, chunks: float, overlap_tokens: int) -> float:
    """Tokens of one document that an embedding model reads: each chunk after the first repeats the overlap.

    >>> embedded_tokens(1000, 3, 64)
    1128
    """
    return mean_tokens + (chunks - 1) * overlap_tokens
