"""What a person may do next with a file, and why something is not open to him."""

import datetime as dt
from typing import NamedTuple

from django.contrib.auth.models import User
from django.utils import timezone

from calculator import catalog, formats, ledger, snapshots
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.models import PriceUpload
from calculator.pricelist.contract import FileKind
from calculator.pricing import rights
from calculator.staleness import RED

Status = PriceUpload.Status
OPEN = (Status.DRAFT, Status.VALIDATED)


class Steps(NamedTuple):
    """The bar at the end of the page: how the file stands, why, and the doors that are open."""

    state: str
    why: str
    may_approve: bool
    may_reject: bool
    shows_apply: bool
    may_apply: bool
    asks_reason: bool
    asks_rate: bool


def is_approved(upload: PriceUpload) -> bool:
    """Whether somebody agreed to this very comparison."""
    return bool(upload.approved_by_id) and upload.approved_hash == upload.diff_hash


def changes_count(upload: PriceUpload) -> int:
    """The lines that would change something."""
    return upload.new_count + upload.changed_count + upload.withdrawn_count


def is_ready(upload: PriceUpload) -> bool:
    """Whether nothing but a decision is missing."""
    agreed = not upload.blocked_count or is_approved(upload)
    return upload.status == Status.VALIDATED and not upload.error_count and agreed and bool(changes_count(upload))


def steps(upload: PriceUpload, user: User) -> Steps | None:
    """The bar; None where everything is decided."""
    if upload.status not in OPEN:
        return None
    state, why = _told(upload, user)
    is_waiting = upload.status == Status.VALIDATED and bool(upload.blocked_count) and not upload.error_count
    may_approve = is_waiting and not is_approved(upload) and user.has_perm(rights.APPROVE)
    return Steps(
        state=state,
        why=why,
        may_approve=may_approve and upload.uploaded_by_id != user.pk,
        may_reject=rights.has_any(user, (rights.UPLOAD, rights.APPROVE)),
        shows_apply=user.has_perm(rights.APPLY),
        may_apply=is_ready(upload) and user.has_perm(rights.APPLY),
        asks_reason=user.has_perm(rights.BACKDATE),
        asks_rate=user.has_perm(rights.APPLY) and is_ready(upload) and asks_rate(upload),
    )


def asks_rate(upload: PriceUpload) -> bool:
    """Whether applying wants the exchange rate's age confirmed: over ten working days, and no rates in the file."""
    return upload.kind != FileKind.FX and old_rate() is not None


def old_rate() -> dt.date | None:
    """The day of the exchange rate where it is too old to be taken without a word; None where it is not."""
    now, version = timezone.now(), snapshots.newest_number()
    rate = catalog.latest_rate(version, now) if version else None
    is_old = rate is not None and rate.date is not None and ledger.rate_mark(rate.date, now) == RED
    return rate.date if rate and is_old else None


def _told(upload: PriceUpload, user: User) -> tuple[str, str]:
    if upload.error_count:
        count = formats.number(upload.error_count)
        word = ngettext("%(count)s problème à corriger", "%(count)s problèmes à corriger", upload.error_count)
        return word % {"count": count}, _(
            "Corrigez le fichier et déposez-le de nouveau ; un fichier s’applique entier."
        )
    if upload.status == Status.DRAFT:
        return _("Fichier pas encore comparé"), _("Le bouton s’ouvre quand le fichier est comparé.")
    if not changes_count(upload):
        return _("Aucun changement"), _("Le fichier dit ce que la liste dit déjà : il n’y a rien à appliquer.")
    if upload.blocked_count and not is_approved(upload):
        count = formats.number(upload.blocked_count)
        word = ngettext("%(count)s ligne bloquée", "%(count)s lignes bloquées", upload.blocked_count)
        return word % {"count": count}, _who_agrees(upload, user)
    if is_approved(upload) and upload.approved_by is not None:
        return _("Second accord donné"), _("Accord de %(name)s.") % {"name": upload.approved_by.get_username()}
    return _("Prêt à appliquer"), _("Sans date dans le fichier, il prend effet à l’instant indiqué ici.")


def _who_agrees(upload: PriceUpload, user: User) -> str:
    if upload.uploaded_by_id == user.pk:
        return _("L’accord motivé d’une autre personne est attendu : on n’approuve pas son propre fichier.")
    if user.has_perm(rights.APPROVE):
        return _("Vérifiez les lignes bloquées et dites pourquoi elles sont justes.")
    return _("L’accord motivé d’une personne du groupe « approver » est attendu.")


def lead(upload: PriceUpload) -> tuple[str, str]:
    """The sentence that matters: what the file can or cannot do now."""
    changes = changes_count(upload)
    told = ngettext("%(count)s changement de prix.", "%(count)s changements de prix.", changes) % {
        "count": formats.number(changes)
    }
    if upload.status == Status.APPLIED:
        return _("Appliqué en liste n° %(number)s.") % {"number": upload.applied_version_id}, told
    if upload.status == Status.ROLLED_BACK:
        return _("Annulé."), _("La liste n° %(number)s a été annulée par une autre.") % {
            "number": upload.applied_version_id
        }
    if upload.status == Status.REJECTED:
        return _("Rejeté."), upload.reason
    if is_ready(upload):
        return _("Prêt à appliquer :"), told
    if not upload.error_count and upload.status == Status.VALIDATED and not changes:
        return _("Aucun changement."), _("La liste en vigueur dit déjà tout ce que dit ce fichier.")
    return _("Application impossible en l’état :"), _obstacles(upload)


def _obstacles(upload: PriceUpload) -> str:
    """What stands in the way, counted."""
    wrong = ngettext("%(count)s problème de lecture", "%(count)s problèmes de lecture", upload.error_count)
    blocked = ngettext("%(count)s ligne bloquée", "%(count)s lignes bloquées", upload.blocked_count)
    pairs = ((upload.error_count, wrong), (upload.blocked_count, blocked))
    parts = [text % {"count": formats.number(count)} for count, text in pairs if count]
    return f"{', '.join(parts)}." if parts else _("le fichier n’est pas encore comparé.")
