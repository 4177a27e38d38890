"""Price files on their way in tests: sent, compared, refused; a catalogue with one price and two people."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from calculator import catalog
from calculator.models import CatalogItem, CatalogVersion, PriceEvent, PriceRow, PriceUpload
from calculator.pricelist import publish
from calculator.pricelist.refusals import Refused
from tests import factories as make

HEAD = "sku;component;amount;currency;unit"
RIGHTS = ("upload_prices", "apply_prices")


@pytest.fixture
def pro() -> CatalogItem:
    sku = make.make_sku("GPU-PRO", gpu=make.make_gpu("RTX 4090"))
    make.make_price(sku, "instance_hour", "1.50")
    return sku


@pytest.fixture
def alice(pro: CatalogItem) -> User:
    return make.make_user("alice", *RIGHTS)


@pytest.fixture
def bob(pro: CatalogItem) -> User:
    return make.make_user("bob", "approve_prices", *RIGHTS)


def csv(*rows: str, head: str = HEAD) -> bytes:
    return "\n".join([head, *rows, ""]).encode()


def hour(amount: str) -> bytes:
    return csv(f"GPU-PRO;instance_hour;{amount};EUR;instance_hour")


def sent(by: User, content: bytes, **values: Any) -> PriceUpload:
    upload = publish.receive(content, "prices.csv", by, **values)
    publish.validate(upload)
    return upload


def refused(code: str, step: Callable[..., Any], *args: Any, **values: Any) -> Refused:
    before = (CatalogVersion.objects.count(), PriceRow.objects.count(), PriceEvent.objects.count())
    with pytest.raises(Refused) as caught:
        step(*args, **values)
    assert caught.value.code == code
    assert (CatalogVersion.objects.count(), PriceRow.objects.count(), PriceEvent.objects.count()) == before
    return caught.value


def price_now(code: str = "GPU-PRO") -> Decimal | None:
    (sku,) = [one for one in catalog.sku_choices(catalog.latest_version(), timezone.now()) if one.code == code]
    prices = list(sku.prices.values())
    return prices[0].value if prices else None


def blocked(by: User) -> PriceUpload:
    upload = sent(by, hour("3,00"))
    assert upload.blocked_count == 1
    return upload
