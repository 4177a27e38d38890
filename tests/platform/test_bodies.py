"""Bodies that stall or trickle are given up by a real gunicorn, and what was being uploaded leaves nothing behind."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.test import RequestFactory

from tests.platform import processes
from vmcloud import bodies, incoming
from vmcloud.bodies import BoundedBody, allowed_s, bounded, said_when_given_up

PAUSE_S = 1.0
# The product's own application with a shorter patience, served by the product's own settings of gunicorn.
APPLICATION = f"""
from vmcloud.wsgi import get_wsgi_application
from vmcloud.bodies import bounded
application = bounded(get_wsgi_application(), pause_s={PAUSE_S})
"""
FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """A gunicorn of one process and one thread, so that a held thread is a held site: its port and its var/."""
    folder, var = tmp_path_factory.mktemp("application"), tmp_path_factory.mktemp("var")
    (folder / "patient.py").write_text(APPLICATION)
    (var / "incoming").mkdir()
    (var / "incoming" / "left.upload").write_bytes(b"what a killed process left")
    environment = {
        **{key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "CELERY_BROKER_URL"}},
        **{"DJANGO_SETTINGS_MODULE": "vmcloud.settings", "VMCLOUD_VAR": str(var), "PYTHONPATH": str(folder)},
        **{"WEB_CONCURRENCY": "1"},
    }
    assert processes.run("-m", "scripts.prepare", timeout_s=300, VMCLOUD_VAR=str(var)).returncode == 0
    # On a socket that is bound already: a port looked up and then bound may be gone meanwhile.
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        port, number = listening.getsockname()[1], listening.fileno()
        server = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "--threads", "1", "--bind", f"fd://{number}", "patient"],
            cwd=processes.ROOT, env=environment, pass_fds=(number,),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            wait_until_answered(port)
            yield port, var
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)


def wait_until_answered(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            if b" 200 " in exchange(port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"):
                return
        assert time.monotonic() < deadline, "gunicorn did not answer"
        time.sleep(0.1)


def exchange(port: int, sent: bytes) -> bytes:
    """What the server answers to these bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(sent)
        return b"".join(iter(lambda: client.recv(65_536), b""))


def head(path: str, length: str, content_type: str = FORM) -> bytes:
    # With the cookie of a token: without it, the check against forged requests refuses before it reads.
    cookie = f"Cookie: csrftoken={'a' * 32}"
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Content-Type: {content_type}",
        length,
        cookie,
        "Connection: close",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


@pytest.mark.parametrize(
    ("path", "content_type", "begun"),
    [
        ("/fr/tokens/count", "multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n'),
        ("/fr/tokens/count", FORM, b"text=a"),
        ("/fr/inference/model", FORM, b"config=a"),
        ("/fr/economics/save", FORM, b"volume=1"),
    ],
)
def test_a_stalled_body_is_answered_400_and_the_thread_is_free_again(
    served: tuple[int, Path], path: str, content_type: str, begun: bytes
) -> None:
    answer = exchange(served[0], head(path, "Content-Length: 5000", content_type) + begun)
    assert answer.startswith(b"HTTP/1.1 400 "), answer[:300]
    assert "interrompu" in answer.decode() or "incomplet" in answer.decode() or "was interrupted" in answer.decode()
    wait_until_answered(served[0])


def test_a_body_in_pieces_without_a_length_is_asked_for_its_length(served: tuple[int, Path]) -> None:
    for path in ("/fr/tokens/count", "/fr/inference/model"):
        answer = exchange(served[0], head(path, "Transfer-Encoding: chunked") + b"6\r\ntext=a\r\n0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 411 "), answer[:300]
        assert "Content-Length" in answer.decode()


def test_a_whole_body_is_read_as_ever(served: tuple[int, Path]) -> None:
    answer = exchange(served[0], head("/fr/tokens/count", "Content-Length: 6") + b"text=a")
    assert answer.startswith(b"HTTP/1.1 403 "), "only its token is missing"


def test_a_start_empties_the_folder_of_uploads_and_keeps_it_from_others(served: tuple[int, Path]) -> None:
    folder = served[1] / "incoming"
    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_folder_of_uploads_is_the_one_that_is_emptied(tmp_path: Path) -> None:
    assert settings.FILE_UPLOAD_TEMP_DIR == settings.VAR_DIR / "incoming"
    (tmp_path / "a.upload").write_bytes(b"a")
    (tmp_path / "folder").mkdir()
    incoming.clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_time_for_a_body_grows_with_its_size() -> None:
    # 20 s, and 100 kB a second: 50 MB in 520 s.
    assert (allowed_s(0), allowed_s(50_000_000)) == (20, 520)


class Pipe:
    """A body over a real pair of sockets, which reads like gunicorn's: until it has what was asked for."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def read(self, size: int) -> bytes:
        found = b""
        while len(found) < size and (part := self.connection.recv(1)):
            found += part
        return found

    readline = read


def test_a_trickle_that_never_pauses_is_ended_by_the_clock_of_the_whole() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        body = BoundedBody(Pipe(ours), ours, 0, pause_s=30)
        theirs.sendall(b"abc")
        assert body.read(3) == b"abc"
        body.give_up()
        with pytest.raises(TimeoutError):
            body.read(3)
        body.done()
        assert body.is_given_up and ours.gettimeout() is None


def test_the_clock_of_the_whole_gives_up_by_itself_while_a_reading_waits() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        body = BoundedBody(Pipe(ours), ours, 0, pause_s=0.2)
        ours.settimeout(None)
        with pytest.raises(TimeoutError):
            body.read(1)
        body.done()


def test_without_gunicorn_or_a_body_nothing_changes() -> None:
    seen: list[Any] = []

    def application(environ: dict[str, Any], _start: Callable[..., Any]) -> list[bytes]:
        seen.append(environ["wsgi.input"])
        return []

    ours, theirs = socket.socketpair()
    with ours, theirs:
        for environ in (
            {"CONTENT_LENGTH": "5"},
            {"gunicorn.socket": ours},
            {"gunicorn.socket": ours, "CONTENT_LENGTH": ""},
        ):
            bounded(application)({**environ, "wsgi.input": "own"}, lambda *_a: None)
        assert seen == ["own"] * 3
        bounded(application)({"gunicorn.socket": ours, "CONTENT_LENGTH": "5", "wsgi.input": "own"}, lambda *_a: None)
        assert isinstance(seen[-1], BoundedBody)
        assert not seen[-1].clock.is_alive() or seen[-1].clock.finished.is_set()
        assert ours.gettimeout() is None


def test_a_broken_body_of_any_view_is_the_senders_failure() -> None:
    middleware = said_when_given_up(lambda _request: HttpResponse("page"))
    request = RequestFactory().post("/")
    assert middleware(request).content == b"page"
    answer = middleware.process_exception(request, UnreadablePostError())  # type: ignore[attr-defined]
    assert answer.status_code == 400 and answer.headers["Cache-Control"] == "no-store"
    assert middleware.process_exception(request, OSError()) is None  # type: ignore[attr-defined]


def test_an_answer_made_of_half_a_body_is_replaced() -> None:
    class GivenUp:
        is_given_up = True

    def answer(status: int) -> HttpResponse:
        request: HttpRequest = RequestFactory().post("/")
        request.META["wsgi.input"] = GivenUp()
        return said_when_given_up(lambda _request: HttpResponse("own", status=status))(request)

    assert [answer(status).status_code for status in (200, 302, 403, 500)] == [400] * 4
    assert answer(400).content == b"own"
    assert bodies.BETWEEN_BYTES_S == 20
