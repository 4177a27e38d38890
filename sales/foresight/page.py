"""The foresight of each calculator in words: limits with their distance, what tomorrow would bring, ways out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from calculator import registry
from calculator.tool import Answer
from sales.foresight import api, serving, training
from sales.foresight.parts import Foresight

Supposed = Mapping[str, Decimal]


@dataclass(frozen=True, slots=True)
class Kind:
    """What foresight of one calculator is made of."""

    told: Callable[[Answer, Supposed], Foresight]


PAGES: Mapping[str, Kind] = {
    "inference": Kind(serving.foresight),
    "training": Kind(training.foresight),
    "economics": Kind(api.foresight),
}


def told(name: str, answer: Answer, supposed: Supposed) -> Foresight:
    """The foresight of an answer. `name` is one of PAGES."""
    assert name in registry.CALCULATORS
    return PAGES[name].told(answer, supposed)
