"""The calibration that ships with the product, read once a process."""

from functools import lru_cache

from django.conf import settings

from calculator.accuracy.store import read
from calculator.domain.calibration import Calibration

FILE = "calibration.json"
HASH_DIGITS = 12
"""Digits of the data's hash that a link carries: enough to notice another calibration."""


@lru_cache(maxsize=1)
def calibration() -> Calibration:
    """The constants of fixtures/calibration.json. Raises FileNotFoundError, KeyError or ValueError if unusable."""
    return read(settings.BASE_DIR / "fixtures" / FILE)


def mark() -> str:
    """The calibration's short name, as links carry it."""
    return calibration().data_hash[:HASH_DIGITS]
