"""What is said of changes to the catalogue: each code of the comparison and of the guards as a sentence."""

from collections.abc import Mapping

from calculator.fields import Text

SENTENCES: Mapping[str, Text] = {}
