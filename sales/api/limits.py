"""How often one client may ask within a minute: counted in the database, which all processes and hosts share.

A cache in the memory of each process would let a client ask so many times for each of them. No address is kept: a
client is a hash keyed by the site's secret, and its rows are gone minutes later.
"""

import datetime as dt
import ipaddress
import logging

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string
from ninja.throttling import BaseThrottle

from sales.models import ApiUse

logger = logging.getLogger(__name__)
KEPT = dt.timedelta(minutes=5)
"""How long rows stay: longer than the clocks of hosts differ."""
HASH_CHARACTERS = 32
IPV6_CLIENT_BITS = 64
"""A household or a machine has a whole network of this length to take addresses from."""


class ClientLimit(BaseThrottle):
    """The framework's door to `admitted`; 0 in the settings is no limit."""

    def allow_request(self, request: HttpRequest) -> bool:
        """Whether this request is within its client's share; a database that cannot be written stops no reading."""
        if not settings.API_RATE:
            return True
        address = import_string(settings.AXES_CLIENT_IP_CALLABLE)(request)
        try:
            return admitted(client_mark(address), timezone.now())
        except OperationalError:
            logger.exception("A request could not be counted.")
            return True

    def wait(self) -> float:
        """Seconds until the next minute begins."""
        return 60 - timezone.now().second


def client_mark(address: str) -> str:
    """A client as it is counted: its address, or its network in IPv6, as a keyed hash."""
    host = ipaddress.ip_address(address)
    bits = host.max_prefixlen if host.version == 4 else IPV6_CLIENT_BITS
    network = ipaddress.ip_network((int(host), bits), strict=False)
    return salted_hmac("sales.api", str(network), algorithm="sha256").hexdigest()[:HASH_CHARACTERS]


def admitted(client: str, at: dt.datetime) -> bool:
    """Count one request of a client, unless its minute is full. A refusal only reads: a flood writes nothing."""
    minute = at.replace(second=0, microsecond=0)
    own = ApiUse.objects.filter(client=client, minute=minute)
    if own.filter(count__gte=settings.API_RATE).exists():
        return False
    return counted(own) or begun(client, minute) or counted(own)


def counted(own: QuerySet[ApiUse]) -> bool:
    """Add one request to a minute that has begun and is not full."""
    return bool(own.filter(count__lt=settings.API_RATE).update(count=F("count") + 1))


def begun(client: str, minute: dt.datetime) -> bool:
    """Begin a client's minute with its first request, and let go of old ones; False where another process was first."""
    try:
        with transaction.atomic():
            ApiUse.objects.create(client=client, minute=minute)
    except IntegrityError:
        return False
    ApiUse.objects.filter(minute__lt=minute - KEPT).delete()
    return True
