"""What holds for every corpus: sums, orders and units, whatever the numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.domain.chunking import chunks_of, embedded_tokens, mean_chunks
from calculator.domain.samples import margin_tokens, statistics, student_quantile
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens import estimate
from calculator.domain.tokens_scenario import TokensEstimate

from .tokens_factories import facts, scenario

documents = st.integers(1, 10**9)
means = st.decimals(Decimal(1), Decimal(10**6), places=2)
spreads = st.none() | st.decimals(Decimal(1), Decimal(10**6), places=2)
chunks = st.integers(2, 10_000)
FACTS = facts()


def answer(**fields: object) -> TokensEstimate:
    return estimate(scenario(**fields), FACTS)


@given(documents, means, spreads, chunks, st.data())
def test_the_parts_of_an_answer_add_up(
    count: int, mean: Decimal, spread: Decimal | None, chunk: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, chunk - 1))
    found = answer(
        documents_count=count, mean_tokens=mean, sd_tokens=spread, chunk_tokens=chunk, overlap_tokens=overlap
    )
    assert found.total.value == pytest.approx(count * float(mean))
    assert found.chunks_count >= count
    assert found.embedded.value == pytest.approx(found.total.value + (found.chunks_count - count) * overlap)
    assert found.embedded.value >= found.total.value * (1 - 1e-12)
    assert found.repeated_ratio == pytest.approx(found.embedded.value / found.total.value - 1, abs=1e-9)


@given(documents, means, st.integers(2, 10**6), st.decimals(Decimal(1), Decimal(10**5), places=1))
def test_an_interval_holds_its_total_and_is_wider_with_more_confidence(
    count: int, mean: Decimal, sample: int, spread: Decimal
) -> None:
    fields = {"documents_count": count, "mean_tokens": mean, "sample_count": sample, "sd_tokens": spread}
    narrow, wide = (
        answer(**fields, confidence_ratio=Decimal("0.90")),
        answer(**fields, confidence_ratio=Decimal("0.99")),
    )
    assert narrow.total.low is not None and narrow.total.high is not None
    assert wide.total.low is not None and wide.total.high is not None
    assert wide.total.low <= narrow.total.low <= narrow.total.value <= narrow.total.high <= wide.total.high
    assert narrow.total.low >= 0


@given(documents, means)
def test_a_bill_is_the_rate_times_the_tokens(count: int, mean: Decimal) -> None:
    found = answer(documents_count=count, mean_tokens=mean)
    for item in (*found.embeddings, *found.apis):
        assert item.rate is not None and item.usd is not None and item.eur is not None
        assert float(item.usd) == pytest.approx(item.tokens_count * float(item.rate.value) / 1e6, rel=1e-9)
        assert float(item.eur) == pytest.approx(float(item.usd) / 1.1172, rel=1e-9)


@given(documents, means, st.integers(1, 50))
def test_time_and_price_on_a_machine_agree(count: int, mean: Decimal, machines: int) -> None:
    by_second: dict[str, object] = {"billing_step": BillingStep.SECOND, "instances": machines}
    for item in answer(documents_count=count, mean_tokens=mean, **by_second).gpus:
        if item.rate is None or item.time_s is None:
            assert item.reasons
            continue
        assert item.time_s.value * item.rate.value == pytest.approx(count * float(mean))
        if item.price is None or item.eur is None:
            assert item.reasons
            continue
        paid_s, used_s = float(item.eur / item.price.value) * 3600, item.time_s.value * machines
        assert used_s * (1 - 1e-9) <= paid_s <= used_s * (1 + 1e-9) + 1, "whole seconds, rounded up once"


@given(documents, means)
def test_twice_the_documents_cost_twice_as_much(count: int, mean: Decimal) -> None:
    one, two = answer(documents_count=count, mean_tokens=mean), answer(documents_count=2 * count, mean_tokens=mean)
    assert two.embedding.usd == pytest.approx(2 * one.embedding.usd if one.embedding.usd else 0)
    assert two.chunks_a_document == one.chunks_a_document


@given(documents, means, spreads, st.none() | st.integers(1, 10**6))
def test_every_formula_gives_the_number_that_the_answer_shows(
    count: int, mean: Decimal, spread: Decimal | None, sample: int | None
) -> None:
    found = answer(documents_count=count, mean_tokens=mean, sd_tokens=spread, sample_count=sample)
    by_code = {step.code: step for step in found.steps}
    terms = {term.symbol: float(term.source.value) for term in by_code["tokens_embedded"].terms}
    assert float(by_code["tokens_embedded"].result) == pytest.approx(
        terms["T"] + terms["N"] * (terms["k"] - 1) * terms["o"], rel=1e-9
    )
    assert abs(float(by_code["tokens_chunks"].result) - terms["N"] * terms["k"]) <= 0.5 + 1e-9 * found.chunks_count
    assert ("tokens_margin" in by_code) is (found.total.low is not None)
    for code in ("tokens_embed_bill", "tokens_read_bill"):
        values = [float(term.source.value) for term in by_code[code].terms]
        assert float(by_code[code].result) == pytest.approx(values[0] * values[1] / 1e6 / values[2], rel=1e-9)


@given(st.floats(1, 1e6), st.floats(1, 1e6), chunks, st.data())
def test_mean_chunks_lie_between_one_and_what_the_tokens_allow(
    mean: float, spread: float, chunk: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, chunk - 1))
    found = mean_chunks(mean, spread, chunk, overlap)
    # A document of t tokens makes at most 2 + t ÷ stride chunks.
    assert 1 - 1e-9 <= found <= 2 + mean / (chunk - overlap) * (1 + 1e-6)


@given(st.integers(1, 10**6), chunks, st.data())
def test_longer_documents_make_no_fewer_chunks(tokens: int, chunk: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, chunk - 1))
    assert chunks_of(tokens + 1, chunk, overlap) - chunks_of(tokens, chunk, overlap) in (0, 1)
    assert embedded_tokens(tokens, chunks_of(tokens, chunk, overlap), overlap) >= tokens


@given(st.lists(st.integers(0, 10**7), min_size=2, max_size=60))
def test_statistics_do_not_depend_on_the_order_and_the_median_lies_below_the_tail(tokens: list[int]) -> None:
    found, again = statistics(tokens), statistics(tokens[::-1])
    assert found == again
    assert found.p50_tokens <= found.p95_tokens
    assert found.mean_tokens * found.count == pytest.approx(found.total_tokens)


@given(st.integers(1, 5000), st.floats(0.5, 0.999))
def test_students_quantile_falls_towards_the_normal_one_as_the_sample_grows(freedom: int, confidence: float) -> None:
    assert student_quantile(confidence, freedom) >= student_quantile(confidence, freedom + 1) * (1 - 1e-9) > 0


@given(st.floats(0, 1e6), st.integers(2, 10**6), st.integers(1, 10**9))
def test_a_margin_is_never_negative_and_none_is_left_when_all_is_counted(
    spread: float, count: int, corpus: int
) -> None:
    found = margin_tokens(spread, count, corpus, 0.95)
    assert found is not None and found >= 0
    if count >= corpus:
        assert found == 0
