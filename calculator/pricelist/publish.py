"""Price files from receipt to application. Every step checks the person's right itself and records what it did.

    receive → (configure) → validate → (approve, by somebody else) → apply, or reject

Steps raise Refused, with nothing written, or PriceFileError where the file cannot be read at all. None knows of HTTP.
"""

import datetime as dt
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from calculator import requestid
from calculator.models import Audience, CatalogVersion, PriceEvent, PriceRow, PriceUpload, PriceUploadLine
from calculator.pricelist.contract import FileKind, ParsedFile, PriceFileError, ReadOptions
from calculator.pricelist.diff import compare
from calculator.pricelist.effects import would_have_changed
from calculator.pricelist.guards import Guard, guards_of, needs_second_person
from calculator.pricelist.keeping import lines_of
from calculator.pricelist.known import known_of
from calculator.pricelist.limits import FILE_BYTES
from calculator.pricelist.memory import collecting_later
from calculator.pricelist.plan import Diff, Verdict
from calculator.pricelist.progress import Stage, Tell, nobody
from calculator.pricelist.reading import read
from calculator.pricelist.refusals import APPLY, APPROVE, BACKDATE, UPLOAD, Refused, reason_of, require, rights_for
from calculator.pricelist.rowwriting import ROWS_AT_ONCE, Change, told, write
from calculator.snapshots import PARIS

logger = logging.getLogger(__name__)
Status = PriceUpload.Status
OPEN = (Status.DRAFT, Status.VALIDATED)
DONE = (Status.APPLIED, Status.ROLLED_BACK)
CONFIGURABLE = ("kind", "encoding", "decimal_mark", "columns", "default_valid_from")
NAME_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class Checked:
    """A file read, compared and guarded. `earlier` is an upload of the same bytes that was applied, if any."""

    file: ParsedFile
    diff: Diff
    guards: tuple[Guard, ...]
    earlier: PriceUpload | None = None

    @property
    def needs_second_person(self) -> bool:
        """Whether somebody who did not send the file has to approve it first."""
        return needs_second_person(self.guards)


@dataclass(frozen=True, slots=True)
class Applied:
    """The version that a step made, or had made before (`already`): a second confirmation changes nothing."""

    version: CatalogVersion
    already: bool = False


def receive(
    content: bytes,
    name: str,
    by: User,
    *,
    origin: str = PriceRow.Origin.UPLOAD,
    audience: str = Audience.PUBLIC,
    request_id: str = "",
) -> PriceUpload:
    """Store a file as it came, unread, as a draft of `by`. Raises PriceFileError for one that is too large or empty."""
    require(by, *rights_for(audience, UPLOAD))
    if len(content) > FILE_BYTES:
        raise PriceFileError("file_too_large", size=len(content), limit=FILE_BYTES)
    if not content:
        raise PriceFileError("empty")
    with transaction.atomic():
        upload = PriceUpload.objects.create(
            original_name=name[-NAME_CHARACTERS:],
            sha256=hashlib.sha256(content).hexdigest(),
            size_bytes=len(content),
            content=content,
            origin=origin,
            audience=audience,
            uploaded_by=by,
            today=timezone.now().astimezone(PARIS).date(),
        )
        record(upload, by, PriceEvent.Action.RECEIVED, after=upload.sha256, request_id=request_id)
    return upload


def record(upload: PriceUpload, by: User, action: str, request_id: str = "", **values: Any) -> None:
    """One line of the record about a file."""
    PriceEvent.objects.create(
        actor=by,
        action=action,
        audience=upload.audience,
        upload=upload,
        subject=upload.original_name,
        request_id=request_id or requestid.current(),
        **values,
    )


def configure(upload: PriceUpload, by: User, **choices: Any) -> PriceUpload:
    """Say how a draft is to be read (CONFIGURABLE) and from when its prices hold; it has to be validated again."""
    require(by, *rights_for(upload.audience, UPLOAD))
    unknown = set(choices) - set(CONFIGURABLE)
    if unknown:
        raise TypeError(f"not configurable: {sorted(unknown)}")
    fresh = {"status": Status.DRAFT, "diff_hash": "", "approved_hash": ""}
    with transaction.atomic():
        if not PriceUpload.objects.filter(pk=upload.pk, status__in=OPEN).update(**choices, **fresh):
            raise Refused("not_open")
        before = told({name: getattr(upload, name) for name in choices})
        record(upload, by, PriceEvent.Action.CONFIGURED, before=before, after=told(choices))
    return PriceUpload.objects.get(pk=upload.pk)


def options_of(upload: PriceUpload) -> ReadOptions:
    """How the file is read: what its sender said, and what was deduced when it was validated."""
    return ReadOptions(
        kind=FileKind(upload.kind) if upload.kind else None,
        encoding=upload.encoding,
        decimal_mark=upload.decimal_mark,
        columns=upload.columns,
        today=upload.today,
        origin=upload.origin,
    )


def newest() -> int:
    """The newest version's number as the database has it at this moment; 0 in an empty catalogue."""
    return CatalogVersion.objects.aggregate(newest=Max("number"))["newest"] or 0


def preview(
    upload: PriceUpload, at: dt.datetime | None = None, now: dt.datetime | None = None, tell: Tell = nobody
) -> Checked:
    """Read, compare with the newest version and guard. Writes nothing, however often. Raises PriceFileError."""
    now = now or timezone.now()
    content = bytes(upload.content)
    if hashlib.sha256(content).hexdigest() != upload.sha256:
        raise Refused("bytes_changed")
    with collecting_later():
        file = read(content, upload.original_name, options_of(upload), tell)
        known = known_of(newest(), upload.audience)
        diff = compare(file, known, at or upload.default_valid_from or now, now, tell)
        tell(Stage.GUARDING, 0, 0)
        return Checked(file, diff, guards_of(diff, known), earlier_of(upload))


def earlier_of(upload: PriceUpload) -> PriceUpload | None:
    """The last applied upload of the same bytes, whose sender sees the same prices."""
    same = PriceUpload.objects.filter(sha256=upload.sha256, audience=upload.audience, status__in=DONE)
    return same.exclude(pk=upload.pk).defer("content").order_by("-applied_at").first()


@collecting_later()
def validate(upload: PriceUpload, by: User | None = None, tell: Tell = nobody) -> Checked:
    """Read and compare a draft, and keep what was found: its lines, counts, the hash of its diff, how it was read.

    With errors it stays a draft, and what was only deduced about reading it is not kept: the next try deduces again.
    """
    by = by or upload.uploaded_by
    require(by, *rights_for(upload.audience, UPLOAD))
    checked = preview(upload, tell=tell)
    diff, file = checked.diff, checked.file
    lines = lines_of(upload, checked.file, diff, checked.guards)
    with transaction.atomic():
        found = PriceUpload.objects.filter(pk=upload.pk, status__in=OPEN).update(
            **({} if diff.errors else read_as(file)),
            status=Status.DRAFT if diff.errors else Status.VALIDATED,
            base_version_id=diff.version or None,
            diff_hash=diff.digest,
            **counts_of(checked),
        )
        if not found:
            raise Refused("not_open")
        PriceUploadLine.objects.filter(upload=upload).delete()
        PriceUploadLine.objects.bulk_create(lines, batch_size=ROWS_AT_ONCE)
        record(upload, by, PriceEvent.Action.VALIDATED, after=diff.digest)
    upload.refresh_from_db()
    return checked


def read_as(file: ParsedFile) -> Mapping[str, str]:
    """How a file was read, to read it alike the next time."""
    return {
        "kind": file.kind.value,
        "format": file.format.value,
        "encoding": file.encoding,
        "delimiter": file.delimiter,
        "decimal_mark": file.decimal_mark,
    }


def counts_of(checked: Checked) -> Mapping[str, int]:
    """The counts that are kept with an upload."""
    counts = checked.diff.counts
    verdicts = (Verdict.NEW, Verdict.CHANGED, Verdict.UNCHANGED, Verdict.WITHDRAWN)
    blocked = {guard.line_no for guard in checked.guards if guard.level == "block"}
    return {
        **{f"{verdict.value}_count": counts.get(verdict.value, 0) for verdict in verdicts},
        "error_count": counts.get("error", 0),
        "warning_count": counts.get("warning", 0) + len(checked.guards) - len(blocked),
        "blocked_count": len(blocked),
    }


def approve(upload: PriceUpload, by: User, reason: str, request_id: str = "") -> None:
    """Agree, as somebody else than the sender, to exactly the diff that was validated."""
    require(by, *rights_for(upload.audience, APPROVE))
    reason = reason_of(reason)
    if by.pk == upload.uploaded_by_id or is_own_reading(upload, by):
        raise Refused("own_upload")
    with transaction.atomic():
        found = PriceUpload.objects.filter(pk=upload.pk, status=Status.VALIDATED, diff_hash=upload.diff_hash)
        if not found.update(approved_by=by, approved_at=timezone.now(), approved_hash=upload.diff_hash):
            raise Refused("not_validated")
        record(upload, by, PriceEvent.Action.APPROVED, after=upload.diff_hash, reason=reason, request_id=request_id)
    upload.refresh_from_db()


def is_own_reading(upload: PriceUpload, by: User) -> bool:
    """Whether nobody but `by` had the file compared with this result: saying how columns are read makes prices too."""
    same = PriceEvent.objects.filter(upload=upload, action=PriceEvent.Action.VALIDATED, after=upload.diff_hash)
    return same.exists() and not same.exclude(actor=by).exists()


def reject(upload: PriceUpload, by: User, reason: str, request_id: str = "") -> None:
    """Close a draft for good: by its sender, or by a person who may approve."""
    own = by.pk == upload.uploaded_by_id
    require(by, *rights_for(upload.audience, UPLOAD if own else APPROVE))
    reason = reason_of(reason)
    with transaction.atomic():
        if not PriceUpload.objects.filter(pk=upload.pk, status__in=OPEN).update(status=Status.REJECTED):
            raise Refused("not_open")
        record(upload, by, PriceEvent.Action.REJECTED, reason=reason, request_id=request_id)
    upload.refresh_from_db()


def refuse(upload: PriceUpload | None, by: User, what: str, request_id: str = "") -> None:
    """Record an attempt that was turned away, such as a tampered form field."""
    audience = upload.audience if upload else Audience.PUBLIC
    PriceEvent.objects.create(
        actor=by, action=PriceEvent.Action.REFUSED, audience=audience, upload=upload,
        subject=what.replace("\x00", "")[:300], request_id=request_id or requestid.current(),
    )  # fmt: skip


def apply(
    upload: PriceUpload,
    by: User,
    at: dt.datetime | None = None,
    reason: str = "",
    request_id: str = "",
    tell: Tell = nobody,
) -> Applied:
    """Put a validated file into force as the next version: all of it or nothing.

    Lines without a start begin at `at` (None: the file's own default, else this moment). The stored bytes are read and
    compared again before the lock; a catalogue that has moved on, or another result than that of `upload` as the caller
    has it, refuses with the new state to be looked at. A second confirmation answers with the version of the first.
    """
    require(by, *rights_for(upload.audience, APPLY))
    fresh = PriceUpload.objects.select_related("applied_version").get(pk=upload.pk)
    if (done := done_already(fresh)) is not None:
        return done
    if fresh.status != Status.VALIDATED:
        raise Refused("not_validated")
    if fresh.diff_hash != upload.diff_hash:
        raise Refused("result_moved")
    try:
        version = checked_and_written(fresh, by, at, reason, request_id, tell)
    except (IntegrityError, Refused) as error:
        return answered_by_another(fresh, error)
    upload.refresh_from_db()
    return Applied(version)


def checked_and_written(
    upload: PriceUpload, by: User, at: dt.datetime | None, reason: str, request_id: str, tell: Tell
) -> CatalogVersion:
    """Everything that is checked outside the lock, then the transaction."""
    now = timezone.now()
    effective = at or upload.default_valid_from or now
    with collecting_later():
        checked = preview(upload, effective, now, tell)
        check_base(upload)
        check_result(upload, checked)
        check_past(checked, effective, now, by, reason)
        tell(Stage.WRITING, 0, 0)
        return written(upload, checked, Step(by, effective, now, reason.strip(), request_id))


@dataclass(frozen=True, slots=True)
class Step:
    """Who applies, from when, at what moment and why."""

    by: User
    effective: dt.datetime
    now: dt.datetime
    reason: str
    request_id: str


def done_already(upload: PriceUpload) -> Applied | None:
    """The answer to a second confirmation; None for a file that is not applied."""
    if upload.status in DONE and upload.applied_version is not None:
        return Applied(upload.applied_version, already=True)
    return None


def check_base(upload: PriceUpload) -> None:
    """Refuse when the catalogue is no longer the one that the file was compared with."""
    if (current := newest()) != (upload.base_version_id or 0):
        raise Refused("base_moved", base=upload.base_version_id or 0, version=current)


def check_result(upload: PriceUpload, checked: Checked) -> None:
    """Refuse a file with errors, without changes, with another result than shown, or that nobody else agreed to."""
    if checked.diff.errors:
        raise Refused("has_errors", count=len(checked.diff.errors))
    if checked.diff.is_empty:
        raise Refused("nothing_to_change")
    if checked.diff.digest != upload.diff_hash:
        raise Refused("result_moved")
    if checked.needs_second_person:
        check_approval(upload)


def check_agreed(upload: PriceUpload) -> None:
    """Refuse, by what was found when it was compared, a file that waits for a second person."""
    if upload.blocked_count:
        check_approval(upload)


def check_approval(upload: PriceUpload) -> None:
    """Refuse a file that nobody else agreed to as it is."""
    if upload.approved_by_id is None or upload.approved_hash != upload.diff_hash:
        raise Refused("needs_second_person")


def check_past(checked: Checked, effective: dt.datetime, now: dt.datetime, by: User, reason: str) -> None:
    """Refuse prices that begin in the past without the right and a reason for it."""
    if checked.diff.is_backdated or effective < now:
        require(by, BACKDATE)
        reason_of(reason)


def written(upload: PriceUpload, checked: Checked, step: Step) -> CatalogVersion:
    """The one transaction: the next number, the file settled on it, every row, every event. Announced after commit."""
    with transaction.atomic():
        check_base(upload)
        version = CatalogVersion.objects.create(
            number=checked.diff.version + 1,
            kind=CatalogVersion.Kind.APPLY,
            created_by_id=step.by.pk,
            summary=summary_of(checked.diff),
        )
        settle(upload, version, step)
        change = Change(step.by, version, step.effective, upload.audience, step.reason, step.request_id, upload)
        write(checked.diff, change)
        applied = {"before": estimates_told(checked.diff), "after": upload.diff_hash, "valid_from": step.effective}
        change.note(PriceEvent.Action.APPLIED, upload.original_name, **applied)
        change.keep_events()
        transaction.on_commit(lambda: announce(version))
    return version


def estimates_told(diff: Diff) -> str:
    """The saved estimates that a back-dated price would have changed, for the record: they stay as saved."""
    if not diff.is_backdated:
        return ""
    return ", ".join(saved.slug for saved in would_have_changed(diff))


def settle(upload: PriceUpload, version: CatalogVersion, step: Step) -> None:
    """Bind the file to its version, unless another confirmation was quicker."""
    found = PriceUpload.objects.filter(pk=upload.pk, status=Status.VALIDATED, diff_hash=upload.diff_hash).update(
        status=Status.APPLIED,
        applied_version=version,
        applied_by_id=step.by.pk,
        applied_at=step.now,
        effective_at=step.effective,
        reason=step.reason[:500],
    )
    if not found:
        raise IntegrityError("the upload was settled by another confirmation")


def answered_by_another(upload: PriceUpload, error: Exception) -> Applied:
    """What to answer when a check or the database refused: another confirmation of the same file may have been first.

    Else the refusal stands; a collision in the database means that the catalogue moved on.
    """
    fresh = PriceUpload.objects.select_related("applied_version").get(pk=upload.pk)
    if (done := done_already(fresh)) is not None:
        return done
    if isinstance(error, Refused):
        raise error
    check_base(fresh)
    raise Refused("not_validated")


def summary_of(diff: Diff) -> str:
    """What a version changed, in numbers alone: everybody may read it."""
    found = {verdict: diff.counts.get(verdict.value, 0) for verdict in Verdict}
    named = (Verdict.NEW, Verdict.CHANGED, Verdict.WITHDRAWN)
    return ", ".join(f"{verdict.value} {found[verdict]}" for verdict in named if found[verdict])


def announce(version: CatalogVersion) -> None:
    """Say in the log that a version holds. Nothing has to be purged: whatever is kept carries its version."""
    logger.info("catalogue version %s is in force", version.number)
