"""The link of a corpus: read(write(s)) = s, numbers only, and rules between its keys."""

import datetime as dt
from decimal import Decimal

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from calculator import permalinks
from calculator.domain.offers import Mode
from calculator.domain.precision import PRECISIONS
from calculator.domain.tokens_scenario import TokensScenario, Work
from calculator.permalinks import tokens as notation
from calculator.tools.tokens import PRESETS, PROFILES

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
DEFAULT = TokensScenario(catalog_version=1, at=NOW)
codes = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,20}", fullmatch=True)
counts = st.integers(1, 10**9)
amounts = st.decimals(Decimal("0.01"), Decimal(10**6), places=2)


@st.composite
def scenarios(draw: st.DrawFn) -> TokensScenario:
    chunk = draw(st.integers(2, 10**6))
    low, high = sorted((draw(amounts), draw(amounts)))
    return TokensScenario(
        catalog_version=draw(st.integers(1, 1000)),
        at=draw(st.integers(946_684_800, 4_102_444_799).map(lambda second: dt.datetime.fromtimestamp(second, dt.UTC))),
        documents_count=draw(st.integers(1, 10**12)),
        mean_tokens=draw(amounts),
        tokenizer=draw(st.sampled_from(notation.TOKENIZERS)),
        sample_count=draw(st.none() | counts),
        sd_tokens=draw(st.none() | amounts),
        p50_tokens=draw(st.sampled_from([None, low])),
        p95_tokens=draw(st.sampled_from([None, high])),
        confidence_ratio=Decimal(draw(st.sampled_from(notation.CONFIDENCES))),
        chunk_tokens=chunk,
        overlap_tokens=draw(st.integers(0, chunk - 1)),
        embedding=draw(codes),
        apis=tuple(draw(st.lists(codes, max_size=4, unique=True).filter(lambda found: found != ["none"]))),
        mode=draw(st.sampled_from(Mode)),
        work=draw(st.sampled_from(Work)),
        sku=draw(codes),
        instances=draw(st.integers(1, 10_000)),
        model=draw(codes),
        precision=draw(st.sampled_from(list(PRECISIONS))),
        price_eur=draw(st.none() | amounts),
        read_tok_per_s=draw(st.none() | amounts),
        usd_per_eur=draw(st.none() | st.decimals(Decimal("0.1"), Decimal(10), places=4)),
        calibration=draw(st.just("") | codes),
    )


@given(scenarios())
def test_a_link_reads_back_as_the_scenario_it_was_written_from(scenario: TokensScenario) -> None:
    reading = permalinks.read(QueryDict(permalinks.write(scenario)), DEFAULT)
    assert reading.problems == ()
    assert reading.scenario == scenario


def test_a_link_carries_every_key_but_the_unknown_ones() -> None:
    keys = set(QueryDict(permalinks.write(DEFAULT)))
    assert keys == {"v", *(key.name for key in notation.KEYS)} - notation.OPTIONAL


@pytest.mark.parametrize(("query", "key"), [("chunk=64&overlap=64", "overlap"), ("p50=9&p95=8", "p95")])
def test_values_that_contradict_each_other_are_refused_by_key(query: str, key: str) -> None:
    reading = permalinks.read(QueryDict(query), DEFAULT)
    assert reading.scenario is None
    assert [problem.key for problem in reading.problems] == [key]


@pytest.mark.parametrize("preset", [*PRESETS, *PROFILES], ids=lambda preset: preset.code)
def test_every_preset_reads_without_a_problem(preset: object) -> None:
    reading = permalinks.read(QueryDict(preset.query), DEFAULT)  # type: ignore[attr-defined]
    assert reading.problems == () and reading.unknown == ()
