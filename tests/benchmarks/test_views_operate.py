"""Starting, cancelling, publishing, withdrawing: operators only, plain forms, one sentence for each refusal."""

from typing import Any

import kombu.exceptions
import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks import tasks
from benchmarks.models import BenchmarkRun
from calculator.models import Figure
from tests import factories
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
GOOD = {"concurrencies": "4, 1", "requests": "16", "prompt": "64", "output": "32", "seed": "7"}


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runs that were handed to the queue."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.measure, "apply_async_on_commit", lambda args, queue, **_: sent.extend(args))
    return sent


@pytest.fixture
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def actions() -> list[str]:
    code = runs.succeeded().code
    return ["/fr/runs/start", *(f"/fr/runs/{code}/{name}" for name in ("cancel", "publish", "withdraw"))]


def test_strangers_are_asked_to_log_in_and_nothing_happens(client: Client, queue: list[int]) -> None:
    before = BenchmarkRun.objects.count() + 1
    for address in actions():
        response = client.post(address, GOOD)
        assert (response.status_code, response["Location"]) == (302, "/fr/login/?next=/fr/runs/")
    assert client.get("/fr/runs/new")["Location"] == "/fr/login/?next=/fr/runs/new"
    assert (BenchmarkRun.objects.count(), Figure.objects.count(), queue) == (before, 0, [])


@pytest.mark.parametrize(("language", "words"), [("fr", "réservé aux opérateurs"), ("en", "reserved for operators")])
def test_people_without_the_right_are_refused_with_a_sentence(
    client: Client, queue: list[int], language: str, words: str
) -> None:
    client.force_login(User.objects.create_user("visitor"))
    for address in [a.replace("/fr/", f"/{language}/") for a in actions()]:
        response = client.post(address, GOOD)
        assert response.status_code == 403
        assert words in response.content.decode()
    assert client.get(f"/{language}/runs/new").status_code == 403
    assert queue == []


def test_a_superuser_may(client: Client, queue: list[int]) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.post("/fr/runs/start", GOOD).status_code == 303


def test_actions_need_a_post_and_pages_a_get(client: Client, operator: User) -> None:
    start, *others = actions()
    for address in others:
        assert client.get(address).status_code == 405
    # Where a refused form stands: a reload or the other language leads to a new one.
    assert client.get(start)["Location"] == "/fr/runs/new"
    assert client.post("/fr/runs/new").status_code == 405
    assert client.post("/fr/runs/").status_code == 405


def test_actions_are_guarded_against_forged_forms(operator: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(operator)
    assert [strict.post(address, GOOD).status_code for address in actions()] == [403] * 4


@pytest.mark.parametrize(("language", "heading"), [("fr", "Nouvelle mesure"), ("en", "New benchmark")])
def test_the_form_comes_filled(client: Client, operator: User, language: str, heading: str) -> None:
    text = client.get(f"/{language}/runs/new").content.decode()
    assert heading in text and 'value="1, 2, 4, 8"' in text
    assert text.count('value="128"') == 3


def test_starting_queues_the_run_and_leads_to_its_page(client: Client, operator: User, queue: list[int]) -> None:
    response = client.post("/fr/runs/start", GOOD)
    run = BenchmarkRun.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/fr/runs/{run.code}")
    assert queue == [run.pk]
    assert (run.requests_count, run.prompt_tokens, run.output_tokens, run.seed) == (16, 64, 32, 7)
    assert run.created_by == operator
    assert list(run.steps.values_list("concurrency", flat=True)) == [1, 4]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_what_cannot_be_read_comes_back_with_its_sentence_and_the_rest(
    client: Client, operator: User, queue: list[int], language: str
) -> None:
    response = client.post(f"/{language}/runs/start", GOOD | {"concurrencies": "1, <x>", "requests": "-3"})
    text = response.content.decode()
    assert response.status_code == 422
    assert "&lt;x&gt;" in text and "<x>" not in text
    assert 'value="64"' in text and 'value="-3"' in text
    assert 'aria-invalid="true"' in text and 'role="alert"' in text
    assert (BenchmarkRun.objects.count(), queue) == (0, [])


def test_a_queue_that_cannot_be_reached_ends_the_run_with_that_reason(
    client: Client, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise kombu.exceptions.OperationalError("connection refused")

    monkeypatch.setattr(tasks.measure, "apply_async_on_commit", refuse)
    response = client.post("/fr/runs/start", GOOD, follow=True)
    assert "La file d’attente des mesures est injoignable." in response.content.decode()
    assert BenchmarkRun.objects.get().status == "failed"


def test_cancelling_stops_a_waiting_run_at_once(client: Client, operator: User) -> None:
    run = runs.queued()
    response = client.post(f"/fr/runs/{run.code}/cancel", follow=True)
    assert response.redirect_chain == [(f"/fr/runs/{run.code}", 303)]
    assert "La mesure a été annulée." in response.content.decode()


def test_cancelling_what_is_over_says_so_and_changes_nothing(client: Client, operator: User) -> None:
    run = runs.succeeded()
    text = client.post(f"/fr/runs/{run.code}/cancel", follow=True).content.decode()
    assert "rien n’a été annulé" in text
    run.refresh_from_db()
    assert run.status == "succeeded"


def test_publishing_twice_leaves_one_set_and_withdrawing_takes_it_back(client: Client, operator: User) -> None:
    factories.make_sku("CPU-LOCAL", is_test_host=True)
    run = runs.succeeded()
    for _ in range(2):
        text = client.post(f"/fr/runs/{run.code}/publish", follow=True).content.decode()
        assert "Mesure publiée" in text and "Retirer du calculateur" in text
        assert 'href="/fr/economics?sku=CPU-LOCAL"' in text
        assert 'href="/fr/inference?sku=CPU-LOCAL&amp;model=test-llama-1m"' in text
    assert Figure.objects.filter(run=run.code, withdrawn_at=None).count() == 2
    text = client.post(f"/fr/runs/{run.code}/withdraw", follow=True).content.decode()
    assert "Mesure retirée" in text and "Publier ce résultat" not in text and "sku=CPU-LOCAL" not in text
    assert Figure.objects.filter(withdrawn_at=None).count() == 0
    assert "n’était pas publiée" in client.post(f"/fr/runs/{run.code}/withdraw", follow=True).content.decode()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("fr", "Seule une mesure terminée se publie."), ("en", "Only a finished benchmark can be published.")],
)
def test_a_refused_publication_is_a_sentence(client: Client, operator: User, language: str, sentence: str) -> None:
    run = runs.ended("failed")
    text = client.post(f"/{language}/runs/{run.code}/publish", follow=True).content.decode()
    assert sentence in text
    assert Figure.objects.count() == 0


def test_without_a_catalogue_publishing_says_what_is_missing(client: Client, operator: User) -> None:
    text = client.post(f"/fr/runs/{runs.succeeded().code}/publish", follow=True).content.decode()
    assert "Le catalogue ne contient pas" in text


def test_what_an_error_says_of_this_machine_is_for_operators(client: Client, operator: User) -> None:
    run = runs.ended("failed", "internal", "FileNotFoundError: '/srv/vmcloud/var/models'")
    addresses = [f"/fr/runs/{run.code}{suffix}" for suffix in ("", ".json", ".csv")]
    for client_now in (Client(), client):
        shown = ["/srv/vmcloud" in client_now.get(address).content.decode() for address in addresses]
        assert shown == [client_now is client, False, False]


def test_an_unknown_run_cannot_be_acted_upon(client: Client, operator: User) -> None:
    for name in ("cancel", "publish", "withdraw"):
        assert client.post(f"/fr/runs/2026-9999/{name}").status_code == 404


def test_a_busy_host_makes_the_task_come_back_later(monkeypatch: pytest.MonkeyPatch) -> None:
    runs.running()
    waiting = runs.queued()
    asked: dict[str, Any] = {}

    def retry(**options: Any) -> Exception:
        asked.update(options)
        return RuntimeError("again")

    monkeypatch.setattr(tasks.measure, "retry", retry)
    with pytest.raises(RuntimeError, match="again"):
        tasks.measure.run(waiting.pk)
    assert asked["countdown"] == tasks.BUSY_RETRY_S
    waiting.refresh_from_db()
    assert waiting.status == "queued"
