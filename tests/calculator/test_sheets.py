"""Data sheets by name: any case, aliases, tuned variants; read once a process."""

import hashlib
import json
from pathlib import Path

import pytest
from pytest_django import DjangoAssertNumQueries

from calculator import calibrated, catalog, sheets, state
from calculator.models import CatalogVersion, Gpu

pytestmark = pytest.mark.django_db
FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"


@pytest.mark.parametrize("asked", ["A100-SXM-40GB", "a100-sxm-40gb", "A100-40GB", " a100-40gb "])
def test_a_gpu_is_found_by_name_and_alias_in_any_case(seeded: None, asked: str) -> None:
    found = sheets.gpu(asked)
    assert found is not None
    assert (found.name, found.driver_mib) == ("A100-SXM-40GB", 40_960)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("mistral-7b-V0.3", "Mistral-7B-v0.3"),
        ("mistralai/Mistral-7B-v0.3", "Mistral-7B-v0.3"),
        ("Mistral-7B-Instruct-v0.3", "Mistral-7B-v0.3"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "Mistral-7B-v0.3"),
        ("Llama-3-70B-Instruct", "Llama-3-70B"),
        ("Meta-Llama-3-8B-Instruct", "Llama-3-8B"),
        ("Llama-3.3-70B", "Llama-3.3-70B"),
        ("Qwen2.5-7B-Instruct", "Qwen2.5-7B"),
        ("google/gemma-3-4b-it", "Gemma-3-4B"),
        ("DeepSeek-R1-Distill-Llama-8B", "Llama-3.1-8B"),
    ],
)
def test_a_tuned_model_has_the_dimensions_of_its_base(seeded: None, asked: str, name: str) -> None:
    found = sheets.language_model(asked)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("asked", ["", "Mistral", "Mistral-7B-v0", "gpt-5.4", "Qwen2.5-7B-Instruct-AWQ"])
def test_no_model_is_found_by_the_beginning_of_its_name(seeded: None, asked: str) -> None:
    assert sheets.language_model(asked) is None
    assert sheets.gpu(asked) is None


def test_every_shipped_name_finds_its_own_sheet(seeded: None) -> None:
    assert [sheets.language_model(one.name) for one in sheets.models()] == list(sheets.models())
    assert [sheets.gpu(one.name) for one in sheets.gpus()] == list(sheets.gpus())
    assert len(sheets.models()) == len(json.loads((FIXTURES / "models.json").read_text()))


def test_the_sheets_are_read_once_a_process(seeded: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    catalog.forget()
    with state.read_once():
        with django_assert_num_queries(3):
            sheets.gpu("T4")
        with django_assert_num_queries(0):
            sheets.gpu("L40S")
            sheets.language_model("Llama-3-8B")
            sheets.models()
    with django_assert_num_queries(1):
        sheets.gpus()


def test_p22_sheets_that_come_with_a_version_are_seen_at_once(seeded: None) -> None:
    before = sheets.gpu("T4")
    assert before is not None and before.vram_gb != 999
    Gpu.objects.filter(name="T4").update(vram_gb=999)
    CatalogVersion.objects.create(number=2, kind="apply")
    after = sheets.gpu("T4")
    assert after is not None and after.vram_gb == 999


def test_the_calibration_is_the_shipped_file_read_once() -> None:
    document = json.loads((FIXTURES / "calibration.json").read_text())
    known = calibrated.calibration()
    assert known is calibrated.calibration()
    assert (known.data_hash, known.date.isoformat()) == (document["data_hash"], document["date"])
    assert known.serving.base["memory_ratio"] == document["serving"]["base"]["memory_ratio"]
    assert calibrated.mark() == document["data_hash"][:12]
    assert len(document["data_hash"]) == hashlib.sha256().digest_size * 2
