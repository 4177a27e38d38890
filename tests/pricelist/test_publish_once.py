"""A price file is applied once, from one state of the catalogue, byte for byte as sent; each step is recorded."""

import gc
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from calculator import catalog, snapshots
from calculator.models import CatalogItem, CatalogVersion, PriceEvent, PriceUpload
from calculator.pricelist import keeping, publish
from calculator.pricelist.contract import PriceFileError
from tests import factories as make
from tests.pricelist.sending import alice, blocked, bob, csv, hour, price_now, pro, refused, sent

__all__ = ["alice", "bob", "pro"]
pytestmark = pytest.mark.django_db


# --- once, and of one state


def test_p20_a_second_confirmation_answers_with_the_first_version(alice: User) -> None:
    upload = sent(alice, hour("1,60"))
    first = publish.apply(upload, alice)
    events = PriceEvent.objects.count()
    again = publish.apply(upload, alice)
    assert (again.version, again.already) == (first.version, True)
    assert (CatalogVersion.objects.count(), PriceEvent.objects.count()) == (2, events)


def test_p20_the_same_bytes_again_change_nothing_and_name_the_earlier_upload(alice: User) -> None:
    first = sent(alice, hour("1,60"))
    publish.apply(first, alice)
    again = publish.receive(hour("1,60"), "prices.csv", alice)
    checked = publish.validate(again)
    assert (checked.diff.is_empty, checked.earlier, again.unchanged_count) == (True, first, 1)
    refused("nothing_to_change", publish.apply, again, alice)


def test_p19_two_people_on_one_version_the_second_is_refused_with_the_new_state(alice: User, bob: User) -> None:
    mine, theirs = sent(alice, hour("1,60")), sent(bob, hour("1,55"))
    publish.apply(theirs, bob)
    error = refused("base_moved", publish.apply, mine, alice)
    assert error.values == {"base": 1, "version": 2}
    checked = publish.preview(mine)
    assert (checked.diff.entries[0].old, checked.diff.entries[0].new) == (Decimal("1.55"), Decimal("1.60"))
    assert price_now() == Decimal("1.55")
    publish.validate(mine)
    assert publish.apply(mine, alice).version.number == 3


def test_a_result_that_moved_without_a_new_version_is_refused(alice: User, pro: CatalogItem) -> None:
    """A planned price that came into force since: the old amount is no longer the one that was shown."""
    upload = sent(alice, hour("1,60"))
    PriceUpload.objects.filter(pk=upload.pk).update(diff_hash="0" * 64)
    refused("result_moved", publish.apply, upload, alice)


def test_p18_another_process_applies_exactly_the_bytes_that_were_previewed(alice: User, bob: User) -> None:
    upload = sent(alice, hour("1,60"))
    snapshots.forget()
    publish.apply(PriceUpload.objects.get(pk=upload.pk), bob)
    assert price_now() == Decimal("1.60")


def test_p18_bytes_that_do_not_have_their_hash_are_never_applied(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = sent(alice, hour("1,60"))
    monkeypatch.setattr(PriceUpload, "content", property(lambda self: hour("0,01"), lambda self, value: None))
    refused("bytes_changed", publish.apply, upload, alice)


def test_p18_an_attempt_that_was_turned_away_is_recorded(alice: User) -> None:
    publish.refuse(None, alice, "upload 17 of somebody else", "request-7")
    event = PriceEvent.objects.get(action="refused")
    assert (event.actor, event.subject, event.request_id) == (alice, "upload 17 of somebody else", "request-7")


def test_p17_a_preview_writes_nothing(alice: User) -> None:
    upload = sent(alice, hour("1,60"))
    written: list[str] = []

    def spy(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        written.extend([sql] if not sql.startswith("SELECT") else [])
        return execute(sql, *rest)

    with connection.execute_wrapper(spy):
        for _again in range(3):
            publish.preview(upload)
    assert written == []


def test_p22_a_warm_process_uses_the_new_price_at_its_next_request(alice: User) -> None:
    assert price_now() == Decimal("1.50")
    publish.apply(sent(alice, hour("1,60")), alice)
    assert price_now() == Decimal("1.60")


def test_p23_what_follows_an_application_runs_after_the_commit(
    alice: User, django_capture_on_commit_callbacks: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    upload = sent(alice, hour("1,60"))
    with caplog.at_level("INFO"), django_capture_on_commit_callbacks() as callbacks:
        publish.apply(upload, alice)
        assert "in force" not in caplog.text
    with caplog.at_level("INFO"):
        for callback in callbacks:
            callback()
    assert "catalogue version 2 is in force" in caplog.text


def test_p23_nothing_follows_an_application_that_failed(
    alice: User, django_capture_on_commit_callbacks: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = sent(alice, hour("1,60"))

    def broken(*args: Any) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(publish, "write", broken)
    with django_capture_on_commit_callbacks() as callbacks, pytest.raises(RuntimeError):
        publish.apply(upload, alice)
    assert (callbacks, catalog.latest_version()) == ([], 1)
    assert PriceUpload.objects.get(pk=upload.pk).status == "validated"


# --- the record


def test_p21_two_hundred_changes_leave_two_hundred_events_of_one_person(alice: User, pro: CatalogItem) -> None:
    rows = []
    for number in range(200):
        make.make_price(make.make_sku(f"SKU-{number}"), "instance_hour", "1.50")
        rows.append(f"SKU-{number};instance_hour;1,60;EUR;instance_hour")
    publish.apply(sent(alice, csv(*rows)), alice, reason="all of them", request_id="r1")
    events = PriceEvent.objects.filter(action="price")
    assert events.count() == 200
    assert set(events.values_list("actor", "before", "after", "reason", "version", "request_id")) == {
        (alice.pk, "1.5", "1.6", "all of them", 2, "r1")
    }
    assert events.filter(subject="SKU-7 instance_hour on_demand EUR").count() == 1


def test_each_step_is_recorded_with_its_person(alice: User, bob: User) -> None:
    upload = blocked(alice)
    publish.approve(upload, bob, "fine")
    publish.apply(upload, bob)
    found = PriceEvent.objects.order_by("id").values_list("action", "actor__username")
    assert list(found) == [
        ("received", "alice"),
        ("validated", "alice"),
        ("approved", "bob"),
        ("price", "bob"),
        ("applied", "bob"),
    ]


def test_the_summary_of_a_version_holds_no_amount(alice: User) -> None:
    assert publish.apply(sent(alice, hour("1,60")), alice).version.summary == "changed 1"


def test_of_a_very_large_file_the_lines_that_need_a_look_are_kept_first(
    alice: User, pro: CatalogItem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_LINES", 2)
    make.make_price(make.make_sku("GPU-TITAN"), "instance_hour", "5.40")
    rows = ["GPU-PRO;instance_month;800;EUR;instance_month", "GPU-TITAN;instance_hour;5,50;EUR;instance_hour"]
    upload = sent(alice, csv(*rows, "GPU-PRO;instance_hour;1,95;EUR;instance_hour"))
    assert (upload.new_count, upload.changed_count) == (1, 2)
    assert list(upload.lines.values_list("line_no", flat=True)) == [3, 4]


def test_whatever_happens_while_a_file_is_read_garbage_is_collected_again(alice: User) -> None:
    assert gc.isenabled()
    with pytest.raises(PriceFileError):
        sent(alice, b"no price list at all")
    assert gc.isenabled()


# --- files that are not read


def test_a_file_over_the_limit_is_refused_before_it_is_stored(alice: User) -> None:
    with pytest.raises(PriceFileError) as caught:
        publish.receive(b"x" * 20_000_001, "prices.csv", alice)
    assert caught.value.code == "file_too_large"
    with pytest.raises(PriceFileError) as caught:
        publish.receive(b"", "prices.csv", alice)
    assert (caught.value.code, PriceUpload.objects.count()) == ("empty", 0)


def test_p02_the_way_a_file_was_read_is_kept(alice: User) -> None:
    head = "sku;component;amount;currency;unit;label_fr"
    content = (f"{head}\nGPU-PRO;instance_hour;1,60 €;EUR;instance_hour;Carte dédiée\n").encode("cp1252")
    upload = sent(alice, content)
    assert (upload.encoding, upload.delimiter, upload.decimal_mark) == ("windows-1252", ";", ",")
    publish.apply(upload, alice)
    assert CatalogItem.objects.get().label_fr == "Carte dédiée"


def test_only_known_choices_are_kept(alice: User) -> None:
    upload = publish.receive(hour("1,60"), "prices.csv", alice)
    with pytest.raises(TypeError):
        publish.configure(upload, alice, status="applied")
