"""Checkpoints with their storage, and the payback of a shorter prompt on an API, on a GPU and on one always on."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import checkpoints, payback
from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind
from calculator.domain.training import Method
from calculator.domain.training_scenario import Payback, Reads, Speed, TrainingEstimate, Work

from .factories import ECB, api, rates
from .training_factories import GPUS, SUPERCOMPUTE, TITAN, answer, facts

PUBLISHED = {"speed": Speed.PUBLISHED}
SHORTER = {**PUBLISHED, "saved_tokens": Decimal(1500), "requests_count": Decimal(100_000)}


def found_of(found: TrainingEstimate) -> Payback:
    assert found.payback is not None
    return found.payback


def test_a_checkpoint_of_adapters_holds_the_adapters_only() -> None:
    found = answer().checkpoints
    assert (found.weight_bytes, found.restart_bytes) == (41_943_040 * 2, 41_943_040 * 14)


def test_a_checkpoint_of_whole_training_holds_weights_and_for_a_restart_the_states() -> None:
    """2 B a parameter for use, 14 B to go on from."""
    found = answer(facts(sku=TITAN), method=Method.FULL).checkpoints
    assert found.weight_bytes == 7_241_732_096 * 2
    assert found.restart_bytes == 7_241_732_096 * 14


@pytest.mark.parametrize(
    ("steps", "every", "count"),
    [(750, 100, 8), (700, 100, 7), (701, 100, 8), (750, None, 1), (50, 100, 1), (750, 750, 1)],
)
def test_a_run_writes_one_checkpoint_every_so_many_steps_and_the_final_one(
    steps: int, every: int | None, count: int
) -> None:
    """At steps 100 to 700 and at the end, 750; a run of 700 steps ends with its seventh."""
    assert checkpoints.written(steps, every) == count


def test_only_the_last_ones_are_kept() -> None:
    found = answer(save_steps=100, kept_count=3, keeps_optimizer=True).checkpoints
    assert (found.written_count, found.kept_count) == (8, 3)
    assert found.stored_bytes == 3 * 41_943_040 * 14


def test_no_more_are_kept_than_are_written() -> None:
    assert answer(kept_count=5).checkpoints.kept_count == 1


def test_storage_costs_gigabytes_times_months() -> None:
    """83.9 MB at 0.05 € a GB and month for six months."""
    found = answer(storage_eur_per_gb_month=Decimal("0.05"), kept_months=Decimal(6)).checkpoints
    assert found.month_eur is not None
    assert float(found.month_eur) == pytest.approx(0.083886 * 0.05, rel=1e-4)
    assert found.total_eur == 6 * found.month_eur


def test_storage_without_a_price_is_unknown_not_free() -> None:
    found = answer().checkpoints
    assert (found.month_eur, found.total_eur) == (None, None)


def test_steps_of_unknown_work_still_write_the_last_checkpoint() -> None:
    assert answer(work=Work.TOKENS, save_steps=10).checkpoints.written_count == 1


def test_nobody_asked_for_a_payback() -> None:
    assert answer(**PUBLISHED).payback is None
    assert answer(**PUBLISHED, reads=Reads.API).payback is None
    assert answer(**{**SHORTER, "reads": Reads.NOBODY}).payback is None


def test_on_an_api_the_input_price_is_saved() -> None:
    """1 500 tokens at 0.75 $ per million and 1.1172 $ a euro: 0.1007 cent a request; 942 requests pay 0.948 €."""
    found = found_of(answer(**SHORTER, reads=Reads.API))
    saved = Decimal(1500) * Decimal("0.75") / 10**6 / ECB
    assert found.saved_eur == pytest.approx(saved)
    assert float(found.requests_count or 0) == pytest.approx(0.948333 / float(saved), rel=1e-5)
    assert float(found.months or 0) == pytest.approx(0.948333 / float(saved) / 100_000, rel=1e-5)


def test_a_typed_exchange_rate_replaces_the_catalogues() -> None:
    found = found_of(answer(**SHORTER, reads=Reads.API, usd_per_eur=Decimal(1)))
    assert found.saved_eur == Decimal(1500) * Decimal("0.75") / 10**6


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"api": None}, "no_input_price"),
        ({"api": api("silent", rates(output="1.00"))}, "no_input_price"),
        ({"usd_per_eur": None}, "no_exchange_rate"),
    ],
)
def test_an_api_without_a_price_or_a_rate_saves_an_unknown_amount(given: dict[str, object], code: str) -> None:
    found = found_of(answer(facts(**given), **SHORTER, reads=Reads.API))
    assert (found.saved_eur, found.requests_count, found.months) == (None, None, None)
    assert [reason.code for reason in found.reasons] == [code]


def test_on_a_gpu_paid_by_the_hour_the_prefill_time_is_saved() -> None:
    """1 500 tokens at 5 000 tok/s are 0.3 s of 1.50 €/h."""
    found = found_of(answer(**SHORTER, reads=Reads.GPU, prefill_tok_per_s=Decimal(5000)))
    assert found.saved_gpu_s == pytest.approx(0.3)
    assert float(found.saved_eur or 0) == pytest.approx(0.3 / 3600 * 1.50)
    assert float(found.requests_count or 0) == pytest.approx(0.948333 / (0.3 / 3600 * 1.50), rel=1e-4)
    assert found.cash


def test_on_a_machine_of_eight_one_gpu_hour_is_an_eighth() -> None:
    given = {**SHORTER, "reads": Reads.GPU, "prefill_tok_per_s": Decimal(5000), "speed": Speed.CALIBRATED}
    found = found_of(answer(facts(sku=SUPERCOMPUTE), **given, price_eur=Decimal(40)))
    assert float(found.saved_eur or 0) == pytest.approx(0.3 / 3600 * 5)


def test_on_a_card_that_is_always_on_no_cash_is_saved_only_time() -> None:
    found = found_of(answer(**SHORTER, reads=Reads.ALWAYS_ON, prefill_tok_per_s=Decimal(5000)))
    assert found.saved_gpu_s == pytest.approx(0.3)
    assert (found.cash, found.saved_eur, found.requests_count) == (False, None, None)


def test_a_monthly_price_has_no_hour_to_save() -> None:
    found = found_of(answer(**SHORTER, reads=Reads.GPU, basis=Basis.MONTH))
    assert [reason.code for reason in found.reasons] == ["no_hour_price"]
    assert found.saved_gpu_s is not None


def test_without_a_typed_rate_the_serving_calibration_gives_one() -> None:
    """Kernels at the whole peak: 2 × (6.98 G + attention) FLOP a token."""
    found = found_of(answer(**SHORTER, reads=Reads.GPU))
    assert found.rate is not None
    assert (found.rate.kind, found.rate.label) == (Kind.ESTIMATE, "prefill_estimate")
    flop = 2 * (6_979_588_096 + 32 * 1500 * 4096)
    assert float(found.rate.value) == pytest.approx(165.2e12 / flop, rel=1e-6)


def test_a_gpu_without_a_peak_reads_at_an_unknown_rate() -> None:
    bare = {**GPUS, "RTX 4090": replace(GPUS["RTX 4090"], fp16_tflops_dense_fp32acc=None)}
    found = found_of(answer(facts(gpus=bare), **SHORTER, reads=Reads.GPU))
    assert (found.rate, found.saved_eur) == (None, None)
    assert [reason.code for reason in found.reasons] == ["no_prefill_rate"]


def test_nothing_saved_never_pays_back() -> None:
    assert payback.paid_back_requests(Decimal(1), Decimal(0)) is None


def test_months_need_a_number_of_requests() -> None:
    assert payback.months_of(Decimal(1000), None) is None
    assert payback.months_of(None, Decimal(10)) is None
    assert payback.months_of(Decimal(1000), Decimal(100)) == 10


@pytest.mark.parametrize("reads", [Reads.API, Reads.GPU])
def test_the_payback_is_shown_as_formulas(reads: Reads) -> None:
    codes = {step.code for step in answer(**SHORTER, reads=reads).steps}
    assert {"prompt_payback", "saved_on_api" if reads is Reads.API else "saved_on_gpu"} <= codes


def test_a_payback_of_an_unknown_cost_is_unknown() -> None:
    found = found_of(answer(facts(sku=SUPERCOMPUTE), **{**SHORTER, "speed": Speed.CALIBRATED}, reads=Reads.API))
    assert found.saved_eur is not None
    assert (found.requests_count, found.months) == (None, None)
