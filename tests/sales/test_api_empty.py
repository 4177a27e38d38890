"""The interface while the catalogue is empty: it says so, in the same way everywhere."""

import pytest
from django.test import Client

from calculator import registry
from sales.api import assistant
from sales.api.problems import RefusedError
from tests.sales.apisite import refused, told

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["skus", "api-models", "prices", "prices/sku/GPU-PRO"])
def test_an_empty_catalogue_cannot_answer_yet(path: str) -> None:
    assert refused(path, 503)["detail"] == "Le catalogue est vide."


@pytest.mark.parametrize("name", list(registry.CALCULATORS))
def test_nothing_is_estimated_from_an_empty_catalogue(name: str) -> None:
    assert refused(f"estimates/{name}?lang=en", 503)["detail"] == "The catalogue is empty."


@pytest.mark.parametrize("path", ["gpus", "language-models", "versions", "figures"])
def test_what_needs_no_prices_is_an_empty_list(path: str) -> None:
    found = told(path)
    assert (found["count"], found["items"], found["next"]) == (0, [], None)


def test_a_wrong_key_is_named_before_anything_is_looked_up() -> None:
    assert refused("versions?limit=0", 422)["errors"][0]["key"] == "limit"


def test_an_assistant_is_told_too() -> None:
    with pytest.raises(RefusedError) as caught:
        assistant.answer("estimate_tokens", {})
    assert [(one.key, one.code) for one in caught.value.problems] == [("catalog", "missing")]


@pytest.mark.parametrize("path", ["", "api/gpt-5.4/", "sku/GPU-PRO/"])
def test_the_pages_about_it_say_so(path: str) -> None:
    assert Client().get(f"/fr/api-docs/{path}").status_code == 503
