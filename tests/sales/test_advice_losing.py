"""At what volume an option loses, where more steps of the staircase win and lose than are listed."""

from decimal import Decimal

import pytest

from calculator.domain import economics
from calculator.domain.scenario import Comparison
from sales.domain.losing import api_loses, gpu_loses
from tests.domain.factories import facts, flat_api, scenario


def at(volume_mtok: int) -> Comparison:
    """GPU-PRO by the month, 107.8272 M tokens for 830.64 €, beside 9.0381 $ = 8.09 € a million: 5 % less when full.

    20 steps win on their ends alone; step 15 costs 12 459.60 €, from 1 509.6 M on, and wins from 1 540.1 M.
    """
    asked = scenario(volume_tokens=Decimal(volume_mtok * 10**6))
    return economics.estimate(asked, facts(skus=(), apis=(flat_api("9.038148"),))).comparisons[0]


@pytest.mark.parametrize(
    ("volume", "gpu", "api"), [(1600, "api_wins_below", "gpu_wins_here"), (1520, "api_wins_until", "gpu_wins_from")]
)
def test_a_step_that_is_not_listed_wins_and_loses_like_the_others(volume: int, gpu: str, api: str) -> None:
    found = at(volume)
    assert found.break_even.omitted_count == 8
    messages = gpu_loses(found, Decimal(volume * 10**6)), api_loses(found, "GPU-PRO", Decimal(volume * 10**6))
    assert [message.code for message in messages] == [gpu, api]
    for message in messages:
        assert round(Decimal(str(message.values["tokens"])) / 10**6, 1) == Decimal("1540.1")


def test_beyond_the_last_step_that_loses_the_gpu_wins_for_good() -> None:
    """Step 20, 16 612.80 €, wins from 2 053.5 M on."""
    message = gpu_loses(at(5000), Decimal(5_000_000_000))
    assert message.code == "api_wins_below" and message.values["until"] is None
    assert round(Decimal(str(message.values["tokens"])) / 10**6, 1) == Decimal("2053.5")
