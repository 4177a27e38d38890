"""Derived ratings: throughput, fit, cost and words of each GPU worked out by hand, and one recommendation a job."""

from dataclasses import asdict, replace
from decimal import Decimal

import pytest

from calculator.domain import ratings
from calculator.domain.calibration import Band, Factored
from calculator.domain.hardware import Gpu
from calculator.domain.offers import Basis, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.ratings import Job, Rating, Ratings, Reason, Word
from calculator.domain.training import Method

from .serving_factories import (
    A100_40,
    A100_80,
    H100,
    IDEAL,
    LLAMA_70B,
    MISTRAL,
    PROCESS,
    RTX_4090,
    T4,
    TRAINER,
    calibration,
)

KNOWN = calibration(
    serving=Factored(asdict(IDEAL), {}), training=Factored(asdict(TRAINER), {}), memory=Factored(asdict(PROCESS), {})
)
"""Servers at 100 % of the data sheet, training at half of the peak, processes without overhead."""
MI300X = replace(A100_80, name="MI300X", vendor="AMD")
BLIND = replace(T4, name="blind", fp16_tflops_dense_fp32acc=None)
TINY = replace(T4, name="tiny", vram_gb=4, driver_mib=4096)
GPUS = (A100_40, A100_80, H100, RTX_4090, T4, MI300X, BLIND, TINY)


def sku(code: str, gpu: Gpu, eur_per_h: str | None, gpu_count: int = 1) -> Sku:
    price = Sourced(Decimal(eur_per_h), "EUR/hour", Kind.LIST_PRICE, "sku_price_hour") if eur_per_h else None
    return Sku(code, code, gpu.name, gpu_count, gpu.vram_gb, {Basis.HOUR: price} if price else {})


OFFERS = {
    "T4": (sku("GPU-STARTER", T4, "0.85"),),
    "RTX 4090": (sku("GPU-PRO", RTX_4090, "1.50"),),
    "A100-SXM-80GB": (sku("GPU-TITAN", A100_80, "5.40"), sku("GPU-SUPERCOMPUTE", A100_80, None, 8)),
}


def rated(**offers: tuple[Sku, ...]) -> Ratings:
    return ratings.ratings(GPUS, (MISTRAL, LLAMA_70B), MISTRAL, offers or OFFERS, KNOWN)


def row(name: str) -> Rating:
    return next(item for item in rated().rows if item.gpu.name == name)


def test_the_saturated_rate_of_an_a100_at_the_data_sheet() -> None:
    """256 sequences: 7.0 ms of weights and 256 × 0.121 ms of matrices and cache a step; 45.6 ms a prompt.

    256 × 300 ÷ (256 × 45.6 ms + 300 × 38.1 ms) = 3 326 tok/s.
    """
    found = ratings.inference_job(A100_80, MISTRAL, KNOWN)
    assert found.tok_per_s == pytest.approx(3326, rel=0.01)
    assert not found.reduced


def test_the_trained_rate_of_an_a100_at_half_of_its_peak() -> None:
    """6 × 7.114 G FLOP for matrices, 2.15 G for attention, at 156 TFLOP/s: 287 µs a token."""
    found = ratings.training_job(A100_80, MISTRAL, KNOWN)
    assert found.tok_per_s == pytest.approx(3479, rel=0.01)
    assert not found.reduced


def test_a_prompt_of_1000_tokens_within_100_ms_leaves_an_a100_few_clients() -> None:
    """45.6 ms for the prompt, 7.1 ms for the first step; each client more makes the others wait."""
    found = ratings.inference_job(A100_80, MISTRAL, KNOWN)
    assert found.best is not None and found.clients is not None
    assert found.best.first_token_s <= 0.1
    assert found.best.token_s <= 1 / 60
    assert found.best.output_tok_per_s < (found.tok_per_s or 0)


def test_16_gb_hold_the_reference_model_in_4_bits_only() -> None:
    """15 GiB × 0.9 less 14.5 GB of weights leaves nothing for a cache."""
    serve, train = ratings.inference_job(T4, MISTRAL, KNOWN), ratings.training_job(T4, MISTRAL, KNOWN)
    assert serve.reduced and serve.tok_per_s
    assert train.reduced and train.tok_per_s


def test_what_holds_nothing_is_not_rated_and_says_why() -> None:
    assert ratings.inference_job(TINY, MISTRAL, KNOWN) == Job(None, reason=Reason.DOES_NOT_FIT)
    assert ratings.training_job(TINY, MISTRAL, KNOWN) == Job(None, reason=Reason.DOES_NOT_FIT)


def test_engines_are_not_modelled_on_amd() -> None:
    found = row("MI300X")
    assert found.inference.reason is found.training.reason is Reason.VENDOR
    assert found.inference.word is None and found.fit.served == {} and found.fit.trained == {}


def test_a_sheet_without_a_peak_gets_no_figure() -> None:
    assert row("blind").inference.reason is Reason.NO_PEAK


def test_full_training_of_7_g_parameters_does_not_fit_80_gb() -> None:
    """2 + 2 + 12 bytes a parameter: 116 GB."""
    assert row("A100-SXM-80GB").fit.trained == {Method.QLORA: True, Method.LORA: True, Method.FULL: False}


def test_lora_in_16_bits_fits_24_gb_and_not_16() -> None:
    assert row("RTX 4090").fit.trained[Method.LORA]
    assert row("T4").fit.trained == {Method.QLORA: True, Method.LORA: False, Method.FULL: False}


def test_70_g_parameters_fit_80_gb_in_4_bits_and_not_in_16() -> None:
    """70.55 G × 4.5 bits = 39.7 GB; × 16 = 141 GB."""
    served = row("A100-SXM-80GB").fit.served
    assert served["awq-int4"] is LLAMA_70B
    assert served["fp16"] is MISTRAL


def test_words_are_quarters_of_the_ranking() -> None:
    words = {item.gpu.name: item.inference.word for item in rated().rows}
    # Five GPUs are rated: H100 first, T4 last and in 4 bits.
    assert words["H100-SXM-80GB"] is Word.VERY_GOOD
    assert words["T4"] is Word.LIMITED
    assert words["MI300X"] is None


@pytest.mark.parametrize(
    ("place", "word"), [(0, Word.VERY_GOOD), (1, Word.VERY_GOOD), (2, Word.GOOD), (5, Word.FAIR), (7, Word.LIMITED)]
)
def test_two_of_eight_make_a_quarter(place: int, word: Word) -> None:
    assert ratings.quarter(place, 8) is word


def test_a_lone_gpu_is_the_best() -> None:
    assert ratings.quarter(0, 1) is Word.VERY_GOOD


def test_4_bits_only_caps_the_word() -> None:
    jobs = {"fast": Job(100.0, reduced=True), "slow": Job(10.0), "none": Job(None, reason=Reason.VENDOR)}
    serve, train = ratings.ranked(jobs, "inference"), ratings.ranked(jobs, "training")
    assert (serve["fast"].word, train["fast"].word) == (Word.FAIR, Word.LIMITED)
    # The second of two lies in the third quarter.
    assert serve["slow"].word is Word.FAIR
    assert serve["none"] == jobs["none"]


def test_the_share_is_that_of_the_fastest() -> None:
    jobs = ratings.ranked({"fast": Job(100.0), "slow": Job(25.0)}, "training")
    assert (jobs["fast"].share, jobs["slow"].share) == (1.0, 0.25)


def test_a_million_tokens_costs_the_hour_over_its_tokens() -> None:
    # 1.50 € an hour ÷ (1 000 tok/s × 3 600 s) = 0.4167 € a million; a machine of two at the same price costs half.
    assert ratings.eur_per_mtok(Decimal("1.50"), 1000.0, 1) == pytest.approx(Decimal("0.41667"), rel=Decimal("1e-4"))
    assert ratings.eur_per_mtok(Decimal("1.50"), 1000.0, 2) == pytest.approx(Decimal("0.20833"), rel=Decimal("1e-4"))


def test_costs_follow_from_price_and_rate() -> None:
    (found,) = row("A100-SXM-80GB").costs
    assert found.sku.code == "GPU-TITAN"
    # 5.40 € ÷ (3 326 × 3 600) and ÷ (3 479 × 3 600) a million.
    assert found.output_eur == pytest.approx(Decimal("0.4510"), rel=Decimal("0.01"))
    assert found.trained_eur == pytest.approx(Decimal("0.4311"), rel=Decimal("0.01"))


def test_an_offer_without_a_price_has_no_cost_and_is_said_to_be_on_request() -> None:
    alone = rated(**{"A100-SXM-80GB": (sku("GPU-SUPERCOMPUTE", A100_80, None, 8),)})
    found = next(item for item in alone.rows if item.gpu.name == "A100-SXM-80GB")
    assert found.costs == () and found.on_request
    assert not row("H100-SXM-80GB").on_request


def test_one_gpu_is_recommended_for_each_job() -> None:
    found = rated()
    cheapest = min(
        (cost for item in found.rows for cost in item.costs if not item.training.reduced and cost.trained_eur),
        key=lambda cost: cost.trained_eur or Decimal(0),
    )
    assert found.training.sku is cheapest.sku
    assert found.training.fastest is H100
    assert found.inference.fastest is H100


def test_the_band_of_a_recommendation_is_that_of_its_chip() -> None:
    """The A100 holds the targets most cheaply: Ampere with HBM. The band of Ada is not asked for."""
    bands = {
        "total_output_tok_s||": Band(0.9, 1.1, 99),
        "total_output_tok_s|vLLM|fp16|Ada/GDDR": Band(0.2, 5.0, 30),
        "total_output_tok_s|vLLM|fp16|Ampere/HBM": Band(0.7, 1.3, 30),
    }
    found = ratings.ratings(GPUS, (MISTRAL, LLAMA_70B), MISTRAL, OFFERS, replace(KNOWN, bands=bands)).inference
    assert found.sku is not None
    assert (found.sku.gpu, found.low_ratio, found.high_ratio) == ("A100-SXM-80GB", 0.7, 1.3)


def test_the_recommendation_holds_the_targets_where_one_can() -> None:
    found = rated().inference
    assert found.by_target and found.sku is not None
    # Neither the T4 nor the RTX 4090 (87 ms of prompt) keeps 100 ms for this prompt and 60 tok/s cheaper.
    assert found.eur_per_mtok is not None and found.eur_per_mtok > 0


def test_a_recommendation_is_worth_its_weakest_input() -> None:
    found = rated()
    assert found.training.evidence is found.inference.evidence is Kind.ESTIMATE


def test_a_typed_price_weakens_the_recommendation() -> None:
    typed = Sourced(Decimal("1.50"), "EUR/hour", Kind.INPUT, "price_eur", replaces=True)
    offers = {"RTX 4090": (replace(OFFERS["RTX 4090"][0], prices={Basis.HOUR: typed}),)}
    assert rated(**offers).training.evidence is Kind.ASSUMPTION


def test_without_a_priced_offer_only_the_fastest_is_named() -> None:
    found = rated(**{"none": ()})
    assert found.training.sku is None and found.training.eur_per_mtok is None
    assert found.training.evidence is None and found.training.fastest is H100


def test_4_bits_are_recommended_only_where_nothing_holds_16() -> None:
    found = rated(**{"T4": OFFERS["T4"]})
    assert found.training.sku is not None and found.training.sku.code == "GPU-STARTER"
    both = rated(**{"T4": OFFERS["T4"], "A100-SXM-80GB": OFFERS["A100-SXM-80GB"]})
    assert both.training.sku is not None and both.training.sku.code == "GPU-TITAN"
