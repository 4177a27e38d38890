"""A probe's command line, and how long it measures where nothing is asked."""

import pytest

from benchmarks.probes import options
from benchmarks.probes.options import Options, Sheet, Times

SHEET = '{"name": "H100-SXM-80GB", "bf16_flop_per_s": 989e12, "bytes_per_s": 3.35e12}'


def test_on_a_gpu_thirty_seconds_are_sustained_after_heat_and_five_dropped() -> None:
    assert options.times(Options(), on_cpu=False) == Times(10.0, 5.0, 30.0, 60.0)


def test_on_a_processor_a_second_is_enough_to_see_that_it_works() -> None:
    assert options.times(Options(), on_cpu=True) == Times(0.0, 0.0, 1.0, 3.0)


def test_what_is_asked_goes_before_the_usual() -> None:
    found = options.times(Options(seconds=2.0, preheat_s=0.0, drop_s=1.0), on_cpu=False)
    assert (found.preheat_s, found.drop_s, found.measured_s) == (0.0, 1.0, 2.0)


def test_a_command_line_is_read() -> None:
    found = options.read("gemm", "about", ["--seconds", "2", "--dtypes", "bf16, fp8", "--sheet", SHEET])
    assert (found.seconds, found.dtypes) == (2.0, ("bf16", "fp8"))
    assert found.sheet == Sheet("H100-SXM-80GB", bf16_flop_per_s=989e12, bytes_per_s=3.35e12)


def test_a_sheet_knows_the_peak_of_each_type() -> None:
    sheet = Sheet("x", bf16_flop_per_s=1.0, fp16_flop_per_s=2.0, fp8_flop_per_s=3.0)
    assert [sheet.flop_per_s(name) for name in ("bf16", "fp16", "fp8", "fp4")] == [1.0, 2.0, 3.0, None]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seconds", "-1"],
        ["--seconds", "soon"],
        ["--seconds", "nan"],
        ["--batch", "0"],
        ["--device", "tpu"],
        ["--config", "no-such-preset"],
        ["--sheet", "{"],
        ["--sheet", '{"speed": 1}'],
        ["--unknown"],
    ],
)
def test_a_command_line_that_cannot_be_read_ends_with_a_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        options.read("gemm", "about", arguments)
    assert left.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_settings_are_recorded_with_the_sizes_of_the_model() -> None:
    asked = options.read("decode", "about", ["--config", "tiny"]).as_asked()
    assert asked["config"]["hidden"] == 256 and asked["seed"] == 1
