"""Where a request comes from, as far as that can be known."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of whoever sent the request: behind a proxy the last one that the proxy wrote, else the peer.

    Earlier entries of X-Forwarded-For come from the visitor, who may write what he likes there. A socket has no
    address, and something that is none is not kept: both count as one unknown place. A listener for both families
    writes IPv4 addresses inside IPv6 (::ffff:192.0.2.1): they are told as what they are, or all would be one network.
    """
    text = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        text = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or text
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "0.0.0.0"  # noqa: S104
    return str(getattr(address, "ipv4_mapped", None) or address)
