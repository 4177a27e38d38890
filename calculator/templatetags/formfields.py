"""The fields of a form, each rendered once for what it shows: while someone types, one changes and thirty do not.

A live answer leaves out what the page has already and no answer changes: whole fields without a badge or a value of the
answer's (`ScenarioForm.ANSWERED`), and the options of lists. In their place stand empty elements of the same id, at
which the morph stops (`hx-morph-skip` on what the page holds).
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from django import template
from django.forms import Field
from django.forms.boundfield import BoundField
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from calculator import language
from calculator.forms.base import Fieldset, ScenarioForm

register = template.Library()

KEPT_AT_MOST = 4096
ANY_TEXT = "\ufffc"
"""Stands in a field that is kept where the text goes."""
TERM_OF_FIELD = {
    "volume": "volume",
    "rate": "single_stream",
    "util": "utilisation",
    "mode": "mode",
    "hit": "prefix_cache",
    "rcache": "response_cache",
    "prefill": "prefill",
    "rental": "rental",
    "vat": "tax",
    "tie": "break_even",
    "mfu": "mfu",
    "accum": "accumulation",
    "recomp": "recomputation",
    "zero": "sharding",
}
RADIO_TEMPLATE, TEMPLATE, CHECKS_TEMPLATE = "includes/segments.html", "includes/field.html", "includes/checks.html"


class Shown(NamedTuple):
    """All that decides how a field looks, beside its own unchanging words, which are those of its form."""

    form: str
    template: str
    name: str
    language: str
    value: object
    errors: tuple[str, ...]
    options: tuple[tuple[object, ...], ...]
    badge: str
    placeholder: str
    quiet: bool
    settled: bool = False
    kept: bool = False
    bare: bool = False


_rendered: dict[Shown, SafeString] = {}


@register.simple_tag(takes_context=True)
def field(context: template.Context, bound: BoundField, options: Iterable[Any] = (), quiet: bool = False) -> SafeString:
    """One field with label, hint, error, unit and badge: a text box, a list, or segments for radio buttons."""
    return _field(bound, _of_page(context), options, quiet)


@register.simple_tag(takes_context=True)
def field_groups(context: template.Context, form: ScenarioForm) -> SafeString:
    """The folded groups of a form, those with an error open."""
    of_page = _of_page(context)
    return mark_safe("".join(_group(group, of_page) for group in form.advanced()))  # noqa: S308 - fields and titles


class Words(NamedTuple):
    """The badge and the placeholder of each field, where there is an answer; whether only they are sent (live)."""

    badges: Mapping[str, object]
    placeholders: Mapping[str, str]
    is_live: bool = False


def _of_page(context: template.Context) -> Words:
    page, is_live = context.get("page"), bool(context.get("is_fragment"))
    return Words(page.badges, page.placeholders, is_live) if page else Words({}, {}, is_live)


def _group(group: Fieldset, of_page: Words) -> str:
    fields = "".join(_field(bound, of_page) for bound in group.fields)
    # A live answer leaves open what is open: `data-open` says which groups the newest choice opens (live.js).
    waits = " data-open" if group.is_open else ""
    is_open = " open" if group.is_open or any_errors(group.fields) else ""
    head = f'<details class="fold" id="group-{group.name}"{is_open}{waits}>'
    return f"{head}<summary>{escape(group.title)}</summary><div>{fields}</div></details>"


def _field(
    bound: BoundField,
    of_page: Words,
    options: Iterable[Any] = (),
    quiet: bool = False,
) -> SafeString:
    if of_page.is_live and is_settled(bound):
        return _stub(bound)
    if getattr(bound.field.widget, "allow_multiple_selected", False):
        return _checks(bound, _ticked(bound))
    code, is_radio = language.active(), is_radio_field(bound)
    is_kept = isinstance(bound.form, ScenarioForm) and bound.name not in bound.form.OFFERED and not is_radio
    shown = Shown(
        form=_form(bound),
        template=RADIO_TEMPLATE if is_radio else TEMPLATE,
        name=bound.html_name,
        language=code,
        value=_value(bound),
        errors=_errors(bound),
        options=_options(options) if options else _own_options(bound.field, code),
        badge=str(of_page.badges.get(bound.name) or ""),
        placeholder=of_page.placeholders.get(bound.name, ""),
        quiet=quiet,
        settled=is_settled(bound),
        kept=is_kept,
    )
    if of_page.is_live and is_kept and shown.options:
        return _kept(shown._replace(bare=True, value="", options=()), bound)
    return _html(shown, bound)


def is_radio_field(bound: BoundField) -> bool:
    """Whether a choice is shown as segments."""
    return getattr(bound.field.widget, "input_type", "") == "radio"


def is_settled(bound: BoundField) -> bool:
    """Whether no answer changes how a field looks: what the page holds of it stays right while someone types."""
    form = bound.form
    return isinstance(form, ScenarioForm) and bound.name not in form.ANSWERED | form.OFFERED


def _stub(bound: BoundField) -> SafeString:
    """An empty element where the page has the field already."""
    many = getattr(bound.field.widget, "allow_multiple_selected", False)
    tag = "fieldset" if many or is_radio_field(bound) else "div"
    name = bound.auto_id if many else f"{bound.id_for_label or bound.auto_id}-f"
    return mark_safe(f'<{tag} id="{name}"></{tag}>')  # noqa: S308 - a tag and the name of a field


def _ticked(bound: BoundField) -> list[tuple[str, str, str, bool]]:
    """The options of a field with many values, each said to be chosen or not."""
    chosen = {str(value) for value in bound.value() or ()}
    return [(str(value), str(words), "", str(value) in chosen) for value, words in getattr(bound.field, "choices", ())]


@register.simple_tag
def checks(bound: BoundField, options: Iterable[Any]) -> SafeString:
    """A group of check boxes; `options` are (value, label, what stands beside it, whether it is checked)."""
    return _checks(bound, options)


def _checks(bound: BoundField, options: Iterable[Any]) -> SafeString:
    return _html(
        Shown(
            form=_form(bound),
            template=CHECKS_TEMPLATE,
            name=bound.html_name,
            language=language.active(),
            value="",
            errors=_errors(bound),
            options=_options(options),
            badge="",
            placeholder="",
            quiet=False,
            settled=is_settled(bound),
        ),
        bound,
    )


def _form(bound: BoundField) -> str:
    """Which form a field belongs to: the same name has other words in another calculator."""
    return type(bound.form).__qualname__


@register.filter
def any_errors(fields: Iterable[BoundField]) -> bool:
    """Whether one of the fields has an error: its folded group is then open."""
    return any(bound.errors for bound in fields)


def _errors(bound: BoundField) -> tuple[str, ...]:
    return tuple(map(str, bound.form.errors.get(bound.name, ())))


@lru_cache(maxsize=512)
def _own_options(shown: Field, code: str) -> tuple[tuple[object, ...], ...]:
    """The options of a field, which forms share, in the language `code`."""
    del code
    return _options(getattr(shown, "choices", ()))


def _value(bound: BoundField) -> str:
    """The text as typed; a form that shows a scenario writes its value."""
    value = bound.form.data.get(bound.name) if bound.form.is_bound else bound.value()
    return "" if value is None else str(value)


def _options(options: Iterable[Any]) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(part if isinstance(part, bool) else str(part) for part in option) for option in options)


def _html(shown: Shown, bound: BoundField) -> SafeString:
    """The field; a text box is kept without its text, since every key pressed makes a new one."""
    if shown.options or not shown.value:
        return _kept(shown, bound)
    box = _kept(shown._replace(value=ANY_TEXT), bound)
    return mark_safe(box.replace(ANY_TEXT, escape(str(shown.value))))  # noqa: S308 - a template, and escaped text


def _kept(shown: Shown, bound: BoundField) -> SafeString:
    found = _rendered.get(shown)
    if found is None:
        if len(_rendered) >= KEPT_AT_MOST:
            _rendered.clear()
        found = SafeString(render_to_string(shown.template, _words(shown, bound)))
        _rendered[shown] = found
    return found


def _words(shown: Shown, bound: BoundField) -> dict[str, object]:
    """What the templates read: the part that changes and the field's own words."""
    return {
        "shown": shown,
        "badge": SafeString(shown.badge),
        "id": bound.id_for_label or bound.auto_id,
        "label": bound.label,
        "hint": bound.help_text,
        "unit": getattr(bound.field, "unit", ""),
        "term": TERM_OF_FIELD.get(bound.name, ""),
    }
