"""Embedding a corpus on one's own GPU: every chunk read once, whole hours paid.

Worked by hand: 2 000 000 documents of 4 000 tokens in chunks of 512 that overlap by 64 are 9 chunks each, 4 512 tokens
read a document, 9.024·10⁹ in all, 501.33 a chunk.
"""

from decimal import ROUND_CEILING, Decimal

import pytest

from calculator.domain.provenance import Kind, Sourced
from calculator.domain.tokens import estimate
from calculator.domain.tokens_scenario import GpuReading, TokensEstimate, Work

from .tokens_factories import facts, scenario

CORPUS = 9.024e9


def on(found: TokensEstimate, sku: str) -> GpuReading:
    return next(item for item in found.indexing if item.offer.sku.code == sku)


@pytest.mark.parametrize(("sku", "hourly"), [("GPU-PRO", "1.50"), ("GPU-ENTERPRISE", "4.20"), ("GPU-TITAN", "5.40")])
def test_the_time_is_the_chunks_over_the_rate_and_the_cost_whole_hours(sku: str, hourly: str) -> None:
    found = on(estimate(scenario(), facts()), sku)
    assert found.rate is not None and found.time_s is not None and found.eur is not None
    assert found.time_s.value * found.rate.value == pytest.approx(CORPUS)
    hours = (Decimal(repr(found.time_s.value)) / 3600).to_integral_value(ROUND_CEILING)
    assert found.eur == hours * Decimal(hourly)


def test_without_overlap_the_corpus_is_read_once() -> None:
    """8·10⁹ tokens in 8 chunks of 500 a document: 64 tokens less a chunk to read."""
    once, twice = (on(estimate(scenario(overlap_tokens=size), facts()), "GPU-PRO") for size in (0, 64))
    assert once.rate is not None and once.time_s is not None and twice.time_s is not None
    assert once.time_s.value * once.rate.value == pytest.approx(8e9)
    assert once.time_s.value < twice.time_s.value


def test_a_chunk_is_read_slower_than_a_whole_document() -> None:
    """Weights are read for 501 tokens instead of 4 000: fewer tokens a second on the memory-bound T4-like end, never
    more on a textbook server but for the attention that long prompts add."""
    found = estimate(scenario(mean_tokens=Decimal(60), chunk_tokens=20, overlap_tokens=0), facts())
    whole = next(item for item in found.gpus if item.offer.sku.code == "GPU-TITAN")
    chunk = on(found, "GPU-TITAN")
    assert whole.rate is not None and chunk.rate is not None
    assert chunk.rate.value < whole.rate.value


def test_our_own_prompt_rates_are_of_another_length_and_not_taken() -> None:
    run = Sourced(1e6, "tok/s", Kind.MEASURED, "run", "run-7")
    found = estimate(scenario(), facts(measured={"GPU-PRO": run}))
    assert on(found, "GPU-PRO").rate == on(estimate(scenario(), facts()), "GPU-PRO").rate
    read = next(item for item in found.gpus if item.offer.sku.code == "GPU-PRO")
    assert read.rate is not None and read.rate.kind is Kind.MEASURED


def test_every_machine_has_its_line_and_an_unpriced_one_no_cost() -> None:
    found = estimate(scenario(), facts())
    assert [item.offer.sku.code for item in found.indexing] == [item.offer.sku.code for item in found.gpus]
    eight = on(found, "GPU-SUPERCOMPUTE")
    assert eight.time_s is not None and eight.eur is None


def test_the_chosen_machine_does_the_work_that_was_asked_for() -> None:
    """The answer's machine, and so a quote of it, is the line of that work's table."""
    read, index = estimate(scenario(), facts()), estimate(scenario(work=Work.INDEX), facts())
    assert read.gpu == next(item for item in read.gpus if item.offer.sku.code == "GPU-PRO")
    assert index.gpu == on(index, "GPU-PRO") != read.gpu
    assert (read.gpus, read.indexing) == (index.gpus, index.indexing)


def test_the_sentence_of_an_indexing_names_its_chunks_and_its_price() -> None:
    """2 000 000 documents × 9 chunks."""
    found = estimate(scenario(work=Work.INDEX), facts())
    assert found.headline.code == "indexed"
    assert found.headline.values["chunks"] == 18_000_000
    assert found.headline.values["gpu_eur"] == on(found, "GPU-PRO").eur is not None


def test_the_formulas_of_an_indexing_start_from_the_chunks() -> None:
    """t = E ÷ f, and 9.024·10⁹ tokens at a typed 100 000 a second are 90 240 s; to read 8·10⁹ takes 80 000 s."""
    typed = {"read_tok_per_s": Decimal(100_000)}
    found = {work: {step.code: step for step in estimate(scenario(work=work, **typed), facts()).steps} for work in Work}
    first = {work: steps["tokens_gpu_time"].terms[0] for work, steps in found.items()}
    assert [(term.symbol, term.source.value) for term in first.values()] == [
        ("T", Decimal(8_000_000_000)),
        ("E", Decimal(9_024_000_000)),
    ]
    assert [steps["tokens_typed_time"].result for steps in found.values()] == [80_000, 90_240]


def test_a_sampled_corpus_keeps_its_interval_in_the_sentence_of_an_indexing() -> None:
    found = estimate(scenario(work=Work.INDEX, sample_count=100, sd_tokens=Decimal(2000)), facts())
    assert found.headline.code == "indexed_interval"
