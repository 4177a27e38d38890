"""Staff may look at runs; nobody changes one by hand."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.benchmarks import runfactory as runs

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("staff"))
    return client


@pytest.mark.parametrize("name", ["benchmarkrun", "benchmarkstep"])
def test_staff_look_at_rows(staff: Client, name: str) -> None:
    run = runs.succeeded()
    text = staff.get(f"/fr/admin/benchmarks/{name}/").content.decode()
    assert run.code in text
    row = run.pk if name == "benchmarkrun" else run.steps.get(position=1).pk
    assert staff.get(f"/fr/admin/benchmarks/{name}/{row}/change/").status_code == 200


@pytest.mark.parametrize("name", ["benchmarkrun", "benchmarkstep"])
def test_nobody_adds_changes_or_deletes_here(staff: Client, name: str) -> None:
    run = runs.succeeded()
    row = run.pk if name == "benchmarkrun" else run.steps.get(position=1).pk
    assert staff.get(f"/fr/admin/benchmarks/{name}/add/").status_code == 403
    assert staff.post(f"/fr/admin/benchmarks/{name}/{row}/change/", {"status": "failed"}).status_code == 403
    assert staff.post(f"/fr/admin/benchmarks/{name}/{row}/delete/", {"post": "yes"}).status_code == 403


def test_visitors_do_not_see_it(client: Client) -> None:
    assert client.get("/fr/admin/benchmarks/benchmarkrun/").status_code == 302
