"""Long work on a price file: asked for on its page, done by a worker, its state in the database.

The message in the queue only says which row. A worker claims it by a conditional update and shows that it is alive by
what it tells; the steps themselves are idempotent, so one message too many, or a worker killed at any moment, does no
harm.
"""

import datetime as dt
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress

import kombu.exceptions
from celery import current_app
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from calculator import requestid
from calculator.models import PriceUpload, PriceWork
from calculator.pricelist.contract import PriceFileError
from calculator.pricelist.progress import Stage, Tell
from calculator.pricelist.refusals import Refused

logger = logging.getLogger(__name__)
Step, Status = PriceWork.Step, PriceWork.Status
QUEUE, TASK = "prices", "calculator.price_work"
FILE, STEP = "file:", "step:"
"""What stands before the code of a refusal: the file as a whole was refused, or the step."""
ACTIVE = (Status.WAITING, Status.RUNNING)
GONE_AFTER = dt.timedelta(minutes=5)
"""Silence after which a worker is taken for gone: while it writes, all in one transaction, it can tell nothing."""
TOLD_EVERY_S = 0.5


def ask(upload: PriceUpload, by: User, step: str, at: dt.datetime | None = None, reason: str = "") -> PriceWork:
    """Note what is to be done to a file as it is now; what is under way already is answered with, not doubled."""
    mark_lost(upload)
    try:
        with transaction.atomic():
            return PriceWork.objects.create(
                upload=upload,
                by=by,
                step=step,
                effective_at=at,
                reason=reason[:500],
                seen_hash=upload.diff_hash,
                request_id=requestid.current(),
            )
    except IntegrityError:
        return PriceWork.objects.get(upload=upload, status__in=ACTIVE)


def send(work: PriceWork) -> None:
    """Tell the workers, once the row is committed. A queue that does not answer loses nothing: the row waits."""
    transaction.on_commit(lambda: sent(work.pk))


def sent(pk: int) -> None:
    """Put the message into the queue; a queue that cannot be reached is told in the log."""
    try:
        current_app.send_task(TASK, args=(pk,), queue=QUEUE)
    except (kombu.exceptions.OperationalError, OSError) as error:
        logger.warning("the queue %s does not take work %s: %s", QUEUE, pk, error)


def mark_lost(upload: PriceUpload) -> None:
    """Close what a worker began and does not do any more, so that it can be asked for again."""
    silent = Q(seen_at__lt=timezone.now() - GONE_AFTER)
    PriceWork.objects.filter(silent, upload=upload, status=Status.RUNNING).update(
        status=Status.LOST, ended_at=timezone.now()
    )


def left_behind(worker: str) -> list[int]:
    """What waits, and what a worker of this name had begun before it started anew: to be done now."""
    PriceWork.objects.filter(status=Status.RUNNING, worker=worker[:120]).update(status=Status.WAITING)
    return list(PriceWork.objects.filter(status=Status.WAITING).order_by("id").values_list("pk", flat=True))


def latest(upload: PriceUpload) -> PriceWork | None:
    """The last work on a file."""
    return upload.works.order_by("-id").first()


def under_way(upload: PriceUpload) -> PriceWork | None:
    """The work that the page of a file waits for; None when nothing is being done."""
    found = upload.works.filter(status__in=ACTIVE).first()
    is_gone = found is not None and found.seen_at is not None and found.seen_at < timezone.now() - GONE_AFTER
    return None if is_gone else found


def claim(pk: int, worker: str) -> PriceWork | None:
    """The work of that id for this worker; None when it is not waiting any more."""
    now = timezone.now()
    claimed = PriceWork.objects.filter(pk=pk, status=Status.WAITING)
    if not claimed.update(status=Status.RUNNING, worker=worker[:120], started_at=now, seen_at=now):
        return None
    return PriceWork.objects.select_related("upload", "by").get(pk=pk)


class Told:
    """Writes how far a work is, twice a second at most."""

    def __init__(self, work: PriceWork) -> None:
        self.pk, self.stage, self.at = work.pk, "", 0.0

    def __call__(self, stage: Stage, done: int, in_all: int) -> None:
        now = time.monotonic()
        if stage == self.stage and now - self.at < TOLD_EVERY_S:
            return
        self.stage, self.at = stage, now
        fresh = {"stage": stage, "done_count": done, "all_count": in_all, "seen_at": timezone.now()}
        with suppress(OperationalError):  # a database that is busy for long costs the page a word, not the work
            PriceWork.objects.filter(pk=self.pk, status=Status.RUNNING).update(**fresh)


def end(work: PriceWork, status: str, code: str = "", values: object = None) -> None:
    """Close a work with how it ended."""
    plain = json.loads(json.dumps(values or {}, cls=DjangoJSONEncoder))
    PriceWork.objects.filter(pk=work.pk, status=Status.RUNNING).update(
        status=status, code=code, values=plain, ended_at=timezone.now()
    )


def done(pk: int, worker: str, step: Callable[[PriceWork, Tell], object]) -> None:
    """Do the work of that id, unless somebody else does or did. A fault closes it and is raised."""
    work = claim(pk, worker)
    if work is None:
        return
    with requestid.told(work.request_id):
        try:
            step(work, Told(work))
        except (Refused, PriceFileError) as refused:
            end(
                work,
                Status.REFUSED,
                f"{FILE if isinstance(refused, PriceFileError) else STEP}{refused.code}",
                refused.values,
            )
        except BaseException:
            end(work, Status.FAILED)
            raise
        else:
            end(work, Status.DONE)
    logger.info("work %s on price file %s: %s", work.step, work.upload_id, work.pk)
