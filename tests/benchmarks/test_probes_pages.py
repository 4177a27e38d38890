"""The page of a probe and its form, in both languages, for visitors and operators."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from benchmarks import probepage, tasks
from benchmarks.models import BenchmarkRun, ProbeJob
from calculator import sheets
from calculator.models import Figure
from tests.benchmarks.probefactory import probe_run, reading

pytestmark = pytest.mark.django_db
COPY = {
    "metric": "membw_copy",
    "unit": "B/s",
    "value": 1.61e12,
    "best": 1.7e12,
    "sheet_value": 2.039e12,
    "sheet_ratio": 0.7896,
    "gpu_name": "NVIDIA A100-SXM4-80GB",
    "spread_ratio": 0.004,
}


@pytest.fixture
def operator(client: Client) -> Client:
    user = User.objects.create_user("op", password="secret")
    user.user_permissions.add(Permission.objects.get(codename="operate_benchmarks"))
    client.force_login(user)
    return client


@pytest.fixture
def catalogue(db: None) -> None:
    call_command("seed", verbosity=0)
    sheets.forget()


@pytest.fixture(autouse=True)
def no_queue(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sent: list[str] = []
    monkeypatch.setattr(tasks, "submit", lambda run: sent.append(run.code))
    return sent


def page(client: Client, run: BenchmarkRun, language: str = "fr") -> str:
    response = client.get(f"/{language}/runs/{run.code}")
    assert response.status_code == 200
    return response.content.decode().replace("\u00a0", " ").replace("\u202f", " ")


def test_a_visitor_reads_figures_with_their_share_of_the_data_sheet(client: Client) -> None:
    """1.61 of 2.039 TB/s is 79.0 %."""
    run = probe_run("membw", "succeeded", published_at=timezone.now())
    reading(run, **COPY)
    text = page(client, run)
    assert "1 610 Go/s" in text and "2 040 Go/s" in text and "79,0 %" in text
    assert "Copie (lecture et écriture)" in text and "acceptée" in text
    assert "Retirer du calculateur" not in text and "Publier ces plafonds" not in text


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("1073741824 B", "1 Gio"),
        ("4194304 B x 2 ranks", "4 Mio x 2 ranks"),
        ("1024 B", "1 Kio"),
        ("1000 B", "1 000 o"),
        ("8192x8192x8192", "8192x8192x8192"),
        ("tiny batch 1 context 128", "tiny batch 1 context 128"),
    ],
)
def test_bytes_of_a_shape_are_told_in_their_largest_unit(shape: str, words: str) -> None:
    assert probepage.shape_words(shape).replace("\u00a0", " ").replace("\u202f", " ") == words


def test_the_environment_tells_only_what_is_known(operator: Client) -> None:
    run = probe_run("gemm", "succeeded", cpu_model="Xeon", settings={"environment": {"torch": "2.13.0"}})
    text = page(operator, run)
    assert "Xeon" in text and "2.13.0" in text
    assert "Moteur" not in text and "cuDNN" not in text


def test_the_page_speaks_english_too(operator: Client) -> None:
    run = probe_run("membw", "succeeded")
    reading(run, **COPY, flags="sustained,plausible?")
    text = page(operator, run, "en")
    assert "1,610 GB/s" in text and "79.0%" in text and "accepted, with a caveat" in text
    assert "Less than 30 s measured: a short value." in text
    assert "No data sheet to compare with." in text


def test_l42_a_refused_figure_says_what_was_wrong(operator: Client) -> None:
    run = probe_run("gemm", "succeeded")
    reading(run, value=1200e12, sheet_ratio=1.213, refusal="plausible")
    text = page(operator, run)
    assert "1 200 TFLOP/s" in text and "121,3 %" in text and "refusée" in text
    assert "non synchronisée, ou lue dans le cache" in text


def test_a_processors_figures_are_labelled(operator: Client) -> None:
    run = probe_run("gemm", "succeeded", settings={"on_cpu": True})
    reading(run, gpu_uuid="cpu", gpu_name="Xeon", sheet_value=None, sheet_ratio=None, flags="plausible?,sustained")
    text = page(operator, run)
    assert 'id="on-cpu"' in text and "inconnu" in text.lower()


def test_a_utilisation_is_a_percentage_of_its_own(operator: Client) -> None:
    run = probe_run("train_step", "succeeded")
    reading(run, metric="train_full_mfu", unit="ratio", value=0.48, best=0.5, sheet_value=1.0, sheet_ratio=0.48)
    assert "48,0 %" in page(operator, run)


def test_a_failed_probe_says_what_to_do(operator: Client) -> None:
    run = probe_run("gemm", "failed", error_code="no_gpu_python")
    text = page(operator, run)
    assert "Aucun Python avec torch" in text and "GPU_PYTHON" in text


@pytest.mark.parametrize("code", ["probe_failed", "probe_lost", "probe_unreadable", "no_reading", "too_long"])
def test_every_way_to_fail_has_its_sentence(operator: Client, code: str) -> None:
    assert "raison imprévue" not in page(operator, probe_run("gemm", "failed", error_code=code))


def test_a_live_probe_is_polled_and_shows_what_is_there(operator: Client) -> None:
    run = probe_run("gemm", "queued")
    reading(run)
    text = page(operator, run)
    assert "hx-trigger=" in text and "758 TFLOP/s" in text
    fragment = operator.get(f"/fr/runs/{run.code}", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment and 'id="run"' in fragment


def test_the_list_names_the_probe(operator: Client) -> None:
    probe_run("membw", "succeeded")
    assert "sonde membw" in operator.get("/fr/runs/").content.decode().replace("\u00a0", " ")


def test_an_operator_starts_a_probe_from_the_page(operator: Client, no_queue: list[str]) -> None:
    sent = {"probe": "membw", "sku": "", "gpus": "0", "seconds": "2", "dtypes": "", "config": ""}
    response = operator.post("/fr/runs/probe/start", sent)
    run = BenchmarkRun.objects.get()
    assert response.status_code == 303 and response["Location"].endswith(run.code)
    assert (run.kind, run.probe, run.queue, no_queue) == ("probe", "membw", "default", [run.code])
    assert ProbeJob.objects.get(run=run).seconds == 2.0
    assert "GPU_PYTHON" in operator.get(response["Location"]).content.decode(), "no worker has torch: it is said"


def test_a_probe_of_an_offer_waits_in_its_queue(operator: Client, catalogue: None) -> None:
    operator.post("/fr/runs/probe/start", {"probe": "gemm", "sku": "GPU-TITAN", "gpus": "1", "dtypes": "bf16, fp8"})
    run = BenchmarkRun.objects.get()
    assert (run.sku_code, run.gpus_count, run.queue) == ("GPU-TITAN", 1, "gpu.titan")
    assert ProbeJob.objects.get(run=run).dtypes == "bf16,fp8"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dtypes": "fp4"}, "bf16, fp16 ou fp8"),
        ({"config": "no-such-model"}, "Cette configuration"),
        ({"probe": "allreduce", "gpus": "1"}, "au moins deux GPU"),
        ({"seconds": "9000"}, "600"),
        ({"probe": "guess"}, "guess"),
        ({"gpus": "many"}, "many"),
    ],
)
def test_what_cannot_be_probed_comes_back_with_its_sentence(
    operator: Client, change: dict[str, str], sentence: str
) -> None:
    sent = {"probe": "gemm", "sku": "", "gpus": "0", "seconds": "3", "dtypes": "", "config": "", **change}
    response = operator.post("/fr/runs/probe/start", sent)
    assert response.status_code == 422 and not BenchmarkRun.objects.exists()
    assert sentence in response.content.decode().replace("\u00a0", " ")


def test_an_operator_publishes_and_withdraws_roofs(operator: Client, catalogue: None) -> None:
    run = probe_run("membw", "succeeded", sku_code="GPU-TITAN", gpus_count=1)
    reading(run, **COPY)
    before = page(operator, run)
    assert "Publier ces plafonds" in before
    assert "Lecture des poids et du cache" in before and 'id="changes"' in before
    operator.post(f"/fr/runs/{run.code}/publish-roofs")
    assert Figure.objects.filter(run=run.code, withdrawn_at=None).count() == 1
    assert "Retirer du calculateur" in page(operator, run) and 'id="changes"' not in page(operator, run)
    operator.post(f"/fr/runs/{run.code}/withdraw")
    assert not Figure.objects.filter(run=run.code, withdrawn_at=None).exists()


def test_what_cannot_be_published_is_refused_with_its_reason(operator: Client) -> None:
    run = probe_run("gemm", "succeeded", settings={"on_cpu": True})
    reading(run)
    response = operator.post(f"/fr/runs/{run.code}/publish-roofs", follow=True)
    assert "ne disent rien d’un GPU" in response.content.decode()


def test_visitors_start_nothing(client: Client) -> None:
    assert client.post("/fr/runs/probe/start", {"probe": "gemm"}).status_code == 302
    assert not BenchmarkRun.objects.exists()


def test_a_probe_as_data_holds_its_readings_and_its_settings(operator: Client) -> None:
    run = probe_run("membw", "succeeded", settings={"seconds": 30.0})
    reading(run, **COPY)
    document = operator.get(f"/fr/runs/{run.code}.json").json()
    assert document["readings"][0]["metric"] == "membw_copy" and document["readings"][0]["value"] == 1.61e12
    assert document["probe"]["seconds"] == 30.0 and document["steps"] == []
    assert operator.get(f"/fr/runs/{run.code}.csv").status_code == 200


def test_the_lines_of_an_unpublished_probe_are_for_operators(client: Client) -> None:
    response = client.get(f"/fr/runs/{probe_run('gemm', 'succeeded').code}/lines")
    assert response.status_code == 302 and "/login" in response["Location"]


def test_the_lines_are_handed_out_as_they_were_written(operator: Client, tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path
    run = probe_run("gemm", "succeeded")
    assert operator.get(f"/fr/runs/{run.code}/lines").status_code == 404
    folder = tmp_path / "runs" / run.code
    folder.mkdir(parents=True)
    (folder / "probe.jsonl").write_text('{"kind": "end"}\n')
    response = operator.get(f"/fr/runs/{run.code}/lines")
    assert response.content == b'{"kind": "end"}\n'
    assert f"probe-{run.code}.jsonl" in response["Content-Disposition"]
