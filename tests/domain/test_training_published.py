"""The vendor's published run: what follows from each reading of its batch, and which one agrees with the print."""

from dataclasses import replace
from decimal import Decimal

import pytest

from calculator.domain.training_published import read_run
from calculator.domain.training_scenario import PublishedReading

from .training_factories import QLORA_RUN

EIGHT = PublishedReading(2, 4, 512, 750, 12_000)
THIRTY_TWO = replace(EIGHT, micro_batch=8)
HOUR = Decimal("1.50")


@pytest.mark.parametrize(
    ("reading", "batch", "tokens", "epochs", "minutes", "eur"),
    [(EIGHT, 8, 3_072_000, 0.5, 37.926, 0.94815), (THIRTY_TWO, 32, 12_288_000, 2.0, 151.704, 3.7926)],
)
def test_each_reading_worked_out_at_the_published_speed(
    reading: PublishedReading, batch: int, tokens: int, epochs: float, minutes: float, eur: float
) -> None:
    found = read_run(QLORA_RUN, reading, HOUR)
    assert (found.global_batch, found.tokens, found.epochs) == (batch, tokens, epochs)
    assert found.minutes == pytest.approx(minutes, rel=1e-4)
    assert float(found.eur or 0) == pytest.approx(eur, rel=1e-4)


def test_only_the_batch_of_eight_agrees_with_the_printed_38_minutes() -> None:
    assert read_run(QLORA_RUN, EIGHT, HOUR).agrees
    assert not read_run(QLORA_RUN, THIRTY_TWO, HOUR).agrees


def test_a_run_without_printed_minutes_agrees_with_nothing() -> None:
    assert not read_run(replace(QLORA_RUN, minutes=None), EIGHT, HOUR).agrees


def test_a_price_on_request_leaves_the_cost_unknown() -> None:
    assert read_run(QLORA_RUN, EIGHT, None).eur is None
