"""Failed logins: axes locks out a name from an address; here are the two wider limits and how to undo a lock."""

import datetime as dt

from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.db.models import Q, Sum
from django.utils import timezone

from vmcloud.accounts.addresses import client_address

__all__ = ["client_address", "is_too_many", "unlock"]


def is_too_many(name: str, address: str) -> bool:
    """True when one address, whatever the names, or one name, whatever the addresses, failed too often of late."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    return any(_failures(which, since) >= settings.LOGIN_RATE for which in (Q(ip_address=address), Q(username=name)))


def _failures(which: Q, since: dt.datetime) -> int:
    found = AccessAttempt.objects.filter(which, attempt_time__gte=since).aggregate(count=Sum("failures_since_start"))
    return found["count"] or 0


def unlock(name: str = "", address: str = "") -> int:
    """Forget the failures of a name or of an address; the count of records forgotten."""
    return int(reset(username=name or None, ip=address or None))
