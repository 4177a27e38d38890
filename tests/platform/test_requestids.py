"""Each request has an id: in its answer, in every line of the log that it causes, in the record of prices."""

import logging
import re
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from calculator import requestid
from vmcloud.logs import SecretFreeFormatter


def asked(client: Client, given: str = "") -> str:
    return client.get("/healthz", headers={"X-Request-ID": given} if given else {}).headers["X-Request-ID"]


@pytest.mark.django_db
def test_each_request_has_an_id_of_its_own(client: Client) -> None:
    first, second = asked(client), asked(client)
    assert first != second and re.fullmatch("[0-9a-f]{32}", first)


@pytest.mark.django_db
def test_the_id_of_a_proxy_is_kept_where_there_is_one_and_nobody_else_chooses(client: Client, settings: Any) -> None:
    assert asked(client, "from-a-visitor") != "from-a-visitor"
    settings.BEHIND_PROXY = True
    assert asked(client, "from-a-proxy") == "from-a-proxy"
    assert asked(client, "two words; or worse") != "two words; or worse"
    assert asked(client, "x" * 65) != "x" * 65


def line(message: str, error: BaseException | None = None) -> str:
    information = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("x", logging.WARNING, "f", 1, message, (), information)
    return SecretFreeFormatter("{levelname} {request}{name}: {message}", style="{").format(record)


def test_a_line_of_the_log_names_its_request_and_one_outside_of_any_names_none() -> None:
    with requestid.told("abcdefgh"):
        assert line("hello") == "WARNING [abcdefgh] x: hello"
    with requestid.told(""):
        assert line("hello") == "WARNING x: hello"


def test_a_page_that_is_not_open_to_somebody_is_one_line_and_a_fault_has_its_traceback() -> None:
    try:
        raise PermissionDenied("not yours")
    except PermissionDenied as error:
        assert "Traceback" not in line("Forbidden", error)
    try:
        raise ValueError("a fault")
    except ValueError as error:
        assert "ValueError: a fault" in line("Internal Server Error", error)
