"""What is said beside the figures: every code of the domain has a sentence, and stale data says so in time."""

import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

import calculator
from calculator.domain.economics import estimate
from calculator.domain.gpubill import PROMPT_TIME_NOT_COUNTED
from calculator.domain.offers import Mode
from calculator.domain.provenance import Sourced
from calculator.domain.scenario import EconomicsEstimate
from calculator.forms import EconomicsForm
from calculator.presenters import notices
from calculator.presenters.headline import plain
from tests.domain import factories as offer

NB, THIN = "\u00a0", "\u202f"
DOMAIN = Path(calculator.__file__).parent / "domain"
ECONOMICS_MODULES = (
    "apibill",
    "breakeven",
    "comparison",
    "economics",
    "freshness",
    "gpubill",
    "narrative",
    "steps",
    "tables",
    "workload",
)


def answer(**fields: object) -> EconomicsEstimate:
    return estimate(offer.scenario(**fields), offer.facts())


def told(result: EconomicsEstimate) -> dict[str, notices.Notice]:
    return {notice.code: notice for notice in notices.notices(result)}


def test_every_message_code_of_the_domain_is_worded_or_said_elsewhere() -> None:
    sources = [(DOMAIN / f"{name}.py").read_text() for name in ECONOMICS_MODULES]
    codes = {code for source in sources for code in re.findall(r'Message\(\s*"(\w+)"', source)}
    assert len(codes) > 5
    codes |= {"api_retired", "api_retiring", PROMPT_TIME_NOT_COUNTED}
    worded = set(notices.SENTENCES) | {"output_only"}
    assert codes - worded - notices.SILENT - notices.OF_AN_API == set()


def test_output_alone_is_said_with_what_four_to_one_would_cost() -> None:
    """(4 × 2.50 + 15.00) ÷ 1.1172 = 22.38 € per million output tokens, against 13.43 €."""
    notice = told(answer())["output_only"]
    assert notice.level == "warn" and notice.field == "id_in"
    assert plain(notice.text) == (
        f"Une API facture aussi le prompt{NB}: avec 4 tokens d’entrée par token de sortie, gpt-5.4 revient à "
        f"22,38{NB}€ par million de tokens de sortie et non 13,43{NB}€."
    )


def test_the_example_is_computed_from_the_reference_in_its_mode() -> None:
    """Batch: (4 × 1.25 + 7.50) ÷ 1.1172 = 11.19 €."""
    assert f"11,19{NB}€" in plain(told(answer(mode=Mode.BATCH))["output_only"].text)
    assert "output_only" not in told(answer(input_tokens=Decimal(10)))


def test_the_example_mixes_modes_as_the_figure_beside_it_does() -> None:
    """Half in batch: (25.00 + 12.50) ÷ 2 ÷ 1.1172 = 16.78 € with the prompt, (15.00 + 7.50) ÷ 2 ÷ 1.1172 = 10.07 €."""
    text = plain(told(answer(batch_share_ratio=Decimal("0.5")))["output_only"].text)
    assert f"16,78{NB}€" in text and f"10,07{NB}€" in text


def test_an_example_that_the_api_would_refuse_is_left_out() -> None:
    """500 output tokens with 2 000 of prompt do not fit in a window of 2 400."""
    small = replace(offer.GPT_54, context_window_tokens=2_400)
    text = plain(told(estimate(offer.scenario(), offer.facts(apis=(small,))))["output_only"].text)
    assert "€" not in text


def test_without_a_rate_the_example_is_left_out() -> None:
    result = estimate(offer.scenario(), offer.facts(usd_per_eur=None))
    assert "€" not in plain(told(result)["output_only"].text)
    assert told(result)["no_exchange_rate"].level == "bad"


def test_prompt_time_that_is_not_counted_is_said_with_the_way_out() -> None:
    notice = told(answer(input_tokens=Decimal(2000)))["prompt_time_not_counted"]
    assert notice.field == "id_prefill" and notice.action and "incomplet" in plain(notice.text)


def test_single_stream_is_always_said() -> None:
    assert told(answer())["single_stream"].lead == "Débit en un seul flux."
    assert "single_stream" not in told(answer(rate_tok_per_s=Decimal(900), rate_concurrency=16))


def test_another_mode_than_standard_is_named() -> None:
    assert told(answer(mode=Mode.BATCH))["mode_not_standard"].lead == "Tarif batch."
    assert f"30{NB}%" in told(answer(batch_share_ratio=Decimal("0.3")))["batch_share"].lead


def test_serious_notices_come_first() -> None:
    levels = [notice.level for notice in notices.notices(answer())]
    assert levels == sorted(levels, key=["bad", "warn", ""].index)


def test_what_an_api_lacks_is_said_beside_that_api() -> None:
    free = offer.api("mystery", offer.rates("1.00", None, None))
    result = estimate(offer.scenario(apis=("mystery",), mode=Mode.STANDARD), offer.facts(apis=(free,)))
    assert notices.api_reasons(result) == {"mystery": (f"prix inconnu{NB}: sortie",)}
    flex = estimate(offer.scenario(apis=("gpt-5.4",), mode=Mode.FLEX), offer.facts(apis=(offer.GPT_54,)))
    assert notices.api_reasons(flex) == {"gpt-5.4": ("pas de tarif flex",)}


def test_a_retired_model_carries_its_day() -> None:
    retired = replace(offer.GPT_54, retired_on=dt.date(2026, 11, 30))
    result = estimate(offer.scenario(apis=("gpt-5.4",)), offer.facts(apis=(retired,)))
    assert notices.api_reasons(result)["gpt-5.4"] == ("retirée le 30/11/2026",)
    soon = replace(offer.GPT_54, retired_on=dt.date(2027, 1, 14))
    later = estimate(offer.scenario(apis=("gpt-5.4",)), offer.facts(apis=(soon,)))
    assert notices.api_reasons(later)["gpt-5.4"] == ("sera retirée le 14/01/2027",)


def test_a_request_that_does_not_fit_is_said() -> None:
    small = replace(offer.GPT_54, context_window_tokens=262_144)
    result = estimate(offer.scenario(apis=("gpt-5.4",), input_tokens=Decimal(300_000)), offer.facts(apis=(small,)))
    assert f"262{THIN}144 tokens" in notices.api_reasons(result)["gpt-5.4"][0]


@pytest.mark.parametrize(
    ("at", "level"), [("2026-11-05", None), ("2026-11-06", "warn"), ("2026-11-13", "warn"), ("2026-11-16", "bad")]
)
def test_an_old_rate_is_told_the_more_strongly_the_older_it_is(at: str, level: str | None) -> None:
    """The rate is of Friday 30 October 2026: more than 4 working days on 6 November, more than 10 on the 16th."""
    instant = dt.datetime.combine(dt.date.fromisoformat(at), dt.time(12), dt.UTC)
    notice = told(answer(at=instant)).get("stale_rate")
    assert (notice.level if notice else None) == level


def test_p46_a_frozen_rate_is_never_passed_off_as_todays() -> None:
    notice = told(answer())["stale_rate"]
    assert notice.level == "bad"
    assert "Taux BCE du 30/10/2026" in plain(notice.text) and "30/11/2026" not in plain(notice.text)


def test_a_typed_rate_is_not_stale() -> None:
    assert "stale_rate" not in told(answer(usd_per_eur=Decimal("1.10")))


def priced_on(date: dt.date) -> EconomicsEstimate:
    def dated(item: Sourced[Decimal] | None) -> Sourced[Decimal] | None:
        return None if item is None else replace(item, date=date)

    tiers = tuple(replace(tier, output=dated(tier.output)) for tier in offer.GPT_54.modes[Mode.STANDARD])
    old = replace(offer.GPT_54, modes={Mode.STANDARD: tiers})
    return estimate(offer.scenario(apis=("gpt-5.4",)), offer.facts(apis=(old,)))


def test_a_price_nobody_checked_for_ninety_days_is_said() -> None:
    """30 November − 90 days = 1 September."""
    assert "stale_price" not in told(priced_on(dt.date(2026, 9, 1)))
    assert "gpt-5.4" in plain(told(priced_on(dt.date(2026, 8, 31)))["stale_price"].text)


def test_each_link_of_a_notice_leads_to_a_field_of_the_form() -> None:
    assert {field.removeprefix("id_") for field in notices.FIELD_IDS.values()} <= set(EconomicsForm.names())
