"""One exported value as a reader writes it, by its unit: for saved estimates and the command line."""

from decimal import Decimal

from calculator import formats

MONEY_UNITS = ("€ ", "$ ", "EUR/", "USD/")
PER = "/"
SMALL = Decimal("0.10")
MONEY_DECIMALS, SMALL_DECIMALS = 2, 4
FIGURE_DIGITS = 6


def shown(value: Decimal | str | None, unit: str) -> str:
    """Text as it is; money with two decimals (four under 0.10); other numbers to six significant figures."""
    if value is None or isinstance(value, str):
        return formats.number(None) if value is None else value
    if unit.startswith(MONEY_UNITS) and PER in unit:
        return formats.number(value, SMALL_DECIMALS if 0 < abs(value) < SMALL else MONEY_DECIMALS)
    is_whole = value == value.to_integral_value()
    return formats.number(value if is_whole else formats.significant(value, FIGURE_DIGITS).normalize())
