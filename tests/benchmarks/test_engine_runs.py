"""A vLLM run in the database: its configuration, what its supervisor is told, what it counted, its log, its words."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from benchmarks import engineplan, planning, recording, services, vllmconfig, wording
from benchmarks.load import records
from benchmarks.load.targets import Target
from benchmarks.models import BenchmarkRun
from tests.benchmarks import runfactory as runs
from tests.benchmarks import vllmsite
from tests.factories import make_language_model

pytestmark = pytest.mark.django_db
CONFIG = vllmconfig.read('model: "/models/tiny"\nload-format: dummy\ndtype: bfloat16\n')


def created(**values: Any) -> BenchmarkRun:
    return services.create_run(dataclasses.replace(runs.CONFIG, **values), None)


def test_a_vllm_run_keeps_its_configuration_and_says_that_weights_are_made_up() -> None:
    run = created(vllm=CONFIG)
    assert (run.engine_kind, run.engine_config) == ("vllm", CONFIG.text)
    assert run.engine_arguments == "--load-format dummy --dtype bfloat16"
    assert (run.model_name, run.precision) == ("tiny", "bf16")
    assert run.flag_dummy_weights and not run.flag_random_weights


def test_loaded_weights_are_not_flagged() -> None:
    run = created(vllm=vllmconfig.read("model: /models/real\n"))
    assert not run.flag_dummy_weights and not run.flag_random_weights


def test_other_engines_have_no_configuration_and_a_target_its_region() -> None:
    run = created()
    assert (run.engine_kind, run.engine_config, run.flag_random_weights) == ("llama_cpp", "", True)
    run = created(target=Target("https://api.example.com/v1", "chat", "m"), region="eu-west-3")
    assert (run.engine_kind, run.target_region) == ("url", "eu-west-3")


def test_the_plan_names_the_program_of_this_host(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR_DIR, settings.VLLM, settings.VLLM_START_S = tmp_path, vllmsite.program(tmp_path), 120
    (tmp_path / "config.json").write_text('{"vocab_size": 300}')
    plan = planning.plan_of(created(vllm=vllmconfig.read(f"model: {tmp_path}\n")))
    assert plan.vllm == records.VllmPlan(settings.VLLM, str(tmp_path), (str(tmp_path),))
    assert (plan.vocabulary_size, plan.model_path) == (300, "")
    assert (plan.start_deadline_s, plan.run_deadline_s) == (120, 1020)


def test_without_a_program_the_plan_has_none(settings: LazySettings, tmp_path: Path) -> None:
    settings.VLLM = str(tmp_path / "nowhere")
    assert engineplan.program() == ""


def test_the_program_is_found_on_path(settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.VLLM = ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert engineplan.program() == ""
    assert vllmsite.program(tmp_path) == engineplan.program()


def test_the_catalogue_knows_the_vocabulary_and_the_name_of_its_models() -> None:
    make_language_model("Mistral-7B-v0.3", hf_id="mistralai/Mistral-7B-v0.3", vocab=32768)
    assert engineplan.vocabulary_of("mistralai/Mistral-7B-v0.3") == 32768
    assert engineplan.name_of("mistralai/Mistral-7B-v0.3") == "Mistral-7B-v0.3"
    assert engineplan.vocabulary_of("nobody/knows") == 0
    assert engineplan.name_of("nobody/knows") == "nobody/knows"
    assert engineplan.name_of("/data/models/our-model/") == "our-model"


def counted(**values: Any) -> records.ServerCounters:
    known: dict[str, Any] = {"client_prompt_tokens": 1000, "client_output_tokens": 640, "disagrees": False}
    return records.ServerCounters(**(known | values))


def test_what_the_server_counted_is_kept_beside_our_own() -> None:
    run = runs.running()
    recording.record_counters(
        run.pk,
        counted(prompt_tokens=1000, output_tokens=641, prefix_queries=1000, prefix_hits=50, preemptions_count=0),
    )
    run.refresh_from_db()
    assert (run.server_prompt_tokens, run.server_output_tokens, run.server_preemptions_count) == (1000, 641, 0)
    assert (run.client_prompt_tokens, run.client_output_tokens) == (1000, 640)
    assert not run.flag_server_disagrees and not run.flag_prefix_cache_warm


def test_a_disagreement_and_a_warm_cache_raise_their_flags_and_keep_them() -> None:
    run = runs.running()
    recording.record_counters(run.pk, counted(prefix_queries=1000, prefix_hits=51, disagrees=True))
    recording.record_counters(run.pk, counted())
    run.refresh_from_db()
    assert run.flag_server_disagrees and run.flag_prefix_cache_warm
    assert run.server_output_tokens is None


def test_the_end_of_the_log_is_kept_with_the_run(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    run = runs.running()
    folder = planning.run_folder(run)
    folder.mkdir(parents=True)
    assert engineplan.log_end(folder) == ""
    (folder / "engine.log").write_bytes(b"x" * 20_000 + b"\0 the end\n")
    services.seal_samples(run)
    run.refresh_from_db()
    assert run.engine_log.endswith(" the end") and len(run.engine_log) < 16_001


@pytest.mark.parametrize("code", ["engine_port", "engine_missing", "engine_vocabulary"])
def test_each_way_of_not_starting_has_a_sentence_and_an_advice(code: str) -> None:
    sentence, advice = wording.failure_words(code)
    assert sentence != wording.failure_words("unheard of")[0]
    assert advice


@pytest.mark.worker
def test_a_run_starts_the_program_and_ends_with_its_figures(
    settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VLLM", "")
    settings.VAR_DIR, settings.VLLM = tmp_path, vllmsite.program(tmp_path)
    (tmp_path / "config.json").write_text('{"vocab_size": 300}')
    run = created(vllm=vllmconfig.read(f"model: {tmp_path}\nload-format: dummy\n"), concurrencies=(1,))
    services.execute(run.pk, "celery@here")
    run.refresh_from_db()
    assert (run.status, run.error_detail) == ("succeeded", "")
    assert (run.engine, run.engine_version) == ("vLLM", "0.32.0")
    # One warm-up and eight measured requests of 128 tokens in and 16 out.
    assert (run.server_prompt_tokens, run.server_output_tokens) == (9 * 128, 9 * 16)
    assert run.client_output_tokens == 9 * 16
    assert not run.flag_server_disagrees and run.flag_dummy_weights
    assert "API server" in run.engine_log
    assert vllmsite.gone(planning.run_folder(run))
