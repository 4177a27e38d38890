"""Figures kept in memory: a warm process sees at once what is published or withdrawn, and the past as it was."""

import datetime as dt
from contextlib import AbstractContextManager
from typing import Protocol

import pytest

from calculator import figures
from calculator.models import CatalogItem, Figure
from tests import factories as make

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


class AssertQueries(Protocol):
    def __call__(self, num: int) -> AbstractContextManager[object]: ...


@pytest.fixture
def sku() -> CatalogItem:
    make.make_version()
    return make.make_sku()


def rates(at: dt.datetime) -> list[float]:
    return [throughput.output_tok_per_s.value for _figure, throughput in figures.current().standing(at)]


def test_figures_are_read_once_and_then_only_their_state_is_asked_for(
    sku: CatalogItem, django_assert_num_queries: AssertQueries
) -> None:
    make.make_figure(sku, 64)
    with django_assert_num_queries(1):
        figures.current()
    with django_assert_num_queries(1):
        assert rates(make.NOW) == [64]
    make.make_figure(sku, 96)
    with django_assert_num_queries(2):
        figures.current()


def test_what_is_published_is_seen_by_a_warm_process_newest_first(sku: CatalogItem) -> None:
    make.make_figure(sku, 64, published_at=make.NOW - DAY)
    assert rates(make.NOW) == [64]
    make.make_figure(sku, 900, published_at=make.NOW)
    assert rates(make.NOW) == [900, 64]


def test_what_is_withdrawn_is_gone_at_once_and_stays_in_the_past(sku: CatalogItem) -> None:
    figure = make.make_figure(sku, 64, published_at=make.NOW - 2 * DAY)
    assert rates(make.NOW) == [64]
    Figure.objects.filter(pk=figure.pk).update(withdrawn_at=make.NOW - DAY)
    assert rates(make.NOW) == []
    assert rates(make.NOW - DAY - dt.timedelta(seconds=1)) == [64]


def test_an_instant_stands_for_its_whole_second(sku: CatalogItem) -> None:
    later = make.NOW + dt.timedelta(milliseconds=400)
    make.make_figure(sku, 64, published_at=later)
    assert rates(make.NOW) == [64]
    assert rates(make.NOW - dt.timedelta(seconds=1)) == []


def test_figures_announced_for_later_begin_to_stand_without_a_change_of_the_database(sku: CatalogItem) -> None:
    make.make_figure(sku, 64, published_at=make.NOW)
    make.make_figure(sku, 900, published_at=make.NOW + DAY)
    assert rates(make.NOW) == [64]
    assert rates(make.NOW + DAY) == [900, 64]


def test_a_prompt_rate_belongs_to_the_output_rate_of_the_same_conditions(sku: CatalogItem) -> None:
    make.make_figure(sku, 64, concurrency=1)
    make.make_figure(sku, 900, concurrency=16, published_at=make.NOW)
    make.make_figure(sku, 5000, concurrency=16, metric=Figure.Metric.PREFILL)
    found = {rate.concurrency: rate.prefill_tok_per_s for _figure, rate in figures.current().standing(make.NOW)}
    assert found[1] is None
    assert found[16] is not None and found[16].value == 5000


def test_an_empty_catalogue_has_no_figures(db: None) -> None:
    assert rates(make.NOW) == []
