"""The training answer as a whole: the golden rows, the published run in both readings, money, energy, alternatives."""

import csv
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from calculator.domain.memory import Sharding
from calculator.domain.offers import Basis
from calculator.domain.provenance import Kind
from calculator.domain.scenario import BillingStep
from calculator.domain.training import Method
from calculator.domain.training_scenario import Speed, TrainingEstimate, Verdict, Work
from calculator.domain.training_work import assumed_shape
from calculator.domain.units import GIB

from .training_factories import GPUS, SUPERCOMPUTE, TITAN, answer, codes, facts

GOLDEN = {
    row["id"]: row
    for row in csv.DictReader(
        line
        for line in (Path(__file__).parent / "golden_sizing.csv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
}
LORA_ROW = "rank=16; targets=q,k,v,o,gate,up,down"
PUBLISHED = {"speed": Speed.PUBLISHED}
ENCODER_FACTS = facts(assumed_shape(2.7e9), sku=TITAN)
ENCODER = {
    "params_count": Decimal(2_700_000_000),
    "method": Method.PRETRAIN,
    "work": Work.TOKENS,
    "total_tokens": Decimal(40) * 10**9,
    "speed": Speed.MFU,
    "mfu_ratio": Decimal("0.2613"),
}


def golden(name: str) -> tuple[float, float]:
    return float(GOLDEN[name]["expected"]), float(GOLDEN[name]["rel_tolerance"])


def minutes(found: TrainingEstimate) -> float:
    assert found.duration is not None
    return found.duration.run_s.value / 60


def euros(found: TrainingEstimate) -> Decimal:
    assert found.bill is not None
    assert found.bill.eur is not None
    return found.bill.eur


def test_golden_qlora_tokens() -> None:
    found = answer(**PUBLISHED).amount
    assert found is not None
    assert found.tokens == golden("qlora_tokens")[0]


def test_golden_qlora_minutes() -> None:
    expected, tolerance = golden("qlora_minutes")
    assert minutes(answer(**PUBLISHED)) == pytest.approx(expected, rel=tolerance)


def test_golden_qlora_cost() -> None:
    expected, tolerance = golden("qlora_cost")
    assert float(euros(answer(**PUBLISHED))) == pytest.approx(expected, rel=tolerance)


def test_golden_lora_parameters() -> None:
    assert answer().trained_params == 41_943_040


def test_golden_pretraining_flop() -> None:
    """6·N·D; attention stands beside it."""
    expected, tolerance = golden("pretrain_flops")
    found = answer(ENCODER_FACTS, **ENCODER)
    assert found.amount is not None
    assert found.flop.linear * found.amount.tokens == pytest.approx(expected, rel=tolerance)


def test_golden_pretraining_days() -> None:
    expected, tolerance = golden("pretrain_days_1xa100")
    assert minutes(answer(ENCODER_FACTS, **ENCODER)) / 1440 == pytest.approx(expected, rel=tolerance)


def test_the_second_reading_of_the_accumulation_takes_four_times_as_long() -> None:
    """12 288 000 tokens at 1 350 tok/s: 151.7 min and 3.79 €."""
    found = answer(**PUBLISHED, micro_batch=8, recomputed=True)
    assert minutes(found) == pytest.approx(151.7, abs=0.05)
    assert float(euros(found)) == pytest.approx(3.79, abs=0.005)


def test_the_answer_says_what_it_takes_and_costs() -> None:
    found = answer(**PUBLISHED)
    assert found.headline.code == "takes_and_costs"
    assert found.headline.values["eur"] == euros(found)
    assert found.headline.values["tokens"] == 3_072_000


def test_time_is_billed_by_the_second_or_by_the_hour() -> None:
    """2 275.6 s: 2 276 s at 1.50 €/h, or a whole hour."""
    assert euros(answer(**PUBLISHED)) == Decimal(2276) / 3600 * Decimal("1.50")
    assert euros(answer(**PUBLISHED, billing_step=BillingStep.HOUR)) == Decimal("1.50")


def test_a_monthly_price_is_paid_by_the_month() -> None:
    found = answer(**PUBLISHED, basis=Basis.MONTH)
    assert (euros(found), found.bill and found.bill.months) == (Decimal("830.64"), 1)


def test_a_long_run_takes_as_many_months_as_it_needs() -> None:
    """92 days of 24 h in months of 720 h: four."""
    priced = replace(
        TITAN, prices={**TITAN.prices, Basis.MONTH: replace(TITAN.prices[Basis.HOUR], value=Decimal(1000))}
    )
    found = answer(replace(ENCODER_FACTS, sku=priced), **ENCODER, basis=Basis.MONTH)
    assert (found.bill and found.bill.months, euros(found)) == (4, Decimal(4000))


def test_retries_add_their_share_to_time_money_and_energy() -> None:
    plain, more = answer(**PUBLISHED), answer(**PUBLISHED, retry_ratio=Decimal("0.10"))
    assert plain.duration is not None
    assert more.duration is not None
    assert more.duration.with_retries_s == pytest.approx(1.1 * plain.duration.with_retries_s)
    assert more.duration.run_s == plain.duration.run_s
    assert more.energy_kwh == pytest.approx(1.1 * (plain.energy_kwh or 0))
    assert float(euros(more)) == pytest.approx(1.1 * float(euros(plain)), rel=1e-3)


def test_energy_is_the_tdp_for_the_whole_run() -> None:
    """450 W for 0.6321 h."""
    assert answer(**PUBLISHED).energy_kwh == pytest.approx(0.450 * 3_072_000 / 1350 / 3600)


def test_energy_without_a_stated_power_is_unknown_not_zero() -> None:
    bare = {**GPUS, "RTX 4090": replace(GPUS["RTX 4090"], tdp_w=None)}
    found = answer(facts(gpus=bare), **PUBLISHED)
    assert found.energy_kwh is None
    assert "no_power" in codes(found)


def test_a_price_on_request_leaves_the_time_and_takes_a_typed_price() -> None:
    asked = answer(facts(sku=SUPERCOMPUTE))
    assert asked.headline.code == "price_on_request"
    assert asked.duration is not None
    assert asked.bill is not None
    assert asked.bill.eur is None
    typed = answer(facts(sku=SUPERCOMPUTE), price_eur=Decimal(40))
    assert typed.bill is not None
    assert (typed.bill.trust, typed.headline.code) == (Kind.ASSUMPTION, "takes_and_costs")


def test_the_bill_has_the_band_of_the_speed() -> None:
    found = answer()
    assert found.bill is not None
    assert found.bill.low_eur is not None
    assert found.bill.high_eur is not None
    assert float(found.bill.low_eur) == pytest.approx(float(euros(found)) / 1.25, rel=1e-2)
    assert float(found.bill.high_eur) == pytest.approx(float(euros(found)) / 0.8, rel=1e-2)


def test_gpu_hours_count_every_gpu_and_paid_hours_every_instance() -> None:
    found = answer(facts(sku=SUPERCOMPUTE), instances=2)
    assert found.bill is not None
    assert found.bill.gpu_h == 8 * found.bill.paid_h


def test_vat_is_added_once_to_the_total_and_not_rounded() -> None:
    """2 276 s at 1.50 €/h: 0.948333 € and 1.138 € with 20 %."""
    found = answer(**PUBLISHED).bill
    assert found is not None
    assert found.gross_eur == Decimal(2276) / 3600 * Decimal("1.50") * Decimal("1.20")


def test_unknown_work_leaves_the_speed_and_names_the_input() -> None:
    found = answer(work=Work.TOKENS)
    assert (found.headline.code, found.duration, found.total_flop) == ("no_work", None, None)
    assert found.rate is not None
    assert "tokens_needed" in codes(found)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"work": Work.DATASET, "data_rows": None}, "data_needed"),
        ({"work": Work.DATASET, "data_rows": 10, "mean_tokens": Decimal(900)}, "rows_cut"),
        ({"work": Work.TOKENS, "total_tokens": Decimal(100)}, "less_than_a_step"),
        ({"instances": 2}, "network_unknown"),
        ({"sharding": Sharding.WEIGHTS}, "nothing_to_shard"),
        ({"instances": 2, "tensor_parallel": 2}, "tensor_across_instances"),
    ],
)
def test_what_the_reader_must_know_is_said(given: dict[str, object], code: str) -> None:
    assert code in codes(answer(**given))


def test_an_assumed_shape_is_said_to_be_one() -> None:
    assert "shape_assumed" in codes(answer(ENCODER_FACTS, **ENCODER))


def test_a_sequence_beyond_the_models_context_is_said() -> None:
    short = replace(facts().model, max_context=256)
    assert "beyond_context" in codes(answer(facts(short)))


def test_each_warning_comes_once() -> None:
    found = codes(answer(facts(sku=SUPERCOMPUTE), tensor_parallel=3, instances=2))
    assert len(found) == len(set(found))


def test_more_instances_keep_tokens_and_batch_and_mark_the_chosen_count() -> None:
    """Eight sequences a step at two a pass: four copies share them without accumulation, eight take one each, and
    sixteen are refused."""
    found = answer()
    assert [item.gpu_count for item in found.counts] == [1, 2, 4, 8, 16]
    assert [item.is_current for item in found.counts] == [True, False, False, False, False]
    batches = [(item.changes.get("micro_batch", 2), item.changes.get("accumulation", 4)) for item in found.counts[:4]]
    assert batches == [(2, 4), (2, 2), (2, 1), (1, 1)]
    assert [item.verdict for item in found.counts] == [*[Verdict.FITS] * 4, Verdict.BATCH]
    assert (found.counts[-1].seconds, found.counts[-1].eur) == (None, None)
    assert found.duration is not None
    assert found.counts[0].seconds == found.duration.with_retries_s


def test_a_batch_that_the_copies_cannot_share_evenly_is_refused() -> None:
    """Twelve sequences: 1, 2 and 4 copies take 12, 6 and 3 each; 8 and 16 do not divide them."""
    found = answer(micro_batch=4, accumulation=3)
    assert [item.verdict for item in found.counts] == [*[Verdict.FITS] * 3, Verdict.BATCH, Verdict.BATCH]
    assert [item.changes.get("micro_batch", 4) for item in found.counts[:3]] == [4, 3, 3]


def test_alternatives_stand_on_the_typed_speed() -> None:
    """At 1 350 tok/s on one card the chosen count takes what the answer says, and two cards half of it."""
    found = answer(speed=Speed.RATE, rate_tok_per_s=Decimal(1350))
    first, second = found.counts[:2]
    assert first.seconds == pytest.approx(3_072_000 / 1350)
    assert second.seconds == pytest.approx(3_072_000 / 2700, rel=0.01)


def test_methods_share_the_tokens_and_what_does_not_fit_has_no_time() -> None:
    found = {item.code: item for item in answer().methods}
    assert (found["full"].fits, found["full"].seconds, found["full"].eur) == (False, None, None)
    assert found["qlora"].is_current
    assert found["qlora"].seconds is not None


def test_a_pretraining_has_no_other_method() -> None:
    assert answer(ENCODER_FACTS, **ENCODER).methods == ()


def test_alternatives_of_unknown_work_have_no_time() -> None:
    assert {item.seconds for item in answer(work=Work.TOKENS).counts} == {None}


def test_steps_hold_the_same_results_as_the_answer() -> None:
    found = answer(**PUBLISHED)
    results = {step.code: step.result for step in found.steps}
    assert found.amount is not None
    assert results["train_tokens"] == found.amount.tokens
    assert results["lora_params"] == found.trained_params
    assert results["train_flop"] == found.total_flop
    assert results["train_time"] * 60 == pytest.approx(minutes(found))
    assert results["train_bill"] == euros(found)
    assert results["train_energy"] == found.energy_kwh
    assert float(results["train_memory"]) * GIB == pytest.approx(found.fit.memory.needed_bytes)


def test_each_steps_terms_give_its_result() -> None:
    """The formula as written, with the numbers as shown."""
    found = answer(**PUBLISHED, retry_ratio=Decimal("0.1"))
    steps = {step.code: {term.symbol: float(term.source.value) for term in step.terms} for step in found.steps}
    results = {step.code: float(step.result) for step in found.steps}
    a, b, c = steps["train_tokens"], steps["train_time"], steps["train_mfu"]
    assert a["b"] * a["T"] * a["a"] * a["r"] * a["s"] == results["train_tokens"]
    assert b["D"] / (b["v"] * b["g"]) * (1 + b["q"]) / 3600 == pytest.approx(results["train_time"])
    assert c["v"] * c["f"] * c["N"] / c["F"] == pytest.approx(results["train_mfu"])
    d, e = steps["train_flop_token"], steps["lora_params"]
    assert d["f"] * d["N"] + d["A"] == pytest.approx(results["train_flop_token"])
    assert e["k"] * e["l"] * e["c"] == results["lora_params"]
    assert sum(steps["train_states"].values()) == pytest.approx(results["train_states"])
    assert steps["train_memory"]["Z"] == results["train_states"]
    assert sum(steps["train_memory"].values()) == pytest.approx(results["train_memory"])


def test_a_typed_utilisation_shows_how_it_becomes_a_speed() -> None:
    found = {step.code: step for step in answer(ENCODER_FACTS, **ENCODER).steps}["train_rate_mfu"]
    terms = {term.symbol: float(term.source.value) for term in found.terms}
    assert terms["m"] * terms["F"] / terms["C_m"] == pytest.approx(float(found.result))
    assert found.trust is Kind.ASSUMPTION
