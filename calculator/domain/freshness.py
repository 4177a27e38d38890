"""How old an exchange rate or a checked price may be before the reader is told."""

import datetime as dt

STALE_PRICE_DAYS = 90
AMBER_RATE_WORKING_DAYS = 4
RED_RATE_WORKING_DAYS = 10
SATURDAY = 5


def working_days(start: dt.date, end: dt.date) -> int:
    """Days after `start` up to `end`, Saturdays and Sundays left out (bank holidays count); 0 where `end` is earlier.

    From Friday 30 October 2026 to the Friday after:

    >>> working_days(dt.date(2026, 10, 30), dt.date(2026, 11, 6))
    5
    """
    days = range(1, (end - start).days + 1)
    return sum((start + dt.timedelta(days=offset)).weekday() < SATURDAY for offset in days)


def rate_mark(rate_date: dt.date, today: dt.date) -> str:
    """How old an exchange rate is: "" up to 4 working days, "amber" up to 10, then "red".

    >>> rate_mark(dt.date(2026, 10, 30), dt.date(2026, 11, 16))
    'red'
    """
    age = working_days(rate_date, today)
    if age > RED_RATE_WORKING_DAYS:
        return "red"
    return "amber" if age > AMBER_RATE_WORKING_DAYS else ""


def is_stale_price(checked_on: dt.date, today: dt.date) -> bool:
    """Whether nobody has checked a price for more than 90 days.

    >>> is_stale_price(dt.date(2026, 9, 1), dt.date(2026, 11, 30))
    False
    """
    return (today - checked_on).days > STALE_PRICE_DAYS
