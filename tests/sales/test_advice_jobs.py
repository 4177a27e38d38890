"""Trainings and indexings of a need: the offer's own cases, each with the figures of its calculator."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from calculator import catalog
from calculator.tools import tokens, training
from sales.advising.tool import answer
from sales.domain.advice import Advice
from sales.domain.need import Constraint, LoadBy, Need, Use
from sales.domain.training_offers import TrainingOption, sequence_tokens
from tests.factories import NOW

pytestmark = pytest.mark.django_db
TICKETS = {
    **{"use": Use.TUNE, "load": LoadBy.NONE, "rows_count": 12_000, "row_tokens": Decimal(256), "model": "Mistral-7B"},
}
ENCODER = {
    **{"use": Use.PRETRAIN, "load": LoadBy.NONE},
    **{"params_count": Decimal("2.7e9"), "corpus_tokens": Decimal("40e9")},
}
LEGAL = {
    **{"use": Use.INDEX, "load": LoadBy.NONE, "documents_count": 2_000_000, "document_tokens": Decimal(4000)},
}
HUGE = {"use": Use.TUNE, "load": LoadBy.NONE, "model": "Llama-3.1-70B", "rows_count": 1000}


def need(**values: Any) -> Need:
    return replace(catalog.first_visit(Need), **values)


def advised(**values: Any) -> Advice:
    found: Advice = answer(need(**values)).estimate
    return found


def of(advice: Advice, sku: str) -> TrainingOption:
    return next(option for option in advice.training if option.sku.code == sku)


def test_the_published_fine_tuning_takes_38_minutes_and_95_cents(seeded: None, noon: Any) -> None:
    """12 000 × 256 = 3 072 000 tokens at 1 350 tok/s: 2 275.6 s, billed 2 276 s × 1.50 € ÷ 3 600 = 0.9483 €."""
    option = of(advised(**TICKETS), "GPU-PRO")
    assert option.seconds == pytest.approx(3_072_000 / 1350)
    assert option.eur == pytest.approx(Decimal("0.9483"), abs=Decimal("0.0001"))
    assert (option.scenario.micro_batch, option.scenario.accumulation, option.scenario.recomputed) == (2, 4, False)
    assert option.trust is not None and option.trust.value == "claim"


def test_the_published_encoder_takes_92_days_on_one_gpu_and_14_on_eight(seeded: None, noon: Any) -> None:
    """92 × 24 h × 5.40 € = 11 923.20 €; eight A100 have no price, and none is made up."""
    found = advised(**ENCODER)
    one, eight = of(found, "GPU-TITAN"), of(found, "GPU-SUPERCOMPUTE")
    assert one.seconds == pytest.approx(92 * 86_400)
    assert one.eur == pytest.approx(Decimal("11923.20"), abs=Decimal("0.01"))
    assert eight.seconds == pytest.approx(14 * 86_400)
    assert eight.eur is None and eight.month_eur is None and eight.eur_per_mtok is None


def test_a_deadline_puts_what_is_late_behind(seeded: None, noon: Any) -> None:
    found = advised(**ENCODER, deadline_days=Decimal(30))
    assert found.training[0].sku.code == "GPU-SUPERCOMPUTE"
    assert not of(found, "GPU-TITAN").in_time
    assert {message.code for message in advised(**ENCODER, deadline_days=Decimal(1)).warnings} == {"nothing_in_time"}


@pytest.mark.parametrize("values", [TICKETS, ENCODER, HUGE, {**TICKETS, "model": "Llama-3.1-8B"}])
def test_each_training_has_the_figures_of_its_page(seeded: None, noon: Any, values: dict[str, Any]) -> None:
    for option in advised(**values).training:
        there = training.answer(option.scenario).estimate
        assert there.fit.verdict is option.verdict
        if option.seconds is None:
            continue
        assert there.duration.with_retries_s == option.seconds
        assert there.bill.eur == option.eur
        assert there.trust is option.trust


def test_within_five_percent_the_faster_comes_first(seeded: None, noon: Any) -> None:
    priced = [option for option in advised(**TICKETS).training if option.eur is not None]
    least = min(option.eur for option in priced if option.eur is not None)
    equal = [one for one in priced if one.eur is not None and one.eur <= least * Decimal("1.05")]
    assert list(priced[: len(equal)]) == equal
    assert [one.seconds for one in equal] == sorted(one.seconds for one in equal if one.seconds)


def test_what_does_not_fit_costs_nothing_and_stands_last(seeded: None, noon: Any) -> None:
    """70 G parameters in four bits alone are 35 GB: no card of 24 GB holds them."""
    found = advised(**HUGE)
    assert of(found, "GPU-PRO").seconds is None and of(found, "GPU-PRO").eur is None
    assert [option.seconds is None for option in found.training] == sorted(
        option.seconds is None for option in found.training
    )


@pytest.mark.parametrize(("row", "length"), [("10", 512), ("256", 512), ("257", 1024), ("9000", 8192)])
def test_sequences_hold_twice_a_mean_row(row: str, length: int) -> None:
    assert sequence_tokens(Need(1, NOW, row_tokens=Decimal(row))) == length


def test_daily_tuning_runs_thirty_times_and_within_a_day(seeded: None, noon: Any) -> None:
    found = advised(constraints=(Constraint.DAILY_TUNING,), model="Mistral-7B")
    option = of(found, "GPU-PRO")
    assert option.runs_a_month == 30
    assert option.eur is not None and option.month_eur == 30 * option.eur
    assert found.serving is not None and all(one.api is None for one in found.serving.options)
    assert "one_gpu_a_job" in {message.code for message in found.warnings}


def test_two_million_legal_documents_cost_what_the_tokens_page_says(seeded: None, noon: Any) -> None:
    """9.024 G tokens at 0.02 $ a million: 180.48 $ ÷ 1.1172 = 161.55 €."""
    found = advised(**LEGAL).indexing
    assert found is not None
    first = found.options[0]
    assert first.api is not None and first.api.code == "text-embedding-3-small"
    assert first.eur is not None and round(first.eur, 2) == Decimal("161.55")
    for option in found.options:
        there = tokens.answer(option.scenario).estimate
        if option.api is not None:
            assert there.embedding.eur == option.eur
        else:
            line = next(item for item in there.indexing if item.offer.sku.code == there.scenario.sku)
            assert (line.eur, line.time_s.value) == (option.eur, option.seconds)


def test_the_best_gpu_stays_among_the_ways_to_index(seeded: None, noon: Any) -> None:
    found = advised(**LEGAL).indexing
    assert found is not None and len(found.options) == 5
    assert any(option.sku is not None for option in found.options)


def test_a_constraint_leaves_every_embedding_api_out(seeded: None, noon: Any) -> None:
    found = advised(**LEGAL, constraints=(Constraint.RESIDENCY,)).indexing
    assert found is not None
    assert all(option.api is None for option in found.options)
    assert {api.code for api in found.left} >= {"mistral-embed", "text-embedding-3-small"}


def test_documents_with_a_load_are_indexed_and_served(seeded: None, noon: Any) -> None:
    found = advised(use=Use.INDEX, documents_count=2_000_000)
    assert found.indexing is not None and found.serving is not None
    assert found.serving.options


def test_an_empty_job_is_the_offers_own_case(seeded: None, noon: Any) -> None:
    assert of(advised(use=Use.TUNE, load=LoadBy.NONE), "GPU-PRO").scenario.data_rows == 12_000
    assert of(advised(use=Use.PRETRAIN, load=LoadBy.NONE), "GPU-TITAN").scenario.total_tokens == 40_000_000_000
    found = advised(use=Use.INDEX, load=LoadBy.NONE).indexing
    assert found is not None and found.tokens == pytest.approx(9.024e9)
