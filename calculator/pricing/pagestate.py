"""What the page of one file holds, put together from the rows and words of this room."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from calculator import formats
from calculator.language import gettext as _
from calculator.models import Audience, PriceUpload, PriceUploadLine, PriceWork
from calculator.presenters import pricelist
from calculator.pricelist import publish
from calculator.pricelist.contract import FileKind
from calculator.pricelist.progress import Stage
from calculator.pricing import diffrows, forms, impact, queries, rights, rows, said, steps, working
from calculator.snapshots import PARIS

TREATED_AT_MOST = 500
WRONG = Q(is_blocked=True) | Q(verdict=PriceUploadLine.Verdict.ERROR)
WHOLE_FILE = 0
POLL_S = 1
LATE_AFTER_S = 15


class PageLink(NamedTuple):
    """One page of the other changes."""

    number: int
    label: str
    is_current: bool


class Door(NamedTuple):
    """One of several forms, as a link."""

    title: str
    href: str
    is_current: bool


class FileLinks(NamedTuple):
    """The files that one may start from, for one kind."""

    name: str
    template: str
    current: str


class Column(NamedTuple):
    """One header with its first values and the field that says what it means."""

    header: str
    samples: tuple[str, ...]
    field: Any


def diff_context(upload: PriceUpload, user: User, page: str = "") -> dict[str, Any]:
    """The comparison of a file: what to deal with, other changes by pages, what was done, what can be done."""
    found = queries.lines(upload)
    of_lines = found.exclude(line_no=WHOLE_FILE)
    others = Paginator(of_lines.exclude(WRONG | Q(verdict=PriceUploadLine.Verdict.UNCHANGED)), queries.LINES_A_PAGE)
    shown = others.get_page(page)
    return {
        "upload": upload,
        "head": diffrows.head(upload, steps.lead(upload)),
        "earlier": earlier_text(upload),
        "is_private": upload.audience == Audience.SALES,
        "treat": rows_of(of_lines.filter(WRONG)[:TREATED_AT_MOST]),
        "file_problems": [text for line in found.filter(line_no=WHOLE_FILE) for text in said.of_line(line)],
        "changes": rows_of(shown),
        "pages": page_links(shown),
        "unchanged": upload.unchanged_count,
        "base": upload.base_version_id,
        "events": rows.event_rows(queries.events_of(upload)),
        "steps": steps.steps(upload, user),
        "may_reread": upload.status in steps.OPEN and user.has_perm(rights.UPLOAD),
        "impact": impact.impact(upload) if impact.is_shown(upload) and impact.is_quick(upload) else None,
        "asks_impact": impact.is_shown(upload),
        "effective": effective_text(upload),
        "next_number": formats.number((upload.base_version_id or 0) + 1),
    }


def earlier_text(upload: PriceUpload) -> str:
    """Which applied file had the same bytes; "" for a file that is new, or decided."""
    earlier = publish.earlier_of(upload) if upload.status in steps.OPEN else None
    return pricelist.same_as(earlier.pk, earlier.uploaded_at, earlier.original_name) if earlier else ""


def effective_text(upload: PriceUpload) -> str:
    """The instant that the comparison was made for, as the form reads it; "" for the moment of application."""
    at = upload.default_valid_from
    return at.astimezone(PARIS).strftime("%Y-%m-%d %H:%M") if at else ""


def rows_of(lines: Iterable[PriceUploadLine]) -> list[diffrows.Row]:
    """Lines with what is said of each."""
    return [diffrows.row(line, said.of_line(line)) for line in lines]


def page_links(shown: "Page[PriceUploadLine]") -> list[PageLink]:
    """Every page as a link; nothing where all changes stand on one."""
    pages = shown.paginator.num_pages
    if pages <= 1:
        return []
    around = shown.paginator.get_elided_page_range(shown.number)
    numbers = [number for number in around if isinstance(number, int)]
    return [PageLink(number, formats.number(number), number == shown.number) for number in numbers]


def error_rows(upload: PriceUpload) -> Iterable[list[str]]:
    """What must be dealt with, as rows of a file."""
    return diffrows.error_cells((line, said.of_line(line)) for line in queries.lines(upload).filter(WRONG))


def error_header() -> list[str]:
    return [_("ligne"), _("article"), _("composante"), _("problème"), _("texte de la ligne")]


def doors(current: str) -> list[Door]:
    """The forms: prices, items and data sheets of both kinds."""
    told = (
        ("gpu", _("Prix d’un GPU"), reverse("list-price", args=["gpu"])),
        ("llm", _("Prix d’une API"), reverse("list-price", args=["llm"])),
        ("sku", _("Offre GPU"), reverse("list-item", args=["sku"])),
        ("model", _("Modèle d’API"), reverse("list-item", args=["model"])),
        ("gpu_sheet", _("Fiche d’un GPU"), reverse("list-item", args=["gpu_sheet"])),
        ("model_sheet", _("Fiche d’un modèle"), reverse("list-item", args=["model_sheet"])),
    )
    return [Door(title, href, name == current) for name, title, href in told]


def files() -> list[FileLinks]:
    """Empty templates and the list in force, for each kind of file."""
    return [
        FileLinks(str(forms.KIND_NAMES[kind]), _file("list-template", kind), _file("list-current", kind))
        for kind in FileKind
    ]


def _file(name: str, kind: FileKind) -> str:
    return reverse(name, args=[kind.value, "csv"])


def columns(form: forms.ColumnsForm, samples: Mapping[str, tuple[str, ...]]) -> list[Column]:
    """The headers of a file as rows of the form."""
    return [
        Column(header, samples.get(header, ()), form[f"column-{place}"]) for place, header in enumerate(form.headers)
    ]


def waiting_context(upload: PriceUpload, work: PriceWork) -> dict[str, Any]:
    """What the page says while a worker compares or applies a large file: what it does, and how far it is."""
    seconds = int((timezone.now() - work.asked_at).total_seconds())
    stage, parts = str(said.STAGES.get(work.stage, _("En attente d’un worker"))), far(work)
    return {
        "upload": upload,
        "is_applying": work.step == working.Step.APPLY,
        "is_late": work.status == working.Status.WAITING and seconds > LATE_AFTER_S,
        "queue": working.QUEUE,
        "seconds": formats.number(seconds),
        "size": formats.number(upload.size_bytes / 1e6, 1),
        "stage": stage,
        "says": formats.labelled(stage, parts) if parts else stage,
        "done": work.done_count,
        "in_all": work.all_count,
        "poll_s": POLL_S,
    }


def far(work: PriceWork) -> str:
    """How far a work is in words: lines, or for a workbook that is being opened its share; "" where it has no parts."""
    if not work.all_count:
        return ""
    if work.stage == Stage.OPENING:
        return formats.percent(Decimal(work.done_count) / work.all_count, 0)
    return _("%(done)s lignes sur %(all)s") % {
        "done": formats.number(work.done_count),
        "all": formats.number(work.all_count),
    }
