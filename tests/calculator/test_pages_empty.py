"""Before any price list is loaded, each page says what to do and none fails; each page exists in both languages."""

import pytest
from django.test import Client

from calculator import catalog
from tests import pagetext

PAGES = ["", "skus/", "gpus/", "prices/", "prices/sku/GPU-PRO/", "methodology/"]


@pytest.fixture(autouse=True)
def nothing_kept(db: None) -> None:
    catalog.forget()


@pytest.mark.parametrize("path", ["", "skus/", "prices/", "prices/sku/GPU-PRO/"])
def test_a_page_of_an_empty_catalogue_names_the_command_that_fills_it(client: Client, path: str) -> None:
    response = client.get(f"/fr/{path}")
    assert response.status_code == 503
    assert "manage.py seed" in response.content.decode()


def test_the_data_sheets_say_that_there_are_none(client: Client) -> None:
    response = client.get("/fr/gpus/")
    assert response.status_code == 200
    assert "Aucune fiche technique" in response.content.decode()


def test_the_method_needs_no_catalogue(client: Client) -> None:
    assert client.get("/fr/methodology/").status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_every_page_speaks_english_too(client: Client, path: str) -> None:
    response = client.get(f"/en/{path}")
    html = response.content.decode()
    assert '<html lang="en">' in html
    text = pagetext.words(html)
    for french in ("Le catalogue", "Aucun prix", "Méthode", "Tarifs", "lancez"):
        assert french not in text


@pytest.mark.parametrize("path", PAGES)
def test_pages_answer_only_to_reading(client: Client, path: str) -> None:
    assert client.post(f"/fr/{path}").status_code == 405
