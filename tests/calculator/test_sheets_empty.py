"""Data sheets while the catalogue is being filled: an empty table is never kept, test models are no choice."""

import pytest

from calculator import sheets
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_an_empty_table_is_asked_again() -> None:
    assert sheets.gpus() == ()
    make.make_gpu("T4")
    make.make_language_model()
    assert [one.name for one in sheets.gpus()] == ["T4"]


def test_test_models_are_no_choice() -> None:
    make.make_gpu("T4")
    make.make_language_model()
    make.make_language_model("random-tiny", is_test=True)
    assert [one.name for one in sheets.models()] == ["Mistral-7B-v0.3"]
    assert sheets.language_model("random-tiny") is None
