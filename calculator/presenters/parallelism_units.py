"""Days, factors and rates as the multi-GPU page writes them; the rest is that of `quantities`."""

from calculator import formats
from calculator.language import gettext as _
from calculator.presenters import quantities

HOURS_A_DAY = 24
DIGITS = 3

number = quantities.digits


def seconds(value: float | None) -> str:
    """A time of a step."""
    return quantities.duration(value)


def days(value: float | None) -> str:
    """The duration of a run: days, or hours under one day."""
    if value is None:
        return _("inconnue")
    if value < 1:
        return f"{number(value * HOURS_A_DAY)}{formats.NBSP}h"
    return quantities.days(value)


def factor(value: float | None) -> str:
    """A speed-up with two decimals."""
    return _("inconnu") if value is None else f"×{formats.NBSP}{formats.number(value, 2)}"


def rate(bytes_per_s: float) -> str:
    """A rate one way."""
    return quantities.scaled(bytes_per_s, "B/s")


def size(byte_count: float | None) -> str:
    """Bytes in decimal multiples."""
    return quantities.scaled(byte_count, "B", unknown=_("inconnue"))


def memory(byte_count: float | None) -> str:
    """Memory of a GPU in binary multiples, as its capacity is stated."""
    return quantities.gibibytes(byte_count, unknown=_("inconnue"))


def flop_per_s(value: float) -> str:
    """A peak."""
    return quantities.scaled(value, "FLOP/s")


def params(value: float) -> str:
    """A count of parameters."""
    return formats.tokens(value, digits=DIGITS)
