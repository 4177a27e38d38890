"""Pausing the collector of cycles: it is on again afterwards, whatever happens, and only where it was on."""

import gc

import pytest

from calculator.pricelist.contract import PriceFileError
from calculator.pricelist.memory import collecting_later
from calculator.pricelist.reading import read
from tests.pricelist.filefactory import gpu


def test_the_collector_rests_within_and_works_afterwards() -> None:
    with collecting_later():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_works_again_after_a_file_was_read_or_refused() -> None:
    assert read(gpu("1.50"), "a.csv").errors == ()
    assert gc.isenabled()
    with pytest.raises(PriceFileError):
        read(b"", "a.csv")
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    try:
        with collecting_later():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
