"""Measured roofs of an offer on the pages of offers and data sheets: value, share, badge, run; none is no section."""

import pytest
from django.test import Client
from django.utils import timezone

from tests.calculator.test_measured_roofs import published

pytestmark = pytest.mark.usefixtures("seeded")
PAGES = ("skus", "gpus")


def roofs(client: Client, page: str, language: str = "fr") -> list[list[str]]:
    """The lines of the section; empty where there is none."""
    response = client.get(f"/{language}/{page}/")
    assert response.status_code == 200
    return [list(line) for line in response.context["roofs"]]


@pytest.mark.parametrize("page", PAGES)
def test_without_a_published_probe_there_is_no_section(client: Client, page: str) -> None:
    assert roofs(client, page) == []
    assert "Plafonds mesurés" not in client.get(f"/fr/{page}/").content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_a_roof_stands_with_its_value_its_share_its_badge_and_its_run(client: Client, page: str) -> None:
    """1 611 of the 2 039 GB/s of an A100 80 GB are 79.0 %; 250 of its 312 TFLOP/s 80.1 %."""
    published("GPU-TITAN", "copy_bytes_per_s", 1.611e12)
    published("GPU-TITAN", "gemm_bf16_flop_per_s", 250e12, reference="2026-0008", run="2026-0008")
    html = client.get(f"/fr/{page}/").content.decode()
    assert "Plafonds mesurés" in html
    first, second = roofs(client, page)
    assert (first[0], first[1], first[2]) == ("GPU-TITAN", "A100-SXM-80GB", "Copie en mémoire")
    assert (first[3].replace("\u202f", " "), first[6]) == ("1,61\u00a0To/s", "79,0\u00a0%")
    assert (second[2], second[3], second[6]) == ("Produits en 16 bits", "250\u00a0TFLOP/s", "80,1\u00a0%")
    for run in ("2026-0007", "2026-0008"):
        assert f'class="src measured" href="/fr/runs/{run}"' in html
        assert f'<a class="link" href="/fr/runs/{run}">{run}</a>' in html


def test_a_link_between_gpus_names_how_many_it_was_measured_among(client: Client) -> None:
    """225 GB/s of the 300 that an A100's NVLink gives each way."""
    published("GPU-SUPERCOMPUTE", "bus_bytes_per_s", 225e9, concurrency=8)
    (line,) = roofs(client, "skus", "en")
    assert (line[0], line[2], line[3], line[6]) == (
        "GPU-SUPERCOMPUTE",
        "Exchange among 8 GPUs",
        "225\u00a0GB/s",
        "75.0%",
    )


def test_a_withdrawn_roof_and_one_of_the_test_host_are_nobodys(client: Client) -> None:
    published("GPU-TITAN", "copy_bytes_per_s", 1e12, withdrawn_at=timezone.now())
    published("CPU-LOCAL", "copy_bytes_per_s", 1e10)
    assert roofs(client, "skus") == []


def test_the_ratings_say_that_they_rest_on_data_sheets(client: Client) -> None:
    assert "Le classement part des fiches techniques" in client.get("/fr/gpus/").content.decode()
    assert "The ranking starts from data sheets" in client.get("/en/gpus/").content.decode()
