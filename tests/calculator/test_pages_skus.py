"""The SKU table: prices, ratios and €/1M worked out by hand, sorting by links, unknown as words."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from calculator.domain.hardware import Gpu
from calculator.domain.ratios import dense_tflops, eur_per_gb_h, eur_per_tflops_h
from calculator.listing import tables
from tests import factories as make
from tests import pagetext

pytestmark = pytest.mark.usefixtures("noon", "seeded")
OFFERS = ["GPU-STARTER", "GPU-PRO", "GPU-ENTERPRISE", "GPU-TITAN", "GPU-SUPERCOMPUTE"]


def codes(html: str) -> list[str]:
    return [found[0].split()[0] for found in pagetext.rows(html) if found[0].startswith("GPU-")]


def get(client: Client, query: str = "", language: str = "fr") -> str:
    response = client.get(f"/{language}/skus/{query}")
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("code", "hour", "month", "per_gb", "per_tflops", "rate", "mtok_hour", "mtok_month"),
    [
        # 0.85 ÷ 16, 0.85 ÷ 65; 0.85 ÷ (22 × 3600 × 0.65 ÷ 1e6), and so on
        ("GPU-STARTER", "0,85", "non proposé", "0,0531", "0,0131", "22", "16,51", "non proposé"),
        ("GPU-PRO", "1,50", "830,64", "0,0625", "0,00908", "64", "10,02", "7,70"),
        ("GPU-ENTERPRISE", "4,20", "non proposé", "0,105", "0,0135", "96", "18,70", "non proposé"),
        ("GPU-TITAN", "5,40", "non proposé", "0,0675", "0,0173", "124", "18,61", "non proposé"),
    ],
)
def test_each_offer_shows_its_prices_ratios_and_cost_per_million(
    client: Client,
    code: str,
    hour: str,
    month: str,
    per_gb: str,
    per_tflops: str,
    rate: str,
    mtok_hour: str,
    mtok_month: str,
) -> None:
    shown = pagetext.row(get(client), code)
    for cell, expected in zip(shown[2:9], [hour, month, per_gb, per_tflops, rate, mtok_hour, mtok_month], strict=True):
        assert cell == expected or cell.startswith(f"{expected} ")


def test_a_single_stream_rate_is_labelled_wherever_it_stands(client: Client) -> None:
    assert all("un seul flux" in pagetext.row(get(client), code)[6] for code in OFFERS[:4])
    assert "single-stream" in pagetext.row(get(client, language="en"), "GPU-PRO")[6]


def test_p33_a_rate_of_one_gpu_beside_the_price_of_eight_says_so(client: Client) -> None:
    """42.00 € for the machine, 124 tok/s for one of its GPUs: 42 ÷ (8 × 124 × 3 600 × 0.65 ÷ 10⁶) = 18.09."""
    eight = make.make_sku("GPU-EIGHT", gpu_count=8, vram_gb=640)
    make.make_price(eight, "instance_hour", "42.00")
    make.make_figure(eight, 124.0, single_stream=True)
    shown = pagetext.row(get(client), "GPU-EIGHT")
    assert shown[2].startswith("42,00 ")
    assert shown[6].startswith("124 ") and "un seul flux, par GPU" in shown[6]
    assert shown[7].startswith("18,09 ")
    assert "par GPU" not in pagetext.row(get(client), "GPU-PRO")[6]


def test_every_number_carries_its_badge(client: Client) -> None:
    shown = pagetext.row(get(client), "GPU-PRO")
    badges = ["fiche technique", "tarif public", "tarif public", "tarif public", "tarif public", "annoncé", "hypothèse"]
    for cell, word in zip(shown[1:8], badges, strict=True):
        assert word in cell


def test_an_offer_without_a_price_says_so_and_never_zero(client: Client) -> None:
    shown = pagetext.row(get(client), "GPU-SUPERCOMPUTE")
    assert shown[2:4] == ["sur devis", "sur devis"]
    assert shown[4:9] == ["inconnu"] * 5
    assert "Saisir un prix" in shown[9]


def test_a_price_can_be_asked_for_where_the_seller_gives_a_contact(client: Client, settings: Any) -> None:
    settings.SELLER_CONTACT = "ventes@example.org"
    assert 'href="mailto:ventes@example.org"' in get(client)
    settings.SELLER_CONTACT = ""
    assert "contact du vendeur non renseigné" in get(client)


def test_a_test_host_is_no_offer(client: Client) -> None:
    assert codes(get(client)) == OFFERS


def test_the_page_says_under_what_assumptions_a_million_costs_that_much(client: Client) -> None:
    assert "utilisation 65 %, mois de 720 h" in pagetext.words(get(client))
    assert "utilisation 65%, month of 720 h" in pagetext.words(get(client, language="en"))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("per_gb", ["GPU-STARTER", "GPU-PRO", "GPU-TITAN", "GPU-ENTERPRISE", "GPU-SUPERCOMPUTE"]),
        ("-per_gb", ["GPU-ENTERPRISE", "GPU-TITAN", "GPU-PRO", "GPU-STARTER", "GPU-SUPERCOMPUTE"]),
        ("mtok_hour", ["GPU-PRO", "GPU-STARTER", "GPU-TITAN", "GPU-ENTERPRISE", "GPU-SUPERCOMPUTE"]),
        ("-code", ["GPU-TITAN", "GPU-SUPERCOMPUTE", "GPU-STARTER", "GPU-PRO", "GPU-ENTERPRISE"]),
        ("month", ["GPU-PRO", "GPU-STARTER", "GPU-ENTERPRISE", "GPU-TITAN", "GPU-SUPERCOMPUTE"]),
    ],
)
def test_a_link_sorts_and_what_is_unknown_stays_last(client: Client, sort: str, expected: list[str]) -> None:
    assert codes(get(client, f"?sort={sort}")) == expected


def test_the_sorting_column_says_which_way_and_its_link_turns_round(client: Client) -> None:
    rising, falling = get(client, "?sort=hour"), get(client, "?sort=-hour")
    assert rising.count('aria-sort="ascending"') == 1
    assert 'href="?sort=-hour"' in rising
    assert falling.count('aria-sort="descending"') == 1
    assert 'href="?sort=hour"' in falling


@pytest.mark.parametrize("query", ["?sort=", "?sort=--", "?sort=nothing", "?sort=%00", "?sort=hour&sort=x", "?a=1"])
def test_a_meaningless_query_leaves_the_catalogues_order(client: Client, query: str) -> None:
    assert codes(get(client, query)) == OFFERS


def test_the_link_to_the_calculator_holds_the_offer_and_a_basis_it_is_sold_at(client: Client) -> None:
    html = get(client)
    assert "sku=GPU-TITAN&amp;basis=hour" in html
    assert "sku=GPU-PRO&amp;basis=month" in html
    assert "sku=GPU-SUPERCOMPUTE&amp;basis=hour" in html


def test_ratios_are_those_of_the_whole_instance() -> None:
    a100 = Gpu("A100", "NVIDIA", "Ampere", 80, 2039, bf16_tflops_dense=312, bf16_native=True)
    assert dense_tflops(a100, 8) == Decimal(2496)
    assert eur_per_gb_h(Decimal(42), 640.0) == Decimal("0.065625")
    assert eur_per_tflops_h(Decimal("42.00"), Decimal(2496)) == Decimal("42.00") / Decimal(2496)


def test_a_ratio_without_its_divisor_is_unknown() -> None:
    bare = Gpu("card", "NVIDIA", "Ada", 12, 504)
    assert dense_tflops(bare, 1) is None
    assert eur_per_tflops_h(Decimal(1), None) is None
    assert eur_per_gb_h(Decimal(1), 0.0) is None


def test_a_gpu_without_bf16_units_is_compared_at_fp16() -> None:
    t4 = Gpu("T4", "NVIDIA", "Turing", 16, 320, fp16_tflops_dense_fp32acc=65, bf16_tflops_dense=65, bf16_native=False)
    assert dense_tflops(t4, 1) == 65


def test_an_order_is_only_taken_from_known_columns() -> None:
    columns = (tables.Column("a", "A"), tables.Column("b", "B"))
    assert tables.order("-b", columns) == ("b", True)
    assert tables.order("c", columns) == ("", False)
    keys = [{"a": 2}, {"a": None}, {"a": 1}]
    assert tables.ordered(["x", "y", "z"], keys, tables.Order("a", True)) == ("x", "z", "y")


def test_query_count_is_pinned(client: Client, django_assert_num_queries: Callable[[int], Any]) -> None:
    get(client)
    with django_assert_num_queries(4):  # version, state of the figures, data sheets, version of the footer
        get(client)
