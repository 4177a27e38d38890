"""A point handed to economics costs there what it costs here: whole sets, one bill, one name."""

from decimal import Decimal

import pytest
from django.http import QueryDict

from calculator import answers, registry
from calculator.tool import Answer

pytestmark = pytest.mark.django_db
SEVENTY = "sku=GPU-TITAN&count=4&tp=4&model=Llama-3-70B"


def asked(query: str, tool: str = "inference") -> Answer:
    outcome = answers.from_link(registry.CALCULATORS[tool], QueryDict(query))
    assert outcome.answer is not None, outcome.problems
    return outcome.answer


def handed(found: Answer, target: str = "economics") -> str:
    ways = registry.CALCULATORS["inference"].handovers(found)
    return next(way.query for way in ways if way.target == target)


def test_a_set_that_holds_one_model_costs_the_same_on_both_pages(seeded: None) -> None:
    """4 × 5.40 € × 720 h = 15 552 € for anything that one set carries."""
    here = asked(f"{SEVENTY}&volume=100000000")
    there = asked(handed(here), "economics")
    assert here.estimate.cost.bill_eur == there.estimate.gpu.bill_eur == Decimal("15552.00")
    text = registry.CALCULATORS["economics"].sentence(there.estimate)
    assert "4\u00a0×\u00a0GPU-TITAN" in text


@pytest.mark.parametrize(("ratio", "sets"), [("0.5", 1), ("1.5", 2), ("1.999", 2), ("2.001", 3)])
def test_beyond_one_set_both_pages_rent_whole_sets(seeded: None, ratio: str, sets: int) -> None:
    capacity = asked(SEVENTY).estimate.cost.capacity_tokens
    volume = (capacity * Decimal(ratio)).to_integral_value()
    here = asked(f"{SEVENTY}&volume={volume}")
    there = asked(handed(here), "economics")
    assert here.estimate.cost.bill_eur == there.estimate.gpu.bill_eur == sets * Decimal("15552.00")
    assert there.estimate.gpu.instances == sets


def test_the_set_stands_in_the_page_the_rows_and_the_document(seeded: None) -> None:
    economics = registry.CALCULATORS["economics"]
    there = asked(handed(asked(SEVENTY)), "economics")
    page = economics.page(there)
    assert page.gpu_name == "4\u00a0×\u00a0GPU-TITAN"
    assert any("4\u00a0×\u00a0GPU-TITAN" in notice.lead for notice in page.notices)
    assert any("4\u00a0×\u00a0GPU-TITAN" in row.section for row in economics.rows(there.estimate))
    assert "set_of_instances" in str(economics.sections(there))


def test_training_takes_over_how_many(seeded: None) -> None:
    there = asked(handed(asked(SEVENTY), "training"), "training")
    assert there.scenario.instances == 4


def test_the_longest_context_of_the_catalogue_may_be_typed(seeded: None) -> None:
    """Llama-4-Scout reads 10 485 760 tokens."""
    query = "params=8000000000&layers=32&width=4096&heads=32&vocab=32000&context=10485760"
    assert asked(query).scenario.max_context == 10_485_760
