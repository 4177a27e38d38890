"""The admin site's filters: a value that no database can hold is a bad request, never a crash."""

import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "status"), [("component=%00", 400), ("%00=1", 400), ("q=a%00b", 400), ("component=output", 200)]
)
def test_a_null_character_in_a_filter_is_a_bad_request(client: Client, query: str, status: int) -> None:
    client.force_login(User.objects.create_superuser("root-of-this-test"))
    assert client.get(f"/fr/admin/calculator/pricerow/?{query}").status_code == status
