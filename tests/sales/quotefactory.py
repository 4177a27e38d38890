"""What the tests of quotes share: people, a draft of a scenario, a sent quote with the path of its link."""

import datetime as dt
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import Group, User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from sales.models import Quote, SkuCost
from tests import pagetext
from vmcloud.accounts import roles

CUSTOMER = {"name": "Ateliers Durand", "contact": "p.durand@exemple.fr", "reference": "CDE-4711"}
# 100 M output tokens a month on GPU-PRO by the month: 830.64 € HT, 996.77 € TTC (facts of the offer, 20 % VAT).
TEAM = "v=1&volume=100000000"
# 300 M need three of them: 2 491.92 € HT, 498.38 € VAT, 2 990.30 € TTC.
THREE = "v=1&volume=300000000"


def person(name: str, *groups: str, **values: Any) -> User:
    """Somebody in these groups."""
    roles.sync()
    user = User.objects.create_user(name, **values)
    user.groups.set(Group.objects.filter(name__in=groups))
    return user


def as_person(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def seller(name: str = "alice") -> Client:
    return as_person(person(name, "sales"))


def texts(**changes: str) -> dict[str, str]:
    """What the form sends for an ordinary quote."""
    until = timezone.localdate() + dt.timedelta(days=30)
    return {**CUSTOMER, "valid_until": until.isoformat(), "language": "fr", "vat_ratio": "20", **changes}


def drafted(client: Client, query: str = TEAM, name: str = "economics", **changes: str) -> Quote:
    """A draft made through the form."""
    answer = client.post(f"{reverse('quote-new', args=[name])}?{query}", texts(**changes))
    assert answer.status_code == 303, answer.context["form"].errors
    return Quote.objects.get(pk=int(answer.headers["Location"].rpartition("/")[2]))


def send(client: Client, quote: Quote) -> HttpResponse:
    """Send a draft; the seed's exchange rate is a month old, which the seller accepts."""
    return client.post(reverse("quote-send", args=[quote.pk]), {"old_rate": "on"})


def sent(client: Client, query: str = TEAM, name: str = "economics", **changes: str) -> tuple[Quote, str]:
    """A sent quote and the path of its link."""
    draft = drafted(client, query, name, **changes)
    answer = send(client, draft)
    assert answer.status_code == 200, answer.context["refusal"]
    path = answer.context["link"].removeprefix("http://testserver")
    return Quote.objects.get(pk=draft.pk), path


def recorded_cost(amount: str, code: str = "GPU-PRO") -> None:
    """Somebody of the pricing group says what an hour of that configuration costs."""
    by = person(f"controller{SkuCost.objects.count()}", "pricing")
    data = {"sku": code, "eur_per_h": amount, "source": "hosting contract"}
    assert as_person(by).post(reverse("quote-costs"), data).status_code == 303


def line_of(quote: Quote) -> tuple[str, str, Decimal, Decimal, Decimal]:
    """The rental line of a sent quote."""
    line = quote.lines.get(position=1)
    return line.sku, line.unit, line.quantity, line.unit_eur, line.amount_eur


def text_of(answer: HttpResponse) -> str:
    """What a reader sees of a page, every blank a plain one."""
    return pagetext.words(answer.content.decode())
