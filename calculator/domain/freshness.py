"""How old an exchange rate or a checked price may be before the reader is told. The limits are settings."""

import datetime as dt

SATURDAY = 5


def working_days(start: dt.date, end: dt.date) -> int:
    """Days after `start` up to `end`, Saturdays and Sundays left out (bank holidays count); 0 where `end` is earlier.

    From Friday 30 October 2026 to the Friday after:

    >>> working_days(dt.date(2026, 10, 30), dt.date(2026, 11, 6))
    5
    """
    days = range(1, (end - start).days + 1)
    return sum((start + dt.timedelta(days=offset)).weekday() < SATURDAY for offset in days)


def rate_mark(rate_date: dt.date, today: dt.date, amber_working_days: int, red_working_days: int) -> str:
    """How old an exchange rate is: "" up to `amber_working_days`, "amber" up to `red_working_days`, then "red".

    >>> rate_mark(dt.date(2026, 10, 30), dt.date(2026, 11, 16), 4, 10)
    'red'
    """
    age = working_days(rate_date, today)
    if age > red_working_days:
        return "red"
    return "amber" if age > amber_working_days else ""


def is_older(checked_on: dt.date, today: dt.date, limit_days: int) -> bool:
    """Whether nobody has checked a price for more than `limit_days` days.

    >>> is_older(dt.date(2026, 9, 1), dt.date(2026, 11, 30), 90)
    False
    """
    return (today - checked_on).days > limit_days
