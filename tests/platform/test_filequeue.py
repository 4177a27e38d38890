"""The queue of files: a reader never meets half a message, and a file that is none does not end the worker."""

import errno
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection

from vmcloud import filequeue
from vmcloud.celery import app

MESSAGE = {"body": "é", "properties": {"delivery_tag": "1"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "queue here"
    found.mkdir()
    return found


@pytest.fixture
def channel(folder: Path) -> Iterator[Any]:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    transport = "vmcloud.filequeue:Transport"
    with Connection(transport=transport, transport_options=options) as connection:
        yield connection.channel()


def test_the_product_uses_this_queue_by_default() -> None:
    assert settings.CELERY_BROKER_TRANSPORT == "vmcloud.filequeue:Transport"
    with app.connection_for_write() as connection:
        assert isinstance(connection.transport, filequeue.Transport)


def test_messages_come_back_whole_and_in_order(channel: Any) -> None:
    for number in range(3):
        channel._put("default", {**MESSAGE, "number": number})
    assert [channel._get("default")["number"] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(Empty):
        channel._get("default")


def test_a_message_of_another_queue_stays(channel: Any) -> None:
    channel._put("gpu.local", MESSAGE)
    with pytest.raises(Empty):
        channel._get("default")
    assert channel._get("gpu.local") == MESSAGE


def test_a_reader_sees_a_message_only_once_it_is_whole(
    channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the reader's moment: until the rename there is no file that it would take, and then it is complete."""
    replace, seen = Path.replace, []

    def watched(source: Path, target: Path) -> Path:
        seen.append([path.suffix for path in folder.iterdir() if path.is_file()])
        with pytest.raises(Empty):
            channel._get("default")
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", watched)
    channel._put("default", MESSAGE)
    assert seen == [[".part"]]
    assert channel._get("default") == MESSAGE


@pytest.mark.parametrize("content", [b"", b'{"body": ', b"\xff\xfe", b"null", b"[1]", b"12"])
def test_a_file_that_is_no_message_is_named_and_taken_out(
    channel: Any, folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "0_cut.default.msg").write_bytes(content)
    channel._put("default", MESSAGE)
    with pytest.raises(Empty):
        channel._get("default")
    assert "was no message" in caplog.text
    assert channel._get("default") == MESSAGE


def test_a_full_disk_is_told_to_the_sender_and_leaves_nothing_behind(
    channel: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_up(path: Path, text: str, encoding: str) -> None:
        path.write_bytes(text.encode(encoding)[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fill_up)
    with pytest.raises(OSError, match="No space left"):
        channel._put("default", MESSAGE)
    assert [path for path in folder.iterdir() if path.is_file()] == []
