"""Bodies that arrive too slowly are given up, so that a few stalled connections cannot hold every thread.

gunicorn gives headers a limit and waits for a body as long as the client likes. Around the application, the reading of
a body gets one: `bounded` sets it, the middleware `said_when_given_up` makes an answer of what then fails.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.translation import gettext as _

BETWEEN_BYTES_S = 20
"""How long nothing may arrive."""
SLOWEST_BYTES_PER_S = 100_000
"""What a body must come to on the whole: 50 MB in nine minutes, beside the pause above."""

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
View = Callable[[HttpRequest], HttpResponse]


def announced_bytes(environ: Environ) -> int:
    """The length of the body as the client gave it, 0 without one: Django then reads nothing."""
    text = str(environ.get("CONTENT_LENGTH") or "")
    return int(text) if text.isascii() and text.isdigit() else 0


def allowed_s(size_bytes: int, pause_s: float = BETWEEN_BYTES_S) -> float:
    """How long a body of this size may take."""
    return pause_s + size_bytes / SLOWEST_BYTES_PER_S


class BoundedBody:
    """The body of one request, read from a connection whose silence ends it, as does the time for the whole."""

    def __init__(self, body: Any, connection: socket.socket, size_bytes: int, pause_s: float) -> None:
        self.body = body
        self.connection = connection
        self.is_given_up = False
        self.connection.settimeout(pause_s)
        # A trickle of single bytes never times out: a clock beside it ends the reading.
        self.clock = threading.Timer(allowed_s(size_bytes, pause_s), self.give_up)
        self.clock.daemon = True
        self.clock.start()

    def give_up(self) -> None:
        """End a reading that waits; what was read is incomplete."""
        self.is_given_up = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def done(self) -> None:
        """The answer is ready: the connection is as it was."""
        self.clock.cancel()
        with contextlib.suppress(OSError):
            self.connection.settimeout(None)

    def read(self, *size: int) -> bytes:
        """As of any body; TimeoutError when it comes too slowly."""
        return self._bounded(self.body.read, *size)

    def readline(self, *size: int) -> bytes:
        """As of any body; TimeoutError when it comes too slowly."""
        return self._bounded(self.body.readline, *size)

    def _bounded(self, read: Callable[..., bytes], *size: int) -> bytes:
        if not self.is_given_up:
            try:
                found = read(*size)
            except TimeoutError:
                self.is_given_up = True
            else:
                if not self.is_given_up:
                    return found
        raise TimeoutError("the body came too slowly")


def bounded(application: Application, pause_s: float = BETWEEN_BYTES_S) -> Application:
    """`application` with a limit on how long a body may take; without gunicorn's connection nothing changes."""

    def served(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        connection, size_bytes = environ.get("gunicorn.socket"), announced_bytes(environ)
        if connection is None or not size_bytes:
            return application(environ, start_response)
        body = environ["wsgi.input"] = BoundedBody(environ["wsgi.input"], connection, size_bytes, pause_s)
        try:
            return application(environ, start_response)
        finally:
            body.done()

    return served


def given_up(request: HttpRequest) -> bool:
    """Whether the body of this request was given up."""
    return bool(getattr(request.META.get("wsgi.input"), "is_given_up", False))


def broke_off() -> HttpResponse:
    """What the visitor is told, if still there."""
    text = _("L’envoi s’est interrompu\u00a0: rien n’est arrivé pendant trop longtemps. Réessayez.")
    response = HttpResponse(text, status=HTTPStatus.BAD_REQUEST, content_type="text/plain; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


def said_when_given_up(get_response: View) -> View:
    """A body that broke off or was given up is the sender's failure, 400, whatever the view made of it."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_told = response.status_code == HTTPStatus.BAD_REQUEST
        return broke_off() if given_up(request) and not is_told else response

    def process_exception(_request: HttpRequest, error: Exception) -> HttpResponse | None:
        return broke_off() if isinstance(error, UnreadablePostError) else None

    answered.process_exception = process_exception  # type: ignore[attr-defined]
    return answered
