"""What a calculator's template is given: the form, the answer in words, and every link that leads on from it."""

import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from calculator import permalinks, registry
from calculator.context import Site
from calculator.tool import Calculator, Handover, Outcome

TEMPLATE = "calculator/calculator.html"
SUFFIXES = ("csv", "xlsx", "json")
COMPARE = "compare"
"""The key under which a page carries a comparison along, until the visitor brings it his scenario."""
CARRIED = re.compile(r"[A-Za-z0-9%._~:/?=&,+-]{1,6000}")


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """One error for the summary at the head of the form: the field's id (empty for none), its label, the sentence."""

    field_id: str
    label: str
    message: str


@dataclass(frozen=True, slots=True)
class ExportLink:
    """One file of the scenario shown."""

    suffix: str
    label: str
    href: str


def address(name: str, query: str) -> str:
    """The page of a calculator at a query."""
    return f"{reverse(name)}?{query}" if query else reverse(name)


def carried(query: QueryDict) -> str:
    """The query of a comparison that the visitor came from; empty without one, or for what is no query."""
    text = query.get(COMPARE, "")
    return text if CARRIED.fullmatch(text) else ""


def with_carried(query: str, comparison: str) -> str:
    """A query that carries the comparison along."""
    return "&".join(filter(None, (query, urlencode({COMPARE: comparison}) if comparison else "")))


def context(tool: Calculator, outcome: Outcome, comparison: str = "") -> dict[str, Any]:
    """Everything that the page of a calculator reads. `page` and `estimate` are None where there is no answer."""
    found = outcome.answer
    scenario = found.scenario if found else outcome.form.base
    query = permalinks.write(scenario)
    return {
        "calculator": tool,
        "form_template": f"calculator/{tool.name}_form.html",
        "result_template": f"calculator/{tool.name}_result.html",
        "form": outcome.form,
        "estimate": found.estimate if found else None,
        "page": tool.page(found) if found else None,
        "today": tool.short(outcome.today) if outcome.today else "",
        "errors": error_lines(outcome),
        "notices": outcome.notices,
        "presets": marked(registry.preset_links(tool, scenario), found is not None, comparison),
        "profiles": marked(registry.profile_links(tool, scenario), found is not None, comparison),
        "query": query,
        "comparison": comparison,
        "here": address(tool.name, with_carried(query, comparison)),
        "permalink": address(tool.name, query),
        "exports": export_links(tool.name, query) if found else (),
        "save_url": reverse("estimate-save", args=[tool.name]),
        "home_url": reverse(tool.name),
        "handovers": handover_links(tool.handovers(found)) if found else (),
        "in_force": Site(outcome.newest_version),
    }


def marked(
    links: tuple[registry.PresetLink, ...], has_answer: bool, comparison: str = ""
) -> tuple[registry.PresetLink, ...]:
    """The links, none of them as the case now shown where the inputs cannot be read; a comparison goes with each."""
    if has_answer and not comparison:
        return links
    return tuple(
        replace(link, is_current=link.is_current and has_answer, query=with_carried(link.query, comparison))
        for link in links
    )


def error_lines(outcome: Outcome) -> tuple[ErrorLine, ...]:
    """Every error of the form, in the order of its fields, those without a field first."""
    form = outcome.form
    if not form.is_bound:
        return ()
    lines = [ErrorLine("", "", str(message)) for message in form.non_field_errors()]
    for name in form.fields:
        field = form[name]
        lines += [ErrorLine(field.id_for_label or field.auto_id, str(field.label), str(text)) for text in field.errors]
    return tuple(lines)


def export_links(name: str, query: str) -> tuple[ExportLink, ...]:
    """The same scenario as files, at the page's own path with another suffix."""
    return tuple(
        ExportLink(suffix, suffix.upper(), f"{reverse('export', args=[name, suffix])}?{query}") for suffix in SUFFIXES
    )


@dataclass(frozen=True, slots=True)
class HandoverLink:
    """A way to another calculator that carries on with what is known here."""

    title: str
    href: str


def handover_links(handovers: tuple[Handover, ...]) -> tuple[HandoverLink, ...]:
    """The handovers to calculators that are open."""
    opened = (item for item in handovers if item.target in registry.CALCULATORS)
    return tuple(HandoverLink(str(item.title), address(item.target, item.query)) for item in opened)
