"""The engine in the form of a run: vLLM only where a live worker has it, with a configuration that is taken."""

import datetime as dt
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from benchmarks import engineform, forms, tasks, vllmconfig
from benchmarks.models import BenchmarkRun, Worker
from benchmarks.vllmconfig import ConfigError
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
GOOD = {"concurrencies": "1, 4", "requests": "16", "prompt": "64", "output": "32", "seed": "7"}
CONFIG = "model: /models/tiny\nload-format: dummy\ntensor-parallel-size: 2\n"


def worker(name: str = "celery@here", queues: tuple[str, ...] = ("default",), **values: Any) -> Worker:
    now = timezone.now()
    known: dict[str, Any] = {
        "host_name": "here",
        "pid": 1,
        "started_at": now,
        "heartbeat_at": now,
        "engines": {"llama.cpp": "xllamacpp 1", "vllm": "0.32.0"},
    }
    return Worker.objects.create(name=name, queues=list(queues), **(known | values))


def errors(**values: str) -> dict[str, list[str]]:
    form = forms.RunForm(GOOD | values)
    with translation.override("fr"):
        return {name: [str(error) for error in found] for name, found in form.errors.items()}


def test_without_a_worker_that_has_it_vllm_is_not_offered() -> None:
    assert not forms.RunForm().offers_vllm()
    assert [code for code, _ in forms.RunForm().fields["engine"].choices] == ["llama_cpp"]  # type: ignore[attr-defined]
    worker(engines={"llama.cpp": "xllamacpp 1"})
    worker("celery@gone", heartbeat_at=timezone.now() - dt.timedelta(minutes=5))
    worker("celery@stopped", stopped_at=timezone.now())
    assert not forms.RunForm().offers_vllm()
    found = errors(engine="vllm", config=CONFIG)
    assert "Aucun worker actif" in found["engine"][0]


def test_each_live_worker_offers_its_machine() -> None:
    worker()
    worker("celery@gpu1", ("gpu.titan",), sku_code="GPU-TITAN", engines={"vllm": "0.33.0"})
    worker("celery@gpu2", ("other",), sku_code="GPU-PRO", engines={"vllm": "0.33.0"})
    assert engineform.hosts() == {"": "0.32.0", "GPU-TITAN": "0.33.0"}


def test_a_run_of_vllm_on_this_machine_takes_no_gpu() -> None:
    worker()
    form = forms.RunForm(GOOD | {"engine": "vllm", "config": CONFIG})
    assert form.is_valid(), form.errors
    config = form.to_config()
    assert config.vllm is not None and config.vllm.model == "/models/tiny"
    assert (config.sku_code, config.gpus_count) == ("", 0)


def test_a_run_on_a_gpu_host_takes_as_many_gpus_as_the_server_spans() -> None:
    worker("celery@gpu1", ("gpu.titan",), sku_code="GPU-TITAN")
    form = forms.RunForm(GOOD | {"engine": "vllm", "sku": "GPU-TITAN", "config": CONFIG, "concurrencies": "64"})
    assert form.is_valid(), form.errors
    assert (form.to_config().sku_code, form.to_config().gpus_count) == ("GPU-TITAN", 2)


def test_what_does_not_go_together_is_said_beside_its_field() -> None:
    worker("celery@gpu1", ("gpu.titan",), sku_code="GPU-TITAN")
    assert "choisissez ce moteur" in errors(config=CONFIG)["engine"][0]
    assert "worker actif a vLLM" in errors(engine="vllm", config=CONFIG)["sku"][0]
    assert "sku" in errors(engine="vllm", config=CONFIG, sku="GPU-PRO")
    server = {"url": "https://api.example.com/v1", "model": "m"}
    assert "pas d’adresse" in errors(engine="vllm", sku="GPU-TITAN", config=CONFIG, **server)["url"][0]
    assert "ligne" in errors(engine="vllm", sku="GPU-TITAN")["config"][0]
    assert "trust-remote-code" in errors(
        engine="vllm", sku="GPU-TITAN", config=CONFIG + "trust-remote-code: true\n"
    )["config"][0]  # fmt: skip


@pytest.mark.parametrize(
    "code",
    ["too_long", "unreadable", "model_missing", "model_name", "key_refused", "key_unknown", "value_type",
     "value_unknown", "value_range"],
)  # fmt: skip
def test_each_refusal_of_a_configuration_has_its_sentence(code: str) -> None:
    with translation.override("en"):
        english = engineform.config_sentence(ConfigError(code, "max-model-len"))
    with translation.override("fr"):
        assert engineform.config_sentence(ConfigError(code, "max-model-len")) != english


def test_a_region_belongs_to_a_server() -> None:
    assert "url" in errors(region="eu-west-3")
    form = forms.RunForm(GOOD | {"url": "https://api.example.com/v1", "model": "m", "region": "eu-west-3"})
    assert form.is_valid(), form.errors
    assert form.to_config().region == "eu-west-3"


def test_the_page_shows_the_engine_where_there_is_a_choice(client: Client) -> None:
    client.force_login(runs.operator())
    assert 'id="engine"' not in client.get("/fr/runs/new").text
    worker()
    page = client.get("/fr/runs/new").text
    assert 'id="engine"' in page and "vLLM, démarré pour la mesure" in page
    assert '<div class="box tall"><textarea' in page


def test_a_run_of_vllm_starts_from_the_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "submit", lambda run: None)
    worker()
    client.force_login(runs.operator())
    answer = client.post("/fr/runs/start", GOOD | {"engine": "vllm", "config": CONFIG})
    assert answer.status_code == 303, answer.text
    run = BenchmarkRun.objects.get()
    assert (run.engine_kind, run.queue, run.gpus_count) == ("vllm", "default", 0)
    assert User.objects.get() == run.created_by


def test_a_refused_configuration_stands_in_the_form_as_typed(client: Client) -> None:
    worker()
    client.force_login(runs.operator())
    answer = client.post("/fr/runs/start", GOOD | {"engine": "vllm", "config": "model: <b>x"})
    assert answer.status_code == 422
    assert "model: &lt;b&gt;x" in answer.text and 'id="engine" open' in answer.text


def test_a_server_may_be_asked_for_longer_texts_than_the_test_model() -> None:
    long = {"prompt": "32768", "output": "2048", "requests": "2000"}
    assert set(errors(**long)) == {"prompt", "output", "requests"}
    server = {"url": "https://api.example.com/v1", "model": "m"}
    form = forms.RunForm(GOOD | long | server)
    assert form.is_valid(), form.errors
    assert (form.to_config().prompt_tokens, form.to_config().output_tokens) == (32768, 2048)
    assert "prompt" in errors(**server, prompt="131073")


def test_the_hint_of_a_refused_length_states_the_limits_that_hold() -> None:
    with translation.override("fr"):
        form = forms.RunForm(GOOD | {"url": "https://api.example.com/v1", "model": "m", "prompt": "0"})
        assert form.fields["prompt"].help_text == "De 1 à 131\u202f072."
        assert form.fields["prompt"].label == forms.RunForm.base_fields["prompt"].label


def test_the_configuration_of_the_inference_page_fills_the_form(client: Client) -> None:
    worker()
    client.force_login(runs.operator())
    page = client.get("/fr/runs/new", {"config": "model: /models/tiny\ndtype: bfloat16\n"}).text
    assert 'id="engine" open' in page and "model: /models/tiny" in page
    assert '<option value="vllm" selected>' in page


def test_operators_are_led_from_the_configuration_to_its_measurement(client: Client) -> None:
    call_command("seed", verbosity=0)
    address = reverse("inference-deploy")
    assert "Mesurer cette configuration" not in client.get(address, follow=True).text
    client.force_login(runs.operator())
    page = client.get(address, follow=True).text
    link = page[page.index("/fr/runs/new?config=") :].partition('"')[0]
    config = parse_qs(urlsplit(link).query)["config"][0]
    assert vllmconfig.read(config).model
    assert len(config) < vllmconfig.LONGEST_TEXT
