"""The worked examples in the docstrings of the counter and of the corpus' formulas are run."""

import doctest
from types import ModuleType

import pytest

from calculator.counting import cuts, stream
from calculator.domain import chunking, samples, tokens


@pytest.mark.parametrize("module", [cuts, stream, chunking, samples, tokens], ids=lambda module: module.__name__)
def test_worked_examples_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
