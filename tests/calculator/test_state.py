"""The state of the catalogue: one small query an answer, and whatever is published is in the next one."""

import datetime as dt
from contextlib import AbstractContextManager
from typing import Protocol

import pytest
from django.test import Client

from calculator import figures, snapshots, state
from calculator.models import Figure
from tests import factories as make

pytestmark = pytest.mark.django_db
LIVE = {"HX-Request": "true"}


class AssertQueries(Protocol):
    def __call__(self, num: int) -> AbstractContextManager[object]: ...


def test_an_empty_catalogue_has_no_version() -> None:
    assert state.current() == (None, 0, 0, 0)
    assert snapshots.newest_number() is None


def test_each_change_of_the_figures_changes_the_state() -> None:
    make.make_version()
    figure = make.make_figure(make.make_sku(), 64)
    before = state.current()
    assert (before.newest_version, before.figures) == (1, (figure.pk, 1, 0))
    Figure.objects.filter(pk=figure.pk).update(withdrawn_at=make.NOW + dt.timedelta(days=1))
    assert state.current().figures == (figure.pk, 1, 1)


def test_within_one_answer_the_state_is_asked_once(django_assert_num_queries: AssertQueries) -> None:
    make.make_version()
    with django_assert_num_queries(1), state.read_once():
        assert snapshots.newest_number() == state.current().newest_version == 1
    with django_assert_num_queries(2):
        state.current()
        state.current()


def test_a_version_published_between_two_answers_is_in_the_second() -> None:
    make.make_version()
    with state.read_once():
        assert snapshots.newest_number() == 1
        make.make_version()
        assert snapshots.newest_number() == 1
    with state.read_once():
        assert snapshots.newest_number() == 2


def test_a_warm_live_answer_asks_one_query(
    seeded: None, client: Client, django_assert_num_queries: AssertQueries
) -> None:
    address = "/fr/economics?form=1&volume=100+M"
    client.get(address, headers=LIVE)
    with django_assert_num_queries(1):
        assert client.get(address, headers=LIVE).status_code == 200


def test_a_figure_published_between_two_answers_is_in_the_second(seeded: None, client: Client) -> None:
    address = "/fr/economics?form=1&volume=100+M&sku=GPU-PRO"
    before = client.get(address, headers=LIVE).content.decode()
    sku = figures.current().rows[0].sku.__class__.objects.get(code="GPU-PRO")
    make.make_figure(sku, 4242)
    after = client.get(address, headers=LIVE).content.decode()
    assert "4\u202f242\u00a0tok/s" not in before and "4\u202f242\u00a0tok/s" in after
