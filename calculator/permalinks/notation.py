"""What a link is made of: keys with both directions between text and value, written and read by one set of rules.

Canonical means: every key is written, also where it equals a default; numbers have dot decimals and no groups; `v` is
the version of this notation, `catalog` the version of the prices, `at` the UTC instant they are asked for. An optional
value that is unknown stays out. Nothing here asks the database: whether a code exists is the catalogue's to say.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from operator import attrgetter
from typing import Any, Protocol
from urllib.parse import quote_plus

from django.utils.translation import gettext as _

from calculator import fields
from calculator.codes import NONE, is_code, may_be_a_name
from calculator.fields import Quantity

VERSION = "1"
AUTOMATIC = "auto"
"""The word of a key whose value is left to the calculator."""
MANY_AT_MOST = 40
FIRST_YEAR, LAST_YEAR = 2000, 2099
INSTANT_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
FLAGS = ("1", "0")
# Keys that steer the page and are no part of a scenario: raw form text, the pressed button, a comparison carried along.
PAGE_KEYS = frozenset({"form", "go", "compare"})

NUMBER = re.compile("[0-9]{1,18}(\\.[0-9]{1,12})?")
# Characters that stand in a query as they are; nearly every value is made of them.
UNQUOTED = re.compile("[A-Za-z0-9._~:/-]*")
INSTANT = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class Query(Protocol):
    """What is asked of a QueryDict: its keys, and all values of one."""

    def keys(self) -> Any: ...

    def getlist(self, key: str) -> list[str]: ...


class ReadError(ValueError):
    """A value that its key cannot take; the message is the sentence to show."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One key of a link that cannot be answered: the key, the sentence, the text as it stood.

    `code` says which way: `unreadable` (not a value of this key), `unknown` (no such key), `together` (contradicts
    another key), `missing` (not in the catalogue), `impossible` (no answer exists).
    """

    key: str
    message: str
    text: str = ""
    code: str = "unreadable"


@dataclass(frozen=True, slots=True)
class Reading:
    """A link as read. `kept` holds all that could be read; `scenario` is None when anything could not.

    `defaults` are the keys that were absent, `unknown` those that mean nothing here.
    """

    kept: Any
    problems: tuple[Problem, ...] = ()
    defaults: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def scenario(self) -> Any:
        return None if self.problems else self.kept


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the link: the scenario's attribute behind it, and both directions between text and value.

    A key with `many` values stands once a value in the link, or once with the word `none`; its attribute is a tuple.
    `unset` is the word for a value that is left to the calculator (None); without one, None stays out of the link.
    """

    name: str
    attribute: str
    parse: Callable[[str], object]
    write: Callable[[Any], str] = str
    quantity: Quantity | None = field(default=None)
    many: bool = False
    unset: str = ""


def parse_number(quantity: Quantity) -> Callable[[str], Decimal]:
    """A reader of canonical numbers (dot decimals; ratios 0–1) within the limits of `quantity`."""

    def parse(text: str) -> Decimal:
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and quantity.takes(value):
            return value
        low, high = fields.plain(quantity.limits.low), fields.plain(quantity.limits.high)
        if quantity.whole:
            raise ReadError(_("un nombre entier de %(low)s à %(high)s est attendu") % {"low": low, "high": high})
        raise ReadError(
            _("un nombre de %(low)s à %(high)s est attendu, avec un point décimal et sans groupes")
            % {"low": low, "high": high}
        )

    return parse


@dataclass(frozen=True, slots=True)
class Choice:
    """A reader that takes one of `values` and builds what they stand for."""

    values: tuple[str, ...]
    build: Callable[[str], object] = str

    def __call__(self, text: str) -> object:
        if text not in self.values:
            raise ReadError(_("les valeurs possibles sont %(values)s") % {"values": ", ".join(self.values)})
        return self.build(text)


def parse_choice(values: Sequence[str], build: Callable[[str], object] = str) -> Choice:
    """A reader that takes one of `values`."""
    return Choice(tuple(values), build)


def parse_code(text: str) -> str:
    """A catalogue code as it stands in the offer; only its characters are checked here."""
    if not is_code(text):
        raise ReadError(_("ce n’est pas un code du catalogue"))
    return text


def parse_instant(text: str) -> dt.datetime:
    """A UTC instant to the second, as in 2026-11-30T14:00:00Z."""
    try:
        at = dt.datetime.strptime(text, INSTANT_FORMAT).replace(tzinfo=dt.UTC) if INSTANT.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ReadError(_("un instant UTC est attendu, par exemple 2026-11-30T14:00:00Z"))
    return at


def write_instant(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).strftime(INSTANT_FORMAT)


def number(name: str, attribute: str, quantity: Quantity) -> Key:
    """A key for a number; a whole quantity is an int of the scenario, any other a Decimal."""
    if quantity.whole:
        whole = parse_number(quantity)
        return Key(name, attribute, lambda text: int(whole(text)), str, quantity)
    return Key(name, attribute, parse_number(quantity), fields.plain, quantity)


def automatic(key: Key) -> Key:
    """The same key, where `auto` leaves the value to the calculator."""

    def parse(text: str) -> object:
        return None if text == AUTOMATIC else key.parse(text)

    return replace(key, parse=parse, unset=AUTOMATIC)


def enum(name: str, attribute: str, members: type[Enum]) -> Key:
    """A key for one of the members of a text enumeration."""
    return Key(name, attribute, parse_choice([member.value for member in members], members), _member_text)


def _member_text(member: Enum) -> str:
    return str(member.value)


def flag(name: str, attribute: str) -> Key:
    """A key for yes or no, written 1 or 0."""
    return Key(name, attribute, parse_choice(FLAGS, lambda text: text == FLAGS[0]), lambda value: FLAGS[not value])


def code(name: str, attribute: str) -> Key:
    """A key for a catalogue code."""
    return Key(name, attribute, parse_code)


def parse_name(text: str) -> str:
    """A data sheet's or a model's name, which may hold spaces; whether it exists is the catalogue's to say."""
    if text and not may_be_a_name(text):
        raise ReadError(_("ce n’est pas un nom du catalogue"))
    return text.strip()


def name(key: str, attribute: str) -> Key:
    """A key for the name of a data sheet or of a model."""
    return Key(key, attribute, parse_name)


def catalogue_state() -> tuple[Key, Key]:
    """The two keys that every link begins with: the version of the prices, and the instant they are asked for."""
    return number("catalog", "catalog_version", fields.CATALOG_VERSION), Key("at", "at", parse_instant, write_instant)


def nothing_to_add(scenario: Any) -> list[Problem]:
    """No rule binds the keys of this scenario together."""
    del scenario
    return []


class Notation:
    """The link of one kind of scenario: its keys in their order, those that may stay out, what binds them together."""

    def __init__(
        self,
        scenario: type,
        keys: tuple[Key, ...],
        optional: frozenset[str] = frozenset(),
        check: Callable[[Any], list[Problem]] = nothing_to_add,
    ) -> None:
        self.scenario = scenario
        self.keys = keys
        self.optional = optional
        self.check = check
        self.by_name = {key.name: key for key in keys}
        self._values = attrgetter(*(key.attribute for key in keys))
        # A page holds a dozen links that differ in two or three of thirty keys: what is the same object as in the
        # link before is written as it was there. The pair is replaced whole, so threads may share it.
        self._last: tuple[tuple[Any, ...], tuple[str, ...]] = ((self,) * len(keys), ("",) * len(keys))

    def write(self, scenario: Any, **changes: Any) -> str:
        """The canonical query string of `scenario`; `read` gives the scenario back.

        With `changes` it is that of the scenario with other values for these attributes.
        """
        values, (before, written) = self._values(scenario), self._last
        if changes:
            values = tuple(changes.get(key.attribute, value) for key, value in zip(self.keys, values, strict=True))
        parts = tuple(
            part if value is old else written_pair(key, value)
            for key, value, old, part in zip(self.keys, values, before, written, strict=True)
        )
        self._last = values, parts
        return "&".join(filter(None, (f"v={VERSION}", *parts)))

    def read(self, query: Query, base: Any) -> Reading:
        """The scenario that `query` describes; `base` gives the value of every key that is absent."""
        versions = query.getlist("v") or [VERSION]
        if versions != [VERSION]:
            return Reading(base, (_unknown_version(versions),))
        values: dict[str, object] = {}
        problems: list[Problem] = []
        for key in self.keys:
            texts = query.getlist(key.name)
            if texts:
                take(key, texts, values, problems)
        kept = replace(base, **values)
        problems += (replace(found, code="together") for found in self.check(kept))
        return Reading(kept, tuple(problems), self.absent(query), self.unknown(query))

    def absent(self, query: Query) -> tuple[str, ...]:
        """The keys that the query leaves to their documented default."""
        present = set(query.keys())
        return tuple(key.name for key in self.keys if key.name not in present and key.name not in self.optional)

    def unknown(self, query: Query) -> tuple[str, ...]:
        """The keys of the query that mean nothing here, fit to be shown; those that steer the page are no fault."""
        return tuple(fields.printable(name) or "?" for name in self.strange(query) if name not in PAGE_KEYS)

    def strange(self, query: Query) -> tuple[str, ...]:
        """The keys of the query that are none of the notation: a program that asks is told of every one."""
        return tuple(sorted(set(query.keys()) - set(self.by_name) - {"v"}))


def written_pair(key: Key, value: Any) -> str:
    """One key as it stands in a link; empty for what is unknown."""
    if key.many:
        return "&".join(f"{key.name}={quoted(key.write(item))}" for item in value) or f"{key.name}={NONE}"
    text = written(key, value)
    return f"{key.name}={quoted(text)}" if text else ""


def written(key: Key, value: Any) -> str:
    """One value as a link has it; empty for what is unknown."""
    return key.unset if value is None or value == "" else key.write(value)


def quoted(text: str) -> str:
    return text if UNQUOTED.fullmatch(text) else quote_plus(text, safe=":/")


def take(key: Key, texts: list[str], values: dict[str, object], problems: list[Problem]) -> None:
    """Reads one key into `values`, or says in `problems` why it cannot be read."""
    try:
        if key.many:
            values[key.attribute] = parse_many(key, texts)
        elif len(texts) > 1:
            raise ReadError(_("cette clé est donnée %(count)s fois") % {"count": len(texts)})
        else:
            values[key.attribute] = key.parse(present(texts[0]))
    except ReadError as error:
        problems.append(problem(key.name, str(error), texts[-1]))


def present(text: str) -> str:
    """`text`, refused when it is empty: in a link, a key without a value says nothing."""
    if not text.strip():
        raise ReadError(_("la valeur est vide\u00a0; retirez la clé pour prendre la valeur par défaut"))
    return text


def parse_many(key: Key, texts: list[str]) -> tuple[object, ...]:
    """Values in the order given, each once; the single word `none` stands for none of them."""
    if texts == [NONE]:
        return ()
    if len(texts) > MANY_AT_MOST:
        raise ReadError(_("%(count)s valeurs au plus peuvent être données") % {"count": MANY_AT_MOST})
    return tuple(dict.fromkeys(key.parse(present(text)) for text in texts))


def problem(key: str, reason: str, text: str = "") -> Problem:
    """A problem whose sentence names the key and quotes what was given."""
    shown = fields.printable(text)
    if not shown.strip():
        return Problem(key, _("%(key)s\u00a0: %(reason)s.") % {"key": key, "reason": reason}, text)
    return Problem(
        key,
        _("%(key)s = «\u00a0%(text)s\u00a0»\u00a0: %(reason)s.") % {"key": key, "text": shown, "reason": reason},
        text,
    )


def _unknown_version(versions: list[str]) -> Problem:
    shown = fields.printable(", ".join(versions))
    message = _(
        "Lien d’une version inconnue (v = «\u00a0%(version)s\u00a0»)\u00a0; ce calculateur lit la version %(known)s."
    )
    return Problem("v", message % {"version": shown, "known": VERSION}, shown)
