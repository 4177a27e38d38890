"""The door of a quote's link: who holds the secret is let in to that quote, everybody else is told why not."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from sales.models import Quote, QuoteLink
from sales.quoting import queries, writing

HEADERS = {"Cache-Control": "private, no-store", "X-Robots-Tag": "noindex, nofollow, noarchive"}
NO_REFERRER = "no-referrer"
# Forms are sent from this page: without an origin Django refuses them, so it says so to our own server alone.
OWN_REFERRER = "same-origin"
TOKEN = re.compile(r"[\w-]{20,100}", re.ASCII)
View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Opened:
    """A link that opens its quote."""

    token: str
    link: QuoteLink
    quote: Quote


def by_link(referrer: str) -> Callable[[View], View]:
    """The view of the quote behind a token; else 404 (no such link) or 410 (revoked, withdrawn), said plainly."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, token: str, **kwargs: Any) -> HttpResponse:
            link = queries.link_by(writing.hashed(token)) if TOKEN.fullmatch(token) else None
            quote = queries.quote(link.quote_id) if link else None
            if link is None or quote is None:
                response = render(request, "sales/quote_gone.html", {"was_there": False}, status=404)
            elif link.revoked_at is not None or getattr(quote, "is_withdrawn", False):
                response = render(request, "sales/quote_gone.html", {"was_there": True}, status=410)
            else:
                response = view(request, Opened(token, link, quote), **kwargs)
            for name, value in {**HEADERS, "Referrer-Policy": referrer}.items():
                response.headers[name] = value
            return response

        return guarded

    return guard
