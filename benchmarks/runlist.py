"""The list of runs: who may see which, filters from the address, pages. Unknown filters are left out, not refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from benchmarks import services
from benchmarks.models import BenchmarkRun
from benchmarks.wording import status_word
from calculator import formats

PAGE_COUNT = 25
TEXT_CHARACTERS = 60
COLUMNS = {"status": "status", "kind": "kind", "origin": "origin", "sku": "sku_code", "model": "model_name"}
COLUMNS |= {"engine": "engine"}


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the list with what was asked for. `choices` = the values that the visible runs have, by filter."""

    page: Page[Any]
    asked: Mapping[str, str]
    choices: Mapping[str, tuple[str, ...]]


def visible(may_operate: bool) -> "QuerySet[BenchmarkRun]":
    """All runs to operators; to everybody else those that were published, with the repeats that they rest on."""
    runs = BenchmarkRun.objects.all()
    published = Q(published_at__isnull=False) | Q(parent__published_at__isnull=False)
    return runs if may_operate else runs.filter(published)


def hidden(code: str) -> bool:
    """Whether there is a run of this number that only operators may see."""
    return BenchmarkRun.objects.filter(code=code).exists() and not visible(False).filter(code=code).exists()


def listing(query: Mapping[str, str], may_operate: bool) -> Listing:
    """The runs that match the address, newest first, with their best rate."""
    services.reap_stalled()
    runs = visible(may_operate)
    choices = choices_of(runs)
    asked = {name: query.get(name, "") for name in COLUMNS if query.get(name, "") in choices[name]}
    text = " ".join(query.get("q", "").replace("\x00", "").split())[:TEXT_CHARACTERS]
    found = runs.filter(**{COLUMNS[name]: value for name, value in asked.items()})
    if text:
        found = found.filter(matching(text))
    rated = found.annotate(best_tok_per_s=Max("steps__output_tok_per_s")).select_related("created_by", "parent")
    page = Paginator(rated.order_by("-created_at", "-id"), PAGE_COUNT).get_page(query.get("page", ""))
    return Listing(page, asked | ({"q": text} if text else {}), choices)


def matching(text: str) -> Q:
    """Runs with the text in their number, model, engine, machine or tool."""
    names = ("code", "model_name", "engine", "sku_code", "cpu_model", "import_tool", "probe")
    found = Q()
    for name in names:
        found |= Q(**{f"{name}__icontains": text})
    return found


def choices_of(runs: "QuerySet[BenchmarkRun]") -> dict[str, tuple[str, ...]]:
    """The values that can be chosen, each once, in one query."""
    rows = list(runs.order_by().values_list(*COLUMNS.values()).distinct())
    return {name: tuple(sorted({row[place] for row in rows if row[place]})) for place, name in enumerate(COLUMNS)}


def context(found: Listing, may_operate: bool) -> dict[str, Any]:
    """What the page of the list gets beside its rows."""
    return {
        "filters": [filter_row(name, found) for name in COLUMNS if len(found.choices[name]) > 1 or name in found.asked],
        "text": found.asked.get("q", ""),
        "filtered": bool(found.asked),
        "page": found.page,
        "count_words": count_words(found.page.paginator.count),
        "may_operate": may_operate,
    }


def count_words(count: int) -> str:
    return ngettext("%(count)s mesure", "%(count)s mesures", count) % {"count": formats.number(count)}


def filter_row(name: str, found: Listing) -> dict[str, Any]:
    """One choice: its label and its options, the chosen one marked."""
    labels = {
        "status": _("État"),
        "kind": _("Genre"),
        "origin": _("Origine"),
        "sku": _("Offre"),
        "model": _("Modèle"),
        "engine": _("Moteur"),
    }
    return {
        "name": name,
        "label": labels[name],
        "options": options(name, found.choices[name]),
        "chosen": found.asked.get(name, ""),
    }


def options(name: str, values: Iterable[str]) -> list[tuple[str, str]]:
    return [(value, word(name, value)) for value in values]


def word(name: str, value: str) -> str:
    """A code as a word; names stand for themselves."""
    if name == "status":
        return status_word(value)
    known = {
        "serving": _("serveur"),
        "probe": _("sonde"),
        "measured": _("mesurée ici"),
        "imported": _("importée"),
    }
    return known.get(value, value)
