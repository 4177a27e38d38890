"""How often one client may ask: exactly so many times a minute, for all processes together, without its address."""

import datetime as dt
import re
from typing import Any

import pytest
from django.db import OperationalError

from sales.api import limits
from sales.models import ApiUse
from tests.sales.apisite import asked, refused

AT = dt.datetime(2026, 11, 30, 12, 0, 20, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


@pytest.fixture(autouse=True)
def three_a_minute(settings: Any) -> None:
    settings.API_RATE = 3


@pytest.mark.django_db
def test_a_minute_takes_so_many_requests_and_the_next_one_as_many_again() -> None:
    assert [limits.admitted("one", AT) for _time in range(5)] == [True, True, True, False, False]
    assert limits.admitted("one", AT + dt.timedelta(seconds=39)) is False
    assert limits.admitted("one", AT + dt.timedelta(seconds=40)) is True


@pytest.mark.django_db
def test_each_client_has_a_share_of_its_own() -> None:
    assert [limits.admitted(name, AT) for name in ("one", "one", "one", "one", "two")] == [
        True,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.django_db
def test_a_refused_request_writes_nothing(django_assert_num_queries: Any) -> None:
    for _time in range(3):
        limits.admitted("one", AT)
    with django_assert_num_queries(1) as queries:
        assert not limits.admitted("one", AT)
    assert queries.captured_queries[0]["sql"].startswith("SELECT")


@pytest.mark.django_db
def test_old_minutes_are_let_go_of() -> None:
    limits.admitted("one", AT - 7 * MINUTE)
    limits.admitted("one", AT - MINUTE)
    limits.admitted("two", AT)
    assert sorted(ApiUse.objects.values_list("minute", flat=True)) == [
        dt.datetime(2026, 11, 30, 11, 59, tzinfo=dt.UTC),
        dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC),
    ]


@pytest.mark.django_db
def test_two_processes_that_begin_a_minute_together_count_both_requests() -> None:
    """The second one finds the row that the first has just made, and adds to it."""
    minute = AT.replace(second=0)
    own = ApiUse.objects.filter(client="one", minute=minute)
    assert (limits.counted(own), limits.begun("one", minute)) == (False, True)
    assert (limits.begun("one", minute), limits.counted(own)) == (False, True)
    assert ApiUse.objects.get().count == 2


@pytest.mark.django_db
def test_the_last_place_of_a_minute_is_given_once() -> None:
    ApiUse.objects.create(client="one", minute=AT.replace(second=0), count=2)
    own = ApiUse.objects.filter(client="one")
    assert (limits.counted(own), limits.counted(own)) == (True, False)


def test_no_address_can_be_read_from_what_is_kept(settings: Any) -> None:
    """A hash under the site's own key: nobody without the key can try all addresses."""
    mark = limits.client_mark("192.0.2.7")
    assert re.fullmatch("[0-9a-f]{32}", mark)
    assert mark == limits.client_mark("192.0.2.7")
    assert mark != limits.client_mark("192.0.2.8")
    settings.SECRET_KEY = "another key than that of this site"
    assert mark != limits.client_mark("192.0.2.7")


def test_a_network_of_ipv6_is_one_client() -> None:
    assert limits.client_mark("2001:db8::1") == limits.client_mark("2001:db8:0:0:ffff::9")
    assert limits.client_mark("2001:db8::1") != limits.client_mark("2001:db8:0:1::1")


@pytest.mark.django_db
def test_the_fourth_request_is_told_when_to_come_again(seeded: None) -> None:
    assert [asked("versions").status_code for _time in range(3)] == [200, 200, 200]
    problem = refused("versions?lang=en", 429)
    assert problem["detail"] == "Too many requests: try again later."
    assert 1 <= int(asked("versions").headers["Retry-After"]) <= 60


@pytest.mark.django_db
def test_every_operation_counts_whatever_its_method_or_outcome(seeded: None) -> None:
    assert asked("gpus?limit=1").status_code == 200
    assert asked("gpus?limit=x").status_code == 422
    assert asked("estimates/tokens").status_code == 200
    assert asked("skus").status_code == 429


@pytest.mark.django_db
def test_what_describes_the_interface_is_read_without_limit() -> None:
    assert {asked("openapi.json").status_code for _time in range(5)} == {200}


@pytest.mark.django_db
def test_the_address_is_the_proxy_s_where_there_is_one(settings: Any) -> None:
    settings.BEHIND_PROXY = True
    for last in ("198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2"):
        assert asked("versions", x_forwarded_for=f"203.0.113.9, {last}").status_code == 200
    assert asked("versions", x_forwarded_for="203.0.113.77, 198.51.100.1").status_code == 429


@pytest.mark.django_db
def test_a_database_that_cannot_be_written_does_not_stop_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_arguments: object) -> bool:
        raise OperationalError("database is locked")

    monkeypatch.setattr(limits, "admitted", locked)
    assert asked("versions").status_code == 200


@pytest.mark.django_db
def test_no_limit_counts_nothing(settings: Any) -> None:
    settings.API_RATE = 0
    assert {asked("versions").status_code for _time in range(5)} == {200}
    assert ApiUse.objects.count() == 0
