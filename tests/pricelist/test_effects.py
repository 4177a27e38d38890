"""What a file would change for customers, from the calculators' own functions, with nothing written."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from calculator import catalog, registry, saved, snapshots
from calculator.domain.scenario import EconomicsScenario, Outcome, Verdict
from calculator.models import EstimateSnapshot
from calculator.pricelist import effects
from calculator.pricelist.contract import FileKind
from calculator.pricelist.diff import compare
from calculator.pricelist.known import known_of
from calculator.pricelist.plan import Diff
from tests import factories as make
from tests.pricelist import linefactory as given
from tests.pricelist.linefactory import price, rate, sku_fields

pytestmark = pytest.mark.usefixtures("seeded")
AT = dt.datetime(2026, 12, 1, 12, tzinfo=dt.UTC)
RATE = Decimal("1.1172")
MILLION = Decimal(1_000_000)


def diff_of(*contents: Any, **values: Any) -> Diff:
    audience = values.pop("audience", "public")
    return compare(given.file(*contents, **values), known_of(catalog.latest_version(), audience), AT)


def found(*contents: Any, **values: Any) -> effects.Effects:
    return effects.effects_of(diff_of(*contents, **values))


def test_a_verdict_that_turns_is_named_with_both_bills_and_break_evens() -> None:
    """100 M output tokens: 830.64 € on GPU-PRO against $1 500, then $750, at 1.1172."""
    moves = found(price("gpt-5.4", "output", "7.50"), kind=FileKind.LLM)
    (move,) = [one for one in moves.turned if (one.preset, one.api) == ("internal", "gpt-5.4")]
    assert (move.sku, move.before, move.after) == ("GPU-PRO", Verdict.GPU, Verdict.API)
    assert move.gpu_eur == (Decimal("830.64"), Decimal("830.64"))
    before, after = move.api_eur
    assert before == pytest.approx(Decimal(1500) / RATE) and after == pytest.approx(Decimal(750) / RATE)
    old, new = move.break_even
    assert old.intervals[0].start_tokens / MILLION == pytest.approx(Decimal("61.8661"), rel=Decimal("0.0001"))
    assert (old.outcome, new.outcome) == (Outcome.REACHED, Outcome.NEVER)


def test_only_the_apis_concerned_move() -> None:
    moves = found(price("gpt-5.4", "output", "7.50"), kind=FileKind.LLM)
    assert {move.api for move in moves.verdicts} == {"gpt-5.4"}


def test_the_price_of_a_gpu_moves_every_api_of_its_cases_and_no_other_gpu() -> None:
    moves = found(price("GPU-PRO", "instance_month", "1600"))
    assert {move.sku for move in moves.verdicts} == {"GPU-PRO"}
    assert {move.api for move in moves.verdicts} == set(EconomicsScenario(catalog_version=1, at=AT).apis)


def test_a_sku_outside_the_presets_is_looked_at_too() -> None:
    moves = found(price("GPU-ENTERPRISE", "instance_hour", "3.00"))
    assert {(move.preset, move.sku) for move in moves.verdicts} == {("", "GPU-ENTERPRISE")}


def test_an_api_outside_the_presets_is_looked_at_too() -> None:
    moves = found(price("gpt-4.1", "output", "30"), kind=FileKind.LLM)
    assert "gpt-4.1" in {move.api for move in moves.verdicts}


def test_exchange_rates_move_bills_in_euros_and_are_told_apart() -> None:
    moves = found(rate("2026-11-30", "1.0900"), kind=FileKind.FX)
    assert moves.from_rates
    (move,) = [one for one in moves.verdicts if (one.preset, one.api) == ("internal", "gpt-5.4")]
    assert move.api_eur[1] == pytest.approx(Decimal(1500) / Decimal("1.09"))
    assert not found(price("GPU-PRO", "instance_hour", "1.60")).from_rates


def test_a_price_to_come_is_looked_at_when_it_has_begun() -> None:
    start = dt.datetime(2027, 2, 1, tzinfo=dt.UTC)
    moves = found(price("gpt-5.4", "output", "7.50", valid_from=start), kind=FileKind.LLM)
    assert (moves.at, moves.turned[0].after) == (start + dt.timedelta(seconds=1), Verdict.API)


def test_a_new_sku_and_its_prices_can_be_looked_at_before_they_exist() -> None:
    moves = found(price("GPU-NEW", "instance_hour", "0.10", item=sku_fields()))
    assert moves.verdicts == ()
    assert "GPU-NEW" not in {sku.code for sku in catalog.sku_choices(catalog.latest_version(), AT)}


@pytest.mark.parametrize(
    "diff",
    [
        lambda: diff_of(price("GPU-PRO", "instance_hour", "1.50")),
        lambda: diff_of(price("GPU-PRO", "instance_month", "700"), audience="sales"),
        lambda: diff_of(price("GPU-NEW", "instance_hour", "1.50")),
    ],
    ids=["unchanged", "private", "with errors"],
)
def test_what_changes_nothing_for_the_public_moves_nothing(diff: Callable[[], Diff]) -> None:
    moves = effects.effects_of(diff())
    assert (moves.verdicts, moves.saved, moves.saved_concerned) == ((), (), 0)


# --- saved estimates


def keep(**changes: Any) -> EstimateSnapshot:
    tool = registry.CALCULATORS["economics"]
    scenario = EconomicsScenario(catalog_version=catalog.latest_version(), at=AT, **changes)
    return saved.save(tool, tool.answer(scenario, tool.reads()))


def test_p28_a_saved_estimate_that_would_move_is_told_and_stays_as_it_was() -> None:
    kept = keep(volume_tokens=100 * MILLION)
    before = EstimateSnapshot.objects.values().get()
    moves = found(price("GPU-PRO", "instance_month", "900.00"))
    (move,) = moves.saved
    assert (move.slug, move.calculator) == (kept.slug, "economics")
    assert (Decimal("830.64"), Decimal("900.00")) in {(one.before, one.after) for one in move.numbers}
    assert move.sentence[0] != move.sentence[1]
    assert EstimateSnapshot.objects.values().get() == before


def test_estimates_that_do_not_use_what_changes_are_not_looked_at() -> None:
    keep(sku="GPU-TITAN")
    moves = found(price("gpt-4.1", "output", "30"), kind=FileKind.LLM)
    assert (moves.saved, moves.saved_concerned) == ((), 0)


def test_the_work_is_bounded_and_says_how_much_was_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effects, "MOST_SAVED", 2)
    for _again in range(3):
        keep()
    moves = found(price("GPU-PRO", "instance_month", "900.00"))
    assert (len(moves.saved), moves.saved_looked_at, moves.saved_concerned) == (2, 2, 3)


def test_a_back_dated_price_names_the_estimates_that_it_would_have_changed() -> None:
    kept = keep()
    past = kept.created_at - dt.timedelta(days=10)
    late = diff_of(price("GPU-PRO", "instance_month", "800", valid_from=past))
    assert late.is_backdated is (past < AT)
    assert list(effects.would_have_changed(late)) == ([kept] if past < AT else [])
    assert not effects.would_have_changed(diff_of(price("GPU-PRO", "instance_month", "800")))


def test_a_back_dated_file_of_thousands_of_lines_is_looked_through_with_one_query_for_all(
    django_assert_max_num_queries: Any,
) -> None:
    """One condition a line was deeper than SQLite allows."""
    kept = keep()
    past = kept.created_at - dt.timedelta(days=10)
    diff = diff_of(price("GPU-PRO", "instance_month", "800", valid_from=past))
    (entry,) = diff.entries
    many = replace(diff, entries=(entry, *(replace(entry, item=f"other-{no}") for no in range(3_000))))
    with django_assert_max_num_queries(2):
        assert effects.would_have_changed(many) == ([kept] if past < AT else [])
    assert effects.would_have_changed(many, most=0) == []


# --- nothing is written


def test_p17_looking_at_effects_writes_nothing() -> None:
    keep()
    written: list[str] = []

    def spy(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        written.extend([] if sql.startswith("SELECT") or "SELECT (SELECT MAX" in sql else [sql])
        return execute(sql, *rest)

    with connection.execute_wrapper(spy):
        assert found(price("GPU-PRO", "instance_month", "900.00")).saved
    assert written == []
    assert catalog.latest_version() == 1


def test_the_catalogue_as_it_would_be_is_gone_afterwards() -> None:
    found(price("GPU-PRO", "instance_month", "900.00"))
    with pytest.raises(catalog.NotFound):
        snapshots.snapshot(2)
    make.make_version()
    assert snapshots.snapshot(2).number == 2
