"""What the forms of all calculators share: localised text in, a frozen scenario out. Field names are keys of the link.

A form is described, not written: `NUMBERS` and `SELECTS` are the same in every form of its kind, the options of
`LISTED` fields come from the catalogue (`options`). Values that stand in place of the catalogue's are empty or equal
when the catalogue's own is meant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

from django import forms
from django.forms.boundfield import BoundField
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy

from calculator import fields, permalinks
from calculator.fields import NumberField, Quantity, Text
from calculator.permalinks import Notation, Query
from calculator.permalinks.notation import FLAGS

MAX_TEXT_CHARACTERS = 200
EMPTY_CHOICE = gettext_lazy("Celui du catalogue")


@dataclass(frozen=True, slots=True)
class NumberSpec:
    """A number of the form: its quantity and the words around it."""

    quantity: Quantity
    label: Text
    hint: Text = ""
    unit: Text = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class SelectSpec:
    """A choice that is the same in every form: values with their words, shown as segments where they are few."""

    label: Text
    options: tuple[tuple[str, Text], ...]
    is_radio: bool = False
    hint: Text = ""


@dataclass(frozen=True, slots=True)
class ListedSpec:
    """A choice whose options come from the catalogue; `empty` are the words for none of them, where that is allowed."""

    label: Text
    required: bool = True
    is_many: bool = False
    empty: Text = ""
    hint: Text = ""


@dataclass(frozen=True, slots=True)
class Fieldset:
    """A titled group of bound fields, in reading order; a folded one may stand open."""

    name: str
    title: str
    fields: tuple[BoundField, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A folded group of a form: its code, its title, the names of its fields."""

    name: str
    title: Text
    names: tuple[str, ...]


def choice_errors() -> dict[str, Text]:
    """The sentences of a choice that cannot be taken."""
    return {
        "required": gettext_lazy("Un choix est attendu ici."),
        "invalid_choice": gettext_lazy(
            "«\u00a0%(value)s\u00a0» n’est pas proposé ici\u00a0: choisissez dans la liste."
        ),
        "invalid_list": gettext_lazy("Une liste de choix est attendue ici."),
    }


@cache
def own_field(form: "type[ScenarioForm]", name: str) -> forms.Field:
    """A field that is the same in every form: made once a process, its words translated when they are shown."""
    if name in form.NUMBERS:
        spec = form.NUMBERS[name]
        return NumberField(spec.quantity, required=spec.required, label=spec.label, help_text=spec.hint, unit=spec.unit)
    select = form.SELECTS[name]
    widget = forms.RadioSelect() if select.is_radio else forms.Select()
    return forms.ChoiceField(
        label=select.label,
        choices=select.options,
        widget=widget,
        help_text=select.hint,
        error_messages=choice_errors(),
    )


@lru_cache(maxsize=512)
def listed_field(form: "type[ScenarioForm]", name: str, options: tuple[tuple[str, str], ...]) -> forms.Field:
    """A field whose options come from the catalogue, made once for the same options."""
    spec = form.LISTED[name]
    if spec.is_many:
        return forms.MultipleChoiceField(
            label=spec.label,
            choices=options,
            required=spec.required,
            widget=forms.CheckboxSelectMultiple(),
            error_messages=choice_errors(),
        )
    shown = ((("", spec.empty), *options)) if spec.empty else options
    return forms.ChoiceField(
        label=spec.label,
        choices=shown,
        required=spec.required,
        help_text=spec.hint,
        error_messages=choice_errors(),
    )


class ScenarioForm(forms.Form):
    """Raw localised text of every key; `to_scenario` is the only door from these strings to types."""

    NUMBERS: ClassVar[Mapping[str, NumberSpec]] = {}
    SELECTS: ClassVar[Mapping[str, SelectSpec]] = {}
    LISTED: ClassVar[Mapping[str, ListedSpec]] = {}
    BASIC: ClassVar[tuple[str, ...]] = ()
    GROUPS: ClassVar[tuple[Group, ...]] = ()
    ANSWERED: ClassVar[frozenset[str]] = frozenset()
    """Fields that show something of the answer: where their value comes from, what stands for an empty one."""
    OFFERED: ClassVar[frozenset[str]] = frozenset()
    """Fields whose options or their words depend on other fields."""

    def __init__(self, data: Any = None, *, base: Any, choices: Any, **kwargs: Any) -> None:
        self.base = base
        self.choices = choices
        super().__init__(data, **kwargs)
        for name in self.names():
            listed = name in self.LISTED
            self.fields[name] = (
                listed_field(type(self), name, self.options(name)) if listed else own_field(type(self), name)
            )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Every field in reading order."""
        return (*cls.BASIC, *(name for group in cls.GROUPS for name in group.names))

    @property
    def notation(self) -> Notation:
        """The keys of the scenario that this form makes."""
        return permalinks.notation_of(self.base)

    @classmethod
    def from_scenario(cls, scenario: Any, choices: Any) -> Self:
        """The unbound form that shows `scenario`."""
        keys = permalinks.notation_of(scenario).keys
        initial = {key.name: initial_of(getattr(scenario, key.attribute)) for key in keys}
        return cls(base=scenario, choices=choices, initial=initial)

    @classmethod
    def from_texts(cls, texts: Query, base: Any, choices: Any) -> Self:
        """The form bound to what was typed; a field that was not sent at all keeps the value of `base`."""
        sent = set(texts.keys())
        names = cls.names()
        shown = None if sent.issuperset(names) else cls.from_scenario(base, choices)
        data = MultiValueDict[str, str]()
        for name in names:
            found = texts.getlist(name) if name in sent or shown is None else shown.texts(name)
            many = name in cls.LISTED and cls.LISTED[name].is_many
            data.setlist(name, [clean(text) for text in found if not (many and text == permalinks.NONE)])
        cls.tidy(data, choices)
        return cls(data, base=base, choices=choices)

    @classmethod
    def tidy(cls, data: "MultiValueDict[str, str]", choices: Any) -> None:
        """Lets go of what was sent but is not the visitor's own choice."""

    def texts(self, name: str) -> list[str]:
        """What the field shows now, as the texts that it would send."""
        value = self[name].value()
        if value is None:
            return [""]
        return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]

    def options(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the catalogue offers for a field of `LISTED`: values and words."""
        raise NotImplementedError(name)

    def to_scenario(self) -> Any:
        """The scenario that a valid form describes, at the version and instant of `base`."""
        by_name = self.notation.by_name
        values = {by_name[name].attribute: self.typed(name, self.cleaned_data[name]) for name in self.names()}
        return replace(self.base, **values)

    def typed(self, name: str, value: Any) -> Any:
        """A cleaned value as the scenario's type; an empty choice is unknown, a whole quantity an int."""
        key = self.notation.by_name[name]
        if key.many:
            return tuple(value)
        if name in self.SELECTS:
            return key.parse(value)
        if key.quantity is not None and key.quantity.whole and value is not None:
            return int(value)
        return value

    def basic(self) -> tuple[BoundField, ...]:
        """The fields of the first view."""
        return tuple(self[name] for name in self.BASIC)

    def advanced(self) -> tuple[Fieldset, ...]:
        """The folded groups."""
        opened = self.opened()
        return tuple(
            Fieldset(group.name, str(group.title), tuple(self[name] for name in group.names), group.name in opened)
            for group in self.GROUPS
        )

    def opened(self) -> frozenset[str]:
        """The folded groups that stand open from the start, by name."""
        return frozenset()

    def hidden(self) -> tuple[tuple[str, str], ...]:
        """What the form sends unseen: the notation, the price version and instant it was filled in under."""
        state = (
            ("form", "1"),
            ("v", permalinks.VERSION),
            ("catalog", str(self.base.catalog_version)),
            ("at", permalinks.write_instant(self.base.at)),
        )
        # Keeps "none ticked" apart from "the field was not sent".
        return state + tuple((name, permalinks.NONE) for name, spec in self.LISTED.items() if spec.is_many)


def initial_of(value: Any) -> Any:
    """A scenario's value as a field takes it: enumerations by value, yes and no as in the link."""
    if isinstance(value, bool):
        return FLAGS[not value]
    return value.value if isinstance(value, Enum) else value


def clean(text: str) -> str:
    """Typed text without control characters, cut to what a page can show again."""
    return fields.UNPRINTABLE.sub("", text)[:MAX_TEXT_CHARACTERS]


def select_of(label: Text, options: Iterable[tuple[Enum, Text]], is_radio: bool = True, hint: Text = "") -> SelectSpec:
    """A choice between the members of an enumeration."""
    return SelectSpec(label, tuple((str(member.value), words) for member, words in options), is_radio, hint)
