"""Whatever is typed or sent, a quote's pages answer with a sentence, keep the rest, and cost no more with more rows."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from sales.models import Quote, QuoteProposal, SkuCost
from tests.sales import quotefactory as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
HUGE = "9" * 40
BAD = ["abc", HUGE, "-5", "NaN", "1e3", "\x00", "<script>alert(1)</script>", "٣٣٣", "1,2,3", " "]


@pytest.mark.parametrize("field", ["vat_ratio", "discount_ratio", "agreed_eur", "valid_until", "language"])
def test_a_bad_value_is_told_beside_its_field_and_the_rest_is_kept(field: str) -> None:
    client = make.seller()
    address = f"{reverse('quote-new', args=['economics'])}?{make.TEAM}"
    for text in BAD[:-1]:
        answer = client.post(address, make.texts(**{field: text, "reason": "x"}))
        assert answer.status_code == 422 and answer.context["form"].errors[field], text
        assert answer.context["form"]["name"].value() == "Ateliers Durand"
        assert "<script>alert" not in answer.content.decode()
    assert not Quote.objects.exists()


def test_names_that_are_too_long_or_unprintable_are_refused() -> None:
    client = make.seller()
    address = f"{reverse('quote-new', args=['economics'])}?{make.TEAM}"
    for values in (
        {"name": "x" * 201},
        {"name": "a\x00b"},
        {"name": ""},
        {"contact": "x" * 301},
        {"reference": "x" * 121},
    ):
        assert client.post(address, make.texts(**values)).status_code == 422
    assert not Quote.objects.exists()


def test_a_name_with_markup_is_shown_as_it_was_typed() -> None:
    client = make.seller()
    _quote, path = make.sent(client, name="economics", reference="<b>R&D</b>")
    for answer in (Client().get(path), client.get(reverse("quotes"))):
        told = answer.content.decode()
        assert "&lt;b&gt;R&amp;D&lt;/b&gt;" in told and "<b>R&D</b>" not in told


def test_any_search_has_an_answer() -> None:
    client = make.seller()
    make.drafted(client)
    for text in (*BAD, "2026-" + "9" * 9, "99999-1", "%", "_", "'; DROP TABLE sales_quote; --", "x" * 5000):
        for name in ("q", "state", "owner"):
            assert client.get(reverse("quotes"), {name: text}).status_code == 200


def test_numbers_that_no_quote_has_are_not_found() -> None:
    client = make.seller()
    for number in ("0", "7", HUGE, "9" * 5000):
        assert client.get(f"/fr/quotes/{number}").status_code == 404
        assert client.get(f"/fr/quotes/{number}.json").status_code == 404
        assert client.post(f"/fr/quotes/{number}/send").status_code == 404


@pytest.mark.parametrize("field", ["volume", "in", "out", "util"])
def test_a_strangers_bad_value_is_told_and_never_kept(field: str) -> None:
    _quote, path = make.sent(make.seller())
    for text in BAD:
        assert Client().get(f"{path}/change", {field: text}).status_code in {200, 422}
        assert Client().post(f"{path}/propose", {field: text}).status_code in {303, 422}
    kept = QuoteProposal.objects.values_list("query", flat=True)
    assert all("script" not in query and HUGE not in query for query in kept)


def test_a_long_comment_is_cut_to_what_is_kept() -> None:
    _quote, path = make.sent(make.seller())
    assert Client().post(f"{path}/propose", {"volume": "300 M", "comment": "é" * 5000 + "\x00"}).status_code == 303
    assert len(QuoteProposal.objects.get().comment) == 1000


def test_a_comment_keeps_its_lines_and_a_reason_its_length() -> None:
    client = make.seller()
    quote, path = make.sent(client)
    Client().post(f"{path}/propose", {"volume": "300 M", "comment": "Bonjour,\r\n\r\n300 M suffisent."})
    assert QuoteProposal.objects.get().comment == "Bonjour,\n\n300 M suffisent."
    reason = "Le client a changé d’avis, " * 10
    client.post(reverse("quote-withdraw", args=[quote.pk]), {"reason": reason})
    assert quote.events.get(action="withdrawn").reason == reason.strip()


def test_a_bad_cost_is_told() -> None:
    client = make.as_person(make.person("paula", "pricing"))
    for text in BAD:
        answer = client.post(reverse("quote-costs"), {"sku": "GPU-PRO", "eur_per_h": text, "source": "contract"})
        assert answer.status_code == 422
    assert not SkuCost.objects.exists()


def test_the_list_costs_the_same_whatever_it_holds(django_assert_max_num_queries: Any) -> None:
    client = make.seller()
    for _each in range(4):
        make.sent(client)
    client.get(reverse("quotes"))
    # The session, the person, his two kinds of rights, the quotes, their owners, and the newest list in the footer.
    with django_assert_max_num_queries(9):
        client.get(reverse("quotes"))


def test_the_programming_interface_knows_no_quotes() -> None:
    assert "quote" not in Client().get("/api/v1/openapi.json").content.decode().casefold().replace("quotes to", "")
