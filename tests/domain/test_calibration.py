"""Constants as sourced input: factors by class, bands by the narrowest class, nothing hidden in defaults."""

import dataclasses
import datetime as dt

import pytest

from calculator.domain import calibration as calibrating
from calculator.domain.calibration import (
    Band,
    Engine,
    Era,
    Factored,
    Framework,
    LinkConstants,
    MemoryConstants,
    ServingConstants,
    TrainingConstants,
)
from calculator.domain.precision import PRECISIONS, math_flop_per_s, precision_named

from .serving_factories import A100_80, H100, IDEAL, RTX_4090, T4, calibration

CONSTANTS = (ServingConstants, TrainingConstants, LinkConstants, MemoryConstants)


@pytest.mark.parametrize("kind", CONSTANTS, ids=lambda kind: kind.__name__)
def test_no_constant_has_a_default(kind: type) -> None:
    fields = dataclasses.fields(kind)
    assert [field.name for field in fields if field.default is not dataclasses.MISSING] == []


def test_a_constant_is_its_base_times_the_factors_of_its_classes() -> None:
    group = Factored({"step_s": 2e-3}, {"step_s": {"new": 0.5, "fp8": 1.2, "SGLang": 9.0}})
    assert group.resolve(("vLLM", "new", "fp8"))["step_s"] == pytest.approx(2e-3 * 0.5 * 1.2)


def test_a_class_that_was_never_fitted_keeps_the_base() -> None:
    assert Factored({"step_s": 2e-3}, {}).resolve(("vLLM", "int3"))["step_s"] == 2e-3


def test_a_missing_constant_is_an_error_not_a_zero() -> None:
    with pytest.raises(KeyError):
        calibrating.serving_constants(calibration(serving=Factored({"step_s": 1.0}, {})), ())


def test_constants_of_a_server_come_from_its_group() -> None:
    base = {field.name: 1.0 for field in dataclasses.fields(ServingConstants)}
    found = calibrating.serving_constants(calibration(serving=Factored(base, {"step_s": {"Hopper": 3.0}})), ("Hopper",))
    assert (found.step_s, found.layer_s) == (3.0, 1.0)


def test_each_group_fills_its_own_dataclass() -> None:
    readers = {
        "training": (calibrating.training_constants, TrainingConstants),
        "links": (calibrating.link_constants, LinkConstants),
        "memory": (calibrating.memory_constants, MemoryConstants),
    }
    for name, (reader, kind) in readers.items():
        group = Factored({field.name: 2.0 for field in dataclasses.fields(kind)}, {})
        assert set(dataclasses.astuple(reader(calibration(**{name: group}), ()))) == {2.0}


def test_classes_name_engine_age_precision_chip_and_memory_and_never_a_model() -> None:
    classes = calibrating.serving_classes(Engine.VLLM, Era.OLD, "fp16", A100_80)
    assert classes == ("vLLM", "old", "vLLM/old", "fp16", "Ampere", "HBM", "vLLM/Ampere", "vLLM/HBM", "fp16/Ampere")
    assert "GDDR" in calibrating.training_classes(Framework.NATIVE, "full", "fp8", RTX_4090)


def test_blackwell_ultra_counts_as_blackwell() -> None:
    ultra = dataclasses.replace(H100, architecture="Blackwell Ultra")
    assert calibrating.architecture_class(ultra) == "Blackwell"


def test_the_narrowest_band_wins_and_a_metric_without_one_has_none() -> None:
    found = dataclasses.replace(
        calibration(),
        bands={
            "tpot_ms|vLLM|fp8": Band(0.9, 1.1, 40),
            "tpot_ms|vLLM|": Band(0.8, 1.2, 90),
            "tpot_ms||": Band(0.5, 2, 200),
        },
        date=dt.date(2026, 11, 30),
    )
    assert calibrating.band(found, "tpot_ms", "vLLM", "fp8") == Band(0.9, 1.1, 40)
    assert calibrating.band(found, "tpot_ms", "vLLM", "fp4") == Band(0.8, 1.2, 90)
    assert calibrating.band(found, "tpot_ms", "SGLang", "fp8") == Band(0.5, 2, 200)
    assert calibrating.band(found, "ttft_ms", "vLLM", "fp8") is None
    assert calibrating.banded(1.0, None) is None


CHIP_BANDS = {
    "ttft_ms|vLLM|fp16": Band(0.8, 1.4, 100),
    "ttft_ms|vLLM|": Band(0.75, 1.35, 480),
    "ttft_ms||": Band(0.6, 1.6, 1800),
    "ttft_ms|vLLM|fp16|Hopper/HBM": Band(0.85, 1.3, 90),
    "ttft_ms|vLLM||Hopper/HBM": Band(0.7, 1.1, 290),
    "ttft_ms|vLLM||Ada/GDDR": Band(0.4, 2.2, 11),
    "ttft_ms|||any": Band(0.7, 2.4, 1800),
}


@pytest.mark.parametrize(
    ("family", "chip", "expected"),
    [
        # No chip asked for: as before chips were told apart.
        ("fp16", None, Band(0.8, 1.4, 100)),
        ("fp16", "", Band(0.8, 1.4, 100)),
        # Enough rows of the chip in this format: its own.
        ("fp16", "Hopper/HBM", Band(0.85, 1.3, 90)),
        # Enough rows of the chip in other formats: from the lowest to the highest end of 0.75–1.35 and 0.7–1.1.
        ("fp8", "Hopper/HBM", Band(0.7, 1.35, 290)),
        # Eleven rows: of 0.8–1.4, 0.4–2.2 and 0.7–2.4 the lowest and the highest end, and said to be borrowed.
        ("fp16", "Ada/GDDR", Band(0.4, 2.4, 11, is_borrowed=True)),
        # None: of 0.8–1.4 and 0.7–2.4.
        ("fp16", "Turing/GDDR", Band(0.7, 2.4, 0, is_borrowed=True)),
    ],
)
def test_a_chip_takes_its_own_band_or_a_wider_one(family: str, chip: str | None, expected: Band) -> None:
    found = dataclasses.replace(calibration(), bands=CHIP_BANDS)
    assert calibrating.band(found, "ttft_ms", "vLLM", family, chip) == expected


def test_a_chip_of_an_unknown_metric_has_no_band() -> None:
    assert calibrating.band(calibration(), "ttft_ms", "vLLM", "fp16", "Ada/GDDR") is None


def test_chips_are_told_apart_by_architecture_and_memory() -> None:
    assert [calibrating.chip_class(gpu) for gpu in (A100_80, RTX_4090, H100)] == [
        "Ampere/HBM",
        "Ada/GDDR",
        "Hopper/HBM",
    ]


@pytest.mark.parametrize(
    ("code", "bits"), [("fp16", 16), ("fp8", 8), ("awq-int4", 4.5), ("gguf-q4_k_m", 4.85), ("mxfp4", 4.25)]
)
def test_pitfall_11_bits_count_scales(code: str, bits: float) -> None:
    assert precision_named(code).weight_bits == bits


def test_an_unknown_precision_is_an_error() -> None:
    with pytest.raises(ValueError, match="int3"):
        precision_named("int3")


def test_pitfall_20_21_peaks_are_dense_and_fall_back_to_units_that_exist() -> None:
    assert math_flop_per_s(A100_80, PRECISIONS["fp8"].math) == 312e12
    assert math_flop_per_s(H100, PRECISIONS["fp8"].math) == 1979e12
    assert math_flop_per_s(H100, PRECISIONS["nvfp4"].math) == 1979e12
    assert math_flop_per_s(RTX_4090, "fp16") == 165.2e12
    assert math_flop_per_s(RTX_4090, "fp16acc") == 330.3e12


def test_pitfall_22_a_t4_multiplies_in_fp16() -> None:
    assert math_flop_per_s(T4, PRECISIONS["bf16"].math) == 65e12


def test_the_ideal_server_of_these_tests_reaches_its_data_sheet() -> None:
    assert IDEAL.weight_bandwidth_ratio == IDEAL.decode_compute_ratio == 1.0


def test_pitfall_35_a_run_nearby_scales_the_estimate_by_a_factor_that_is_told() -> None:
    assert calibrating.anchored(500.0, 130.0, 100.0) == (pytest.approx(650.0), pytest.approx(1.3))
