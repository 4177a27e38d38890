"""What the tests of the sales conversation share with those of the calculators: the catalogue, and a fixed noon."""

from tests.calculator.conftest import catalogue, noon, seeded, seeded_once

__all__ = ["catalogue", "noon", "seeded", "seeded_once"]
