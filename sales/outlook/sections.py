"""The sections that an outlook adds to its JSON document."""

from typing import Any

from calculator.jsonable import data
from calculator.tool import Answer
from sales.domain.outlook_answer import OutlookEstimate
from sales.domain.rules import Judged
from sales.domain.solving import Solution
from sales.outlook import verdicts


def sections(answer: Answer) -> dict[str, Any]:
    """The outlook as data: codes and unrounded values; `put_back` of a solution stands in its own link, not here."""
    found: OutlookEstimate = answer.estimate
    both = found.both
    return {
        "verdict": {
            "sentence": verdicts.plain(both).text,
            "code": both.api.verdict.value if both.api else "unknown",
            "gpu_eur": data(both.gpu_eur),
            "api_eur": data(both.api_eur),
            "gap_eur": data(both.gap_eur),
            "incomplete": both.api.incomplete if both.api else True,
        },
        "rules": [_rule(one) for one in found.rules],
        "solutions": [_solution(one) for one in found.solutions],
        "sensitivity": data(found.sensitivity),
        "ramp": data(found.ramp),
        "commitments": data(found.commitments),
        "energy": data(found.energy),
    }


def _rule(one: Judged) -> dict[str, Any]:
    return {
        "code": one.rule.code,
        "side": one.rule.side.value,
        "value": data(one.value),
        "finding": one.finding.value,
        "is_profile": one.rule.is_profile,
        "computed": data(one.computed),
    }


def _solution(one: Solution) -> dict[str, Any]:
    return {
        "unknown": one.unknown.value,
        "outcome": one.outcome.value,
        "now": data(one.now),
        "solved": data(one.solved),
        "doubts": data(one.doubts),
        "intervals": data(one.intervals),
    }
