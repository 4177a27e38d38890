"""The link of a need: whatever the form can hold comes back from it, and whatever comes in is answered or refused."""

from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator import answers, permalinks
from calculator.domain.training import Method
from sales.advising.notation import NOTATION
from sales.advising.tool import TOOL, answer
from sales.domain.language import Language
from sales.domain.need import Constraint, LoadBy, Need, Unit, Use
from sales.domain.options import Way
from sales.domain.ranges import Range
from sales.domain.week import Shape
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def some(members: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(list(members)), unique=True).map(tuple)


def decimals(low: str, high: str) -> st.SearchStrategy[Decimal]:
    return st.decimals(Decimal(low), Decimal(high), places=2).map(lambda value: value.normalize() + 0)


NEEDS = st.builds(
    Need,
    catalog_version=st.just(1),
    at=st.just(NOW.replace(microsecond=0)),
    use=st.sampled_from(Use),
    language=st.sampled_from(Language),
    load=st.sampled_from(LoadBy),
    users_count=st.integers(1, 10_000),
    daily_requests=decimals("0.01", "1000"),
    requests_count=decimals("1", "1000000"),
    volume_tokens=decimals("1", "1000000000"),
    shape=st.sampled_from(Shape),
    unit=st.sampled_from(Unit),
    prompt_length=st.none() | decimals("1", "8000"),
    output_length=st.none() | decimals("1", "2000"),
    first_token_ms=st.none() | decimals("0", "5000"),
    token_ms=st.none() | decimals("0", "100"),
    model=st.sampled_from(["", "Mistral-7B-v0.3", "Llama-3.1-70B"]),
    compressed=st.booleans(),
    ranges=some(Range),
    constraints=some(Constraint),
    documents_count=st.none() | st.integers(1, 10_000_000),
    rows_count=st.none() | st.integers(1, 1_000_000),
    method=st.sampled_from([Method.QLORA, Method.LORA, Method.FULL]),
    deadline_days=st.none() | decimals("0.01", "365"),
)


@given(NEEDS)
def test_a_need_comes_back_from_its_link(need: Need) -> None:
    reading = permalinks.read(QueryDict(permalinks.write(need)), Need(9, NOW))
    assert reading.problems == ()
    assert reading.scenario == need


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NEEDS)
def test_every_need_is_answered_and_no_constraint_is_broken(seeded: None, noon: Any, need: Need) -> None:
    found = answer(need).estimate
    every = found.serving.all_options if found.serving else ()
    if need.constraints or not need.ranges:
        assert {option.way for option in every} <= {Way.GPU}
    assert all(option.range in need.ranges for option in every if option.api is not None)
    assert (found.serving is None) == (need.load is LoadBy.NONE)
    assert TOOL.page(answer(need)).lead is not None
    assert len(TOOL.rows(found)) > 10


def test_more_tokens_than_can_be_counted_are_refused(seeded: None, noon: Any) -> None:
    outcome = answers.from_link(TOOL, QueryDict("users=1000000000&daily=100000&out=1000000"))
    assert outcome.answer is None
    assert "qu’on n’en peut compter" in outcome.problems[0].message


def test_a_load_beyond_the_inference_page_has_no_link_to_it(seeded: None, noon: Any, client: Client) -> None:
    outcome = answers.from_link(TOOL, QueryDict("users=900000000&daily=20"))
    assert outcome.answer is not None
    lines = TOOL.page(outcome.answer).options
    assert any(line.css == "gpu" and not line.inference for line in lines)
    for line in lines:
        assert "champ à corriger" not in client.get(f"/fr/economics?{line.economics}").content.decode()


def test_requests_longer_than_the_model_takes_leave_no_gpu(seeded: None, noon: Any) -> None:
    """Mistral 7B v0.3 takes 32 768 tokens; 40 000 read and 256 written are 40 256."""
    outcome = answers.from_link(TOOL, QueryDict("in=40000&out=256&model=Mistral-7B-v0.3"))
    assert outcome.answer is not None
    serving = outcome.answer.estimate.serving
    assert {option.way for option in serving.all_options} == {Way.API}
    reason = next(item.reasons[0] for item in serving.excluded if item.name == "GPU-PRO")
    assert (reason.code, reason.values) == ("context_beyond_model", {"context": 40_256, "limit": 32_768})


def test_the_notation_is_known_to_every_link() -> None:
    assert permalinks.notation_of(Need(1, NOW)) is NOTATION
