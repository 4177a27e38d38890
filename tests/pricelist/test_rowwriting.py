"""What a file brings is written in bulk: a large file costs rows, not statements."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calculator.models import CatalogItem, Gpu, ItemAlias, PriceEvent, PriceRow
from calculator.pricelist import publish
from tests.pricelist.sending import alice, bob, csv, pro, sent

__all__ = ["alice", "bob", "pro"]
pytestmark = pytest.mark.django_db
HEAD = "model;component;amount;currency;unit;provider;label_fr;label_en;aliases"


def models(first: int, last: int) -> bytes:
    """New API models, each with one price and one other name."""
    return csv(*[f"m-{no};output;2,00;USD;mtok;V;M {no};M {no};other-{no}" for no in range(first, last)], head=HEAD)


def statements(by: User, content: bytes) -> int:
    upload = sent(by, content)
    with CaptureQueriesContext(connection) as found:
        publish.apply(upload, by)
    return len(found)


def test_a_file_of_sixty_new_models_takes_as_many_statements_as_one_of_three(alice: User) -> None:
    assert statements(alice, models(0, 3)) == statements(alice, models(3, 63))
    assert CatalogItem.objects.filter(kind="llm_model").count() == 63
    assert PriceRow.objects.filter(item__code="m-62").count() == 1
    assert ItemAlias.objects.get(alias="other-62").item.code == "m-62"
    assert PriceEvent.objects.filter(action="price").count() == 63


def test_new_items_stand_behind_the_last_one_of_their_kind_in_the_order_of_the_file(alice: User) -> None:
    publish.apply(sent(alice, models(0, 2)), alice)
    publish.apply(sent(alice, models(2, 4)), alice)
    found = CatalogItem.objects.filter(kind="llm_model").order_by("position").values_list("code", "position")
    assert list(found) == [("m-0", 1), ("m-1", 2), ("m-2", 3), ("m-3", 4)]


def sheets(first: int, last: int) -> bytes:
    rows = [f"X{no};NVIDIA;Test;96;HBM3;3350,5;a data sheet" for no in range(first, last)]
    return csv(*rows, head="name;vendor;architecture;vram_gb;mem_type;mem_bw_gb_s;source")


def test_data_sheets_of_one_file_are_written_together(alice: User) -> None:
    assert statements(alice, sheets(100, 102)) == statements(alice, sheets(200, 230))
    assert Gpu.objects.get(name="X229").mem_bw_gb_s == 3350.5
    assert PriceEvent.objects.filter(action="sheet").count() == 32
