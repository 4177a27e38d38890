"""What one calculator hands to another is answered there: no key is unknown, no value refused."""

from collections.abc import Iterator

import pytest
from django.http import QueryDict

from calculator import answers, registry
from calculator.tool import Calculator

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
