"""Explanations while the catalogue is empty."""

import pytest
from django.test import Client


@pytest.mark.django_db
def test_without_a_catalogue_a_page_with_figures_says_so(client: Client) -> None:
    assert client.get("/fr/learn/price/").status_code == 503


@pytest.mark.django_db
def test_the_list_of_questions_needs_no_catalogue(client: Client) -> None:
    assert client.get("/en/learn/").status_code == 200
