"""A need in numbers: requests, volume, busiest hour, targets; worked out by hand."""

import datetime as dt
import doctest
from decimal import Decimal

import pytest

from calculator.domain.offers import ApiModel
from calculator.domain.scenario import EconomicsScenario
from sales.domain import options, ranges
from sales.domain.constraints import accepted, api_refusals, range_refusals
from sales.domain.language import Language
from sales.domain.need import (
    HOURS_A_MONTH,
    Constraint,
    LoadBy,
    Need,
    Unit,
    Use,
    first_token_ms,
    has_targets,
    output_tokens,
    peak_per_s,
    prompt_tokens,
    requests_a_month,
    token_ms,
    utilisation_ceiling,
    volume_tokens,
)
from sales.domain.ranges import Range
from sales.domain.week import Shape

AT = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
MINI, BIG = ApiModel("gpt-5.4-mini", "gpt-5.4-mini", "OpenAI", {}), ApiModel("gpt-5.4", "gpt-5.4", "OpenAI", {})


def need(**values: object) -> Need:
    return Need(1, AT, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("module", [ranges, options])
def test_the_worked_numbers_of_the_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_the_month_is_the_one_of_the_calculators() -> None:
    assert EconomicsScenario(1, AT).hours_per_month_h == HOURS_A_MONTH


def test_people_ask_on_active_days_only() -> None:
    """200 × 20 × 30 days × 5 ÷ 7 = 85 714.29; every day 120 000."""
    office, steady = need(), need(shape=Shape.STEADY)
    assert requests_a_month(office) == pytest.approx(Decimal("85714.2857"), abs=Decimal("0.001"))
    assert requests_a_month(steady) == 120_000


def test_the_volume_follows_from_requests_and_answers() -> None:
    asked = need(load=LoadBy.REQUESTS, requests_count=Decimal(1000), output_length=Decimal(300))
    assert volume_tokens(asked) == 300_000


def test_requests_follow_from_a_volume() -> None:
    asked = need(load=LoadBy.TOKENS, volume_tokens=Decimal(100_000_000), output_length=Decimal(500))
    assert requests_a_month(asked) == 200_000
    assert volume_tokens(asked) == 100_000_000


def test_no_load_serves_nothing() -> None:
    asked = need(load=LoadBy.NONE)
    assert not asked.serves
    assert requests_a_month(asked) is None
    assert volume_tokens(asked) is None
    assert peak_per_s(asked) is None


def test_the_busiest_hour_of_the_night_is_three_times_the_mean() -> None:
    """2 592 000 requests ÷ (720 h × 3 600 s) = 1 a second, three times that at night."""
    asked = need(load=LoadBy.REQUESTS, requests_count=Decimal(2_592_000), shape=Shape.NIGHT)
    assert peak_per_s(asked) == 3


@pytest.mark.parametrize(
    ("use", "shape", "ceiling"),
    [
        (Use.CHAT, Shape.STEADY, "0.8000"),
        (Use.CHAT, Shape.NIGHT, "0.2667"),
        (Use.CHAT, Shape.OFFICE, "0.2202"),
        (Use.BATCH, Shape.NIGHT, "0.3000"),
    ],
)
def test_the_ceiling_is_the_planned_peak_over_the_peak_factor(use: Use, shape: Shape, ceiling: str) -> None:
    """0.8 × 185 ÷ (4 × 168) = 0.2202; 0.9 where nobody waits."""
    assert utilisation_ceiling(need(use=use, shape=shape)) == Decimal(ceiling)


def test_words_become_tokens_of_the_model_in_its_language() -> None:
    """100 French words: 100 × 230 ÷ 124 = 185 tokens of Mistral 7B; English 100 × 146 ÷ 120 = 122."""
    asked = {"unit": Unit.WORDS, "prompt_length": Decimal(100), "output_length": Decimal("0.1")}
    assert prompt_tokens(need(**asked)) == 185
    assert prompt_tokens(need(**asked, language=Language.ENGLISH)) == 122
    assert output_tokens(need(**asked)) == 1


def test_a_model_without_a_known_tokenizer_is_counted_with_cl100k() -> None:
    asked = need(unit=Unit.WORDS, prompt_length=Decimal(1000), model="Qwen2.5-7B")
    assert prompt_tokens(asked) == round(1000 * Decimal(208) / 124)


def test_empty_fields_are_the_usual_of_the_use() -> None:
    asked = need(use=Use.CODE)
    assert (prompt_tokens(asked), output_tokens(asked), asked.open_model) == (2048, 128, "Qwen2.5-7B")
    assert (first_token_ms(asked), token_ms(asked)) == (500, 30)
    assert not has_targets(need(use=Use.BATCH))


@pytest.mark.parametrize(("typed", "held"), [(None, 20), ("100", 20), ("10", 10), ("0", 20)])
def test_twenty_milliseconds_bound_the_first_token(typed: str | None, held: int) -> None:
    wanted = None if typed is None else Decimal(typed)
    assert first_token_ms(need(constraints=(Constraint.FAST,), first_token_ms=wanted)) == held


@pytest.mark.parametrize("constraint", Constraint)
def test_every_constraint_rules_out_every_api_with_its_reason(constraint: Constraint) -> None:
    asked = need(constraints=(constraint,), ranges=tuple(Range))
    assert accepted(asked, (MINI, BIG)) == ()
    assert len(api_refusals(asked)) == 1


def test_no_region_is_asserted_for_an_api() -> None:
    assert api_refusals(need(constraints=(Constraint.RESIDENCY,)))[0].code == "residency_unknown"


def test_p73_another_class_is_taken_only_where_it_is_accepted() -> None:
    assert accepted(need(), (MINI, BIG)) == (MINI,)
    assert [api.code for api, _reason in range_refusals(need(), (MINI, BIG))] == ["gpt-5.4"]
    assert accepted(need(ranges=tuple(Range)), (MINI, BIG)) == (MINI, BIG)


def test_jobs_follow_from_the_use_and_the_constraints() -> None:
    assert need(use=Use.TUNE).trains and need(use=Use.PRETRAIN).trains
    assert need(constraints=(Constraint.DAILY_TUNING,)).trains and not need().trains
    assert need(use=Use.INDEX).indexes and need(documents_count=10).indexes and not need().indexes
