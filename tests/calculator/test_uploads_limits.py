"""What is refused before a body is read, what no cache keeps, and that no refusal writes visitor text into a log."""

import io
import logging
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from calculator import countpages, modelupload, uploads
from calculator.counting import isolated, limits
from tests import pagetext
from tests.counting import papers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
COUNT, MODEL = "/fr/tokens/count", "/fr/inference/model"
SECRET = "motsecret"


class Untouched(io.RawIOBase):
    """A body that must not be read."""

    def read(self, *_args: Any) -> bytes:
        raise AssertionError("the body was read")

    readinto = readline = read  # type: ignore[assignment]


def announced(path: str, length: str) -> Any:
    """A request whose body has this announced length and may not be read."""
    request = RequestFactory().post(path)
    request.META["CONTENT_LENGTH"] = length
    request.META["CONTENT_TYPE"] = "multipart/form-data; boundary=x"
    request._stream = Untouched()  # type: ignore[attr-defined]
    return request


def test_beyond_the_room_of_a_process_a_big_body_is_sent_away_unread_and_told_when_to_come_again() -> None:
    taken = [uploads.ROOM.acquire(blocking=False) for _number in range(limits.BIG_COUNTS)]
    try:
        assert all(taken)
        response = countpages.count(announced(COUNT, str(limits.BIG_BYTES + 1)))
    finally:
        for _one in taken:
            uploads.ROOM.release()
    assert (response.status_code, response.headers["Retry-After"]) == (503, "10")
    assert "réessayez dans 10 s" in pagetext.words(response.content.decode())
    assert "no-store" in response.headers["Cache-Control"]


def test_a_small_body_is_counted_while_big_ones_fill_the_room(client: Client) -> None:
    taken = [uploads.ROOM.acquire(blocking=False) for _number in range(limits.BIG_COUNTS)]
    try:
        assert client.post(COUNT, {"text": "un", "tokenizers": ["cl100k_base"]}).status_code == 200
    finally:
        for _one in taken:
            uploads.ROOM.release()


@pytest.mark.parametrize("content", [b"mot " * 300_000, b"\xff" * 1_200_000])
def test_the_room_is_free_again_after_a_big_body_counted_or_refused(client: Client, content: bytes) -> None:
    for _attempt in range(limits.BIG_COUNTS + 1):
        upload = SimpleUploadedFile("a.txt", content)
        assert client.post(COUNT, {"uploads": [upload], "tokenizers": ["tekken"]}).status_code in (200, 422)


@pytest.mark.parametrize("name", ["a.docx", "a.pdf"])
def test_a_file_that_finds_no_room_for_a_child_is_told_when_to_come_again(client: Client, name: str) -> None:
    taken = [isolated.ROOM.acquire(blocking=False) for _number in range(limits.CHILD_COUNTS)]
    try:
        upload = SimpleUploadedFile(name, b"PK")
        response = client.post(COUNT, {"uploads": [upload], "tokenizers": ["tekken"]})
    finally:
        for _one in taken:
            isolated.ROOM.release()
    assert all(taken) and (response.status_code, response.headers["Retry-After"]) == (503, "10")


def test_the_room_for_a_child_is_free_again_after_a_refusal() -> None:
    for _attempt in range(limits.CHILD_COUNTS + 1):
        with pytest.raises(isolated.ReadingError) as caught:
            isolated.text_of_pdf(io.BytesIO(b""), seconds=0)
        assert caught.value.code == "pdf_too_slow"


@pytest.mark.parametrize("length", ["", "x", "-1", "1.5"])
def test_a_body_without_a_length_is_asked_for_it(length: str) -> None:
    for view, path in ((countpages.count, COUNT), (modelupload.model_config, MODEL)):
        response = view(announced(path, length))
        assert response.status_code == 411
        assert "Content-Length" in pagetext.words(response.content.decode())


def test_no_cache_keeps_a_page_that_shows_a_sent_configuration(client: Client) -> None:
    response = client.post(MODEL, {"config": f'{{"model_type": "{SECRET}"}}'})
    assert SECRET in response.content.decode()
    assert "no-store" in response.headers["Cache-Control"] and "private" in response.headers["Cache-Control"]


REFUSED = [
    ("a.txt", SECRET.encode() + b"\xff\xfe", ""),
    ("a.txt", SECRET.encode() + b" \xe9t\xe9", ""),
    ("a.txt", SECRET.encode() * 60_000, ""),
    (f"{SECRET}.png", b"a", ""),
    ("a.csv", f"{SECRET},b\n1,2".encode(), ""),
    ("a.csv", b"a,b\n1,2", SECRET),
    ("a.csv", f'a,{SECRET}\n1,"x"y\n'.encode(), SECRET),
    ("a.csv", f"a,{SECRET}\n1\n".encode(), SECRET),
    ("a.jsonl", f'{{"{SECRET}": 1}}'.encode(), ""),
    ("a.jsonl", f'{{"{SECRET}": 1}}'.encode(), SECRET),
    ("a.jsonl", f"{{{SECRET}".encode(), "a"),
    ("a.jsonl", f'{{"a": "{SECRET}\\ud800"}}'.encode(), "a"),
    ("a.jsonl", f'{{"{SECRET}\\ud800": "x"}}'.encode(), ""),
    (f"{SECRET}.docx", b"PK" + SECRET.encode(), ""),
    (f"{SECRET}.docx", papers.docx(f"<w:p>{SECRET}"), ""),
    (f"{SECRET}.pdf", b"%PDF" + SECRET.encode(), ""),
    (f"{SECRET}.pdf", papers.encrypted_pdf(SECRET), ""),
]


@pytest.mark.parametrize(("name", "content", "column"), REFUSED)
def test_no_refusal_writes_a_name_a_column_or_a_content_into_a_log(
    client: Client, caplog: pytest.LogCaptureFixture, name: str, content: bytes, column: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        upload = SimpleUploadedFile(name, content)
        own = SimpleUploadedFile(f"{SECRET}.json", f'{{"{SECRET}": 1}}'.encode())
        fields = {"uploads": [upload], "own": own, "column": column, "tokenizers": ["cl100k_base"]}
        response = client.post(COUNT, fields)
    assert response.status_code == 422
    assert SECRET not in caplog.text


CONFIGURATIONS = [
    f'{{"model_type": "{SECRET}"}}',
    f'{{"model_type": "{SECRET}\\ud800"}}',
    f'{{"{SECRET}": 1, "{SECRET}": 2}}',
    f'{{"a": {SECRET}}}',
    f'["{SECRET}"]',
    f'{{"model_type": "llama", "torch_dtype": "{SECRET}", "hidden_size": "{SECRET}"}}',
]


@pytest.mark.parametrize("config", CONFIGURATIONS)
def test_no_refused_configuration_is_written_into_a_log(
    client: Client, caplog: pytest.LogCaptureFixture, config: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        response = client.post(MODEL, {"config": config, "name": SECRET})
    assert response.status_code == 422
    assert SECRET not in caplog.text
