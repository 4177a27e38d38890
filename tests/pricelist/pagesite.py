"""People of every group in front of a seeded catalogue, and files to upload."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from calculator.models import PriceUpload
from tests import pagetext
from vmcloud.accounts import roles

HEAD_GPU = "sku;component;mode;amount;currency;unit;checked_on"
HEAD_API = "model,component,mode,amount,currency,unit,checked_on"
# The offer's hour of GPU-PRO is 1.50 €: 1.60 is 6.7 % more, 15 is ten times as much.
SMALL = f"{HEAD_GPU}\nGPU-PRO;instance_hour;on_demand;1,60;EUR;instance_hour;2026-11-30\n"
TENFOLD = f"{HEAD_GPU}\nGPU-PRO;instance_hour;on_demand;15,00;EUR;instance_hour;2026-11-30\n"
SAME = f"{HEAD_GPU}\nGPU-PRO;instance_hour;on_demand;1,50;EUR;instance_hour;2026-11-30\n"
BROKEN = (
    f"{HEAD_GPU}\nGPU-PRO;instance_hour;on_demand;1,6O;EUR;instance_hour;2026-11-30\n"
    "GPU-TITAN;instance_hour;on_demand;;EUR;instance_hour;2026-11-30\n"
)
FOREIGN = "Réf;Poste;Tarif;Devise;Par;Remarque interne\nGPU-PRO;instance_hour;1,60;EUR;instance_hour;à revoir\n"


def client_of(*groups: str, name: str = "") -> Client:
    """A client of somebody in these groups."""
    roles.sync()
    user = User.objects.create_user(name or f"{'-'.join(groups) or 'plain'}-{User.objects.count()}")
    user.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, content: str | bytes, name: str = "prices.csv", **data: Any) -> HttpResponse:
    """Upload a file on its page."""
    raw = content.encode() if isinstance(content, str) else content
    return client.post(reverse("list-upload"), {"file": SimpleUploadedFile(name, raw), **data})


def sent(client: Client, content: str | bytes, **data: Any) -> PriceUpload:
    """Upload a file and return what was kept."""
    answer = send(client, content, **data)
    assert answer.status_code == 303, pagetext.words(answer.text)
    return PriceUpload.objects.latest("pk")


def decide(client: Client, name: str, upload: PriceUpload, **data: Any) -> HttpResponse:
    """Send a decision on the comparison that the page shows now; the seed's rate, of October, is old by now."""
    shown = PriceUpload.objects.values_list("diff_hash", flat=True).get(pk=upload.pk)
    defaults = {"seen": shown, **({"old_rate": "on"} if name == "list-apply" else {})}
    return client.post(reverse(name, args=[upload.pk]), {**defaults, **data})


def words(client: Client, name: str, *args: object, status: int = 200) -> str:
    """The text of a page."""
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == status
    return pagetext.words(answer.text)
