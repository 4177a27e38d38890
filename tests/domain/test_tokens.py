"""A corpus in tokens: the total and its interval, chunks, prices by the token, time and price on a GPU."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.calibration import Band
from calculator.domain.offers import Mode
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens import estimate, margin_ratio
from calculator.domain.tokens_gpu import prompt_length
from calculator.domain.tokens_scenario import GpuReading, PaidReading, TokensEstimate

from . import factories
from .inference_factories import SUPERCOMPUTE, TEXTBOOK, calibrated
from .serving_factories import LLAMA_70B, MISTRAL
from .tokens_factories import GEMINI_EMBED, facts, scenario


def answer(fact_changes: dict[str, object] | None = None, **fields: object) -> TokensEstimate:
    return estimate(scenario(**fields), facts(**(fact_changes or {})))


def read_by(found: TokensEstimate, code: str) -> PaidReading:
    return next(item for item in found.apis if item.model.code == code)


def on(found: TokensEstimate, sku: str) -> GpuReading:
    return next(item for item in found.gpus if item.offer.sku.code == sku)


def codes(found: TokensEstimate) -> set[str]:
    return {message.code for message in found.warnings}


def test_the_total_is_documents_times_mean() -> None:
    found = answer(documents_count=2_000_000, mean_tokens=Decimal("4000.5"))
    assert found.total.value == 8_001_000_000
    assert (found.total.low, found.total.high, found.margin_ratio) == (None, None, None)


def test_the_interval_is_that_of_the_sample() -> None:
    # t(99, 95 %) = 1.984217; 1.984217 × 2 000 ÷ √100 = 396.843 tokens a document, 9.921 % of 4 000.
    found = answer(sample_count=100, sd_tokens=Decimal(2000))
    assert found.margin_ratio == pytest.approx(0.0992109 * (1 - 100 / 2_000_000) ** 0.5, rel=1e-5)
    assert found.total.low == pytest.approx(8e9 * (1 - 0.0992084), rel=1e-5)
    assert found.total.high == pytest.approx(8e9 * (1 + 0.0992084), rel=1e-5)
    assert found.headline.code == "corpus_interval"


def test_an_interval_never_goes_below_zero() -> None:
    found = answer(sample_count=2, sd_tokens=Decimal(4000))
    assert found.total.low == 0


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "no_sample"),
        ({"sample_count": 1}, "one_document"),
        ({"sample_count": 50}, "no_spread"),
        ({"sample_count": 12, "sd_tokens": Decimal(10)}, "few_documents"),
        ({"sample_count": 2_000_000, "sd_tokens": Decimal(10)}, "whole_corpus"),
    ],
)
def test_what_the_sample_does_not_allow_is_said(fields: dict[str, object], code: str) -> None:
    assert code in codes(answer(**fields))


def test_a_good_sample_draws_no_remark() -> None:
    counted = answer(sample_count=200, sd_tokens=Decimal(900), tokenizer="mistral-v3")
    assert codes(counted) == {"embedding_counts_otherwise"}


def test_pitfall_74_a_gpu_that_reads_with_another_tokenizer_is_said() -> None:
    assert "gpu_counts_otherwise" in codes(answer(tokenizer="cl100k_base"))
    assert "gpu_counts_otherwise" not in codes(answer(tokenizer="mistral-v3"))


def test_the_whole_corpus_counted_has_no_margin() -> None:
    assert margin_ratio(scenario(documents_count=40, sample_count=40, sd_tokens=Decimal(9))) == 0


def test_chunks_and_the_tokens_that_are_read_twice() -> None:
    # 1 + ⌈(4 000 − 512) ÷ 448⌉ = 9 chunks; 8 × 64 = 512 tokens of each document are read twice.
    found = answer()
    assert (found.chunks_a_document, found.chunks_count) == (9, 18_000_000)
    assert found.embedded.value == 2_000_000 * 4512
    assert found.repeated_ratio == pytest.approx(512 / 4000)


def test_embedding_is_paid_on_every_token_read_overlap_included() -> None:
    # 9.024·10⁹ tokens at 0.02 $ a million = 180.48 $; at 1.1172 $ a euro 161.5467 €.
    found = answer().embedding
    assert found.usd is not None and found.eur is not None
    assert found.usd == pytest.approx(Decimal("180.48"))
    assert found.eur == pytest.approx(Decimal("180.48") / Decimal("1.1172"))
    assert found.counts_alike is True


def test_every_embedding_model_is_priced_for_the_same_chunks() -> None:
    found = {item.model.code: item.usd for item in answer().embeddings}
    assert found["mistral-embed"] == pytest.approx(Decimal("902.4"))
    assert found["gemini-embedding-001"] == pytest.approx(Decimal("1353.6"))


def test_an_api_reads_each_document_once_at_its_input_price() -> None:
    # 8·10⁹ tokens at 2.50 $ a million.
    assert read_by(answer(), "gpt-5.4").usd == pytest.approx(Decimal(20_000))
    assert read_by(answer(mode=Mode.BATCH), "gpt-5.4").usd == pytest.approx(Decimal(10_000))


def test_a_long_document_pays_the_tier_that_its_own_length_reaches() -> None:
    found = answer(documents_count=10, mean_tokens=Decimal(300_000))
    assert read_by(found, "gpt-5.4").usd == pytest.approx(Decimal(3) * 5)


def test_a_mode_that_an_api_does_not_sell_has_no_price() -> None:
    found = read_by(answer(mode=Mode.FLEX), "claude-haiku-4-5")
    assert (found.usd, found.eur) == (None, None)
    assert [message.code for message in found.reasons] == ["no_input_price"]


def test_without_an_exchange_rate_dollars_stay_and_euros_are_unknown() -> None:
    found = answer({"usd_per_eur": None})
    assert found.embedding.usd is not None and found.embedding.eur is None
    assert "no_exchange_rate" in codes(found)
    assert "tokens_embed_bill" not in {step.code for step in found.steps}


def test_a_typed_exchange_rate_stands_in_for_the_catalogues() -> None:
    found = answer(usd_per_eur=Decimal(2))
    assert found.embedding.eur == pytest.approx(Decimal("90.24"))
    assert found.usd_per_eur is not None and found.usd_per_eur.replaces


def test_the_textbook_rate_of_a_gpu_follows_from_its_flop() -> None:
    # A100: 2 × 6 979 588 096 × 4 000 ÷ 312·10¹² = 0.178964 s, attention 4 000 × 32 × 4 000 × 2 × 128 × 32 ÷ 312·10¹²
    # = 0.013443 s: 4 000 tokens in 0.192407 s.
    found = on(answer({"calibration": calibrated(TEXTBOOK, {})}), "GPU-ENTERPRISE")
    assert found.rate is not None and found.time_s is not None and found.eur is not None
    assert found.rate.value == pytest.approx(4000 / 0.192407, rel=1e-4)
    assert found.rate.low is None
    seconds = 8e9 * 0.192407 / 4000
    assert found.time_s.value == pytest.approx(seconds, rel=1e-4)
    # 106.893 hours: 107 whole ones.
    assert found.eur == Decimal("449.40")


def test_hours_are_rounded_up_once_on_the_total_and_not_at_all_by_the_second() -> None:
    """Three machines share 106.893 h: 107 h paid, not 3 × 36; by the second, 106.893 × 4.20."""
    textbook = {"calibration": calibrated(TEXTBOOK, {})}
    shared = on(answer(textbook, instances=3), "GPU-ENTERPRISE")
    exact = on(answer(textbook, billing_step=BillingStep.SECOND), "GPU-ENTERPRISE")
    assert shared.eur == Decimal("449.40")
    assert float(exact.eur or 0) == pytest.approx(8e9 * 0.192407 / 4000 / 3600 * 4.20, rel=1e-4)


def test_the_band_of_a_rate_is_that_of_the_gpus_chip() -> None:
    """The RTX 4090 is Ada with GDDR: its band, and none of the A100's."""
    bands = {"prefill_tok_s||": Band(0.8, 1.25, 50), "prefill_tok_s|vLLM|fp16|Ada/GDDR": Band(0.5, 1.5, 20)}
    answered = answer({"calibration": calibrated(TEXTBOOK, bands)})
    pro, enterprise = on(answered, "GPU-PRO"), on(answered, "GPU-ENTERPRISE")
    assert pro.rate is not None and enterprise.rate is not None
    assert (pro.rate.low, pro.rate.high) == pytest.approx((0.5 * pro.rate.value, 1.5 * pro.rate.value))
    assert enterprise.rate.low == pytest.approx(0.8 * enterprise.rate.value)


def test_the_band_of_the_rate_goes_through_to_time_and_price() -> None:
    bands = {"prefill_tok_s||": Band(0.8, 1.25, 50)}
    found = on(answer({"calibration": calibrated(TEXTBOOK, bands)}, billing_step=BillingStep.SECOND), "GPU-PRO")
    assert found.rate is not None and found.time_s is not None and found.eur is not None
    assert found.rate.low == pytest.approx(found.rate.value * 0.8)
    assert found.time_s.high == pytest.approx(found.time_s.value / 0.8)
    assert found.eur_low is not None and float(found.eur_low) == pytest.approx(float(found.eur) / 1.25, rel=1e-5)


def test_twice_the_instances_halve_the_time_and_keep_the_price() -> None:
    one, two = answer().gpu, answer(instances=2).gpu
    assert one.time_s is not None and two.time_s is not None and one.eur is not None and two.eur is not None
    assert two.time_s.value == pytest.approx(one.time_s.value / 2)
    assert float(two.eur) == pytest.approx(float(one.eur))


def test_eight_gpus_hold_eight_replicas_of_a_small_model_and_have_no_price() -> None:
    found = answer()
    eight, one = on(found, "GPU-SUPERCOMPUTE"), on(found, "GPU-TITAN")
    assert eight.rate is not None and one.rate is not None
    assert eight.rate.value == pytest.approx(8 * one.rate.value)
    assert eight.eur is None
    assert [message.code for message in eight.reasons] == ["no_hourly_price"]


def test_a_large_model_spans_the_gpus_it_needs() -> None:
    # 141 GB of weights: two cards of 80 GB hold 0.9 × 2 × 85.9 GB.
    found = answer({"model": LLAMA_70B})
    assert on(found, "GPU-SUPERCOMPUTE").gpus_a_replica == 2
    assert [message.code for message in on(found, "GPU-PRO").reasons] == ["does_not_fit"]
    assert on(found, "GPU-PRO").time_s is None


def test_a_typed_price_stands_for_the_chosen_sku_only() -> None:
    found = answer(sku="GPU-SUPERCOMPUTE", price_eur=Decimal(40))
    assert found.gpu.price is not None and found.gpu.price.replaces
    assert found.gpu.eur is not None
    assert on(found, "GPU-PRO").price == on(answer(), "GPU-PRO").price


def test_our_own_measurement_goes_before_the_estimate() -> None:
    measured = {"GPU-PRO": Sourced(10_000.0, "tok/s", Kind.MEASURED, "prefill")}
    found = on(answer({"measured": measured}), "GPU-PRO")
    assert found.rate is not None and found.time_s is not None
    assert (found.rate.value, found.rate.kind) == (10_000.0, Kind.MEASURED)
    assert found.time_s.value == 8e9 / 10_000


def test_a_document_longer_than_the_models_context_is_read_in_pieces_and_that_is_said() -> None:
    short = replace(MISTRAL, max_context=2048)
    assert prompt_length(4000.0, short) == 2048
    assert prompt_length(0.5, short) == 1.0
    assert "documents_cut" in codes(answer({"model": short}))


def test_a_chunk_over_the_embedding_models_limit_is_said() -> None:
    found = answer({"embedding": GEMINI_EMBED}, embedding="gemini-embedding-001", chunk_tokens=4096)
    assert "chunk_over_context" in codes(found)


def test_another_tokenizer_than_the_embedding_models_is_said() -> None:
    assert "embedding_counts_otherwise" in codes(answer(tokenizer="tekken"))
    assert answer(tokenizer="tekken").embedding.counts_alike is False
    assert read_by(answer(), "claude-haiku-4-5").counts_alike is None
    assert read_by(answer(tokenizer="o200k_base"), "gpt-5.4").counts_alike is True


def test_days_at_a_typed_throughput() -> None:
    # 8·10⁹ ÷ 100 000 = 80 000 s.
    found = answer(read_tok_per_s=Decimal(100_000))
    assert found.typed_time_s == 80_000
    assert found.steps[-1].code == "tokens_typed_time"
    assert answer().typed_time_s is None


def test_the_formulas_come_in_order_and_repeat_the_answer() -> None:
    found = answer(sample_count=100, sd_tokens=Decimal(2000), read_tok_per_s=Decimal(1000))
    assert [step.code for step in found.steps] == [
        "tokens_total", "tokens_margin", "tokens_chunks", "tokens_embedded", "tokens_embed_bill", "tokens_read_bill",
        "tokens_gpu_time", "tokens_gpu_bill", "tokens_typed_time",
    ]  # fmt: skip
    by_code = {step.code: step for step in found.steps}
    assert float(by_code["tokens_total"].result) == found.total.value
    assert found.total.high is not None
    assert float(by_code["tokens_margin"].result) == pytest.approx(found.total.high - found.total.value)
    assert by_code["tokens_embed_bill"].result == found.embedding.eur
    assert by_code["tokens_read_bill"].result == found.apis[0].eur
    assert by_code["tokens_gpu_bill"].result == found.gpu.eur


def test_the_estimate_is_worth_its_weakest_input() -> None:
    assert answer(sample_count=100).trust is Kind.ESTIMATE
    assert answer(sample_count=100, sd_tokens=Decimal(2000)).trust is Kind.ASSUMPTION


def test_a_mean_without_a_counted_sample_is_an_assumption_in_every_formula() -> None:
    assert answer().trust is Kind.ASSUMPTION
    for count, kind in ((None, Kind.ASSUMPTION), (100, Kind.INPUT)):
        terms = [term for step in answer(sample_count=count).steps for term in step.terms]
        assert {term.source.kind for term in terms if term.symbol in ("m", "k", "T", "E")} == {kind}


def test_no_api_and_no_data_sheet_leave_an_answer() -> None:
    bare = replace(SUPERCOMPUTE, gpu=None)
    found = answer({"apis": (), "offers": (bare,)}, apis=(), sku="GPU-SUPERCOMPUTE")
    assert found.gpu.rate is None and "no_data_sheet" in codes(found)
    assert found.headline.values["seconds"] is None
    assert found.usd_per_eur == factories.ECB_RATE
