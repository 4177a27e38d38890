"""One exported value as a reader writes it, by its unit: for saved estimates and the command line."""

from decimal import Decimal

from calculator import formats
from calculator.language import gettext as _

MONEY_UNITS = ("€ ", "$ ", "EUR/", "USD/")
PER = "/"
SMALL = Decimal("0.10")
MONEY_DECIMALS, SMALL_DECIMALS = 2, 4
FIGURE_DIGITS = 6


def shown(value: Decimal | str | None, unit: str) -> str:
    """Text as it is; money with two decimals (four under 0.10); a share of one as a percentage; other numbers to six
    significant figures.
    """
    if value is None or isinstance(value, str):
        return formats.number(None) if value is None else value
    if is_share(unit):
        share = formats.significant(value, FIGURE_DIGITS)
        return formats.percent(share, _percent_decimals(share))
    if unit.startswith(MONEY_UNITS) and PER in unit:
        return formats.number(value, SMALL_DECIMALS if 0 < abs(value) < SMALL else MONEY_DECIMALS)
    is_whole = value == value.to_integral_value()
    return formats.number(value if is_whole else formats.significant(value, FIGURE_DIGITS).normalize())


def unit_shown(unit: str) -> str:
    """The unit to print beside the value: none beside a percentage, which carries its own sign."""
    return "" if is_share(unit) else unit


def is_share(unit: str) -> bool:
    """Whether exported values of this unit are shares of one."""
    return unit == _("part de 1")


def _percent_decimals(ratio: Decimal) -> int:
    """The decimals that a ratio needs as a percentage."""
    exponent = ratio.normalize().as_tuple().exponent
    return max(0, -int(exponent) - 2) if isinstance(exponent, int) else 0
