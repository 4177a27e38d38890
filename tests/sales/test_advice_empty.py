"""The advisor before there is a catalogue, or with one that lacks what it compares."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/fr/advice/", "/en/advice/advice.csv", "/fr/advice/text"])
def test_an_empty_catalogue_says_so(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 503
    assert "Traceback" not in response.content.decode()
