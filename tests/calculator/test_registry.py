"""Presets and profiles: each is a link that answers, and the cases give the published figures."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from django.http import QueryDict

from calculator import answers, permalinks, registry
from calculator.domain.offers import Basis
from calculator.domain.scenario import EconomicsScenario, Rental
from calculator.tool import Preset

AT = dt.datetime(2026, 11, 30, 14, 0, tzinfo=dt.UTC)
BASE = EconomicsScenario(catalog_version=1, at=AT)
TOOL = registry.CALCULATORS[registry.ECONOMICS]
BY_CODE = {preset.code: preset for preset in (*TOOL.presets, *TOOL.profiles)}


def test_all_five_calculators_are_open() -> None:
    assert set(registry.CALCULATORS) == {"economics", "inference", "parallelism", "tokens", "training"}
    assert registry.DOORS == {}


@pytest.mark.parametrize("preset", BY_CODE.values(), ids=BY_CODE)
def test_every_preset_is_a_readable_link(preset: Preset) -> None:
    reading = permalinks.read(QueryDict(preset.query), BASE)
    assert (reading.problems, reading.unknown) == ((), ())
    assert reading.scenario == preset.applied(BASE)


@pytest.mark.parametrize(
    ("code", "millions"), [("prototype", 10), ("team", 50), ("internal", 100), ("production", 300)]
)
def test_the_volumes_are_those_of_the_published_matrix(code: str, millions: int) -> None:
    assert BY_CODE[code].applied(BASE).volume_tokens == Decimal(millions) * 10**6


def test_the_profiles_change_the_utilisation_and_nothing_else() -> None:
    ratios = {code: BY_CODE[code].applied(BASE).utilisation_ratio for code in ("office", "steady", "batch")}
    assert ratios == {"office": Decimal("0.24"), "steady": Decimal("0.65"), "batch": Decimal("0.9")}
    own = replace(BASE, volume_tokens=Decimal(7), sku="GPU-TITAN")
    links = registry.profile_links(TOOL, own)
    read = permalinks.read(QueryDict(links[0].query), BASE).kept
    assert read == replace(own, utilisation_ratio=Decimal("0.24"))
    assert [link.is_current for link in links] == [False, True, False]


def test_the_case_shown_is_marked_whatever_the_link_pins() -> None:
    pinned = replace(BASE, figure_id=2, usd_per_eur=Decimal("1.1172"))
    assert [link.code for link in registry.preset_links(TOOL, pinned) if link.is_current] == ["internal"]
    changed = replace(pinned, utilisation_ratio=Decimal("0.3"))
    assert not [link for link in registry.preset_links(TOOL, changed) if link.is_current]


@pytest.mark.django_db
def test_hours_used_of_a_titan_bill_345_whole_hours(seeded: None) -> None:
    found = answers.from_link(TOOL, QueryDict(BY_CODE["hours_used"].query)).answer
    assert found is not None
    assert (found.scenario.basis, found.scenario.rental) == (Basis.HOUR, Rental.HOURS_USED)
    assert found.estimate.gpu.paid_h == 345
    assert found.estimate.gpu.bill_eur == Decimal("1863.00")


@pytest.mark.django_db
def test_four_input_tokens_an_output_token_cost_25_dollars_a_million_on_gpt_5_4(seeded: None) -> None:
    found = answers.from_link(TOOL, QueryDict(BY_CODE["prompt"].query)).answer
    assert found is not None
    bill = next(row.bill for row in found.estimate.comparisons if row.bill.api.code == "gpt-5.4")
    assert bill.usd_per_mtok == Decimal(25)


@pytest.mark.django_db
@pytest.mark.parametrize("preset", BY_CODE.values(), ids=BY_CODE)
def test_every_preset_answers(seeded: None, preset: Preset) -> None:
    outcome = answers.from_link(TOOL, QueryDict(preset.query))
    assert outcome.answer is not None
    assert outcome.answer.estimate.gpu.total_eur is not None
    assert TOOL.page(outcome.answer).chart is not None


def test_defaults_are_those_of_the_scenario() -> None:
    assert registry.defaults_of(TOOL)["hours_per_month_h"] == Decimal(720)
    assert registry.defaults_of(TOOL)["price_eur"] is None


def test_a_preset_is_the_case_now_shown_only_where_nothing_else_differs() -> None:
    tool = registry.CALCULATORS["economics"]
    default = tool.notation.scenario(catalog_version=1, at=AT)
    team = next(preset for preset in tool.presets if preset.code == "team")
    shown = team.applied(default)
    assert registry.is_shown(tool, team, shown)
    assert registry.is_shown(tool, team, replace(shown, figure_id=7, usd_per_eur=Decimal("1.1")))
    assert not registry.is_shown(tool, team, default)
    assert not registry.is_shown(tool, team, replace(shown, input_tokens=5))
    assert [link.code for link in registry.preset_links(tool, shown) if link.is_current] == ["team"]
