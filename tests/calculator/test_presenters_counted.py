"""What is counted is said: GPUs where an instance holds one, instances where it holds several (pitfall 64)."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from calculator import charts
from calculator.domain.economics import estimate
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsEstimate
from calculator.presenters import counted, export_rows, headline, stats, steps, tables
from tests.domain import factories as offer

NB = "\u00a0"
EIGHT = replace(offer.SUPERCOMPUTE, prices=offer.prices("42.00"), throughput=offer.claim(1240.0))


def eight(**fields: object) -> EconomicsEstimate:
    """Eight GPUs of 1 240 tok/s: 8 × 1 240 × 3 600 × 720 × 0.65 = 16 713.216 M tokens an instance."""
    asked = offer.scenario(sku=EIGHT.code, basis=Basis.HOUR, **{"volume_tokens": Decimal(20_000_000_000), **fields})
    return estimate(asked, offer.facts(sku=EIGHT, skus=(EIGHT,)))


def test_eight_gpus_rented_as_one_are_counted_as_instances() -> None:
    _cost, load, equal, step = stats.stats(eight())
    assert load.note == f"plafond prévu{NB}: 65{NB}%, 16,71{NB}Md de tokens par instance"
    assert equal.note.endswith("d’utilisation d’une instance")
    assert headline.plain(step.label) == "seuil de la 3ᵉ instance"


def test_one_gpu_is_still_called_a_gpu() -> None:
    _cost, load, equal, step = stats.stats(estimate(offer.scenario(), offer.facts()))
    assert load.note.endswith(f"107,8{NB}M de tokens par GPU")
    assert equal.note.endswith("d’utilisation d’un GPU")
    assert step.label == "seuil du 2ᵉ GPU"


def test_the_formulas_of_a_machine_speak_of_instances() -> None:
    found = {formula.code: formula for formula in steps.formulas(eight())}
    assert found["capacity"].title == "Capacité prévue d’une instance"
    assert found["instances"].title == "Nombre d’instances entières"
    meanings = [value.meaning for value in found["instances"].values]
    assert "capacité prévue d’une instance par mois" in meanings


def test_exports_and_the_volume_table_count_instances() -> None:
    rows = {row.label: row for row in export_rows(eight()) if row.section == "GPU-SUPERCOMPUTE, à l’heure"}
    assert rows["Capacité prévue d’une instance"].value == Decimal("16713216000")
    assert (rows["Instances"].value, rows["Instances"].unit) == (2, "instances")
    line = next(line for line in tables.volumes(eight()) if line.is_current)
    assert line.gpus == "2 instances"


def test_the_chart_names_the_instance_that_each_step_adds() -> None:
    chart = charts.break_even(eight())
    assert chart is not None
    assert "Chaque marche est une instance de plus" in chart.subtitle
    assert f"au-delà{NB}: 2ᵉ instance" in [point.label for point in chart.points]


@pytest.mark.parametrize(("language", "text"), [("fr", "3 instances"), ("en", "3 instances")])
def test_counts_are_said_in_both_languages(language: str, text: str) -> None:
    with translation.override(language):
        assert counted.instances(3, EIGHT) == text
        assert counted.instances(3, offer.PRO) == ("3 GPU" if language == "fr" else "3 GPUs")


def test_fixed_costs_are_spread_from_a_count_of_instances() -> None:
    assert counted.only_from(3, EIGHT) == "seulement à partir de 3 instances"
    assert counted.only_from(3, offer.PRO) == "seulement à partir de 3 GPU"
    assert counted.threshold(None, EIGHT) == "seuil de l’instance suivante"
    assert counted.capacity_with_prompt(EIGHT) == "Capacité prévue d’une instance, prompts compris"
