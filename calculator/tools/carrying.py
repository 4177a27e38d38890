"""What a link to another calculator carries of the machine: the offer, how many, and a price that the visitor typed."""

from collections.abc import Container
from decimal import Decimal

from calculator import fields
from calculator.domain.offers import Basis


def instances(count: int) -> dict[str, str]:
    """How many instances are rented; nothing for one, which every page takes by itself.

    >>> instances(1), instances(4)
    ({}, {'count': '4'})
    """
    return {"count": str(count)} if count > 1 else {}


def price(typed_eur: Decimal | None, basis: Basis, sold_by: Container[Basis]) -> dict[str, str]:
    """The typed price of an instance with its basis; without one, the hour where the offer has no price by the month.

    >>> price(Decimal("43.20"), Basis.HOUR, ())
    {'basis': 'hour', 'price': '43.2'}
    >>> price(None, Basis.MONTH, {Basis.HOUR}), price(None, Basis.HOUR, {Basis.HOUR, Basis.MONTH})
    ({'basis': 'hour'}, {})
    """
    if typed_eur is not None:
        return {"basis": basis.value, "price": fields.plain(typed_eur)}
    return {"basis": Basis.HOUR.value} if Basis.HOUR in sold_by and Basis.MONTH not in sold_by else {}


def by_hour(typed_eur: Decimal | None, basis: Basis) -> dict[str, str]:
    """A typed hourly price for a page that knows no other; a monthly one stays behind.

    >>> by_hour(Decimal("5"), Basis.HOUR), by_hour(Decimal("3000"), Basis.MONTH)
    ({'price': '5'}, {})
    """
    return {"price": fields.plain(typed_eur)} if typed_eur is not None and basis is Basis.HOUR else {}
