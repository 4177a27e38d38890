"""Units, the one door from float to Decimal, and the conversions of money.

GB and GIB are the only storage multiples. Money is Decimal and physics is float; `to_decimal` is the only crossing.
Rounding is half-up, the French commercial habit, and only for display or for the tax on a total.
"""

from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

Number = Decimal | float | int

GB = 10**9
GIB = 2**30
MTOK = Decimal(1_000_000)
HOUR_S = 3600
MONTHS_A_YEAR = 12

CENT_DECIMALS = 2
ROUNDING = Context(prec=60, rounding=ROUND_HALF_UP)
"""Half-up with digits to spare: a total of 10**15 tokens priced to 10**-9 still rounds exactly."""

TOKENS_A_PRICE: dict[str, int] = {"token": 1, "ktok": 1_000, "mtok": 1_000_000}
"""How many tokens one amount of an API price pays for, by the unit it is written in."""


def to_decimal(value: Number) -> Decimal:
    """`value` as a Decimal with the digits that it prints with.

    >>> to_decimal(1.4)
    Decimal('1.4')
    """
    return value if isinstance(value, Decimal) else Decimal(repr(value))


def half_up(value: Number, decimals: int = CENT_DECIMALS) -> Decimal:
    """`value` rounded half-up to `decimals` digits, for display only.

    >>> half_up(Decimal("2953.125"))
    Decimal('2953.13')
    """
    return to_decimal(value).quantize(_place(decimals), context=ROUNDING)


@lru_cache(maxsize=64)
def _place(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)


def per_mtok(amount: Decimal, unit: str) -> Decimal:
    """An API price written per `token`, `ktok` or `mtok`, as an amount per million tokens.

    Raises ValueError for any other unit: a price without a known unit is never guessed.

    >>> per_mtok(Decimal("0.000015"), "token")
    Decimal('15.000000')
    """
    if unit not in TOKENS_A_PRICE:
        raise ValueError(f"unknown price unit: {unit!r}")
    return amount * (1_000_000 // TOKENS_A_PRICE[unit])


def including_tax(net_total: Decimal, vat_ratio: Decimal) -> Decimal:
    """The total with VAT, from the unrounded total without it; rounded half-up to the cent, once.

    Three monthly GPU-PRO at 20 %; rounding each line first would give 2 990.31.

    >>> including_tax(3 * Decimal("830.64"), Decimal("0.20"))
    Decimal('2990.30')
    """
    return half_up(ROUNDING.multiply(net_total, 1 + vat_ratio))


def usd_to_eur(amount_usd: Decimal, usd_per_eur: Decimal) -> Decimal:
    """Dollars as euros at a rate quoted the ECB's way, dollars for one euro: a division, unrounded.

    >>> half_up(usd_to_eur(Decimal("15.00"), Decimal("1.1172")))
    Decimal('13.43')
    """
    return amount_usd / usd_per_eur
