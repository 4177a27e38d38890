"""Rates, targets and servers in the form of a run: what goes together, and a sentence for what does not."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from benchmarks import forms, refusals
from benchmarks.load.targets import Target, TargetError
from benchmarks.models import BenchmarkRun
from benchmarks.services import RunConfig
from tests.benchmarks import runfactory as runs

GOOD = {"concurrencies": "1, 4", "requests": "16", "prompt": "64", "output": "32", "seed": "7"}
SERVER = {"url": "https://api.example.com/v1", "model": "large", "route": "chat", "dialect": "engine"}


def errors(**values: str) -> dict[str, list[str]]:
    form = forms.RunForm(GOOD | values)
    with translation.override("fr"):
        return {name: [str(error) for error in found] for name, found in form.errors.items()}


def config(**values: str) -> RunConfig:
    form = forms.RunForm(GOOD | values)
    assert form.is_valid(), form.errors
    return form.to_config()


def test_left_empty_nothing_of_it_changes_a_run() -> None:
    untouched = dict.fromkeys((*forms.LOAD_FIELDS, *forms.TARGET_FIELDS), "")
    assert config() == config(**untouched) == RunConfig((1, 4), 16, 64, 32, 7)


def test_a_run_at_rates() -> None:
    found = config(pattern="poisson", rates="8; 2 4", ttft="200", tpot="50", duration="30", search="knee")
    assert (found.pattern, found.rates_per_s, found.search) == ("poisson", (2.0, 4.0, 8.0), "knee")
    assert (found.limit_ttft_ms, found.limit_tpot_ms, found.duration_s) == (200.0, 50.0, 30.0)


@pytest.mark.parametrize("text", ["0", "-1", "1001", "1e3", "0.001", "x", "1/2", "٣"])
def test_a_rate_that_is_none_is_named(text: str) -> None:
    (sentence,) = errors(pattern="constant", rates=text)["rates"]
    assert "entre 0.01 et 1000" in sentence


def test_no_more_than_eight_rates() -> None:
    rates = "1 2 3 4 5 6 7 8 9"
    assert errors(pattern="constant", rates=rates)["rates"] == ["8 paliers au plus."]


def test_rates_and_patterns_go_together() -> None:
    assert "au moins un rythme" in errors(pattern="constant")["rates"][0]
    assert "Un rythme demande" in errors(rates="2")["rates"][0]
    assert "rythme de départ" in errors(search="knee")["search"][0]
    assert "rates" in errors(pattern="constant", rates="zwei") and len(errors(pattern="constant", rates="zwei")) == 1


def test_unknown_choices_are_refused() -> None:
    assert set(errors(pattern="burst", search="x", route="y", dialect="z")) == {"pattern", "search", "route", "dialect"}


def test_a_run_of_a_server() -> None:
    given = SERVER | {"key_variable": "BENCHMARK_KEY_X", "rate_limit": "2,5", "shared": "32", "prompts": "own.jsonl"}
    found = config(**given)
    assert found.target == Target(
        "https://api.example.com/v1", "chat", "large", key_variable="BENCHMARK_KEY_X", rate_limit_per_s=2.5
    )
    assert (found.shared_prefix_tokens, found.prompts_name) == (32, "own.jsonl")


@pytest.mark.parametrize(
    ("dialect", "length_field", "ignore_eos"),
    [("engine", "max_tokens", True), ("strict", "max_tokens", False), ("openai", "max_completion_tokens", False)],
)
def test_a_kind_of_server_says_what_it_can_be_told(dialect: str, length_field: str, ignore_eos: bool) -> None:
    target = config(**SERVER | {"dialect": dialect}).target
    assert target is not None and (target.length_field, target.ignore_eos) == (length_field, ignore_eos)


def test_a_server_may_be_asked_for_more_streams_than_this_machine() -> None:
    assert config(**SERVER | {"concurrencies": "256"}).concurrencies == (256,)
    assert "entre 1 et 256" in errors(**SERVER | {"concurrencies": "257"})["concurrencies"][0]
    assert "entre 1 et 32" in errors(concurrencies="33")["concurrencies"][0]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("file:///etc/passwd", "https://"),
        ("http://169.254.169.254/latest", "métadonnées"),
        ("http://10.0.0.1:8000", "BENCHMARK_TARGETS"),
        ("http://localhost:8000", "BENCHMARK_TARGETS"),
        ("http://127.1:8000", "127.0.0.1"),
        ("http://[::127.0.0.1]:8000", "127.0.0.1"),
        ("http://0x7f000001", "127.0.0.1"),
        ("http://metadata.google.internal./v1", "métadonnées"),
        ("https://1.2.3.4.5/v1", "ne se lit pas"),
        ("https://a:b@example.com", "identifiants"),
        ("https://example.com/v1?x=1", "s’arrête avant"),
        ("https://[", "ne se lit pas"),
    ],
)
def test_an_address_that_may_not_be_measured_is_refused_with_its_reason(url: str, words: str) -> None:
    found = errors(**SERVER | {"url": url})
    assert set(found) == {"url"}
    assert words in found["url"][0]


def test_an_address_that_the_administrator_lists_is_accepted(settings: Any) -> None:
    settings.BENCHMARK_TARGETS = ["127.0.0.1"]
    target = config(**SERVER | {"url": "http://127.0.0.1:8000"}).target
    assert target is not None and target.base_url == "http://127.0.0.1:8000/v1"


def test_the_rest_of_a_server_is_checked_too() -> None:
    assert "modèle" in errors(**SERVER | {"model": ""})["model"][0]
    assert "BENCHMARK_KEY_" in errors(**SERVER | {"key_variable": "SECRET_KEY"})["key_variable"][0]
    assert errors(**SERVER | {"prompts": "../../etc/passwd"})["prompts"] == [
        "Un nom de fichier simple, terminé par .jsonl."
    ]
    assert "Sans adresse" in errors(model="large")["url"][0]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_refusal_has_a_sentence(language: str) -> None:
    codes = ["url_scheme", "url_unreadable", "url_credentials", "url_query", "address_private", "address_metadata"]
    with translation.override(language):
        sentences = {refusals.sentence(TargetError(code, "x")) for code in [*codes, "key_name", "route"]}
    assert len(sentences) == 8 and all(sentence.endswith(".") for sentence in sentences)


@pytest.fixture
def operator(client: Client, db: None) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def test_a_server_is_queued_by_an_operator(client: Client, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.tasks.submit", lambda run: None)
    response = client.post("/fr/runs/start", GOOD | SERVER)
    run = BenchmarkRun.objects.get()
    assert (response.status_code, run.target_url, run.target_model) == (303, "https://api.example.com/v1", "large")


def test_nobody_else_has_a_server_asked(client: Client, db: None) -> None:
    assert client.post("/fr/runs/start", GOOD | SERVER).status_code == 302
    client.force_login(User.objects.create_user("visitor"))
    assert client.post("/fr/runs/start", GOOD | SERVER).status_code == 403
    assert BenchmarkRun.objects.count() == 0


def test_a_refused_server_comes_back_open_with_what_was_typed(client: Client, operator: User) -> None:
    response = client.post("/fr/runs/start", GOOD | SERVER | {"url": "http://10.0.0.1/<x>"})
    text = response.content.decode()
    assert response.status_code == 422 and BenchmarkRun.objects.count() == 0
    assert '<details class="fold" id="target" open>' in text and '<details class="fold" id="load">' in text
    assert "http://10.0.0.1/&lt;x&gt;" in text and "<x>" not in text


def test_the_usual_form_shows_both_groups_closed(client: Client, operator: User) -> None:
    text = client.get("/fr/runs/new").content.decode()
    assert '<details class="fold" id="load">' in text and '<details class="fold" id="target">' in text
