"""The tables around the answer: other SKUs, other volumes, other utilisations, a year."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain import economics, tables
from calculator.domain.offers import Basis, Sku
from calculator.domain.scenario import EconomicsEstimate, UtilisationCell, Verdict, VolumeRow

from .factories import APIS, PRO, SKUS, STARTER, SUPERCOMPUTE, claim, facts, prices, scenario

MILLION = Decimal(10**6)


def estimate(**fields: object) -> EconomicsEstimate:
    return economics.estimate(scenario(**fields), facts())


def row_at(volume_m: int, found: EconomicsEstimate) -> VolumeRow:
    return next(row for row in found.volumes if row.volume_tokens == volume_m * MILLION)


def cell_at(percent: int, volume_m: int, found: EconomicsEstimate) -> UtilisationCell:
    return next(
        cell
        for cell in found.utilisations
        if cell.utilisation_ratio * 100 == percent and cell.volume_tokens == volume_m * MILLION
    )


# A prompt whose reading time is not counted

PROMPT_4_TO_1 = Decimal(2000)  # for 500 output tokens


def test_no_table_shows_a_verdict_unmarked_when_the_prompt_is_read_for_nothing() -> None:
    found = economics.estimate(scenario(input_tokens=PROMPT_4_TO_1), facts())
    assert {row.incomplete for row in found.overview if row.gpu.throughput is not None} == {True}
    assert {row.incomplete for row in found.volumes} == {True}
    assert {cell.incomplete for cell in found.utilisations} == {True}


def test_tables_are_complete_without_a_prompt() -> None:
    found = estimate()
    assert not any(row.incomplete for row in (*found.overview, *found.volumes, *found.utilisations))


def test_a_typed_prompt_rate_completes_the_chosen_gpu_only() -> None:
    asked = scenario(input_tokens=PROMPT_4_TO_1, prefill_tok_per_s=Decimal(5000))
    found = economics.estimate(asked, facts())
    assert {row.gpu.sku.code for row in found.overview if row.incomplete} == {
        "GPU-STARTER",
        "GPU-ENTERPRISE",
        "GPU-TITAN",
    }
    assert not any(row.incomplete for row in (*found.volumes, *found.utilisations))


# Overview


def test_the_overview_has_each_sku_at_each_basis_it_is_sold_at() -> None:
    rows = [(row.gpu.sku.code, row.gpu.basis.value) for row in estimate().overview]
    assert rows == [
        ("GPU-STARTER", "hour"),
        ("GPU-PRO", "hour"),
        ("GPU-PRO", "month"),
        ("GPU-ENTERPRISE", "hour"),
        ("GPU-TITAN", "hour"),
        ("GPU-SUPERCOMPUTE", "month"),
    ]


@pytest.mark.parametrize(
    ("code", "basis", "eur", "instances"),
    [
        ("GPU-STARTER", Basis.HOUR, "1836.00", 3),
        ("GPU-PRO", Basis.HOUR, "1080.00", 1),
        ("GPU-PRO", Basis.MONTH, "830.64", 1),
        ("GPU-ENTERPRISE", Basis.HOUR, "3024.00", 1),
        ("GPU-TITAN", Basis.HOUR, "3888.00", 1),
    ],
)
def test_the_overview_bills_whole_instances_at_100_million(code: str, basis: Basis, eur: str, instances: int) -> None:
    row = next(row for row in estimate().overview if (row.gpu.sku.code, row.gpu.basis) == (code, basis))
    assert (row.gpu.total_eur, row.gpu.instances) == (Decimal(eur), instances)


def test_the_overview_has_a_verdict_for_each_api() -> None:
    starter = estimate().overview[0]
    assert [code for code, _verdict, _difference in starter.verdicts] == [item.code for item in APIS]
    assert [round(difference or 0, 2) for _code, _verdict, difference in starter.verdicts][-2:] == [
        Decimal("0.37"),
        Decimal("0.37"),
    ]


def test_a_sku_on_request_keeps_its_row_without_verdicts() -> None:
    row = estimate().overview[-1]
    assert row.gpu.price is None
    assert {verdict for _code, verdict, _difference in row.verdicts} == {Verdict.UNKNOWN}


def test_test_hosts_are_never_in_the_overview() -> None:
    host = Sku("CPU-TEST", "this machine", "CPU", 1, 16.0, prices("1.00"), claim(30.0), is_test_host=True)
    found = economics.estimate(scenario(sku=host.code), facts(sku=host, skus=(*SKUS, host)))
    assert "CPU-TEST" not in {row.gpu.sku.code for row in found.overview}


def test_a_test_model_never_speaks_for_a_sku_in_the_overview() -> None:
    tried = replace(PRO, throughput=claim(9999.0, test_model=True))
    found = economics.estimate(scenario(), facts(sku=tried))
    pro = next(row for row in found.overview if row.gpu.sku.code == "GPU-PRO")
    assert pro.gpu.throughput == PRO.throughput


def test_a_sku_whose_only_figure_is_of_a_test_model_has_no_rate_in_the_overview() -> None:
    tried = replace(STARTER, throughput=claim(9999.0, test_model=True))
    row = economics.estimate(scenario(), facts(skus=(tried, PRO))).overview[0]
    assert (row.gpu.throughput, row.gpu.total_eur) == (None, None)


def test_what_was_typed_shows_in_the_overview_too() -> None:
    typed = replace(SUPERCOMPUTE, throughput=claim(124.0))
    found = economics.estimate(scenario(sku=typed.code, price_eur=Decimal(20_000)), facts(sku=typed))
    assert found.overview[-1].gpu.total_eur == 20_000


# Volumes


def test_the_volume_matrix_counts_whole_gpus() -> None:
    """831, 831, 831, 2 492 and 4 153 € at 10, 50, 100, 300 and 500 M tokens."""
    found = estimate()
    bills = [(row.gpu.instances, round(row.gpu.total_eur or 0)) for row in found.volumes]
    assert bills == [(1, 831), (1, 831), (1, 831), (3, 2492), (5, 4153)]


@pytest.mark.parametrize(
    ("volume_m", "eur"),
    [(10, [5, 40, 45, 134, 134]), (50, [27, 201, 224, 671, 671]), (300, [161, 1208, 1343, 4028, 4028])],
)
def test_the_volume_matrix_prices_each_api(volume_m: int, eur: list[int]) -> None:
    assert [round(amount or 0) for _code, amount, _verdict in row_at(volume_m, estimate()).cells] == eur


def test_the_volume_matrix_has_a_verdict_per_cell() -> None:
    ten, hundred = row_at(10, estimate()), row_at(100, estimate())
    assert {verdict for _code, _amount, verdict in ten.cells} == {Verdict.API}
    assert [verdict for _code, _amount, verdict in hundred.cells][-2:] == [Verdict.GPU, Verdict.GPU]
    assert ten.cheapest == "mistral-small-2603"


def test_the_visitors_volume_stands_among_the_fixed_ones() -> None:
    found = estimate(volume_tokens=75 * MILLION)
    assert [int(row.volume_tokens / MILLION) for row in found.volumes] == [10, 50, 75, 100, 300, 500]
    assert [row.volume_tokens for row in found.volumes if row.is_current] == [75 * MILLION]


def test_the_visitors_row_is_the_answer_itself() -> None:
    found = estimate(response_cache_ratio=Decimal("0.3"), input_tokens=Decimal(1200))
    row = next(row for row in found.volumes if row.is_current)
    assert row.gpu == found.gpu
    assert [eur for _code, eur, _verdict in row.cells] == [item.bill.eur for item in found.comparisons]


def test_p44_without_a_rate_nothing_is_called_cheapest() -> None:
    found = economics.estimate(scenario(), facts(usd_per_eur=None))
    assert {row.cheapest for row in found.volumes} == {""}
    assert {amount for row in found.volumes for _code, amount, _verdict in row.cells} == {None}


def test_one_known_amount_alone_is_not_the_cheapest() -> None:
    assert tables.cheapest([("gpu", Decimal(1)), ("a", None)]) == ""
    assert tables.cheapest([("gpu", Decimal(3)), ("a", Decimal(2)), ("b", None)]) == "a"


# Utilisation × volume


@pytest.mark.parametrize(
    ("percent", "volume_m", "percent_more"),
    [(15, 150, 189), (24, 100, 86), (50, 80, -23), (65, 120, 3), (65, 300, -38), (95, 150, -59)],
)
def test_the_utilisation_table_compares_with_the_reference(percent: int, volume_m: int, percent_more: int) -> None:
    """Whole cards needed at that utilisation × 830.64 € against 13.4264 € per million."""
    cell = cell_at(percent, volume_m, estimate())
    assert round((cell.difference_ratio or 0) * 100) == percent_more


def test_the_utilisation_table_marks_the_visitors_cell() -> None:
    found = estimate(utilisation_ratio=Decimal("0.7"), volume_tokens=75 * MILLION)
    current = [cell for cell in found.utilisations if cell.is_current]
    assert [(cell.utilisation_ratio, cell.volume_tokens) for cell in current] == [(Decimal("0.7"), 75 * MILLION)]
    assert len(found.utilisations) == 9 * 11


def test_the_visitors_cell_is_the_answer_itself() -> None:
    found = estimate()
    reference = next(item for item in found.comparisons if item.bill.api.code == "gpt-5.4")
    assert cell_at(65, 100, found).difference_ratio == reference.difference_ratio


def test_a_margin_of_three_per_cent_is_equivalent() -> None:
    assert cell_at(65, 120, estimate()).verdict is Verdict.EQUIVALENT


# Years


def test_a_year_is_twelve_months_against_the_reference() -> None:
    """830.64 × 12 = 9 967.68 € against 16 111.71 €: 6 144.03 € saved, 38 %."""
    gpu = estimate().years[0]
    assert (gpu.code, gpu.year_eur) == ("gpu", Decimal("9967.68"))
    assert round(gpu.saving_year_eur or 0, 2) == Decimal("6144.03")
    assert round(gpu.saving_ratio or 0, 2) == Decimal("0.38")


def test_the_reference_saves_nothing_against_itself() -> None:
    reference = next(row for row in estimate().years if row.code == "gpt-5.4")
    assert (reference.saving_year_eur, reference.saving_ratio) == (0, 0)


def test_a_dearer_alternative_is_a_negative_saving() -> None:
    """150 $ against 80 $ is 87.5 % more, not “47 % plus cher”."""
    row = tables.year_row("claude-sonnet-4-5", Decimal(150), Decimal(80))
    assert (row.saving_year_eur, row.saving_ratio) == (-840, Decimal("-0.875"))


def test_an_unknown_month_has_no_year() -> None:
    assert tables.year_row("x", None, Decimal(1)).year_eur is None
    assert tables.year_row("x", Decimal(1), None).saving_year_eur is None
