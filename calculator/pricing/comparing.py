"""Comparing and applying a file: at once when it is small, by a worker when it is large; and how it is read."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from calculator.models import ColumnMapping, PriceUpload, PriceWork
from calculator.presenters import pricelist as words
from calculator.pricelist import mapping, publish, reading
from calculator.pricelist.archives import unpacked_bytes
from calculator.pricelist.columns import folded
from calculator.pricelist.contract import FileKind, PriceFileError, ReadOptions
from calculator.pricelist.progress import Tell, nobody
from calculator.pricelist.refusals import Refused
from calculator.pricing import said, working
from calculator.pricing.forms import NOT_TOLD, ColumnsForm

AT_ONCE_BYTES, AT_ONCE_UNPACKED_BYTES, AT_ONCE_LINES = 400_000, 4_000_000, 5_000
"""Half a second of reading, a second of writing. What is longer is done by a worker while the page waits."""
ASKED_BACK = frozenset({"kind_unknown", "encoding_unknown", "encoding_wrong"})
"""Refusals that go away when somebody says how the file is to be read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known when somebody is asked how to read a file."""

    samples: Mapping[str, tuple[str, ...]]
    initial: Mapping[str, Any]
    refusal: str


def is_long(upload: PriceUpload) -> bool:
    """Whether a file is long to read: a workbook of few bytes may hold as many rows as it likes."""
    return upload.size_bytes > AT_ONCE_BYTES or unpacked_bytes(bytes(upload.content)) > AT_ONCE_UNPACKED_BYTES


def is_large(upload: PriceUpload) -> bool:
    """Whether a file keeps its page waiting: by its length, or by what it would change."""
    return upload.new_count + upload.changed_count > AT_ONCE_LINES or is_long(upload)


def start(upload: PriceUpload, by: User) -> None:
    """Compare a file. Raises PriceFileError or Refused, unless it is large: its page then says how it went."""
    if is_long(upload):
        working.send(working.ask(upload, by, working.Step.COMPARE))
    else:
        publish.validate(with_known_columns(upload, by), by)


def step(work: PriceWork, tell: Tell) -> None:
    """What a worker does with a large file. Raises PriceFileError or Refused."""
    upload, by = work.upload, work.by
    if work.step == working.Step.COMPARE:
        publish.validate(with_known_columns(upload, by), by, tell)
        return
    if upload.diff_hash != work.seen_hash:
        raise Refused("result_moved")
    applied(upload, by, work.effective_at, work.reason, tell)


def refusal(upload: PriceUpload) -> str:
    """Why the last work on a file did not come to its end, "" when it did."""
    work = working.latest(upload)
    if work is None or work.status not in (working.Status.REFUSED, working.Status.FAILED, working.Status.LOST):
        return ""
    if work.status != working.Status.REFUSED:
        return said.broken_off(work.step)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in work.values.items()}
    if work.code.startswith(working.FILE):
        return words.refusal(PriceFileError(work.code.removeprefix(working.FILE), **values))
    return said.refusal(Refused(work.code.removeprefix(working.STEP), **values))


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


def apply(upload: PriceUpload, by: User, at: dt.datetime | None, reason: str) -> publish.Applied | None:
    """Put a file into force from `at` on; None for a large one, which a worker applies while its page waits.

    What can be refused at once is. Raises Refused, also with `compared_at`.
    """
    if upload.status != PriceUpload.Status.VALIDATED or not is_large(upload):
        return applied(upload, by, at, reason)
    publish.check_base(upload)
    publish.check_agreed(upload)
    working.send(working.ask(upload, by, working.Step.APPLY, at, reason))
    return None


def applied(upload: PriceUpload, by: User, at: dt.datetime | None, reason: str, tell: Tell = nobody) -> publish.Applied:
    """Apply; where another instant gives another result, that result is compared first.

    Raises Refused, also with `compared_at`: the page then shows what would change from that instant on.
    """
    try:
        return publish.apply(upload, by, at, reason, tell=tell)
    except Refused as refused:
        if refused.code != "result_moved" or at is None or at == upload.default_valid_from:
            raise
    publish.validate(publish.configure(upload, by, default_valid_from=at), by, tell)
    raise Refused("compared_at")
