"""What one calculator hands to another is answered there: no key is unknown, no value refused."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.http import QueryDict

from calculator import answers, registry
from calculator.tool import Answer, Calculator

pytestmark = pytest.mark.django_db
CASES = [(tool, query) for tool in registry.TOOLS for query in ("", *(preset.query for preset in tool.presets))]


def carried(tool: Calculator, query: str) -> Iterator[tuple[str, str]]:
    """Target and query of each way on from one case."""
    outcome = answers.from_link(tool, QueryDict(query))
    assert outcome.answer is not None, outcome.problems
    for handover in tool.handovers(outcome.answer):
        yield handover.target, handover.query


@pytest.mark.parametrize(("tool", "query"), CASES, ids=lambda part: getattr(part, "name", "") or "case")
def test_every_way_on_from_every_usual_case_is_answered(seeded: None, tool: Calculator, query: str) -> None:
    for target, asked in carried(tool, query):
        outcome = answers.from_link(registry.CALCULATORS[target], QueryDict(asked))
        assert outcome.problems == (), (target, asked)
        assert outcome.answer is not None, (target, asked)
        assert "unknown_keys" not in {notice.code for notice in outcome.notices}, (target, asked)


def test_from_tokens_to_costs_in_three_clicks(seeded: None) -> None:
    """Tokens lead to training or inference, and these to economics."""
    reached = {"tokens"}
    for _click in range(2):
        reached |= {target for name in reached for target, _query in carried(registry.CALCULATORS[name], "")}
    assert {"inference", "training", "economics"} <= reached


def led(tool: str, query: str, *targets: str) -> QueryDict:
    """The query that the last of several ways on carries, each from the answer to the one before."""
    asked = query
    for target in targets:
        asked = dict(carried(registry.CALCULATORS[tool], asked))[target]
        tool = target
    return QueryDict(asked)


ON_REQUEST = "model=Llama-3-8B&sku=GPU-SUPERCOMPUTE&price=43.2"


@pytest.mark.parametrize("middle", ["inference", "training"])
def test_a_price_typed_for_the_corpus_is_the_price_of_its_economics(seeded: None, middle: str) -> None:
    """The machine's own price is not published: only what was typed can stand there."""
    query = led("tokens", ON_REQUEST, middle, "economics")
    assert (query["sku"], query["basis"], query["price"]) == ("GPU-SUPERCOMPUTE", "hour", "43.2")
    outcome = answers.from_link(registry.CALCULATORS["economics"], query)
    assert outcome.answer is not None
    assert outcome.answer.estimate.gpu.price.value == Decimal("43.2")


def test_the_typed_price_makes_the_bill_at_the_end_of_three_clicks(seeded: None) -> None:
    """43.20 € × 720 h = 31 104 € a month."""
    outcome = answers.from_link(registry.CALCULATORS["economics"], led("tokens", ON_REQUEST, "inference", "economics"))
    assert outcome.answer is not None
    assert outcome.answer.estimate.gpu.total_eur == 31104


@pytest.mark.parametrize(
    "way", [("tokens", "training"), ("tokens", "inference"), ("training", "inference"), ("inference", "training")]
)
def test_the_instances_and_their_typed_price_go_with_the_machine(seeded: None, way: tuple[str, str]) -> None:
    start, target = way
    query = led(start, "model=Llama-3-8B&sku=GPU-TITAN&count=3&price=5", target)
    assert {name: query[name] for name in ("model", "sku", "count", "basis", "price")} == {
        **{"model": "Llama-3-8B", "sku": "GPU-TITAN", "count": "3"},
        **{"basis": "hour", "price": "5"},
    }


def test_a_published_price_is_not_carried_as_typed(seeded: None) -> None:
    for start in ("tokens", "training", "inference"):
        for target, query in carried(registry.CALCULATORS[start], "sku=GPU-TITAN"):
            assert "price" not in QueryDict(query), (start, target)


def test_an_offer_sold_by_the_hour_alone_keeps_the_hour(seeded: None) -> None:
    """GPU-TITAN has no price by the month, which economics would otherwise ask for."""
    assert led("tokens", "sku=GPU-TITAN", "economics")["basis"] == "hour"
    assert "basis" not in led("tokens", "sku=GPU-PRO", "economics")


def test_a_monthly_price_stays_off_the_page_that_counts_hours(seeded: None) -> None:
    run = "model=Llama-3-8B&sku=GPU-TITAN&method=full&price=3000&basis=month"
    assert "price" not in led("training", run, "parallelism")
    assert led("training", run.replace("3000&basis=month", "5"), "parallelism")["price"] == "5"
    assert led("training", run, "inference")["basis"] == "month"


def answered(tool: str, query: QueryDict) -> Answer:
    """The answer to a link that another page carried."""
    outcome = answers.from_link(registry.CALCULATORS[tool], query)
    assert outcome.answer is not None, outcome.problems
    return outcome.answer


def test_three_clicks_from_tokens_over_training_carry_the_rate_of_the_trained_model(seeded: None) -> None:
    """Tokens, then training, then economics: model, machine, lengths and both rates are those of the inference page."""
    training = led("tokens", "model=Llama-3-8B&sku=GPU-TITAN", "training")
    assert (training["model"], training["sku"]) == ("Llama-3-8B", "GPU-TITAN")
    costs = led("tokens", "model=Llama-3-8B&sku=GPU-TITAN", "training", "economics")
    served = led("tokens", "model=Llama-3-8B&sku=GPU-TITAN", "training", "inference", "economics")
    assert {"rate", "prefill", "in", "out", "conc", "origin"} <= set(costs)
    assert {name: costs[name] for name in costs} == {name: served[name] for name in served}
    found = answered("economics", costs)
    assert found.scenario.sku == "GPU-TITAN"
    assert found.estimate.gpu.capacity_tokens > 0


def test_the_rate_from_training_is_an_estimate_and_says_so(seeded: None) -> None:
    costs = led("training", "model=Mistral-7B-v0.3&sku=GPU-PRO&method=qlora", "economics")
    assert costs["origin"] == "estimate"
    assert Decimal(costs["rate"]) > 0


@pytest.mark.parametrize(
    "query",
    ["params=2700000000&method=pretrain&sku=GPU-TITAN", "model=Llama-3.1-70B&sku=GPU-PRO"],
    ids=["a model without dimensions", "a model that does not fit the machine"],
)
def test_where_no_rate_can_be_carried_the_title_says_so(seeded: None, query: str) -> None:
    tool = registry.CALCULATORS["training"]
    ways = {way.target: way for way in tool.handovers(answered("training", QueryDict(query)))}
    assert "rate" not in QueryDict(ways["economics"].query)
    assert "non estimable" in str(ways["economics"].title)
    known = {
        way.target: way for way in tool.handovers(answered("training", QueryDict("model=Llama-3-8B&sku=GPU-TITAN")))
    }
    assert "non estimable" not in str(known["economics"].title)
