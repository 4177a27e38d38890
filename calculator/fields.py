"""Numbers as people type them, in French or English, and how the page writes them back into a field.

Accepted: groups of three parted by a space (plain, no-break, narrow or thin), by dots or by commas; a comma or a dot
as decimal mark; a multiplier; the field's own unit or currency sign before or behind. Multipliers: `k` or `K` is a
thousand, `M` a million (capital only: `m` is a thousandth), `Md`, `md`, `G`, `B`, `bn` or `Bn` a thousand million
(`g` and `b` are refused). A percentage field takes `65` or `65 %` for 0.65.

A single mark before exactly three digits (`1,234`) has two readings. It is refused, with both named, only if both lie
within the field's limits. Exponents, signs, NaN and Infinity are refused with a sentence.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import formats

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

type Text = str | _StrPromise

MAX_CHARACTERS = 60
MAX_DECIMALS = 12
PRECISION_DIGITS = 60
HUNDRED = Decimal(100)
MILLION = Decimal(10**6)
MILLIARD = Decimal(10**9)
MULTIPLIERS: Mapping[str, Decimal] = {
    "": Decimal(1),
    "k": Decimal(1000),
    "K": Decimal(1000),
    "M": MILLION,
    "Md": MILLIARD,
    "md": MILLIARD,
    "G": MILLIARD,
    "B": MILLIARD,
    "bn": MILLIARD,
    "Bn": MILLIARD,
}
MISCASED = {"m": "M", "g": "G", "b": "B", "MD": "Md", "BN": "Bn"}

SPACES = re.compile("[ \t\u00a0\u202f\u2009\u2007]+")
NUMBER = re.compile("(?P<body>[0-9., ]*[0-9.,]) ?(?P<suffix>[A-Za-z]*)")
SPACED = re.compile("[0-9]{1,3}( [0-9]{3})+([.,][0-9]*)?")
ONE_MARK = re.compile("[0-9]*[.,][0-9]*")
GROUPED = re.compile("[1-9][0-9]{0,2}(,[0-9]{3})+|[1-9][0-9]{0,2}(\\.[0-9]{3})+")
GROUPED_DECIMAL = re.compile("[0-9]{1,3}(,[0-9]{3})+\\.[0-9]*|[0-9]{1,3}(\\.[0-9]{3})+,[0-9]*")
TWO_READINGS = re.compile("[1-9][0-9]{0,2}[.,][0-9]{3}")
EXPONENT = re.compile("[0-9.,]+ ?[eE] ?[-+]?[0-9]+")
NOT_FINITE = re.compile("[-+]?(nan|inf|infinity|∞)", re.IGNORECASE)
# Half a character, which JSON can spell, is no text that a page or a table takes.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class NumberError(ValueError):
    """A text that is no number for this field; the message is the sentence shown beside it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Lowest and highest value a field takes, both included; ratios 0–1, tokens as counts."""

    low: Decimal
    high: Decimal

    def hold(self, value: Decimal) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a field counts: its limits, the unit words accepted beside the number, and how it is written.

    `percent`: typed and shown × 100. `scaled`: shown with M or Md from a million on. `whole`: no decimals.
    """

    limits: Limits
    units: tuple[str, ...] = ()
    percent: bool = False
    scaled: bool = False
    whole: bool = False

    def takes(self, value: Decimal) -> bool:
        """Whether `value` can be this quantity (within limits, whole where it must be, not absurdly precise)."""
        return self.limits.hold(value) and decimals(value) <= (0 if self.whole else MAX_DECIMALS)


def limits(low: str, high: str) -> Limits:
    """Limits written as the digits of a link."""
    return Limits(Decimal(low), Decimal(high))


EURO = ("€ ht", "€", "eur")
EURO_PER_MONTH = ("€ / mois", "€/mois", "€ / month", "€/month", *EURO)
TOKENS = (
    *("de tokens / mois", "de tokens par mois", "de tokens", "tokens / mois", "tokens/mois", "tokens par mois"),
    *("tokens / month", "tokens/month", "tokens a month", "tokens", "token", "tok"),
)
TOKENS_PER_S = ("tokens/s", "tok/s", "t/s")

CATALOG_VERSION = Quantity(limits("1", "1000000"), whole=True)
FIGURE = Quantity(limits("1", "1000000000"), whole=True)
PRICE = Quantity(limits("0.0001", "1000000"), EURO)
RATE = Quantity(limits("0.01", "1000000"), TOKENS_PER_S)
PREFILL = Quantity(limits("0.01", "100000000"), TOKENS_PER_S)
INSTANCES = Quantity(limits("1", "1024"), whole=True)
CONCURRENCY = Quantity(limits("1", "100000"), whole=True)
UTILISATION = Quantity(limits("0.01", "1"), ("%",), percent=True)
HOURS = Quantity(limits("1", "744"), ("h",))
VOLUME = Quantity(limits("1", "1000000000000000"), TOKENS, scaled=True)
REQUESTS = Quantity(limits("1", "1000000000000"), ("requêtes", "requests"), scaled=True)
INPUT_TOKENS = Quantity(limits("0", "10000000"), TOKENS)
OUTPUT_TOKENS = Quantity(limits("1", "10000000"), TOKENS)
SHARE = Quantity(limits("0", "1"), ("%",), percent=True)
RESPONSE_CACHE = Quantity(limits("0", "0.99"), ("%",), percent=True)
USD_PER_EUR = Quantity(limits("0.1", "10"), ("$", "usd"))
EXTRA_COST = Quantity(limits("0", "100000000"), EURO_PER_MONTH)
VAT = Quantity(limits("0", "0.5"), ("%",), percent=True)
UPLIFT = Quantity(limits("0", "1"), ("%",), percent=True)
TOKEN_RATIO = Quantity(limits("0.2", "5"), ("×",))
TIE = Quantity(limits("0", "0.5"), ("%",), percent=True)


def decimals(value: Decimal) -> int:
    """How many decimals `value` needs: 1.50 → 1, 100 → 0."""
    digits = value.as_tuple()
    exponent = int(digits.exponent)
    trailing = len(digits.digits) - len("".join(map(str, digits.digits)).rstrip("0"))
    return max(0, -(exponent + trailing)) if value else 0


@lru_cache(maxsize=1024)
def plain(value: Decimal) -> str:
    """`value` with a dot, without groups, exponent or trailing zeros: the digits of a link."""
    return f"{value:.{decimals(value)}f}"


def printable(text: str) -> str:
    """`text` without control characters and cut to a length that a sentence can quote."""
    return UNPRINTABLE.sub("", text)[:MAX_CHARACTERS]


def read(text: str, quantity: Quantity) -> Decimal:
    """The number that `text` means for this field; raises NumberError with the sentence to show."""
    if len(text) > MAX_CHARACTERS:
        raise NumberError(_("Ce texte est trop long pour un nombre."))
    body, multiplier = _parts(text, quantity)
    candidates = [_scaled(value, multiplier, quantity) for value in _readings(body, text)]
    fitting = [value for value in candidates if quantity.takes(value)]
    if len(fitting) > 1 and fitting[0] != fitting[1]:
        raise NumberError(_two_readings(text, fitting, quantity))
    if not fitting:
        raise NumberError(_out_of_range(candidates[0], quantity))
    return fitting[0]


def _parts(text: str, quantity: Quantity) -> tuple[str, Decimal]:
    """The digits and the multiplier of `text`, its unit taken away."""
    match = NUMBER.fullmatch(_without_unit(SPACES.sub(" ", text).strip(), quantity.units))
    if match is None:
        raise NumberError(_not_a_number(text))
    suffix = match["suffix"]
    if quantity.percent and suffix:
        raise NumberError(_unknown_suffix(suffix, quantity))
    if suffix not in MULTIPLIERS:
        raise NumberError(_unknown_suffix(suffix, quantity))
    return match["body"].strip(), MULTIPLIERS[suffix]


def _without_unit(text: str, units: tuple[str, ...]) -> str:
    lowered = text.lower()
    for unit in sorted(units, key=len, reverse=True):
        if lowered.endswith(unit):
            return text[: len(text) - len(unit)].strip()
        if lowered.startswith(unit) and not unit.isalpha():
            return text[len(unit) :].strip()
    return text


def _readings(body: str, text: str) -> list[Decimal]:
    """Every value that `body` can mean: the decimal reading first, then the grouped one."""
    if SPACED.fullmatch(body):
        return [_decimal(body.replace(" ", "").replace(",", "."))]
    if body.isdigit():
        return [Decimal(body)]
    found = []
    if ONE_MARK.fullmatch(body) and body not in {".", ","}:
        found.append(_decimal(body.replace(",", ".")))
    if GROUPED.fullmatch(body):
        found.append(Decimal(body.replace(",", "").replace(".", "")))
    if GROUPED_DECIMAL.fullmatch(body):
        mark = max(body.rfind(","), body.rfind("."))
        found.append(_decimal(body[:mark].replace(",", "").replace(".", "") + "." + body[mark + 1 :]))
    if not found:
        raise NumberError(_not_a_number(text))
    return found


def _decimal(text: str) -> Decimal:
    return Decimal(text.rstrip(".") if text.endswith(".") else text)


def _scaled(value: Decimal, multiplier: Decimal, quantity: Quantity) -> Decimal:
    with localcontext() as context:
        context.prec = PRECISION_DIGITS
        return value * multiplier / HUNDRED if quantity.percent else value * multiplier


def show(value: Decimal, quantity: Quantity) -> str:
    """`value` as the page writes it into the field: all its digits, in a form that `read` reads back as itself."""
    with localcontext() as context:
        context.prec = PRECISION_DIGITS
        if quantity.percent:
            return _written(value * HUNDRED)
        if quantity.scaled and value >= MILLIARD:
            return _written(value / MILLIARD) + (f"{formats.NBSP}Md" if formats.is_french() else "B")
        if quantity.scaled and value >= MILLION:
            return _written(value / MILLION) + (f"{formats.NBSP}M" if formats.is_french() else "M")
    return _written(value)


def _written(value: Decimal) -> str:
    text = formats.number(value, decimals(value))
    if not TWO_READINGS.fullmatch(text):
        return text
    return text.replace(",", "").replace(".", "") if decimals(value) == 0 else f"{text}0"


def with_unit(value: Decimal, quantity: Quantity) -> str:
    """`value` for a sentence: as in the field, with the percent sign where the field counts in percent."""
    text = show(value, quantity)
    if not quantity.percent:
        return text
    return f"{text}{formats.NBSP}%" if formats.babel_locale() == "fr_FR" else f"{text}%"


def _not_a_number(text: str) -> str:
    shown = printable(text.strip())
    compact = SPACES.sub("", text)
    if NOT_FINITE.fullmatch(compact):
        return _("«\u00a0%(text)s\u00a0» n’est pas un nombre fini.") % {"text": shown}
    if compact.startswith(("-", formats.MINUS)):
        return _("Un nombre négatif n’a pas de sens ici\u00a0: «\u00a0%(text)s\u00a0».") % {"text": shown}
    if EXPONENT.fullmatch(compact):
        return _("Écrivez le nombre sans exposant\u00a0: «\u00a0%(text)s\u00a0» n’est pas accepté.") % {"text": shown}
    return _("«\u00a0%(text)s\u00a0» n’est pas un nombre\u00a0; écrivez par exemple %(example)s.") % {
        "text": shown,
        "example": formats.number(Decimal("1234.5")),
    }


def _unknown_suffix(suffix: str, quantity: Quantity) -> str:
    if quantity.percent:
        return _(
            "«\u00a0%(suffix)s\u00a0» n’est pas accepté ici\u00a0: écrivez un pourcentage, par exemple 65\u00a0%%."
        ) % {"suffix": printable(suffix)}
    if suffix in MISCASED:
        return _("«\u00a0%(suffix)s\u00a0» ne se lit pas\u00a0; vouliez-vous écrire «\u00a0%(right)s\u00a0»\u00a0?") % {
            "suffix": suffix,
            "right": MISCASED[suffix],
        }
    return _("«\u00a0%(suffix)s\u00a0» n’est pas une unité de ce champ\u00a0; k, M et Md sont acceptés.") % {
        "suffix": printable(suffix)
    }


def _two_readings(text: str, values: list[Decimal], quantity: Quantity) -> str:
    first, second = (with_unit(value, quantity) for value in values[:2])
    return _("«\u00a0%(text)s\u00a0» peut se lire %(first)s ou %(second)s\u00a0: écrivez l’un ou l’autre ainsi.") % {
        "text": printable(text.strip()),
        "first": first,
        "second": second,
    }


def _out_of_range(value: Decimal, quantity: Quantity) -> str:
    if quantity.whole and quantity.limits.hold(value):
        return _("Un nombre entier est attendu.")
    if quantity.limits.hold(value):
        return _("Ce nombre a trop de décimales (%(count)s au plus).") % {"count": MAX_DECIMALS}
    return _("La valeur doit être comprise entre %(low)s et %(high)s.") % {
        "low": with_unit(quantity.limits.low, quantity),
        "high": with_unit(quantity.limits.high, quantity),
    }


class NumberField(forms.Field):
    """A text field that reads `Quantity` numbers; the value is a Decimal, None when it is empty and optional."""

    widget = forms.TextInput
    default_error_messages = {"required": gettext_lazy("Une valeur est attendue ici.")}

    def __init__(
        self, quantity: Quantity, *, required: bool = True, label: Text = "", help_text: Text = "", unit: Text = ""
    ) -> None:
        self.quantity = quantity
        self.unit = unit
        # While someone types, one field changes and the others are read as they were.
        self._read = lru_cache(maxsize=256)(partial(read, quantity=quantity))
        super().__init__(required=required, label=label, help_text=help_text)
        self.widget.attrs.update({"inputmode": "decimal", "autocomplete": "off", "spellcheck": "false"})

    def to_python(self, value: object) -> Decimal | None:
        text = "" if value is None else str(value)
        if not text.strip():
            return None
        try:
            return self._read(text)
        except NumberError as error:
            raise ValidationError(str(error), code="number") from error

    def prepare_value(self, value: object) -> object:
        """A Decimal in the page's notation; text that a visitor typed stays as he typed it."""
        if isinstance(value, int):
            value = Decimal(value)
        return show(value, self.quantity) if isinstance(value, Decimal) else value
