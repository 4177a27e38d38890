"""Provenance badges: a shape, a word, and where the number comes from."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from calculator import formats, language
from calculator.domain.provenance import Kind, Sourced
from calculator.language import gettext as _

AnySourced = Sourced[Decimal] | Sourced[float] | Sourced[int]

# How runs are called in their address.
ADDRESSES = ("https://", "http://")
SOURCES = " ; "
"""Between the addresses of a value that several sources agree on; a link leads to the first."""
RUN_CODE = re.compile(r"[\w-]+", re.ASCII)

WORDS: dict[Kind, Promise] = {
    Kind.MEASURED: gettext_lazy("mesuré"),
    Kind.PUBLISHED: gettext_lazy("mesure publiée"),
    Kind.DATA_SHEET: gettext_lazy("fiche technique"),
    Kind.LIST_PRICE: gettext_lazy("tarif public"),
    Kind.ESTIMATE: gettext_lazy("estimation"),
    Kind.CLAIM: gettext_lazy("annoncé"),
    Kind.ASSUMPTION: gettext_lazy("hypothèse"),
    Kind.INPUT: gettext_lazy("votre saisie"),
}
MEANINGS: dict[Kind, Promise] = {
    Kind.MEASURED: gettext_lazy("relevé par une de nos mesures"),
    Kind.PUBLISHED: gettext_lazy("mesure publiée par un tiers"),
    Kind.DATA_SHEET: gettext_lazy("valeur de la fiche technique"),
    Kind.LIST_PRICE: gettext_lazy("prix public du vendeur"),
    Kind.ESTIMATE: gettext_lazy("calculé, non mesuré"),
    Kind.CLAIM: gettext_lazy("annoncé par le vendeur, conditions non précisées"),
    Kind.ASSUMPTION: gettext_lazy("hypothèse, à remplacer par votre valeur"),
    Kind.INPUT: gettext_lazy("valeur que vous avez saisie"),
}


@dataclass(frozen=True, slots=True)
class Badge:
    """What a badge shows: its kind (also the CSS class), its word, its title, and the address of its source."""

    kind: str
    word: str
    title: str
    href: str = ""

    def __str__(self) -> str:
        """The markup itself: templates print a badge by naming it."""
        return html(self)


def badge(sourced: AnySourced | None) -> Badge | None:
    """The badge of a sourced number; None where there is no number."""
    if sourced is None:
        return None
    if not (sourced.reference or sourced.date or sourced.replaces):
        return of_kind(sourced.shown_kind)
    return _badge(sourced, language.active())


@lru_cache(maxsize=1024)
def _badge(sourced: AnySourced, code: str) -> Badge:
    """Made once a source and language: a page shows the same forty sources at every key that is pressed."""
    del code
    return Badge(sourced.shown_kind.value, word(sourced.shown_kind), title(sourced), href(sourced))


def of_kind(kind: Kind | None) -> Badge | None:
    """The badge of a result, from the weakest kind among its inputs."""
    return None if kind is None else _of_kind(kind, language.active())


@lru_cache(maxsize=64)
def _of_kind(kind: Kind, code: str) -> Badge:
    del code
    return Badge(kind.value, word(kind), str(MEANINGS[kind]))


def word(kind: Kind) -> str:
    """The badge's word in the reader's language."""
    return str(WORDS[kind])


def title(sourced: AnySourced) -> str:
    """Meaning, source and date on one line: what a pointer or a screen reader is told."""
    meaning = (
        _("votre saisie, à la place d’une valeur du catalogue") if sourced.replaces else MEANINGS[sourced.shown_kind]
    )
    exception = _("publié par exception\u00a0: %(reason)s") % {"reason": sourced.exception} if sourced.exception else ""
    # An address stands in the link itself: no need to read it out.
    reference = "" if sourced.reference.startswith(ADDRESSES) else sourced.reference
    parts = [str(meaning), reference, _dated(sourced), exception]
    return " · ".join(part for part in parts if part)


def _dated(sourced: AnySourced) -> str:
    return "" if sourced.date is None else _("le %(date)s") % {"date": formats.date(sourced.date)}


def href(sourced: AnySourced) -> str:
    """The source's own address; a number without one leads to the method's page of sources."""
    first = sourced.reference.split(SOURCES, 1)[0]
    if first.startswith(ADDRESSES):
        return first
    if sourced.kind is Kind.MEASURED and RUN_CODE.fullmatch(sourced.reference):
        return reverse("run", args=[sourced.reference])
    return ""


@lru_cache(maxsize=1024)
def html(shown: Badge | None) -> SafeString:
    """The badge as markup; empty for None."""
    if shown is None:
        return SafeString("")
    if not shown.href:
        return format_html('<span class="src {}" title="{}">{}</span>', shown.kind, shown.title, shown.word)
    return format_html(
        '<a class="src {}" href="{}" title="{}" rel="noreferrer">{}</a>',
        shown.kind,
        shown.href,
        shown.title,
        shown.word,
    )
