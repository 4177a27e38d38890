"""The GPU data sheets: figures of the sheets, what a GPU lacks, sources, sorting."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from calculator.domain.hardware import Gpu
from calculator.listing import gpus
from tests import pagetext

pytestmark = pytest.mark.usefixtures("noon", "seeded")
SHEET_COLUMNS = 11


def get(client: Client, query: str = "", language: str = "fr") -> str:
    response = client.get(f"/{language}/gpus/{query}")
    assert response.status_code == 200
    return response.content.decode()


def sheets(html: str) -> list[list[str]]:
    """The rows of the data sheets, without their head; the ratings below have fewer columns."""
    return [row for row in pagetext.rows(html) if len(row) == SHEET_COLUMNS][1:]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # memory, driver MiB, bandwidth, fp16, bf16, fp8 as the data sheets state them
        ("T4", ["16", "15 360", "320", "65", "non natif", "non natif"]),
        ("RTX 4090", ["24", "24 564", "1 008", "165,2", "165,2", "330,3"]),
        ("A100-SXM-80GB", ["80", "81 920", "2 039", "312", "312", "non natif"]),
        ("H100-SXM-80GB", ["80", "81 559", "3 350", "989", "989", "1 979"]),
    ],
)
def test_a_sheet_shows_memory_bandwidth_and_dense_peaks(client: Client, name: str, expected: list[str]) -> None:
    assert pagetext.row(get(client), f"{name} NVIDIA")[1:7] == expected


def test_units_that_a_gpu_lacks_are_named_not_zero(client: Client) -> None:
    assert pagetext.row(get(client), "T4 NVIDIA")[5] == "non natif"
    assert pagetext.row(get(client, language="en"), "T4 NVIDIA")[5] == "not native"


def test_an_unknown_figure_is_a_word(client: Client) -> None:
    shown = pagetext.row(get(client), "RTX 4070 Ti NVIDIA")
    assert shown[2] == "inconnu"
    assert shown[4] == "inconnu"


def test_every_sheet_links_its_source_or_says_that_there_is_none(client: Client) -> None:
    html = get(client)
    assert 'href="https://hmc-tech.com"' in html
    assert pagetext.row(html, "RTX 4070 Ti NVIDIA")[10] == "non vérifiée"


def test_sorting_by_bandwidth_puts_the_fastest_first(client: Client) -> None:
    names = [row[0] for row in sheets(get(client, "?sort=-bandwidth"))]
    assert names[0].startswith(("B200", "B300", "GB200", "GB300"))
    assert names[-1].startswith("L4 ")


def test_sorting_by_fp8_leaves_gpus_without_it_last(client: Client) -> None:
    rows = sheets(get(client, "?sort=fp8"))
    words = [row[6] in {"non natif", "inconnu"} for row in rows]
    assert words == sorted(words)
    assert words[-1]


@pytest.mark.parametrize("query", ["?sort=x", "?sort=-", "?sort=%F0%9F%92%A5", "?mode=1"])
def test_a_meaningless_query_is_left_aside(client: Client, query: str) -> None:
    assert "aria-sort" not in get(client, query)


def test_one_source_for_each_host() -> None:
    text = "https://a.org/x ; https://a.org/y (page) ; http://b.org/z"
    assert [source.host for source in gpus.sources(text)] == ["a.org", "b.org"]
    assert gpus.sources("UNVERIFIED (general knowledge)") == ()


def test_a_sheet_without_memory_type_has_no_dangling_comma() -> None:
    shown = gpus.table([Gpu("card", "NVIDIA", "Ada", 12, 504)], "").rows[0]
    assert shown.detail == "NVIDIA, Ada"
    assert shown.cells[8].text == "inconnue"


def test_query_count_is_pinned(client: Client, django_assert_num_queries: Callable[[int], Any]) -> None:
    get(client)
    # Data sheets, version of the offers rated, version and figures of the measured roofs, version of the footer.
    with django_assert_num_queries(5):
        get(client)
