"""The bare address sends to a language, and the health answer tells whether the database answers."""

import pytest
from django.db import DatabaseError, connection
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("accepted", "target"),
    [
        ("fr-FR,fr;q=0.9", "/fr/"),
        ("en-GB,en;q=0.9,fr;q=0.5", "/en/"),
        ("de-DE,en;q=0.5", "/en/"),
        ("de-DE", "/fr/"),
        ("", "/fr/"),
        ("x" * 600, "/fr/"),
    ],
)
def test_the_bare_address_follows_the_browsers_languages(client: Client, accepted: str, target: str) -> None:
    response = client.get("/", headers={"accept-language": accepted})
    assert (response.status_code, response.headers["Location"]) == (302, target)
    assert "Accept-Language" in response.headers["Vary"]


def test_the_bare_address_keeps_the_query(client: Client) -> None:
    assert client.get("/?sku=GPU-PRO&q=%C3%A9").headers["Location"] == "/fr/?sku=GPU-PRO&q=%C3%A9"


def test_the_bare_address_never_leads_elsewhere(client: Client) -> None:
    for query in ("//evil.example", "next=https://evil.example", "%0d%0aSet-Cookie:a=b"):
        assert client.get(f"/?{query}").headers["Location"].startswith("/fr/?")


def test_the_bare_address_takes_no_post(client: Client) -> None:
    assert client.post("/").status_code == 405


@pytest.mark.django_db
def test_healthy_when_the_database_answers(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_unhealthy_without_details_when_it_does_not(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise DatabaseError("password=hunter2")

    monkeypatch.setattr(connection, "cursor", broken)
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (503, {"status": "unavailable", "reason": "database"})


@pytest.mark.django_db
def test_health_is_answered_over_plain_http_behind_https(client: Client, settings: object) -> None:
    settings.SECURE_SSL_REDIRECT = True  # type: ignore[attr-defined]
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 301
