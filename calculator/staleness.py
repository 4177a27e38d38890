"""The policy on old prices and rates: the limits of the settings applied to the dates of the catalogue.

A price not checked for PRICE_AMBER_DAYS is pointed out, after PRICE_OUT_OF_QUOTES_DAYS it no longer enters a quote. A
rate is marked amber after RATE_AMBER_WORKING_DAYS working days and red after RATE_RED_WORKING_DAYS.
"""

import datetime as dt

from django.conf import settings

from calculator.domain import freshness

RED = "red"


def price_days() -> int:
    """Days after which an unchecked price is pointed out."""
    days: int = settings.PRICE_AMBER_DAYS
    return days


def is_stale_price(checked_on: dt.date, today: dt.date) -> bool:
    """Whether a price has to be pointed out as old."""
    return freshness.is_older(checked_on, today, settings.PRICE_AMBER_DAYS)


def is_out_of_quotes(checked_on: dt.date, today: dt.date) -> bool:
    """Whether a price is too old for a quote."""
    return freshness.is_older(checked_on, today, settings.PRICE_OUT_OF_QUOTES_DAYS)


def rate_mark(rate_date: dt.date, today: dt.date) -> str:
    """How old an exchange rate is: "", "amber" or "red"."""
    amber, red = settings.RATE_AMBER_WORKING_DAYS, settings.RATE_RED_WORKING_DAYS
    return freshness.rate_mark(rate_date, today, amber, red)


def contradiction() -> str:
    """What is wrong about the limits as they are set; "" when nothing is."""
    if settings.PRICE_OUT_OF_QUOTES_DAYS < settings.PRICE_AMBER_DAYS:
        return "PRICE_OUT_OF_QUOTES_DAYS is below PRICE_AMBER_DAYS."
    if settings.RATE_RED_WORKING_DAYS < settings.RATE_AMBER_WORKING_DAYS:
        return "RATE_RED_WORKING_DAYS is below RATE_AMBER_WORKING_DAYS."
    return ""
