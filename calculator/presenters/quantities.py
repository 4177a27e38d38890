"""A value with its unit, as a formula, a table or a figure prints it: three significant digits for physics.

Units are those of the domain's names: seconds, bytes (decimal multiples), FLOP, tokens, euros. What is not listed here
is a count and prints with all its digits.
"""

from decimal import Decimal
from functools import lru_cache

from django.utils.translation import ngettext

from calculator import formats
from calculator.domain.units import GIB, Number, half_up, to_decimal
from calculator.language import gettext as _

MINUTE_S, HOUR_S, DAY_S = Decimal(60), Decimal(3600), Decimal(86_400)
DIGITS = 3
SI = ("", "k", "M", "G", "T", "P", "E")
THOUSAND = Decimal(1000)
MILLION = 1_000_000
"""From here French says “de” before what is counted."""
SCIENTIFIC_FROM = Decimal(10) ** 15
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
EXACT_TOKENS_BELOW = Decimal(10) ** 7
"""A formula is checked with its own numbers: a whole count below this stands with all its digits."""
SCALED = ("B", "FLOP", "FLOP/s", "B/s", "B/tok")
WHOLE = frozenset({"param", "request"})
"""Counts that come out of a division or a product of floats: shown without decimals."""
LITERAL = frozenset({"GB", "GB/s", "TFLOP/s", "req/s", "W", "kWh", "FLOP/B", "J"})


def digits(value: Number, count: int = DIGITS) -> str:
    """A physical value: `count` significant digits, no trailing zeros beyond them.

    Whole parts longer than that are kept: 12 345 tok/s reads better than 12 300.
    """
    exact = to_decimal(value)
    shown = half_up(exact, 0) if abs(exact) >= 10 ** (count - 1) else formats.significant(exact, count)
    return formats.number(shown.normalize())


def duration(seconds: Number | None, *, unknown: str = "") -> str:
    """Seconds in the unit a person would say them: µs, ms, s, min, h, days."""
    if seconds is None:
        return unknown or _("inconnu")
    value = to_decimal(seconds)
    if not value:
        return f"0{formats.NBSP}s"
    if value < Decimal("0.0009995"):
        return _joined(value * 10**6, "µs")
    if value < Decimal("0.9995"):
        return _joined(value * 1000, "ms")
    if value < 2 * MINUTE_S:
        return _joined(value, "s")
    if value < 2 * HOUR_S:
        return _joined(value / MINUTE_S, "min")
    if value < 2 * DAY_S:
        return _joined(value / HOUR_S, "h")
    return _joined(value / DAY_S, _("jours"))


def _joined(value: Decimal, unit: str) -> str:
    return f"{digits(value)}{formats.NBSP}{unit}"


def scaled(value: Number | None, unit: str, *, unknown: str = "") -> str:
    """Bytes, FLOP and their rates with a decimal prefix; FLOP beyond peta as a power of ten."""
    if value is None:
        return unknown or _("inconnu")
    amount, prefix = to_decimal(value), 0
    if unit == "FLOP" and amount >= SCIENTIFIC_FROM:
        power = amount.adjusted()
        mantissa = formats.number(formats.significant(amount.scaleb(-power), DIGITS))
        return f"{mantissa}{formats.NBSP}×{formats.NBSP}10{str(power).translate(SUPERSCRIPTS)}{formats.NBSP}FLOP"
    while abs(amount) >= Decimal("999.5") and prefix < len(SI) - 1:
        amount, prefix = amount / THOUSAND, prefix + 1
    return f"{digits(amount)}{formats.NBSP}{SI[prefix]}{local_unit(unit)}"


def token_count(value: Number) -> str:
    """A count of tokens with the word."""
    exact = to_decimal(value)
    shown = {"count": formats.tokens(half_up(exact, 0) if exact >= THOUSAND else exact)}
    if exact >= MILLION:
        return _("%(count)s de tokens") % shown
    return ngettext("%(count)s token", "%(count)s tokens", max(0, round(exact))) % shown


def days(value: Number) -> str:
    """Days with their word: one day; in French everything below two is singular."""
    text = digits(value)
    one = to_decimal(value) < 2 if formats.is_french() else text == "1"
    return f"{text}{formats.NBSP}{_('jour') if one else _('jours')}"


def gibibytes(value_bytes: Number | None, *, unknown: str = "") -> str:
    """Memory in binary multiples, as cards are counted: an "80 GB" card holds 80 GiB; Gio in French."""
    if value_bytes is None:
        return unknown or _("inconnu")
    return _joined(to_decimal(value_bytes) / GIB, gibibyte_unit())


def gibibyte_unit() -> str:
    """Gio in French, GiB in English."""
    return "Gio" if formats.is_french() else "GiB"


def local_unit(unit: str) -> str:
    """A byte is an octet in French."""
    return unit.replace("B", "o", 1) if unit.startswith("B") and formats.is_french() else unit


def with_unit(value: Number, unit: str) -> str:
    """A value of the domain with its unit; an empty unit is a ratio, written as a percentage."""
    return _with_unit(to_decimal(value), unit, formats.is_french())


@lru_cache(maxsize=2048)
def _with_unit(value: Decimal, unit: str, french: bool) -> str:
    """A value stands in several formulas and twice in each; `french` is only part of the key."""
    del french
    if unit == "tok":
        return _count_of_tokens(value)
    if unit == "GiB":
        return _joined(value, "Gio" if formats.is_french() else unit)
    if unit.startswith(("EUR", "USD")) and unit != "USD/EUR":
        return _money(value, unit)
    if unit == "s":
        return duration(value)
    if unit in SCALED:
        return scaled(value, unit)
    if unit == "":
        return formats.percent(value, 1)
    if unit in ("h", "tok/s"):
        return f"{formats.number(formats.significant(value, 6).normalize())}{formats.NBSP}{unit}"
    if unit in WHOLE:
        return formats.number(value, 0)
    if unit in LITERAL:
        return f"{digits(value)}{formats.NBSP}{unit}"
    if unit == "d":
        return days(value)
    if unit in ("ratio", "sequence"):
        return digits(value)
    return formats.number(value)


def _count_of_tokens(value: Decimal) -> str:
    is_exact = abs(value) < EXACT_TOKENS_BELOW and value == value.to_integral_value()
    return formats.number(value, 0) if is_exact else formats.tokens(value)


def _money(value: Decimal, unit: str) -> str:
    currency, _slash, _per = unit.partition("/")
    amount = formats.unit_price(value, currency)
    return f"{amount} {_('par million')}" if unit == "USD/Mtok" else amount
