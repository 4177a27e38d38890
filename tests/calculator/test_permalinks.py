"""Links: everything is written, everything is read back, and what cannot be read is said in a sentence."""

import datetime as dt
import os
import runpy
from dataclasses import fields as attributes
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import pytest
from django.conf import settings
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from calculator import catalog, fields, permalinks
from calculator.domain.offers import Basis, EconomicsFacts, Mode, Sku, Throughput
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import BillingStep, EconomicsScenario, RateOrigin, Rental, TrafficBy
from calculator.fields import Quantity
from calculator.permalinks import economics as notation
from calculator.permalinks import rates

AT = dt.datetime(2026, 11, 30, 14, 0, tzinfo=dt.UTC)
BASE = EconomicsScenario(catalog_version=1, at=AT)


def number(quantity: Quantity) -> st.SearchStrategy[Decimal]:
    limits = quantity.limits
    return st.decimals(limits.low, limits.high, places=6) | st.decimals(limits.low, limits.high, places=0).filter(
        quantity.takes
    )


def whole(quantity: Quantity) -> st.SearchStrategy[int]:
    return st.integers(int(quantity.limits.low), int(quantity.limits.high))


CODES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,30}", fullmatch=True).filter(lambda code: code != "none")
INSTANTS = st.integers(946_684_800, 4_102_444_799).map(lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC))


@st.composite
def scenarios(draw: Any) -> EconomicsScenario:
    """Any scenario that the page could hold: every field varies, optional ones may be unknown."""
    values: dict[str, Any] = {
        "catalog_version": draw(whole(fields.CATALOG_VERSION)),
        "at": draw(INSTANTS),
        "sku": draw(CODES),
        "basis": draw(st.sampled_from(Basis)),
        "rental": draw(st.sampled_from(Rental)),
        "billing_step": draw(st.sampled_from(BillingStep)),
        "model": draw(st.just("") | CODES),
        "figure_id": draw(st.none() | whole(fields.FIGURE)),
        "rate_concurrency": draw(st.none() | whole(fields.CONCURRENCY)),
        "rate_origin": draw(st.none() | st.sampled_from(RateOrigin)),
        "traffic": draw(st.sampled_from(TrafficBy)),
        "cache_write_ttl": draw(st.sampled_from(["5m", "1h"])),
        "mode": draw(st.sampled_from(Mode)),
        "apis": tuple(draw(st.lists(CODES, max_size=6, unique=True))),
        "reference": draw(CODES),
    }
    for key in notation.KEYS:
        if key.quantity and not key.quantity.whole:
            value = number(key.quantity)
            values[key.attribute] = draw(st.none() | value if key.name in notation.OPTIONAL else value)
    if values["traffic"] is TrafficBy.REQUESTS:
        values["requests_count"] = draw(number(fields.REQUESTS))
    return EconomicsScenario(**values)


@given(scenario=scenarios())
def test_reading_what_was_written_gives_the_same_scenario(scenario: EconomicsScenario) -> None:
    reading = permalinks.read(QueryDict(permalinks.write(scenario)), BASE)
    assert reading.problems == ()
    assert reading.unknown == ()
    assert reading.scenario == scenario


def test_the_round_trip_covers_every_attribute_of_a_scenario() -> None:
    assert {key.attribute for key in notation.KEYS} == {attribute.name for attribute in attributes(EconomicsScenario)}
    assert len(notation.NOTATION.by_name) == len(notation.KEYS)


def test_a_link_holds_also_what_equals_a_default() -> None:
    query = parse_qs(permalinks.write(BASE))
    assert query["v"] == ["1"]
    assert query["catalog"] == ["1"]
    assert query["at"] == ["2026-11-30T14:00:00Z"]
    assert "&at=2026-11-30T14:00:00Z&" in permalinks.write(BASE)
    assert query["util"] == ["0.65"]
    assert query["volume"] == ["100000000"]
    assert query["api"] == list(BASE.apis)
    assert set(query) == ({"v"} | set(notation.NOTATION.by_name)) - notation.OPTIONAL


def test_an_unknown_optional_value_stays_out_of_the_link() -> None:
    link = permalinks.write(BASE)
    for key in ("price", "rate", "prefill", "fx", "fig", "conc", "requests", "model"):
        assert f"&{key}=" not in link
    assert "&price=1.5&" in permalinks.write(replace(BASE, price_eur=Decimal("1.50")))


def test_no_api_at_all_is_written_and_read_as_none() -> None:
    link = permalinks.write(replace(BASE, apis=()))
    assert "api=none" in link
    assert permalinks.read(QueryDict(link), BASE).kept.apis == ()


def test_absent_keys_take_the_base_and_are_listed() -> None:
    reading = permalinks.read(QueryDict("volume=50000000&sku=GPU-TITAN"), BASE)
    assert reading.scenario == replace(BASE, volume_tokens=Decimal(50_000_000), sku="GPU-TITAN")
    assert {"util", "hours", "api", "catalog", "at"} <= set(reading.defaults)
    assert not {"volume", "sku", "rate", "fx"} & set(reading.defaults)


def test_a_link_of_unknown_version_is_told_and_not_guessed() -> None:
    reading = permalinks.read(QueryDict("v=9&volume=1"), BASE)
    assert reading.scenario is None
    assert reading.kept == BASE
    assert [problem.key for problem in reading.problems] == ["v"]
    assert "«\u00a09\u00a0»" in reading.problems[0].message


def test_unknown_keys_are_named_and_the_rest_is_kept() -> None:
    reading = permalinks.read(QueryDict("volume=50000000&colour=red&form=1&go=1"), BASE)
    assert reading.unknown == ("colour",)
    assert reading.kept.volume_tokens == Decimal(50_000_000)
    assert reading.scenario is not None


@pytest.mark.parametrize(
    ("query", "key", "words"),
    [
        ("volume=abc", "volume", "un nombre de 1 à"),
        ("volume=", "volume", "vide"),
        ("volume=-5", "volume", "un nombre"),
        ("volume=NaN", "volume", "un nombre"),
        ("volume=Infinity", "volume", "un nombre"),
        ("volume=1e5", "volume", "un nombre"),
        ("volume=1%20000", "volume", "sans groupes"),
        ("volume=0", "volume", "un nombre"),
        (f"volume={'9' * 400}", "volume", "un nombre"),
        ("util=65", "util", "de 0.01 à 1"),
        ("util=0,65", "util", "point décimal"),
        ("util=0.65&util=0.7", "util", "2 fois"),
        ("basis=year", "basis", "hour, month"),
        ("rental=", "rental", "vide"),
        ("step=minute", "step", "hour, second"),
        ("mode=cheap", "mode", "standard, batch"),
        ("ttl=2h", "ttl", "5m, 1h"),
        ("at=2026-11-30", "at", "instant UTC"),
        ("at=2026-02-30T00:00:00Z", "at", "instant UTC"),
        ("at=0001-01-01T00:00:00Z", "at", "instant UTC"),
        ("at=2026-11-30T14:00:00%2B01:00", "at", "instant UTC"),
        ("catalog=1.5", "catalog", "entier"),
        ("catalog=0", "catalog", "entier"),
        ("fig=x", "fig", "entier"),
        ("sku=%00", "sku", "code"),
        ("sku=" + "A" * 200, "sku", "code"),
        ("sku=<script>", "sku", "code"),
        ("api=", "api", "vide"),
        ("api=a&api=none&api=b c", "api", "code"),
        ("&".join(f"api=a{index}" for index in range(60)), "api", "40"),
        ("traffic=requests", "requests", "nombre de requêtes"),
    ],
)
def test_a_value_that_cannot_be_read_gets_a_sentence_and_the_rest_is_kept(query: str, key: str, words: str) -> None:
    reading = permalinks.read(QueryDict(f"sku=GPU-TITAN&{query}" if key != "sku" else query), BASE)
    assert reading.scenario is None
    assert [problem.key for problem in reading.problems] == [key]
    assert words in reading.problems[0].message
    assert "\x00" not in reading.problems[0].message
    if key != "sku":
        assert reading.kept.sku == "GPU-TITAN"


def test_every_bad_value_is_told_at_once() -> None:
    reading = permalinks.read(QueryDict("volume=abc&util=9&hours=0&rate=12"), BASE)
    assert [problem.key for problem in reading.problems] == ["util", "hours", "volume"]
    assert reading.kept.rate_tok_per_s == Decimal(12)


def test_a_repeated_api_counts_once_and_keeps_the_order() -> None:
    assert permalinks.read(QueryDict("api=b&api=a&api=b"), BASE).kept.apis == ("b", "a")


@given(query=st.dictionaries(st.sampled_from([*notation.NOTATION.by_name, "v", "x"]) | st.text(), st.text()))
def test_no_query_whatever_raises(query: dict[str, str]) -> None:
    given_query = QueryDict(mutable=True)
    given_query.update(query)
    reading = permalinks.read(given_query, BASE)
    assert reading.scenario is None or permalinks.write(reading.scenario)


def facts(rate: str = "1.1172") -> EconomicsFacts:
    day = dt.date(2026, 10, 30)
    sku = Sku(
        code="GPU-PRO",
        label="GPU-PRO",
        gpu="RTX 4090",
        gpu_count=1,
        vram_gb=24.0,
        throughput=Throughput(Sourced(64.0, "tok/s", Kind.ESTIMATE), figure_id=12),
    )
    usd = Sourced(Decimal(rate), "USD/EUR", Kind.PUBLISHED, date=day)
    return EconomicsFacts(1, day, AT, sku, (sku,), (), usd, day)


def test_the_link_pins_the_figure_and_the_rate_that_the_answer_used() -> None:
    pinned = notation.pinned(BASE, facts())
    assert pinned.figure_id == 12
    assert pinned.usd_per_eur == Decimal("1.1172")


def test_a_typed_rate_leaves_no_figure_in_the_link() -> None:
    assert notation.pinned(replace(BASE, rate_tok_per_s=Decimal(500)), facts()).figure_id is None


def test_a_pinned_exchange_rate_keeps_its_source_and_a_typed_one_stays_typed() -> None:
    assert rates.released(replace(BASE, usd_per_eur=Decimal("1.1172")), facts()).usd_per_eur is None
    assert rates.released(replace(BASE, usd_per_eur=Decimal("1.2")), facts()).usd_per_eur == Decimal("1.2")


def test_a_link_does_not_depend_on_the_link_written_before() -> None:
    other = replace(BASE, sku="GPU-TITAN", apis=(), price_eur=Decimal("1.5"), volume_tokens=Decimal(1))
    same = EconomicsScenario(**{item.name: getattr(BASE, item.name) for item in attributes(BASE)})
    alone = permalinks.write(BASE)
    assert "&sku=GPU-TITAN&" in permalinks.write(other) and "price=" not in alone
    assert permalinks.write(BASE) == permalinks.write(same) == alone
    assert "&price=1.5&" in permalinks.write(other) and "&api=none&" in permalinks.write(other)


def test_the_longest_link_of_the_catalogue_fits_into_a_request_line(seeded: None) -> None:
    """Every API chosen, every number as long as its key takes it: gunicorn answers longer lines with a bare error."""
    scenario = catalog.default_scenario()
    numbers: dict[str, Any] = {
        key.attribute: key.parse(longest(key.quantity)) for key in notation.KEYS if key.quantity is not None
    }
    every = tuple(api.code for api in catalog.api_choices(scenario.catalog_version, scenario.at, include_retired=True))
    link = permalinks.write(replace(scenario, **{**numbers, "catalog_version": 1}, apis=every, model="m" * 100))
    # The file sets what the server's own processes need; nothing of it may stay in this one.
    with patch.dict(os.environ):
        limit = runpy.run_path(str(Path(settings.BASE_DIR) / "gunicorn.conf.py"))["limit_request_line"]
    assert len(f"GET /fr/economics?{link} HTTP/1.1") < limit // 2


def longest(quantity: Quantity) -> str:
    """The number of most characters that a key takes."""
    if quantity.whole:
        return str(int(quantity.limits.high))
    return fields.plain(quantity.limits.high - Decimal(1).scaleb(-fields.MAX_DECIMALS))


def test_a_link_with_changes_is_that_of_the_changed_scenario() -> None:
    changes: dict[str, Any] = {"sku": "GPU-TITAN", "price_eur": Decimal("1.5"), "apis": (), "basis": Basis.HOUR}
    assert permalinks.write(BASE, **changes) == permalinks.write(replace(BASE, **changes))
    assert permalinks.write(BASE, price_eur=None) == permalinks.write(BASE)
