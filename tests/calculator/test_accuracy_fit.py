"""The solver and the statistics on cases made by hand, with results known beforehand."""

import datetime as dt
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import pytest

from calculator.accuracy import holdout, leastsquares, store
from calculator.accuracy.bands import bands_of, weighted_quantile
from calculator.accuracy.cases import Case, Refusal, RefusedError
from calculator.accuracy.leastsquares import Fit, Parameter, Problem, factored, residual, solve, weights
from calculator.accuracy.starts import SERVING, SERVING_FACTORS, parameters
from calculator.accuracy.statistics import (
    NOT_COMPUTABLE,
    Predictor,
    Result,
    in_scope,
    quantile,
    summary,
)
from calculator.domain.calibration import Band, Factored, LinkConstants, ServingConstants, TrainingConstants
from calculator.domain.inference import NotModelledError

CLEAN = LinkConstants(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0)


def case(measured: float, size: float, classes: tuple[str, ...] = (), **more: Any) -> Case:
    """A message of `size` over a link of unknown ratio: predicted = size × ratio."""
    given = {
        "file": "allreduce.csv",
        "line": 2,
        "metric": "m",
        "engine_class": "NCCL",
        "family": "",
        "source": "s",
        "pair": f"{size}",
        "group": "links",
    }
    return Case(
        **(given | more), measured=measured, classes=classes, predict=lambda constants: size * constants.bandwidth_ratio
    )


def links(**sigmas: float) -> list[Parameter]:
    names = LinkConstants.__dataclass_fields__
    return [Parameter(name, "", 0.5, sigmas.get(name, 0.0)) for name in names]


def fit(cases: list[Case], parameters: list[Parameter], iterations: int = 20) -> Factored:
    problem = Problem(cases, parameters, LinkConstants, {})
    return factored(parameters, Fit(problem).run(iterations, lambda _: None))


def test_the_solver_finds_the_ratio_that_the_data_holds() -> None:
    found = fit([case(size * 0.8, size) for size in range(1, 200)], links(bandwidth_ratio=1.0))
    assert found.base["bandwidth_ratio"] == pytest.approx(0.8, rel=1e-2)


def test_a_class_factor_takes_what_its_class_differs_by() -> None:
    cases = [case(size * 0.8, size) for size in range(1, 300)]
    cases += [case(size * 0.4, size, ("PCIe",), pair=f"p{size}") for size in range(1, 300)]
    found = fit(cases, [*links(bandwidth_ratio=1.0), Parameter("bandwidth_ratio", "PCIe", 1.0, 1.0)])
    assert found.resolve(("PCIe",))["bandwidth_ratio"] == pytest.approx(0.4, rel=2e-2)
    assert found.resolve(())["bandwidth_ratio"] == pytest.approx(0.8, rel=2e-2)


def test_a_constant_without_a_spread_stays_where_it_was() -> None:
    assert fit([case(8.0, 10)], links()).base["bandwidth_ratio"] == pytest.approx(0.5)


def test_one_row_hardly_moves_a_constant_that_is_well_known() -> None:
    assert fit([case(8.0, 10)], links(bandwidth_ratio=0.01)).base["bandwidth_ratio"] == pytest.approx(0.5, rel=0.01)


def test_outliers_pull_no_more_than_their_side() -> None:
    cases = [case(size * 0.8, size) for size in range(1, 200)] + [case(1e-3, 1.0, pair=f"o{i}") for i in range(10)]
    assert fit(cases, links(bandwidth_ratio=1.0)).base["bandwidth_ratio"] == pytest.approx(0.8, rel=0.05)


def test_rows_of_one_rig_share_their_weight() -> None:
    alone, many = case(1, 1, source="a"), [case(1, 1, source="b") for _ in range(100)]
    found = weights([alone, *many])
    assert found[0] / found[1] == pytest.approx(100**0.35)
    assert sum(found) / len(found) == pytest.approx(1)


def test_errors_are_judged_as_shares_of_the_measurement() -> None:
    assert residual(case(10.0, 20), CLEAN) == pytest.approx(1.0)
    assert residual(case(10.0, 5), CLEAN) == pytest.approx(log(0.5))


def test_a_refusal_of_what_was_measured_counts_as_an_error() -> None:
    def refuse(_: object) -> float:
        raise RefusedError("does not fit")

    refused = Case("f", 2, "m", "e", "", 1.0, "", "", "links", (), refuse)
    assert residual(refused, CLEAN) == leastsquares.REFUSED_RESIDUAL


def test_normal_equations_are_solved_exactly() -> None:
    assert solve([[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]], [8.0, 15.0, 11.0]) == pytest.approx([1, 2, 3])


def test_starts_name_every_constant_and_factors_name_only_constants() -> None:
    assert set(SERVING) == set(ServingConstants.__dataclass_fields__)
    assert set(SERVING_FACTORS) <= set(SERVING)
    assert len(parameters(SERVING, {})) == len(SERVING)


def test_no_factor_is_named_after_a_model_or_a_source() -> None:
    classes = {cls for factors in SERVING_FACTORS.values() for cls in factors}
    assert not [cls for cls in classes if any(word in cls for word in ("Llama", "Qwen", "Mistral", "http", "gpt-oss"))]


def result(predicted: float | None, measured: float = 100.0, **more: Any) -> Result:
    given: dict[str, Any] = {
        "file": "training.csv",
        "line": 2,
        "metric": "tok_s_per_gpu",
        "engine_class": "lora",
        "family": "fp16",
        "low": None,
        "high": None,
        "reason": "",
        "apart": "",
        "held_out": False,
    }
    return Result(predicted=predicted, measured=measured, **(given | more))


def test_the_statistics_are_those_of_the_design() -> None:
    found = summary([result(110.0), result(80.0), result(100.0), result(150.0)])
    assert (found.mean, found.median) == (pytest.approx(0.2), pytest.approx(0.15))
    assert found.p90 == pytest.approx(0.2 + 0.7 * 0.3)
    assert found.bias == pytest.approx((log(1.1) + log(0.8) + log(1.5)) / 4)


def test_refused_rows_are_counted_by_reason_and_a_measured_misfit_is_an_error() -> None:
    found = summary([result(100.0), result(None, reason="unknown GPU"), result(None, reason="does not fit")])
    assert (found.rows, found.answered) == (3, 1)
    assert found.refused == {"unknown GPU": 1, "does not fit": 1}
    assert found.mean == pytest.approx(0.5)


def test_a_group_without_answers_has_no_figures() -> None:
    found = summary([result(None, reason="unknown GPU")])
    assert (found.mean, found.median, found.p90, found.bias, found.in_band) == (None,) * 5


def test_the_share_in_the_band_counts_measurements_inside() -> None:
    found = summary([result(100.0, low=90.0, high=110.0), result(100.0, low=101.0, high=110.0), result(100.0)])
    assert found.in_band == 0.5


@pytest.mark.parametrize(("part", "value"), [(0.0, 1.0), (0.5, 3.0), (0.9, 4.6), (1.0, 5.0)])
def test_quantiles_lie_between_the_ranks(part: float, value: float) -> None:
    assert quantile([5.0, 1.0, 4.0, 2.0, 3.0], part) == pytest.approx(value)


def test_bands_hold_eighty_percent_of_measured_over_predicted() -> None:
    results = [result(100.0, measured=100.0 + index) for index in range(101)]
    found = bands_of(results)["tok_s_per_gpu|lora|fp16"]
    # The middle of the i-th of 101 equal weights lies at (i + ½) ÷ 101: i = 9.6 and 90.4.
    assert (found.low_ratio, found.high_ratio) == (pytest.approx(1.096, rel=1e-4), pytest.approx(1.904, rel=1e-4))
    assert found.rows == 101


def test_held_out_rows_weigh_two_thirds_of_a_band() -> None:
    # 1 000 rows that the fit saw, all at 1; 30 unseen at 2. p10 lies in the seen third, p90 in the unseen rest.
    seen = [result(100.0, measured=100.0) for _ in range(1000)]
    unseen = [result(100.0, measured=200.0, held_out=True) for _ in range(30)]
    assert bands_of([*seen, *unseen])["tok_s_per_gpu||"] == Band(pytest.approx(1.0), pytest.approx(2.0), 1030)


def test_a_handful_of_held_out_rows_weighs_no_more_than_its_number() -> None:
    seen = [result(100.0, measured=100.0) for _ in range(1000)]
    unseen = [result(100.0, measured=200.0, held_out=True) for _ in range(5)]
    assert bands_of([*seen, *unseen])["tok_s_per_gpu||"] == Band(pytest.approx(1.0), pytest.approx(1.0), 1005)


def test_a_lone_request_has_a_band_of_its_own() -> None:
    alone = [result(100.0, file="inference_single_stream.csv", metric="ttft_ms") for _ in range(20)]
    crowded = [result(100.0, file="inference_serving_latency.csv", metric="ttft_ms", measured=300.0) for _ in range(20)]
    found = bands_of([*alone, *crowded])
    assert found["ttft_ms_alone||"].high_ratio == pytest.approx(1.0)
    assert found["ttft_ms||"].low_ratio == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [
        ([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0), (4.0, 1.0)], 0.5, 2.5),
        ([(4.0, 3.0), (2.0, 1.0)], 0.125, 2.0),
        ([(2.0, 1.0), (4.0, 3.0)], 0.625, 4.0),
        ([(5.0, 1.0)], 0.9, 5.0),
    ],
)
def test_weighted_quantiles_lie_between_the_middles_of_the_weights(
    values: list[tuple[float, float]], part: float, expected: float
) -> None:
    assert weighted_quantile(values, part) == pytest.approx(expected)


def test_a_handful_of_rows_makes_no_band() -> None:
    assert bands_of([result(100.0) for _ in range(5)]) == {}


def test_a_class_of_chips_has_a_band_of_its_own_from_twelve_rows_on() -> None:
    hopper = [result(100.0, measured=100.0, chip="Hopper/HBM") for _ in range(12)]
    ada = [result(100.0, measured=value, chip="Ada/GDDR") for value in (50.0, 300.0)]
    found = bands_of([*hopper, *ada])
    assert found["tok_s_per_gpu|lora|fp16|Hopper/HBM"] == Band(pytest.approx(1.0), pytest.approx(1.0), 12)
    assert "tok_s_per_gpu|lora|fp16|Ada/GDDR" not in found
    # Two rows make no p10 and p90: their lowest and highest.
    assert found["tok_s_per_gpu|lora||Ada/GDDR"] == Band(pytest.approx(0.5), pytest.approx(3.0), 2)


def test_over_all_chips_each_class_weighs_the_same() -> None:
    # Eleven rows of Hopper at 1, one each of three other classes at 2, 4 and 8: a quarter of the weight each.
    rows = [result(100.0, measured=100.0, chip="Hopper/HBM") for _ in range(11)]
    for chip, measured in (("Ada/GDDR", 200.0), ("Ampere/HBM", 400.0), ("Turing/GDDR", 800.0)):
        rows.append(result(100.0, measured=measured, chip=chip))
    found = bands_of(rows)["tok_s_per_gpu|||any"]
    # Middles of the weights: 1 up to 0.239, 2 at 0.375, 4 at 0.625, 8 at 0.875: p90 lies beyond the last.
    assert (found.low_ratio, found.high_ratio) == (pytest.approx(1.0), pytest.approx(8.0))


def test_memory_has_one_band_on_every_chip() -> None:
    rows = [result(10.0, 10.0, metric="measured_gb", chip="Ampere/HBM") for _ in range(20)]
    assert set(bands_of(rows)) == {"measured_gb|lora|fp16", "measured_gb|lora|", "measured_gb||"}


def test_rows_apart_and_other_engines_are_out_of_scope() -> None:
    assert in_scope(result(1.0))
    assert not in_scope(result(1.0, apart="AMD"))
    assert not in_scope(result(1.0, file="inference_batched.csv", engine_class="DeepSpeed-MII"))
    assert in_scope(result(1.0, file="inference_batched.csv", engine_class="SGLang"))


def test_whole_pairs_and_sources_are_held_out() -> None:
    assert holdout.held_out(case(1, 1, pair="H200-SXM|Llama-3.1-70B"))
    assert holdout.held_out(case(1, 1, source="https://mushfiqrahman.dev/benchmarking"))
    assert not holdout.held_out(case(1, 1, pair="H200-SXM|gpt-oss-120b"))


def test_a_document_reads_back_as_the_calibration_it_was(tmp_path: Path) -> None:
    group = Factored({"step_s": 0.00123456789}, {"step_s": {"new": 0.5}})
    document = {
        "date": "2026-11-30",
        "data_hash": "abc",
        **{name: store.group_document(group) for name in store.GROUPS},
        "bands": {"m||": store.band_document(Band(0.9, 1.1, 12))},
        "seen_bands": {"m||": store.band_document(Band(0.8, 1.2, 9))},
    }
    store.write(tmp_path / "c.json", document)
    found = store.read(tmp_path / "c.json")
    assert found.serving.base["step_s"] == 0.00123457
    assert found.bands["m||"] == Band(0.9, 1.1, 12)
    assert found.seen_bands["m||"] == Band(0.8, 1.2, 9)
    assert found.date == dt.date(2026, 11, 30)


def test_predictions_carry_the_band_of_their_class() -> None:
    groups = {name: Factored({}, {}) for name in store.GROUPS}
    groups["links"] = Factored(dict.fromkeys(LinkConstants.__dataclass_fields__, 1.0), {})
    document = {
        "date": "2026-11-30",
        "data_hash": "",
        **{name: store.group_document(group) for name, group in groups.items()},
        "bands": {"m|NCCL|": {"low_ratio": 0.5, "high_ratio": 2.0, "rows": 20}},
        "seen_bands": {"m|NCCL|": {"low_ratio": 0.75, "high_ratio": 1.5, "rows": 12}},
    }
    made = Predictor(store.from_document(document))
    found = made.result(case(10.0, 12.0))
    assert (found.predicted, found.low, found.high, found.reason) == (12.0, 6.0, 24.0, "")
    unseen = made.result(case(10.0, 12.0, pair="H200-SXM|8|1"))
    assert (unseen.held_out, unseen.low, unseen.high) == (True, 9.0, 18.0)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_prediction_that_is_no_number_is_a_refusal(value: float) -> None:
    odd = replace(case(10.0, 12.0), predict=lambda _: value)
    assert predictor().result(odd).reason == NOT_COMPUTABLE


def test_arithmetic_that_fails_is_a_refusal() -> None:
    def divide(_: Any) -> float:
        return 1 / 0

    assert predictor().result(replace(case(10.0, 12.0), predict=divide)).reason == NOT_COMPUTABLE


def test_a_refusal_while_predicting_keeps_its_reason() -> None:
    def refuse(_: Any) -> float:
        raise NotModelledError("unknown_link", "X")

    found = predictor().result(replace(case(10.0, 12.0), predict=refuse))
    assert (found.predicted, found.reason) == (None, "unknown_link: X")


def predictor() -> Predictor:
    groups = {name: store.group_document(Factored({}, {})) for name in store.GROUPS}
    groups["links"] = store.group_document(Factored(dict.fromkeys(LinkConstants.__dataclass_fields__, 1.0), {}))
    document = {"date": "2026-11-30", "data_hash": "", "bands": {}, "seen_bands": {}, **groups}
    return Predictor(store.from_document(document))


def test_refusals_pass_through_with_their_reason() -> None:
    refusal = Refusal("f", 3, "m", "MLC", "", 5.0, "engine not modelled")
    groups = {name: store.group_document(Factored({}, {})) for name in store.GROUPS}
    document = {"date": "2026-11-30", "data_hash": "", "bands": {}, "seen_bands": {}, **groups}
    found = Predictor(store.from_document(document)).result(refusal)
    assert (found.predicted, found.reason) == (None, "engine not modelled")


def test_training_constants_are_complete_in_the_starts() -> None:
    from calculator.accuracy.starts import LINKS, MEMORY, TRAINING
    from calculator.domain.calibration import MemoryConstants

    assert set(TRAINING) == set(TrainingConstants.__dataclass_fields__)
    assert set(LINKS) == set(LinkConstants.__dataclass_fields__)
    assert set(MEMORY) == set(MemoryConstants.__dataclass_fields__)
