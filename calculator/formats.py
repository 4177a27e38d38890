"""Numbers, money and dates as French or English readers write them: half-up, unknown as a word.

Dates come from Babel. Numbers are written here, as Babel writes them (a test compares): a page prints hundreds, and
Babel reads its pattern and locale anew for each.

French groups with U+202F and puts U+00A0 before the unit; English writes €1,234.56. `None` is never printed as 0: it
becomes the word given by `unknown`.
"""

import datetime as dt
from decimal import Decimal
from functools import lru_cache

from babel.dates import format_date, format_datetime
from babel.numbers import get_currency_symbol
from django.utils import timezone

from calculator import language
from calculator.domain.units import Number, half_up, to_decimal
from calculator.language import gettext as _

MINUS = "\u2212"
NBSP = "\u00a0"
MOST_DECIMALS = 10
NARROW_NBSP = "\u202f"
SIGNS = {"EUR": "€", "USD": "$"}
MILLION, MILLIARD = Decimal(10**6), Decimal(10**9)

is_french, one_language = language.is_french, language.one_language


def babel_locale() -> str:
    """The Babel locale of the active language."""
    return "fr_FR" if is_french() else "en_GB"


def significant(value: Number, digits: int = 3) -> Decimal:
    """`value` rounded half-up to `digits` significant figures."""
    number = to_decimal(value)
    return number if number == 0 else half_up(number, digits - 1 - number.adjusted())


def number(value: Number | None, decimals: int | None = None, *, unknown: str = "") -> str:
    """`value` with grouping; all its digits when `decimals` is None (trailing zeros dropped)."""
    if value is None:
        return unknown or _("inconnu")
    if decimals is None:
        return _exact(to_decimal(value), french=is_french())
    return _written(half_up(value, decimals), decimals, french=is_french())


def _exact(value: Decimal, *, french: bool) -> str:
    """All digits but the zeros at the end."""
    return _localised(f"{value.normalize():z,f}", french=french)


def _written(value: Decimal, decimals: int, *, french: bool) -> str:
    # z: what rounds to zero from below is zero, not a negative one.
    return _localised(f"{value:z,.{decimals}f}", french=french)


def _localised(text: str, *, french: bool) -> str:
    if text[0] == "-":
        text = f"{MINUS}{text[1:]}"
    return text.replace(",", NARROW_NBSP).replace(".", ",") if french else text


def money(value: Number | None, currency: str = "EUR", decimals: int = 2, *, unknown: str = "") -> str:
    """An amount with its currency sign; down to 10⁻¹⁰ a non-zero amount prints as such (more decimals are added)."""
    if value is None:
        return unknown or _("inconnu")
    rounded = half_up(value, decimals)
    if value and not rounded:
        decimals = next((more for more in range(decimals, MOST_DECIMALS + 1, 2) if half_up(value, more)), decimals)
        rounded = half_up(value, decimals)
    sign = SIGNS.get(currency) or get_currency_symbol(currency, locale=babel_locale())
    french = is_french()
    amount = _written(abs(rounded), decimals, french=french)
    written = f"{amount}{NBSP}{sign}" if french else f"{sign}{amount}"
    return f"{MINUS}{written}" if rounded < 0 else written


def unit_price(value: Number | None, currency: str = "EUR", *, unknown: str = "") -> str:
    """A price per hour or per million tokens: two decimals, four under 0.10."""
    small = value is not None and abs(to_decimal(value)) < Decimal("0.10") and to_decimal(value) != 0
    return money(value, currency, 4 if small else 2, unknown=unknown)


def percent(ratio: Number | None, decimals: int = 0, *, signed: bool = False, unknown: str = "") -> str:
    """A ratio 0–1 as a percentage; U+00A0 before the sign in French."""
    if ratio is None:
        return unknown or _("inconnu")
    shown = half_up(to_decimal(ratio) * 100, decimals)
    plus = "+" if signed and shown > 0 else ""
    french = is_french()
    return f"{plus}{_written(shown, decimals, french=french)}{NBSP if french else ''}%"


def tokens(count: Number | None, *, digits: int | None = 4, unknown: str = "") -> str:
    """A count of tokens with M or Md/B: 107,8 M, in English 107.8M. `digits` = significant figures, None = all."""
    if count is None:
        return unknown or _("inconnu")
    value, sign, french = to_decimal(count), "", is_french()
    if abs(value) >= MILLIARD:
        value, sign = value / MILLIARD, "Md" if french else "B"
    elif abs(value) >= MILLION:
        value, sign = value / MILLION, "M"
    text = _exact(value if digits is None else significant(value, digits), french=french)
    return f"{text}{NBSP if french and sign else ''}{sign}"


def tokens_before(count: Number | None, *, digits: int | None = 4) -> str:
    """The count as it stands before its noun: “100 M de” tokens, “64 000” tokens; in English 100M."""
    text = tokens(count, digits=digits)
    return f"{text} de" if is_french() and text.endswith(("M", "Md")) else text


def labelled(name: str, text: str) -> str:
    """“Nom : texte” with the colon of the language: a no-break space before it in French alone."""
    return f"{name}{NBSP if is_french() else ''}: {text}"


def date(value: dt.date | dt.datetime | None, *, unknown: str = "") -> str:
    """30/11/2026 in French, 30 Nov 2026 in English; an instant is dated in Europe/Paris."""
    if value is None:
        return unknown or _("inconnue")
    return _day(_local_day(value) if isinstance(value, dt.datetime) else value, babel_locale())


@lru_cache(maxsize=512)
def _local_day(at: dt.datetime) -> dt.date:
    return timezone.localtime(at).date()


@lru_cache(maxsize=512)
def _day(day: dt.date, locale: str) -> str:
    return format_date(day, "dd/MM/yyyy" if locale == "fr_FR" else "d MMM yyyy", locale=locale)


def instant(value: dt.datetime | None, *, unknown: str = "") -> str:
    """Day and minute in Europe/Paris."""
    if value is None:
        return unknown or _("inconnu")
    pattern = "dd/MM/yyyy HH:mm" if babel_locale() == "fr_FR" else "d MMM yyyy HH:mm"
    return format_datetime(timezone.localtime(value), pattern, locale=babel_locale())
