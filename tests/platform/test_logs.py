"""No password and no secret address reaches a log line, wherever in the record it stands."""

import logging

import pytest

from vmcloud.logs import SecretFreeFormatter, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann:pa:ss@db:5432/x", "postgresql://ann:***@db:5432/x"),
        ("redis://:hunter2@cache/0", "redis://:***@cache/0"),
        ("amqp://a:b@one// and amqp://c:d@two//", "amqp://a:***@one// and amqp://c:***@two//"),
        ("host=db password=hunter2 user=ann", "host=db password=*** user=ann"),
        ("password='two words' user=ann", "password=*** user=ann"),
        ("see https://example.org/a:b", "see https://example.org/a:b"),
        ("Not Found: /fr/quotes/open/Bf-h_ym/change?x=1", "Not Found: /fr/quotes/open/***/change?x=1"),
        ("Gone: /en/quotes/open/Bf-h_ym", "Gone: /en/quotes/open/***"),
        ("Forbidden: /fr/account/set/MQ/c8-f0/", "Forbidden: /fr/account/set/MQ/***/"),
        ("Not Found: /fr/quotes/7/open", "Not Found: /fr/quotes/7/open"),
        ("mail ann@example.org at 10:30", "mail ann@example.org at 10:30"),
    ],
)
def test_secrets_are_blotted_out_and_nothing_else(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_arguments_and_tracebacks_are_covered() -> None:
    formatter = SecretFreeFormatter("{message}", style="{")
    try:
        raise ConnectionError("no route to postgresql://ann:hunter2@db/x")
    except ConnectionError as error:
        information = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "using %s", ("redis://:hunter3@c",), information)
    line = formatter.format(record)
    assert "hunter" not in line
    assert "ConnectionError" in line and "redis://:***@c" in line


def test_the_product_logs_through_it(settings: object) -> None:
    from django.conf import settings as configured

    assert configured.LOGGING["formatters"]["plain"]["()"] == "vmcloud.logs.SecretFreeFormatter"
    assert {handler["formatter"] for handler in configured.LOGGING["handlers"].values()} == {"plain"}
