"""Every code of the deployment room has a sentence, and the texts say what they are."""

import re
from pathlib import Path

import pytest
import yaml
from django.utils import translation

from calculator.deploy import point as deploy_point
from calculator.presenters import deploy
from tests.calculator import deployfactory as make

ROOM = Path(deploy_point.__file__).parent
SOURCE = "".join(path.read_text() for path in ROOM.glob("*.py"))
FAULTS = {f"parallel_{name}" for name in ("heads", "kv_heads", "vocabulary", "layers")}


def test_every_note_has_a_sentence_and_every_sentence_a_note() -> None:
    written = set(re.findall(r'Note\("(\w+)"', SOURCE)) | {"kv_fp8_emulated", "kv_fp8_refused"}
    assert written == deploy.NOTES.keys()


def test_every_refusal_has_a_sentence_and_every_sentence_a_refusal() -> None:
    assert set(re.findall(r'DeployError\(\s*"(\w+)"', SOURCE)) | FAULTS == deploy.ERRORS.keys()


@pytest.mark.parametrize(
    "point",
    [
        make.published(),
        make.point(make.T4, precision="bf16", kv_precision="fp8", replicas=2),
        make.point(make.A10G, precision="fp8", model_path="/models/a", context_tokens=10**6),
        make.point(make.A100, make.GEMMA_2, chunked_prefill=False, batched_tokens=1),
        make.point(make.MI300X, precision="awq-int4", kv_precision="fp8"),
    ],
)
@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_note_reads_as_a_full_sentence(point: deploy_point.ServingPoint, language: str) -> None:
    with translation.override(language):
        shown = deploy.page(point)
    assert shown.notes and not shown.refused
    assert all("%(" not in note and note.endswith(".") for note in shown.notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"precision": "gguf-q4_k_m"}, "ne sert plus le format gguf-q4_k_m"),
        ({"tensor_parallel": 3}, "ne se divisent pas par 3 GPU"),
        ({"pipeline_parallel": 64}, "étages de pipeline (64)"),
        ({"model_path": "-x"}, "ne commence pas par un tiret"),
    ],
)
def test_a_refused_point_says_why_and_shows_no_text(changes, words: str) -> None:
    shown = deploy.page(make.point(**changes))
    assert words in shown.refused
    assert (shown.snippets, shown.notes) == ((), ())


def test_numbers_of_tokens_are_written_as_numbers() -> None:
    notes = " ".join(deploy.page(make.point(context_tokens=100_000)).notes)
    assert "de 100\u202f000 à 32\u202f768 tokens" in notes


def test_the_page_names_the_version_and_shows_five_texts() -> None:
    shown = deploy.page(make.published())
    assert shown.version == "0.32.0"
    assert [item.code for item in shown.snippets] == ["config", "command", "docker", "compose", "kubernetes", "kserve"]
    assert [item.file_name for item in shown.snippets] == [
        "vllm.yaml", "", "", "compose.yaml", "vllm-kubernetes.yaml", "vllm-kserve.yaml"
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["fr", "en"])
def test_comments_leave_the_yaml_as_it_is(language: str) -> None:
    with translation.override(language):
        shown = {item.code: item.text for item in deploy.page(make.published()).snippets}
    assert yaml.safe_load(shown["config"])["max-num-seqs"] == 16
    assert "services" in yaml.safe_load(shown["compose"])
    assert len(list(yaml.safe_load_all(shown["kubernetes"]))) == 3
    assert len(list(yaml.safe_load_all(shown["kserve"]))) == 2


def test_containers_are_said_to_be_untried() -> None:
    shown = {item.code: item.text for item in deploy.page(make.published()).snippets}
    assert all("non essayé" in shown[code] for code in ("docker", "compose", "kubernetes", "kserve"))
    assert "# vLLM 0.32.0" in shown["config"]


def test_the_fp8_cache_of_the_published_example_is_explained_for_its_gpu() -> None:
    notes = " ".join(deploy.page(make.published()).notes)
    assert "A100-SXM-40GB (capacité 8.0) n’a pas d’unités fp8" in notes
    assert "swap_space" in notes and "guided_decoding_backend" in notes
