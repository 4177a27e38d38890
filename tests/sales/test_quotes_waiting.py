"""Which drafts wait for the agreement of a second person, and who is told so."""

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sales.models import Quote
from sales.quoting import waiting
from tests.sales import quotefactory as make
from tests.sales.quotefactory import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
FLOOR = 20
DEAR = "0.95"
"""Of GPU-PRO: 684 € of the month's 830.64 € at list, a margin of 17.65 %."""
CHEAP = "0.90"
"""648 €: a margin of 21.99 %."""


@pytest.fixture(autouse=True)
def floor(settings: Any) -> None:
    settings.QUOTE_MARGIN_FLOOR_PERCENT = FLOOR


@pytest.fixture
def approver() -> Client:
    return make.as_person(make.person("carol", "approver"))


def keys() -> frozenset[int]:
    return waiting.waiting(timezone.localdate()).keys


def decide(client: Client, quote: Quote, **data: str) -> None:
    assert client.post(reverse("quote-approve", args=[quote.pk]), {"reason": "seen", **data}).status_code == 303


def edit(client: Client, quote: Quote, **changes: str) -> None:
    assert client.post(reverse("quote-edit", args=[quote.pk]), make.texts(**changes)).status_code == 303


@pytest.mark.parametrize(("cost", "waits"), [(DEAR, True), (CHEAP, False)])
def test_a_draft_at_list_price_waits_where_its_margin_lies_below_the_floor(cost: str, waits: bool) -> None:
    make.recorded_cost(cost)
    quote = make.drafted(make.seller())
    assert (quote.pk in keys()) is waits


def test_it_is_the_newest_cost_of_that_configuration_that_counts() -> None:
    """GPU-ENTERPRISE at any cost says nothing about GPU-PRO."""
    make.recorded_cost("90", "GPU-ENTERPRISE")
    quote = make.drafted(make.seller())
    assert quote.pk not in keys()
    make.recorded_cost(CHEAP)
    make.recorded_cost(DEAR)
    assert quote.pk in keys()


def test_without_any_cost_a_draft_below_the_list_waits_and_one_at_list_price_does_not() -> None:
    client = make.seller()
    below, at_list = make.drafted(client, discount_ratio="1", reason="pilot"), make.drafted(client)
    assert keys() == {below.pk} and at_list.pk not in keys()


def test_an_agreement_ends_the_wait_until_the_terms_change(approver: Client) -> None:
    client = make.seller()
    quote = make.drafted(client, discount_ratio="30", reason="pilot")
    decide(approver, quote)
    assert keys() == frozenset()
    edit(client, quote, discount_ratio="40", reason="pilot")
    assert keys() == {quote.pk}


def test_a_declined_draft_waits_for_its_owner_and_again_once_it_is_changed(approver: Client) -> None:
    client = make.seller()
    quote = make.drafted(client, discount_ratio="30", reason="pilot")
    decide(approver, quote, refuse="1")
    assert keys() == frozenset()
    edit(client, quote, discount_ratio="25", reason="pilot")
    assert keys() == {quote.pk}


def test_what_is_sent_withdrawn_erased_or_past_its_validity_waits_for_nobody(approver: Client) -> None:
    client = make.seller()
    sent, withdrawn, erased, past = (make.drafted(client, discount_ratio="30", reason="pilot") for _turn in range(4))
    decide(approver, sent)
    assert make.send(client, sent).status_code == 200
    client.post(reverse("quote-withdraw", args=[withdrawn.pk]), {"reason": "lost"})
    client.post(reverse("quote-erase", args=[erased.pk]))
    Quote.objects.filter(pk=past.pk).update(valid_until=timezone.localdate() - dt.timedelta(days=1))
    assert keys() == frozenset()


def test_a_draft_without_a_price_or_without_its_configuration_breaks_nothing() -> None:
    make.recorded_cost(DEAR)
    client = make.seller()
    unpriced, gone = make.drafted(client), make.drafted(client)
    for draft, sku in ((unpriced, "GPU-SUPERCOMPUTE"), (gone, "GPU-GONE")):
        Quote.objects.filter(pk=draft.pk).update(query=draft.query.replace("GPU-PRO", sku))
    waits = make.drafted(client)
    assert keys() == {waits.pk} and unpriced.pk not in keys()


def test_an_approver_is_told_how_many_wait_and_sees_them(approver: Client) -> None:
    client = make.seller()
    first, second = (make.drafted(client, discount_ratio="30", reason="pilot") for _turn in range(2))
    plain = make.drafted(client)
    listed = approver.get(reverse("quotes"))
    assert "2 brouillons attendent un accord. Les voir" in text_of(listed)
    shown = approver.get(reverse("quotes"), {"state": "waiting"})
    assert {row.pk for row in shown.context["rows"]} == {first.pk, second.pk}
    assert plain.pk in {row.pk for row in listed.context["rows"]}
    assert "2 brouillons attendent un accord." in text_of(shown) and shown.context["waiting_state"] == ""
    assert '<option value="waiting" selected>brouillon qui attend un accord</option>' in shown.content.decode()
    decide(approver, first)
    assert "1 brouillon attend un accord." in text_of(approver.get(reverse("quotes")))
    decide(approver, second)
    assert "Aucun brouillon n’attend d’accord." in text_of(approver.get(reverse("quotes")))
    assert "No draft is waiting for approval." in text_of(approver.get("/en/quotes/"))


def test_other_filters_hold_beside_this_one() -> None:
    for name in ("alice", "bob"):
        make.drafted(make.seller(name), discount_ratio="30", reason="pilot")
    client = make.as_person(make.person("dora", "sales"))
    found = client.get(reverse("quotes"), {"state": "waiting", "owner": "bob"}).context["rows"]
    assert [row.owner for row in found] == ["bob"]


def test_who_may_not_agree_is_told_no_number_and_nothing_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    client = make.seller()
    make.drafted(client, discount_ratio="30", reason="pilot")
    monkeypatch.setattr(waiting, "waits", lambda *_given: pytest.fail("weighed"))
    assert "un accord." not in text_of(client.get(reverse("quotes")))


def test_where_more_drafts_stand_than_are_weighed_the_page_says_so(
    approver: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST_WEIGHED", 2)
    client = make.seller()
    for _turn in range(3):
        make.drafted(client, discount_ratio="30", reason="pilot")
    assert "Seuls les 2 brouillons les plus récents ont été examinés." in text_of(approver.get(reverse("quotes")))
    assert waiting.waiting(timezone.localdate()).is_cut


def test_costs_are_read_once_for_all_drafts(django_assert_max_num_queries: Any) -> None:
    make.recorded_cost(DEAR)
    client = make.seller()
    for _turn in range(4):
        make.drafted(client)
    with django_assert_max_num_queries(4):
        assert len(keys()) == 4
