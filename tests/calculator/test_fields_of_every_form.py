"""Fields that calculators share by name: each page shows its own words, whichever page a process answered before."""

import re
from itertools import permutations

import pytest
from django.test import Client

from calculator import registry
from calculator.templatetags import formfields

pytestmark = pytest.mark.django_db
NAMES = sorted(registry.CALCULATORS)


def page(client: Client, name: str, language: str) -> str:
    text = client.get(f"/{language}/{name}").content.decode()
    return text[text.index('<form id="form"') : text.index('<section class="result"')]


@pytest.mark.parametrize("language", ["fr", "en"])
def test_a_field_keeps_the_words_of_its_own_calculator(client: Client, seeded: None, language: str) -> None:
    alone = {}
    for name in NAMES:
        formfields._rendered.clear()
        alone[name] = without_instants(page(client, name, language))
    for first, second in permutations(NAMES, 2):
        formfields._rendered.clear()
        page(client, first, language)
        assert without_instants(page(client, second, language)) == alone[second], f"{second} after {first}"


def without_instants(text: str) -> str:
    """The instant of a first visit is now."""
    return re.sub(r"\d{4}-\d{2}-\d{2}T\d{2}(:|%3A)\d{2}(:|%3A)\d{2}Z", "", text)
