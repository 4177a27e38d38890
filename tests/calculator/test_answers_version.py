"""A list of prices that does not exist is a sentence at every calculator, by link, by form and in a file."""

import pytest
from django.test import Client

from calculator import registry
from calculator.catalog import latest_version
from tests import pagetext

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
NAMES = tuple(registry.CALCULATORS)
SENTENCES = {"fr": "La liste de prix n° 999 n’existe pas", "en": "999"}
# Beside the version alone: with a field that cannot be read, a contradiction, and a code that is none either.
OTHERS = ("", "&sku=NO-SUCH", "&tp=0&count=x", "&chunk=100&overlap=100", "&at=2026-01-01T00:00:00%2B00:00")


def test_there_are_five_calculators() -> None:
    assert len(NAMES) == 5


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("how", ["form=1&", ""])
@pytest.mark.parametrize("name", NAMES)
def test_a_version_that_does_not_exist_is_said_never_an_error(client: Client, name: str, how: str, other: str) -> None:
    response = client.get(f"/fr/{name}?{how}catalog=999{other}")
    assert response.status_code in (200, 422)
    assert response.context["page"] is None
    if how or not other:
        assert SENTENCES["fr"] in pagetext.words(response.content.decode())
    assert response.context["form"].base.catalog_version == latest_version()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", ["form=1&", ""])
def test_the_fragment_stands_and_a_file_leads_to_the_page_that_says_why(client: Client, name: str, how: str) -> None:
    live = client.get(f"/fr/{name}?{how}catalog=999", headers={"HX-Request": "true"})
    assert live.status_code in (200, 422)
    document = client.get(f"/fr/{name}.json?catalog=999")
    assert document.status_code == 400 and "999" in document.content.decode()
    for suffix in ("csv", "xlsx"):
        file = client.get(f"/fr/{name}.{suffix}?catalog=999")
        assert (file.status_code, file.headers["Location"]) == (302, f"/fr/{name}?catalog=999")
