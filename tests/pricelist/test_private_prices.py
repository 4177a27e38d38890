"""Negotiated prices are seen by nobody outside the sales group: no page, file, command or memory gives them away."""

import datetime as dt
import io
import json
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from calculator import catalog, registry, snapshots
from calculator.catalog import COMPONENT_OF_BASIS
from calculator.domain.offers import Basis
from calculator.models import Audience, CatalogItem
from calculator.pricelist.contract import FileKind
from calculator.pricelist.writing import catalogue as catalogue_file
from calculator.snapshots import current_rows, snapshot
from tests import factories as make

pytestmark = [pytest.mark.usefixtures("seeded"), pytest.mark.django_db]
MARKS = ("0.7773", "0,7773", "559.71", "559,71", "13.3771", "13,3771", "durand", "contrat-secret")
"""The amounts as written in either language, the customer and the address: none may be anywhere."""
NOTE, SOURCE = "Contrat Durand", "https://contrat-secret.example/durand"


@pytest.fixture
def secret(seeded: None) -> Iterator[int]:
    """Private prices of a SKU and of an API in a version of their own, one of them planned."""
    version = make.make_version()
    pro = CatalogItem.objects.get(code="GPU-PRO")
    gpt = CatalogItem.objects.get(code="gpt-5.4")
    private = {"audience": "sales", "origin": "negotiated", "note": NOTE, "note_fr": NOTE, "source_url": SOURCE}
    now = timezone.now().replace(microsecond=0)
    make.make_price(pro, "instance_hour", "0.7773", valid_from=now - dt.timedelta(hours=1), **private)
    make.make_price(pro, "instance_month", "559.71", valid_from=now - dt.timedelta(hours=1), **private)
    make.make_price(pro, "instance_hour", "0.7773", valid_from=now + dt.timedelta(days=3), **private)
    make.make_price(gpt, "output", "13.3771", valid_from=now - dt.timedelta(hours=1), **private)
    make.make_upload(audience="sales", original_name="contrat-secret-durand.csv")
    make.make_event(audience="sales", subject="GPU-PRO 0.7773", reason=NOTE)
    catalog.forget()
    yield version.number
    catalog.forget()


def leaks(text: str) -> list[str]:
    folded = text.casefold()
    return [mark for mark in MARKS if mark in folded]


def text_of(content: bytes) -> str:
    """The text of a response, the parts of a workbook unpacked."""
    if not content.startswith(b"PK"):
        return content.decode("utf-8")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


def public_paths() -> list[str]:
    pages = ["", "skus/", "gpus/", "prices/", "prices/?mode=batch", "prices/?retired=1", "methodology/", "accuracy/"]
    history = ["prices/sku/GPU-PRO/", "prices/api/gpt-5.4/", "prices/sku/GPU-PRO/?on=2030-01-01"]
    tools = [
        path for name in registry.CALCULATORS for path in (name, *(f"{name}.{end}" for end in ("csv", "xlsx", "json")))
    ]
    by_hour = [
        f"economics{end}?v=1&sku=GPU-PRO&basis=hour&volume=100000000&api=gpt-5.4" for end in ("", ".json", ".csv")
    ]
    return [*pages, *history, *tools, *by_hour, "runs/", "lists/"]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_no_public_page_or_export_gives_a_private_price_away(secret: int, client: Client, language: str) -> None:
    found = {}
    for path in public_paths():
        response = client.get(f"/{language}/{path}", follow=True)
        assert response.status_code in (200, 404), path
        content = b"".join(response.streaming_content) if response.streaming else response.content
        if marks := leaks(text_of(content)):
            found[path] = marks
    assert found == {}


def test_even_people_with_the_right_see_public_prices_on_public_pages(secret: int, client: Client) -> None:
    client.force_login(make.make_user("seller", "view_private_prices"))
    for path in ("fr/prices/", "fr/economics.json?v=1&sku=GPU-PRO&basis=hour", "fr/prices/sku/GPU-PRO/"):
        assert leaks(client.get(f"/{path}", follow=True).content.decode()) == []


@pytest.mark.parametrize("name", list(registry.CALCULATORS))
def test_the_command_gives_no_private_price_away(secret: int, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("estimate", name, "--json")
    output = capsys.readouterr().out
    assert (json.loads(output) is not None, leaks(output)) == (True, [])


@pytest.mark.parametrize("kind", [FileKind.GPU, FileKind.LLM])
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_the_catalogue_as_a_file_holds_public_prices_only(secret: int, kind: FileKind, suffix: str) -> None:
    content = catalogue_file(kind, secret, timezone.now(), suffix, True)
    assert leaks(text_of(content)) == []


def test_readers_that_name_no_audience_see_the_public_price(secret: int) -> None:
    now = timezone.now()
    (pro,) = [sku for sku in catalog.sku_choices(secret, now) if sku.code == "GPU-PRO"]
    assert [price.value for price in pro.prices.values()] == [Decimal("1.50"), Decimal("830.64")]
    assert Decimal("0.7773") not in {point.amount for point in catalog.price_history("sku", "GPU-PRO", secret, now)}
    assert not [
        change
        for change in catalog.latest_changes(50)
        for *_rest, after in change.amounts
        if after == Decimal("0.7773")
    ]


def prices_seen(version: int, audience: str, at: dt.datetime) -> dict[Basis, Any]:
    known = snapshot(version, audience)
    (item,) = [one for one in known.items if one.code == "GPU-PRO"]
    rows = current_rows(known, item, at)
    return {basis: rows[component, mode, 0, "EUR"].amount for basis, (component, mode) in COMPONENT_OF_BASIS.items()}


def test_memory_is_kept_for_each_audience_apart_in_whatever_order(secret: int) -> None:
    now = timezone.now()
    private = {Basis.HOUR: Decimal("0.7773"), Basis.MONTH: Decimal("559.71")}
    public = {Basis.HOUR: Decimal("1.50"), Basis.MONTH: Decimal("830.64")}
    for audience, expected in ((Audience.SALES, private), (Audience.PUBLIC, public), (Audience.SALES, private)):
        assert prices_seen(secret, audience, now) == expected
    snapshots.forget()
    assert prices_seen(secret, Audience.PUBLIC, now) == public


def test_the_end_of_a_private_price_brings_the_public_one_back(secret: int) -> None:
    pro, now = CatalogItem.objects.get(code="GPU-PRO"), timezone.now()
    ended = now - dt.timedelta(minutes=1)
    make.make_price(pro, "instance_hour", None, audience="sales", valid_from=ended, catalog_version_id=secret)
    assert prices_seen(secret, Audience.SALES, now)[Basis.HOUR] == Decimal("1.50")


def test_seeding_again_takes_no_private_price_for_a_recorded_one(
    secret: int, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("seed")
    assert f"v{secret}: 0 changes" in capsys.readouterr().out


def test_nothing_private_is_put_into_a_shared_cache(secret: int, client: Client) -> None:
    cache.clear()
    client.force_login(make.make_user("seller", "view_private_prices"))
    response = client.get("/fr/lists/private")
    assert response.status_code == 200
    assert leaks(response.content.decode())
    assert "no-store" in response.headers["Cache-Control"]
    kept = getattr(cache, "_cache", {})
    assert not any(leaks(repr(value)) for value in kept.values())


@pytest.mark.parametrize("rights", [(), ("upload_prices", "approve_prices", "apply_prices", "rollback_prices")])
def test_the_page_of_private_prices_is_closed_to_others(secret: int, client: Client, rights: tuple[str, ...]) -> None:
    assert client.get("/fr/lists/private").status_code == 302
    client.force_login(make.make_user("other", *rights))
    assert client.get("/fr/lists/private").status_code == 403
    for path in ("fr/lists/", "fr/lists/record.csv"):
        response = client.get(f"/{path}")
        content = b"".join(response.streaming_content) if response.streaming else response.content
        assert leaks(content.decode()) == [], path
