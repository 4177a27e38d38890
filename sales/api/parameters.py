"""The keys of a notation as OpenAPI parameters and JSON Schema: types, limits, choices, defaults and units.

Nothing is written down twice: limits come from the key's quantity, choices from its reader, the words from the form of
the page, the unit from the name of the attribute behind the key, which carries it.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from calculator.codes import CODE, MAX_CODE_CHARACTERS, MAX_NAME_CHARACTERS
from calculator.forms.base import ScenarioForm
from calculator.permalinks import NONE, VERSION, Key, Notation
from calculator.permalinks.notation import (
    MANY_AT_MOST,
    Choice,
    parse_instant,
    parse_name,
    written,
)
from sales.api.frame import LANGUAGE

UNITS = (
    ("_eur_per_gb_month", "EUR per GB and month"),
    ("_eur_per_month", "EUR per month"),
    ("_eur", "EUR without VAT"),
    ("usd_per_eur", "USD per EUR"),
    ("_tok_per_s", "tokens per second"),
    ("_per_s", "per second"),
    ("_tokens", "tokens"),
    ("_ratio", "ratio, 0.65 for 65 %"),
    ("_per_month_h", "hours per month"),
    ("_ms", "milliseconds"),
    ("_days", "days"),
    ("_months", "months"),
)
"""By the end of an attribute's name; the first that fits."""
WORDS = {
    "v": "Version of this notation.",
    "lang": "Language of labels and sentences; goes before Accept-Language.",
    "need_lang": "Language of the prompts and documents; it changes how many tokens they are.",
    "catalog": "Version of the catalogue; the newest unless given.",
    "at": "UTC instant that prices are asked for, to the second; now unless given.",
    "limit": "How many items at most.",
    "offset": "How many items to leave out first.",
    "retired": "1: with the models that are retired at the instant.",
    "kind": "Kind of item.",
    "mode": "Service level.",
    "sku": "Code of a dedicated GPU.",
    "model": "Name of an open-weights model.",
    "metric": "What the figure is about.",
    "code": "Code of the item, or one of its other names.",
    "cal": "Hash of the calibration that the answer was computed with; another one is said in the answer.",
}
INSTANT_EXAMPLE = "2026-11-30T14:00:00Z"
# Every UTC instant to the second from 2000 to 2099, with the lengths of months and leap years.
INSTANT_PATTERN = (
    "^20([0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    "|02-(0[1-9]|1[0-9]|2[0-8]))|([02468][048]|[13579][26])-02-29)"
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$"
)
NAME_PATTERN = "^[!-~]([ -~]*[!-~])?$"


def unit_of(attribute: str) -> str:
    """The unit that an attribute's name carries, "" for none."""
    return next((unit for end, unit in UNITS if attribute.endswith(end)), "")


def json_number(value: Decimal) -> int | float:
    """A limit or a default as JSON has it: whole where it is."""
    return int(value) if value == value.to_integral_value() else float(value)


def one_value(key: Key) -> dict[str, Any]:
    """The JSON Schema of a single value of a key."""
    if isinstance(key.parse, Choice):
        return {"type": "string", "enum": list(key.parse.values)}
    if key.quantity is not None:
        low, high = (json_number(limit) for limit in (key.quantity.limits.low, key.quantity.limits.high))
        return {"type": "integer" if key.quantity.whole else "number", "minimum": low, "maximum": high}
    if key.parse is parse_instant:
        return {"type": "string", "pattern": INSTANT_PATTERN, "examples": [INSTANT_EXAMPLE]}
    if key.parse is parse_name:
        return {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS, "pattern": NAME_PATTERN}
    return {"type": "string", "maxLength": MAX_CODE_CHARACTERS, "pattern": f"^{CODE.pattern}$"}


def json_default(key: Key, value: Any) -> Any:
    """A default as JSON has it; None for a value that is unknown."""
    if key.many:
        return [key.write(item) for item in value]
    if key.quantity is not None and value is not None:
        return json_number(Decimal(value))
    return written(key, value) or None


def schema_of(key: Key, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a key, with its default where it has one."""
    found = one_value(key)
    if key.unset:
        found = {"anyOf": [found, {"type": "string", "const": key.unset}]}
    if key.many:
        several = {"type": "array", "items": found, "maxItems": MANY_AT_MOST}
        found = {"anyOf": [several, {"type": "string", "const": NONE}]} if "enum" in found else several
    default = json_default(key, defaults[key.attribute]) if key.attribute in defaults else None
    return found if default is None else {**found, "default": default}


def defaults_of(notation: Notation) -> dict[str, Any]:
    """The documented defaults of a question, by attribute."""
    listed = dataclasses.fields(notation.scenario)
    return {item.name: item.default for item in listed if item.default is not dataclasses.MISSING}


def words_of(key: Key, form: type[ScenarioForm] | None) -> str:
    """What a key is, in the active language: the label of its field, else our own words; with its unit."""
    specs: Mapping[str, Any] = {**form.NUMBERS, **form.SELECTS, **form.LISTED} if form else {}
    label = str(specs[key.name].label) if key.name in specs else WORDS[key.name]
    unit = unit_of(key.attribute) if key.quantity is not None else ""
    text = f"{label.rstrip('.')} ({unit})." if unit else f"{label.rstrip('.')}."
    return f"{text} The word `{NONE}` alone stands for none." if key.many else text


def properties(notation: Notation, form: type[ScenarioForm] | None = None) -> dict[str, dict[str, Any]]:
    """Every key of a notation as a property of a JSON Schema."""
    defaults = defaults_of(notation)
    return {key.name: {"description": words_of(key, form), **schema_of(key, defaults)} for key in notation.keys}


def parameters(notation: Notation, form: type[ScenarioForm] | None = None) -> list[dict[str, Any]]:
    """Every key of a notation as a query parameter, and the two that every question has."""
    common = {
        "v": {"description": WORDS["v"], "type": "string", "enum": [VERSION]},
        LANGUAGE.name: {"description": WORDS["lang"], **one_value(LANGUAGE)},
    }
    return [parameter(name, "query", held) for name, held in {**properties(notation, form), **common}.items()]


def path_parameters(keys: Iterable[Key]) -> list[dict[str, Any]]:
    """What a path names."""
    return [parameter(key.name, "path", {"description": WORDS[key.name], **one_value(key)}) for key in keys]


def parameter(name: str, place: str, held: Mapping[str, Any]) -> dict[str, Any]:
    """One parameter of OpenAPI."""
    schema = {word: value for word, value in held.items() if word != "description"}
    found = {"name": name, "in": place, "required": place == "path", "description": held["description"]}
    return {**found, "schema": schema}
