"""The catalogue as the calculators' tests load it."""

from tests.calculator.conftest import catalogue, noon, seeded, seeded_once

__all__ = ["catalogue", "noon", "seeded", "seeded_once"]
