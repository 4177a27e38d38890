"""Operators see the machines that measure; a run that nobody can take says so and how to help it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from benchmarks import fleet, wording, workerpage
from benchmarks.models import Worker, WorkerGpu
from tests.benchmarks import fleetfactory as hosts
from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db
NBSP = "\u00a0"
A, B, C = hosts.UUIDS[:3]


@pytest.fixture
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def page(client: Client, language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/workers")
    assert response.status_code == 200
    return response.content.decode()


def test_visitors_are_asked_to_log_in_and_others_may_not_look(client: Client) -> None:
    response = client.get("/fr/runs/workers")
    assert (response.status_code, response["Location"]) == (302, "/fr/login/?next=/fr/runs/workers")
    client.force_login(User.objects.create_user("visitor"))
    assert client.get("/fr/runs/workers").status_code == 403


@pytest.mark.parametrize(
    ("language", "words"),
    [("fr", "Aucune machine de mesure pour l’instant"), ("en", "No measuring machine yet")],
)
def test_without_workers_the_page_says_how_one_comes(client: Client, operator: User, language: str, words: str) -> None:
    text = page(client, language)
    assert words in text and "make run" in text and "<table" not in text


def test_a_worker_stands_with_host_queue_gpus_engines_and_what_it_measures(client: Client, operator: User) -> None:
    hosts.worker("gpu.titan@gpu1", ("gpu.titan",), A, B, host="gpu1")
    run = runs.running(claimed_by="gpu.titan@gpu1")
    text = page(client)
    for words in (
        "gpu.titan@gpu1",
        "actif",
        f"2{NBSP}×{NBSP}NVIDIA A100-SXM4-80GB, 80{NBSP}Gio",
        "vllm 0.24.0",
        "llama.cpp xllamacpp 2026.10",
        "CUDA 13.0",
        f"/fr/runs/{run.code}",
        "il y a 0",
    ):
        assert words in text


def test_the_page_speaks_english(client: Client, operator: User) -> None:
    hosts.worker("celery@a")
    text = page(client, "en")
    assert "Measuring machines" in text and "active" in text and "no GPU" in text and "ago" in text


@pytest.mark.parametrize(("stopped", "word"), [(False, "disparu"), (True, "arrêté")])
def test_a_silent_worker_and_one_that_signed_off_are_told_apart(
    client: Client, operator: User, stopped: bool, word: str
) -> None:
    worker = hosts.worker()
    Worker.objects.filter(pk=worker.pk).update(heartbeat_at=runs.ago(125))
    if stopped:
        fleet.leave(worker.pk)
    text = page(client)
    assert word in text and f"il y a 2{NBSP}min 5{NBSP}s" in text


def test_unlike_cards_are_listed_apart_and_unknown_memory_is_a_word() -> None:
    gpus = (
        WorkerGpu(uuid=A, name="NVIDIA A100", memory_bytes=42_949_672_960),
        WorkerGpu(uuid=B, name="", memory_bytes=None),
        WorkerGpu(uuid=C, name="NVIDIA A100", memory_bytes=42_949_672_960),
    )
    assert workerpage.gpu_words(gpus) == [
        f"2{NBSP}×{NBSP}NVIDIA A100, 40{NBSP}Gio",
        f"1{NBSP}×{NBSP}GPU sans nom, mémoire inconnue",
    ]


def test_a_narrow_link_is_told_and_an_unknown_one_is_not() -> None:
    worker = hosts.worker("celery@a", ("gpu.titan",), A, B)
    assert workerpage.gpu_note(fleet.roster()[0]) == ""
    worker.gpus.filter(uuid=B).update(link_width=8)
    assert workerpage.gpu_note(fleet.roster()[0]) == "lien PCIe réduit, GPU 1"
    worker.gpus.filter(uuid=B).update(link_width_max=None)
    assert workerpage.gpu_note(fleet.roster()[0]) == ""


def test_a_run_without_a_worker_waits_with_the_reason_and_the_remedy(client: Client, operator: User) -> None:
    run = runs.queued(queue="gpu.titan", gpus_count=1)
    for text in (page(client), client.get(f"/fr/runs/{run.code}").content.decode()):
        assert "Aucun worker ne sert gpu.titan." in text
        assert "make worker QUEUE=gpu.titan" in text
    english = client.get(f"/en/runs/{run.code}").content.decode()
    assert "No worker serves gpu.titan." in english and "make worker QUEUE=gpu.titan" in english


def test_once_a_worker_serves_its_queue_a_run_only_waits_its_turn(client: Client, operator: User) -> None:
    run = runs.queued(queue="gpu.titan", gpus_count=1)
    hosts.worker("gpu.titan@gpu1", ("gpu.titan",), A)
    for text in (page(client), client.get(f"/fr/runs/{run.code}").content.decode()):
        assert "Aucun worker" not in text


def test_a_run_of_this_host_waits_for_make_run(client: Client, operator: User) -> None:
    run = runs.queued()
    text = client.get(f"/fr/runs/{run.code}").content.decode()
    assert "Aucun worker ne sert cette machine." in text and "make run" in text


def test_only_runs_of_its_own_queue_go_before_a_run(client: Client, operator: User) -> None:
    hosts.worker("celery@a", ("default", "gpu.titan"))
    runs.queued()
    run = runs.queued(queue="gpu.titan", gpus_count=1)
    assert "la prochaine à partir" in client.get(f"/fr/runs/{run.code}").content.decode()


def test_too_few_gpus_are_told_with_what_to_do() -> None:
    sentence, advice = wording.failure_words("too_few_gpus")
    assert "moins de GPU" in sentence and "Demandez moins" in advice
