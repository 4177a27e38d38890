"""Pitfall 34: page, exports, command and accuracy check predict with one function; the same case gives one number."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from calculator import calibrated
from calculator.accuracy.serving_cases import SERVERS, load_of, server_of
from calculator.accuracy.sheets import load_sheets
from calculator.domain.calibration import serving_constants

pytestmark = pytest.mark.django_db
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
CASES = [
    ("vLLM 0.9.1", "A100-SXM-80GB", "Mistral-7B-v0.3", "fp16", "fp16", "sku=GPU-TITAN&model=Mistral-7B-v0.3"),
    ("vLLM 0.9.1", "T4", "Qwen2.5-3B", "fp16", "fp16", "sku=GPU-STARTER&model=Qwen2.5-3B"),
    (
        "SGLang 0.4.6",
        "H100-SXM-80GB",
        "Llama-3.1-8B",
        "fp8",
        "fp8",
        "gpu=H100-SXM-80GB&model=Llama-3.1-8B&prec=fp8&kv=fp8",
    ),
]


def predicted(engine: str, gpu: str, model: str, precision: str, cache: str) -> tuple[float, float, float]:
    """What the accuracy check predicts for a measurement of that case."""
    row = {
        "engine": engine,
        "gpu": gpu,
        "model": model,
        "weight_precision": precision,
        "kv_dtype": cache,
        "n_gpus": "1",
        "tp": "1",
        "isl": "1024",
        "osl": "256",
        "concurrency": "16",
    }
    server = server_of(row, load_sheets(FIXTURES), "weight_precision", SERVERS)
    found = server.point(load_of(row), serving_constants(calibrated.calibration(), server.classes))
    return found.output_tok_per_s, found.first_token_s, found.token_s


@pytest.mark.parametrize(("engine", "gpu", "model", "precision", "cache", "query"), CASES)
def test_the_page_predicts_what_the_accuracy_check_predicts(
    client: Client, seeded: None, engine: str, gpu: str, model: str, precision: str, cache: str, query: str
) -> None:
    total, first, token = predicted(engine, gpu, model, precision, cache)
    asked = f"{query}&engine={engine.partition(' ')[0]}&in=1024&out=256&conc=16"
    speeds = client.get(f"/fr/inference?{asked}").context["estimate"].speeds
    assert speeds.total_tok_per_s.value == pytest.approx(total)
    assert speeds.first_token_s.value == pytest.approx(first)
    assert speeds.token_s.value == pytest.approx(token)


def test_command_and_json_give_the_pages_number(client: Client, seeded: None) -> None:
    total, _first, _token = predicted("vLLM 0.9.1", "A100-SXM-80GB", "Mistral-7B-v0.3", "fp16", "fp16")
    told = StringIO()
    call_command("estimate", "inference", "sku=GPU-TITAN", "--json", stdout=told)
    by_page = client.get("/en/inference.json?sku=GPU-TITAN").json()
    for document in (json.loads(told.getvalue()), by_page):
        assert float(document["speeds"]["total_tok_per_s"]["value"]) == pytest.approx(total)
