"""What genai-prices proposes and where it differs: never in silence, never against a decision of ours."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal

import pytest
from genai_prices.types import (
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    PriceVariant,
    StartDateConstraint,
    Tier,
    TieredPrices,
    TimeOfDateConstraint,
)

from calculator.models import CatalogItem, PriceRow
from calculator.pricelist import discrepancies, library
from calculator.pricelist.contract import Price, ReadOptions
from calculator.pricelist.diff import compare
from calculator.pricelist.discrepancies import DIFFERS, NOT_COMPARED, ONLY_OURS, ONLY_THEIRS, SAME, Discrepancy
from calculator.pricelist.known import known_of
from calculator.pricelist.library import Offer
from calculator.pricelist.plan import Diff
from calculator.pricelist.reading import read
from tests import factories as make

NOON = make.NOW


def model_of(provider: str, code: str) -> ModelInfo:
    found = library._providers()[provider].find_model(code)
    assert found is not None
    return found


def offers(item: CatalogItem, at: dt.datetime = NOON) -> Mapping[tuple[str, str, int], Decimal]:
    found = library.found_for(item, at).offers
    return {(offer.component, offer.mode, offer.context_over): offer.amount for offer in found}


def proposed(version: int = 1, at: dt.datetime = NOON) -> list[Price]:
    name, content = library.proposal(version, at)
    found = read(content, name, ReadOptions(origin="library", today=at.date()))
    assert found.problems == ()
    return [line.content for line in found.lines if isinstance(line.content, Price)]


def proposed_diff(version: int = 1) -> Diff:
    name, content = library.proposal(version, NOON)
    return compare(read(content, name, ReadOptions(origin="library")), known_of(version), NOON)


def lines(verdict: str, version: int = 1) -> list[Discrepancy]:
    return [line for line in discrepancies.report(version, NOON) if line.verdict == verdict]


@pytest.fixture
def gpt(db: None) -> CatalogItem:
    return make.make_api("gpt-5.4", provider="OpenAI")


def test_p41_each_mode_of_gpt_54_has_its_own_price(gpt: CatalogItem) -> None:
    """Standard 2.50 / 0.25 / 15.00, above 272 000 tokens 5.00 / 0.50 / 22.50; batch 1.25 / 0.13 / 7.50."""
    found = offers(gpt)
    standard = {component: found[component, "standard", 0] for component in ("input", "cache_read", "output")}
    long = {component: found[component, "standard", 272_000] for component in ("input", "cache_read", "output")}
    batch = {component: found[component, "batch", 0] for component in ("input", "cache_read", "output")}
    assert standard == {"input": Decimal("2.5"), "cache_read": Decimal("0.25"), "output": Decimal(15)}
    assert long == {"input": Decimal(5), "cache_read": Decimal("0.5"), "output": Decimal("22.5")}
    assert batch == {"input": Decimal("1.25"), "cache_read": Decimal("0.13"), "output": Decimal("7.5")}
    assert found["output", "priority", 0] == Decimal(30)


def test_a_mode_is_proposed_only_where_the_library_really_has_it(gpt: CatalogItem) -> None:
    """Before 2026-10-14 a request for the batch price is answered with the standard one, silently."""
    early = dt.datetime(2026, 10, 13, 12, tzinfo=dt.UTC)
    assert {mode for _component, mode, _over in offers(gpt, early)} == {"standard", "flex", "priority"}
    assert "batch" in {mode for _component, mode, _over in offers(gpt)}
    first = dt.datetime(2026, 10, 1, 12, tzinfo=dt.UTC)
    assert {mode for _component, mode, _over in offers(gpt, first)} == {"standard"}


def test_a_price_by_the_hour_of_the_day_is_not_proposed(db: None) -> None:
    """deepseek-chat is half price from 16:30 UTC on: which price is current would depend on the minute."""
    found = library.found_for(make.make_api("deepseek-chat", provider="DeepSeek"), NOON)
    assert (found.offers, found.reason) == ((), "daily_window")
    night = TimeOfDateConstraint(dt.time(16, 30, tzinfo=dt.UTC), dt.time(0, 30, tzinfo=dt.UTC))
    variant = PriceVariant({"processing": "batch"}, ModelPrice(input_mtok=Decimal(1)), night)
    plain = model_of("openai", "gpt-5.4")
    varied = ModelInfo(id="x", match=plain.match, prices=ModelPrice(), price_variants=[variant])
    assert library.has_daily_window(varied)


@pytest.mark.parametrize(
    ("code", "provider", "reason"),
    [
        ("gpt-5.4", "Nobody", "provider_unknown"),
        ("no-such-model-9", "OpenAI", "model_unknown"),
        ("gpt-4.1-2025-04-14", "OpenAI", "other_model"),
    ],
)
def test_p42_only_the_model_of_exactly_this_name_is_taken(db: None, code: str, provider: str, reason: str) -> None:
    assert library.found_for(make.make_api(code, provider=provider), NOON).reason == reason


def test_an_announced_price_is_proposed_from_its_day_on() -> None:
    before, after = ModelPrice(output_mtok=Decimal(15)), ModelPrice(output_mtok=Decimal(12))
    planned = ConditionalPrice(StartDateConstraint(dt.date(2027, 1, 1)), prices=after)
    model = ModelInfo(
        id="x", match=model_of("openai", "gpt-5.4").match, prices=[ConditionalPrice(prices=before), planned]
    )
    assert list(library._offers(model, NOON)) == [
        Offer("output", "standard", 0, Decimal(15)),
        Offer("output", "standard", 0, Decimal(12), dt.datetime(2027, 1, 1, tzinfo=dt.UTC)),
    ]


def test_p38_every_tier_is_an_offer_of_its_own() -> None:
    prices = ModelPrice(input_mtok=TieredPrices(Decimal(3), [Tier(200_000, Decimal(6))]))
    assert [(offer.context_over, offer.amount) for offer in library._rates(prices, "standard")] == [
        (0, Decimal(3)),
        (200_000, Decimal(6)),
    ]


def test_an_embedding_sells_input_only(db: None) -> None:
    names = {"label_fr": "e", "label_en": "e"}
    item = make.make_item("embedding", "text-embedding-3-small", provider="OpenAI", **names)
    assert offers(item) == {("input", "standard", 0): Decimal("0.02")}


def test_the_seeded_catalogue_is_what_the_library_proposes_but_for_one_batch_price(seeded: None) -> None:
    """The library alone has mistral-embed in batch at 0.05 $/1M; nobody has entered it so far."""
    diff = proposed_diff()
    assert diff.problems == ()
    assert [
        (entry.item, entry.component, entry.mode, entry.old, entry.new) for entry in diff.entries if entry.writes
    ] == [("mistral-embed", "input", "batch", None, Decimal("0.05"))]


def test_what_changed_in_the_library_is_proposed_as_a_change(catalogue: None) -> None:
    item = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(item, "output", "9.00", origin="library", valid_from=NOON - dt.timedelta(days=1))
    version = make.newest_version().number
    changed = [entry for entry in proposed_diff(version).entries if entry.item == "gpt-5.4-mini" and entry.writes]
    assert [(entry.component, entry.old, entry.new) for entry in changed] == [
        ("output", Decimal("9.00"), Decimal("4.5"))
    ]


@pytest.mark.parametrize("origin", ["manual", "negotiated"])
def test_nothing_is_proposed_against_a_price_by_hand_or_negotiated(catalogue: None, origin: str) -> None:
    item = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(item, "output", "9.00", origin=origin, valid_from=NOON - dt.timedelta(days=1))
    keys = [
        (price.component, price.mode) for price in proposed(make.newest_version().number) if price.code == item.code
    ]
    assert ("output", "standard") not in keys
    assert ("input", "standard") in keys


def test_nothing_is_proposed_against_a_withdrawal_or_for_a_retired_model(catalogue: None) -> None:
    item = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(item, "output", None, kind="withdrawn", origin="library", valid_from=NOON - dt.timedelta(days=1))
    prices = proposed(make.newest_version().number)
    assert ("gpt-5.4-mini", "output", "standard") not in [(one.code, one.component, one.mode) for one in prices]
    assert not [one for one in prices if one.code in ("deepseek-chat", "claude-sonnet-4-5")]


def test_a_proposal_says_where_it_comes_from(seeded: None) -> None:
    one = next(price for price in proposed() if price.code == "gpt-5.4")
    assert (one.origin, one.currency, one.unit) == ("library", "USD", "mtok")
    assert one.source_url == "https://github.com/pydantic/genai-prices/blob/main/prices/providers/openai.yml"
    assert one.note == f"genai-prices {library.release()}"


def test_the_report_names_what_only_one_of_the_two_has(seeded: None) -> None:
    assert [(line.code, line.component, line.mode, line.theirs) for line in lines(ONLY_THEIRS)] == [
        ("mistral-embed", "input", "batch", Decimal("0.05"))
    ]
    assert [(line.code, line.component, line.mode, line.ours) for line in lines(ONLY_OURS)] == [
        ("gemini-2.5-flash", "cache_read", "batch", Decimal("0.03"))
    ]
    assert lines(DIFFERS) == []


def test_the_report_says_why_a_model_is_not_compared(seeded: None) -> None:
    assert {line.code: line.reason for line in lines(NOT_COMPARED)} == {
        "claude-sonnet-4-5": "retired",
        "deepseek-chat": "retired",
    }


def test_a_difference_has_both_amounts_with_dates_and_percent(catalogue: None) -> None:
    """4.50 of the library against 9.00 of ours: 50 % less."""
    start = NOON - dt.timedelta(days=1)
    item = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(item, "output", "9.00", origin="manual", valid_from=start, checked_on=dt.date(2026, 11, 20))
    (line,) = lines(DIFFERS, make.newest_version().number)
    assert (line.code, line.component, line.mode) == ("gpt-5.4-mini", "output", "standard")
    assert (line.ours, line.theirs, line.percent) == (Decimal(9), Decimal("4.5"), Decimal(-50))
    assert (line.our_start, line.our_checked_on, line.our_origin) == (start, dt.date(2026, 11, 20), "manual")


def test_the_report_counts_and_leaves_out_what_agrees(seeded: None) -> None:
    whole = discrepancies.report(1, NOON)
    assert discrepancies.counts(whole)[SAME] == 77
    assert len(discrepancies.worth_a_look(whole)) == len(whole) - 77


def test_reading_the_library_writes_nothing(seeded: None) -> None:
    before = PriceRow.objects.count()
    library.proposal(1, NOON)
    discrepancies.report(1, NOON)
    assert PriceRow.objects.count() == before
