"""Comparing a file: at once when it is small, beside the answer when it is large; and how it is to be read."""

import datetime as dt
import json
import logging
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from calculator.models import ColumnMapping, PriceUpload
from calculator.presenters import pricelist as words
from calculator.pricelist import mapping, publish, reading
from calculator.pricelist.columns import folded
from calculator.pricelist.contract import FileKind, PriceFileError, ReadOptions
from calculator.pricelist.refusals import Refused
from calculator.pricing.forms import NOT_TOLD, ColumnsForm

logger = logging.getLogger(__name__)
AT_ONCE_BYTES = 400_000
"""About five thousand rows: half a second. Longer ones are compared while their page waits."""
GIVEN_UP_AFTER_S = 300
ASKED_BACK = frozenset({"kind_unknown", "encoding_unknown", "encoding_wrong"})
"""Refusals that go away when somebody says how the file is to be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known when somebody is asked how to read a file."""

    samples: Mapping[str, tuple[str, ...]]
    initial: Mapping[str, Any]
    refusal: str


def note_of(pk: int) -> Path:
    """Where a comparison under way is noted: a file, since the page may be asked of another process."""
    folder = Path(settings.VAR_DIR) / "comparing"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / str(pk)


def keep_note(pk: int, text: str) -> None:
    """Whole under its name, or not there: the page of the file is asked for while this is written."""
    note = note_of(pk)
    with tempfile.NamedTemporaryFile("w", dir=note.parent, delete=False) as fresh:
        fresh.write(text)
    Path(fresh.name).replace(note)


def start(upload: PriceUpload, by: User) -> None:
    """Compare a file. Raises PriceFileError or Refused, unless it is large: its page then says how it went."""
    if upload.size_bytes <= AT_ONCE_BYTES:
        note_of(upload.pk).unlink(missing_ok=True)
        publish.validate(with_known_columns(upload, by), by)
        return
    keep_note(upload.pk, "{}")
    threading.Thread(target=in_thread, args=(upload, by), name=f"compare-{upload.pk}", daemon=True).start()


def in_thread(upload: PriceUpload, by: User) -> None:
    """One comparison in a thread of its own, whose connection to the database ends with it."""
    try:
        work(upload, by)
    finally:
        connection.close()


def work(upload: PriceUpload, by: User) -> None:
    """One comparison; a refusal is left for the page."""
    note = note_of(upload.pk)
    try:
        publish.validate(with_known_columns(upload, by), by)
    except PriceFileError as refused:
        keep_note(upload.pk, json.dumps({"code": refused.code, "values": refused.values}, default=str))
    except Refused as refused:
        logger.info("price file %s was not compared: %s", upload.pk, refused)
        note.unlink(missing_ok=True)
    except BaseException:
        note.unlink(missing_ok=True)
        raise
    else:
        note.unlink(missing_ok=True)


def seconds_under_way(upload: PriceUpload) -> int | None:
    """How long the comparison of a file has been going on; None when it is not, or when its process is gone."""
    try:
        note = note_of(upload.pk)
        age = time.time() - note.stat().st_mtime
        is_over = note.read_text() != "{}"
    except FileNotFoundError:
        return None
    return None if is_over or age > GIVEN_UP_AFTER_S else int(age)


def refusal(upload: PriceUpload) -> str:
    """Why a large file could not be read, "" when it could."""
    try:
        said = json.loads(note_of(upload.pk).read_text())
    except FileNotFoundError:
        return ""
    if not said:
        return ""
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in said["values"].items()}
    return words.refusal(PriceFileError(said["code"], **values))


def with_known_columns(upload: PriceUpload, by: User) -> PriceUpload:
    """A file that nothing was said about yet is read as this person told to read such headers before."""
    if upload.columns or not ColumnMapping.objects.filter(user=by).exists():
        return upload
    headers = reading.headers_of(bytes(upload.content), upload.original_name, unmapped(upload))
    known = mapping.remembered(by, kind_of(upload, headers), headers)
    return publish.configure(upload, by, columns=known) if known else upload


def kind_of(upload: PriceUpload, headers: Iterable[str]) -> FileKind:
    """What the file holds: as said, else what its headers most probably name."""
    return FileKind(upload.kind) if upload.kind else mapping.probable_kind(headers)


def unmapped(upload: PriceUpload) -> ReadOptions:
    """What was said about a file, but for its headers."""
    return ReadOptions(encoding=upload.encoding, today=upload.today)


def asked(upload: PriceUpload, by: User) -> Asked:
    """The headers of a file with their first values, and what was said about them before."""
    initial = {"kind": upload.kind, "encoding": upload.encoding, "decimal_mark": upload.decimal_mark}
    try:
        samples = reading.headers_of(bytes(upload.content), upload.original_name, unmapped(upload))
    except PriceFileError as error:
        return Asked({}, initial, words.refusal(error))
    known = {**mapping.remembered(by, kind_of(upload, samples), samples), **upload.columns}
    probable = mapping.proposed(samples, kind_of(upload, samples))
    for place, header in enumerate(samples):
        if (column := known.get(header, probable.get(header) or NOT_TOLD)) != NOT_TOLD:
            initial[f"column-{place}"] = column
    return Asked(samples, initial, "")


def configure(upload: PriceUpload, by: User, form: ColumnsForm) -> PriceUpload:
    """Keep what was said about a file, and the meaning of its headers for the next ones. Refused when it is closed."""
    told = form.mapping()
    said = {name: form.cleaned_data[name] for name in ("kind", "encoding", "decimal_mark")}
    again = publish.configure(upload, by, columns=told, **said)
    foreign = {header: column for header, column in told.items() if folded(header) != column}
    mapping.remember(by, form.kind_of_file(), foreign)
    return again


def apply(upload: PriceUpload, by: User, at: dt.datetime | None, reason: str) -> publish.Applied:
    """Put a file into force from `at` on. Where another instant gives another result, that result is compared first.

    Raises Refused, also with `compared_at`: the page then shows what would change from that instant on.
    """
    try:
        return publish.apply(upload, by, at, reason)
    except Refused as refused:
        if refused.code != "result_moved" or at is None or at == upload.default_valid_from:
            raise
    publish.validate(publish.configure(upload, by, default_valid_from=at), by)
    raise Refused("compared_at")
