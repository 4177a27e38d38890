"""The pages of price lists: what waits, what is planned, who made which list; private prices stay private."""

import csv
import datetime as dt
import io
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from calculator.models import PriceUpload
from calculator.pricing import downloads, queries, rows
from tests import factories as make
from tests import pagetext
from vmcloud.accounts import roles

pytestmark = pytest.mark.django_db
LATER = dt.datetime(2036, 12, 31, 23, tzinfo=dt.UTC)


def person(name: str, *groups: str) -> User:
    roles.sync()
    user = User.objects.create_user(name)
    user.groups.set(Group.objects.filter(name__in=groups))
    return user


def client_of(*groups: str) -> Client:
    client = Client()
    client.force_login(person("-".join(groups) or "plain", *groups))
    return client


def page(client: Client, name: str = "lists", language: str = "fr") -> str:
    path = reverse(name).replace("/fr/", f"/{language}/")
    answer = client.get(path)
    assert answer.status_code == 200
    return pagetext.words(answer.text)


def test_an_empty_house_says_what_will_stand_there() -> None:
    text = page(client_of("pricing"))
    assert "Aucun fichier en attente" in text and "Aucun changement de prix n’est prévu" in text


def test_a_waiting_file_shows_its_state_its_lines_and_who_sent_it() -> None:
    sent = make.make_upload(original_name="novembre.csv", status="validated", new_count=5, blocked_count=2)
    text = page(client_of("pricing"))
    assert "novembre.csv" in text and "5 nouveaux, 2 bloqués" in text and sent.uploaded_by.username in text


def test_a_version_says_who_when_why_and_from_which_file() -> None:
    make.make_sku()
    anton, paula = person("anton", "approver"), person("paula", "pricing")
    version = make.make_version(created_by=paula, summary="4 changements")
    make.make_upload(
        original_name="novembre.csv",
        status="applied",
        uploaded_by=paula,
        approved_by=anton,
        applied_version=version,
        reason="nouveau tarif d’OpenAI",
    )
    text = page(client_of("pricing"))
    for told in ("novembre.csv", "nouveau tarif d’OpenAI", "paula", "accord de anton", "4 changements"):
        assert told in text


def test_a_list_that_was_rolled_back_or_cancelled_says_why() -> None:
    make.make_sku()
    first = make.make_version()
    version = make.make_version(kind="rollback", summary="rolls back v2", rolls_back=first)
    make.make_event(action="price", version=version, reason="mauvais fichier")
    hidden = make.make_version(summary="1 planned price cancelled")
    make.make_event(action="voided", version=hidden, reason="contrat secret", audience="sales")
    client = client_of("pricing")
    assert "prix précédents rétablis mauvais fichier" in page(client) and "secret" not in page(client)
    assert "earlier prices restored" in page(client, language="en") and "Roll back" in page(client, language="en")


def test_a_planned_price_is_listed_with_its_instant_in_paris() -> None:
    make.make_price(make.make_sku(), "instance_hour", "1.60", valid_from=LATER)
    text = page(client_of("pricing"))
    assert "1,60 €" in text and "01/01/2037 00:00" in text


def test_private_files_and_prices_are_not_even_named_to_other_people() -> None:
    make.make_price(make.make_sku("GPU-SECRET"), "instance_hour", "0.77", valid_from=LATER, audience="sales")
    version = make.make_version(summary="1 prix")
    make.make_upload(original_name="client-x.csv", audience="sales", status="validated")
    sent = make.make_upload(original_name="client-y.csv", audience="sales", reason="X")
    PriceUpload.objects.filter(pk=sent.pk).update(status="applied", applied_version=version)
    make.make_event(audience="sales", subject="GPU-SECRET", after="0.77")
    pricing, both = client_of("pricing"), client_of("pricing", "sales")
    for text in (page(pricing), b"".join(pricing.get(reverse("price-record")).streaming_content).decode()):
        assert all(word not in text for word in ("client-x", "client-y", "GPU-SECRET", "0,77", "0.77"))
    assert "client-x.csv" in page(both) and "0,77 €" in page(both)
    assert "GPU-SECRET" in b"".join(both.get(reverse("price-record")).streaming_content).decode()


def test_the_sales_group_reads_private_prices_on_their_own_page() -> None:
    make.make_price(make.make_sku("GPU-SECRET"), "instance_hour", "0.77", audience="sales")
    make.make_price(make.make_sku("GPU-OPEN"), "instance_hour", "1.77")
    answer = client_of("sales").get(reverse("private-prices"))
    assert answer.headers["Cache-Control"] == "private, no-store"
    text = pagetext.words(answer.text)
    assert "GPU-SECRET" in text and "0,77 €" in text and "GPU-OPEN" not in text


def test_private_prices_that_newer_ones_replaced_or_ended_are_not_shown_as_standing() -> None:
    item, now = make.make_sku("GPU-SECRET"), timezone.now()
    for component, days, amount in (
        ("instance_hour", -30, "0.91"),
        ("instance_hour", -2, "0.77"),
        ("instance_hour", 40, "0.66"),
        ("instance_month", -30, "555"),
    ):
        make.make_price(item, component, amount, valid_from=now + dt.timedelta(days=days), audience="sales")
    ended = make.make_price(item, "instance_month", None, valid_from=now - dt.timedelta(days=1), audience="sales")
    shown = [(row.component, row.amount) for row in queries.private_rows(now)]
    assert shown == [("instance_hour", Decimal("0.77")), ("instance_hour", Decimal("0.66"))]
    assert ended not in queries.private_rows(now)


def record(client: Client, language: str = "fr") -> list[list[str]]:
    answer = client.get(f"/{language}/lists/record.csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text), delimiter=";" if language == "fr" else ","))


def test_p21_the_record_is_whole_and_in_order() -> None:
    for number in range(3):
        make.make_event(subject=f"object {number}", before=str(number), after=str(number + 1), reason="why")
    head, *lines = record(client_of("approver"))
    assert len(head) == 11 and [line[5] for line in lines] == ["object 0", "object 1", "object 2"]
    assert lines[2][7:10] == ["2", "3", "why"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_p24_formulas_are_disarmed_in_the_record(start: str) -> None:
    make.make_event(subject=f"{start}HYPERLINK(1)", reason=f"{start}1+1", before="safe")
    (line,) = record(client_of("pricing"))[1:]
    assert line[5].startswith("'") and line[9].startswith("'") and line[7] == "safe"


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("new 2, changed 1200", "2 nouveaux, 1 200 modifiés"),
        ("withdrawn 1", "1 retiré"),
        ("rolls back v2", "prix précédents rétablis"),
        ("1 planned price cancelled", "1 prix prévu annulé"),
        ("Fixtures loaded", "données livrées chargées"),
        ("", ""),
    ],
)
def test_what_a_list_changed_is_told_in_the_readers_words(kept: str, told: str) -> None:
    assert rows.summary_of(kept).replace("\u202f", " ") == told


def test_the_pages_read_in_english() -> None:
    make.make_upload(original_name="a.csv", status="validated", new_count=1)
    make.make_price(make.make_sku(), "instance_hour", "1.60", valid_from=LATER)
    client = client_of("pricing", "sales")
    assert "Pending files" in page(client, language="en") and "1 new" in page(client, language="en")
    assert "No private price" in page(client, "private-prices", "en")
    assert record(client, "en")[0][1] == "who"


def test_the_list_asks_the_database_as_often_for_many_files_as_for_few(django_assert_max_num_queries: Any) -> None:
    make.make_sku()
    client = client_of("pricing")
    for number in range(12):
        make.make_upload(original_name=f"{number}.csv", status="applied", applied_version=make.make_version())
        make.make_upload(original_name=f"waiting {number}.csv")
    with django_assert_max_num_queries(13):
        page(client)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("prices.csv", "prices.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\prices\\a.csv", "a.csv"),
        ('a"; filename=evil.html', "a_ filename_evil.html"),
        ("a\r\nX: y.csv", "a_X_ y.csv"),
        ("", "file"),
        ("...", "file"),
        ("tarifs été.csv", "tarifs été.csv"),
    ],
)
def test_a_file_goes_back_under_a_harmless_name(name: str, kept: str) -> None:
    assert downloads.safe_name(name) == kept


@pytest.mark.parametrize("content", [b"<script>alert(1)</script>", b"%PDF-1.7", b"\x89PNG", b"<svg onload=alert(1)>"])
def test_what_was_uploaded_never_comes_back_as_something_that_runs(content: bytes) -> None:
    answer = downloads.original(PriceUpload(content=content, original_name="evil.html"))
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.content == content
