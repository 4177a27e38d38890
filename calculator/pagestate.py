"""What a calculator's template is given: the form, the answer in words, and every link that leads on from it."""

from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse

from calculator import permalinks, registry
from calculator.context import Site
from calculator.tool import Calculator, Handover, Outcome

TEMPLATE = "calculator/calculator.html"
SUFFIXES = ("csv", "xlsx", "json")


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


def context(tool: Calculator, outcome: Outcome) -> dict[str, Any]:
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
        "presets": marked(registry.preset_links(tool, scenario), has_answer=found is not None),
        "profiles": marked(registry.profile_links(tool, scenario), has_answer=found is not None),
        "query": query,
        "permalink": address(tool.name, query),
        "exports": export_links(tool.name, query) if found else (),
        "save_url": reverse("estimate-save", args=[tool.name]),
        "home_url": reverse(tool.name),
        "handovers": handover_links(tool.handovers(found)) if found else (),
        "in_force": Site(outcome.newest_version),
    }


def marked(links: tuple[registry.PresetLink, ...], has_answer: bool) -> tuple[registry.PresetLink, ...]:
    """The links as they are, or none of them as the case now shown where the inputs cannot be read."""
    return links if has_answer else tuple(replace(link, is_current=False) for link in links)


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
