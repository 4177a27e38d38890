"""The shipped calibration on cases that are in no measurement file: order, limits, and figures of another predictor."""

from dataclasses import replace
from pathlib import Path

import pytest

from calculator.accuracy import store
from calculator.accuracy.sheets import load_sheets
from calculator.domain.calibration import Engine, Era, serving_classes, serving_constants
from calculator.domain.inference import Deployment, rates
from calculator.domain.llm import decode_bound_tok_per_s
from calculator.domain.memory import room_sequences
from calculator.domain.precision import PRECISIONS
from calculator.domain.serving import Load, Point, point, single_stream_tok_per_s

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SHEETS = load_sheets(FIXTURES)
CALIBRATION = store.read(FIXTURES / "calibration.json")
ENGINES = (Engine.VLLM, Engine.SGLANG, Engine.TENSORRT_LLM)


def served(
    gpu: str, clients: float, *, model: str = "Llama-3.1-8B", precision: str = "fp16", size: int = 1,
    engine: Engine = Engine.VLLM, prompt: float = 1024, output: float = 256,
) -> Point:  # fmt: skip
    sheet, stored = SHEETS.gpus[gpu], PRECISIONS[precision]
    server = Deployment(SHEETS.models[model], sheet, stored, 2.0, tensor_parallel=size)
    constants = serving_constants(CALIBRATION, serving_classes(engine, Era.NEW, stored.family, sheet))
    room = room_sequences(server, constants, engine, prompt, output)
    assert room >= 1
    return point(rates(server, constants), constants, Load(prompt, output, clients), room)


@pytest.mark.parametrize(
    ("clients", "tok_per_s"), [(1, 82), (4, 302), (8, 537), (16, 904), (32, 1364), (64, 1924), (128, 2302)]
)
def test_an_8b_on_an_a100_agrees_with_measured_kernel_tables(clients: int, tok_per_s: float) -> None:
    assert served("A100-SXM-80GB", clients).output_tok_per_s == pytest.approx(tok_per_s, rel=0.3)


@pytest.mark.parametrize(("gpu", "tok_per_s"), [("L40S", 534), ("H100-SXM-80GB", 1788)])
def test_other_gpus_agree_at_sixteen_clients(gpu: str, tok_per_s: float) -> None:
    assert served(gpu, 16).output_tok_per_s == pytest.approx(tok_per_s, rel=0.3)


def test_pitfall_19_a_token_takes_longer_than_the_bandwidth_bound_and_less_than_twice() -> None:
    bound_s = 8.03e9 * 2 / 2039e9
    assert 1.0 < served("A100-SXM-80GB", 1).token_s / bound_s < 2.0


def test_pitfall_25_a_thousand_tokens_leave_no_time_for_a_queue_under_100_ms_on_an_a100() -> None:
    found = served("A100-SXM-80GB", 1, model="Mistral-7B")
    assert found.prefill_s > 14.5e12 / 312e12
    assert found.first_token_s > 0.07


@pytest.mark.parametrize("engine", ENGINES)
def test_throughput_grows_and_latency_too_with_clients(engine: Engine) -> None:
    points = [served("H100-SXM-80GB", clients, engine=engine) for clients in (1, 4, 16, 64)]
    assert [p.output_tok_per_s for p in points] == sorted(p.output_tok_per_s for p in points)
    assert [p.first_token_s for p in points] == sorted(p.first_token_s for p in points)


@pytest.mark.parametrize("engine", ENGINES)
def test_more_gpus_answer_a_70b_faster_and_less_than_in_proportion(engine: Engine) -> None:
    times = [
        served("H100-SXM-80GB", 8, model="Llama-3.1-70B", precision="fp8", size=size, engine=engine).token_s
        for size in (2, 4, 8)
    ]
    assert times == sorted(times, reverse=True)
    assert times[0] / times[-1] < 4


@pytest.mark.parametrize("gpu", ["A100-SXM-40GB", "A100-SXM-80GB", "H100-SXM-80GB", "L40S", "L4", "RTX 4090"])
@pytest.mark.parametrize("engine", ENGINES)
def test_no_single_stream_beats_the_data_sheet(gpu: str, engine: Engine) -> None:
    sheet, model = SHEETS.gpus[gpu], SHEETS.models["Mistral-7B"]
    constants = serving_constants(CALIBRATION, serving_classes(engine, Era.NEW, "fp16", sheet))
    found = single_stream_tok_per_s(rates(Deployment(model, sheet, PRECISIONS["fp16"], 2.0), constants), 128)
    read_bytes = (model.params_total - model.vocab * model.hidden) * 2
    bound = decode_bound_tok_per_s(read_bytes, 0, sheet.mem_bw_gb_s * 1e9)
    assert 0.4 * bound < found < bound


def test_fp8_weights_help_where_the_gpu_has_such_units() -> None:
    half = served("H100-SXM-80GB", 32, model="Llama-3.1-70B", size=4)
    eight = served("H100-SXM-80GB", 32, model="Llama-3.1-70B", size=4, precision="fp8")
    assert 1.2 < eight.output_tok_per_s / half.output_tok_per_s < 2.2


def test_a_longer_prompt_delays_the_first_token() -> None:
    times = [served("A100-SXM-80GB", 4, prompt=size).first_token_s for size in (128, 1024, 8192)]
    assert times == sorted(times)


def test_a_faster_memory_never_slows_a_server() -> None:
    sheet = SHEETS.gpus["A100-SXM-40GB"]
    constants = serving_constants(CALIBRATION, serving_classes(Engine.VLLM, Era.NEW, "fp16", sheet))
    speeds = [
        single_stream_tok_per_s(
            rates(
                Deployment(SHEETS.models["Mistral-7B"], replace(sheet, mem_bw_gb_s=speed), PRECISIONS["fp16"], 2.0),
                constants,
            ),
            512,
        )
        for speed in (500, 1000, 1555, 2039, 3350)
    ]
    assert speeds == sorted(speeds)
