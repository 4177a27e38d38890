"""Logging in: wrong passwords lock out, the lock ends or is lifted, a session is a day's and gets a new key."""

import datetime as dt
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from vmcloud.accounts import attempts
from vmcloud.accounts.addresses import client_address

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password=PASSWORD)


def log_in(client: Client, name: str = "alice", password: str = PASSWORD, **extra: str) -> int:
    data = {"username": name, "password": password, "next": extra.pop("next", "")}
    return client.post(reverse("login"), data, **extra).status_code  # type: ignore[arg-type]


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_right_password_opens_and_leads_where_one_wanted_to_go(client: Client, alice: User) -> None:
    answer = client.post(reverse("login"), {"username": "alice", "password": PASSWORD, "next": "/fr/runs/"})
    assert (answer.status_code, answer["Location"]) == (303, "/fr/runs/")
    assert is_in(client)


@pytest.mark.parametrize("next_page", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", ""])
def test_login_never_leads_to_another_site(client: Client, alice: User, next_page: str) -> None:
    answer = client.post(reverse("login"), {"username": "alice", "password": PASSWORD, "next": next_page})
    assert (answer.status_code, answer["Location"]) == (303, reverse("home"))


def test_a_wrong_password_comes_back_with_a_sentence_and_without_the_password(client: Client, alice: User) -> None:
    answer = client.post(reverse("login"), {"username": "alice", "password": "not-this-one"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text and "not-this-one" not in answer.text


def test_the_fifth_failure_locks_the_name_out_from_that_address(client: Client, alice: User) -> None:
    assert [log_in(client, password=f"wrong {count}") for count in range(5)] == [422, 422, 422, 422, 429]
    assert log_in(client) == 429
    assert not is_in(client)


def test_a_lock_says_how_long_it_lasts_in_the_language_of_the_page(client: Client, alice: User) -> None:
    for count in range(5):
        log_in(client, password=f"wrong {count}")
    french = client.post("/fr/login/", {"username": "alice", "password": PASSWORD})
    english = client.post("/en/login/", {"username": "alice", "password": PASSWORD})
    assert "Réessayez dans 15 minutes" in french.text and "Try again in 15 minutes" in english.text
    assert french["Retry-After"] == "900"


def test_somebody_elsewhere_is_not_locked_out_by_it(client: Client, alice: User) -> None:
    for count in range(5):
        log_in(client, password=f"wrong {count}", REMOTE_ADDR="198.51.100.7")
    assert log_in(client, REMOTE_ADDR="203.0.113.5") == 303


def test_a_name_that_does_not_exist_locks_in_the_same_way(client: Client, alice: User) -> None:
    assert [log_in(client, name="nobody") for _ in range(5)] == [422, 422, 422, 422, 429]


def test_the_lock_ends_by_itself_however_often_one_goes_on_trying(client: Client, alice: User) -> None:
    for count in range(8):
        log_in(client, password=f"wrong {count}")
    AccessAttempt.objects.update(attempt_time=timezone.now() - dt.timedelta(minutes=14))
    assert log_in(client) == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() - dt.timedelta(minutes=16))
    assert log_in(client) == 303


def test_a_success_forgets_the_failures_before_it(client: Client, alice: User) -> None:
    for count in range(4):
        log_in(client, password=f"wrong {count}")
    assert log_in(client) == 303
    assert not AccessAttempt.objects.filter(username="alice").exists()


def test_one_address_is_slowed_whatever_names_it_tries(client: Client, alice: User, settings: Any) -> None:
    settings.LOGIN_RATE = 6
    assert {log_in(client, name=f"guess-{count}") for count in range(6)} == {422}
    assert log_in(client) == 429


def test_one_name_is_slowed_from_wherever_it_is_tried(client: Client, alice: User, settings: Any) -> None:
    settings.LOGIN_RATE = 6
    found = {log_in(client, password="wrong", REMOTE_ADDR=f"198.51.100.{count}") for count in range(6)}
    assert found == {422}
    assert log_in(client, REMOTE_ADDR="203.0.113.5") == 429
    assert not attempts.is_too_many("bob", "203.0.113.5")


@pytest.mark.parametrize("spelled", [" alice", "alice ", "\uff41lice", "alice\x00"])
def test_no_other_spelling_of_a_name_gets_around_its_limit(
    client: Client, alice: User, settings: Any, spelled: str
) -> None:
    """Spaces around it and wide letters are read away before the account is looked for: U+FF41 is a wide “a”."""
    settings.LOGIN_RATE = 6
    for count in range(6):
        log_in(client, password="wrong", REMOTE_ADDR=f"198.51.100.{count}")
    assert log_in(client, name=spelled, REMOTE_ADDR="203.0.113.5") == 429


def test_a_name_with_a_null_character_is_a_name_that_nobody_has(client: Client, alice: User) -> None:
    """PostgreSQL takes no such text, not even to look for it."""
    assert log_in(client, name="\x00") == 422
    assert log_in(client, name="alice\x00") == 422


def test_the_unlock_command_lets_the_name_in_again(client: Client, alice: User) -> None:
    for count in range(5):
        log_in(client, password=f"wrong {count}")
    call_command("unlock", "alice")
    assert log_in(client) == 303


def test_the_unlock_command_wants_to_know_whom() -> None:
    with pytest.raises(CommandError, match="name"):
        call_command("unlock")


def test_no_password_token_or_code_is_kept_with_a_failure(client: Client, alice: User) -> None:
    client.post(reverse("login"), {"username": "alice", "password": "s3cret-guess", "code": "123456"})
    kept = AccessAttempt.objects.get().post_data
    assert "s3cret-guess" not in kept and "123456" not in kept


@pytest.mark.parametrize(
    ("behind", "forwarded", "expected"),
    [
        (False, "203.0.113.9", "192.0.2.1"),
        (True, "203.0.113.9", "203.0.113.9"),
        (True, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (True, "", "192.0.2.1"),
        (True, "nonsense", "0.0.0.0"),
    ],
)
def test_the_proxys_own_word_counts_not_the_visitors(
    settings: Any, behind: bool, forwarded: str, expected: str
) -> None:
    settings.BEHIND_PROXY = behind
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == expected


def test_a_socket_without_an_address_is_one_unknown_place() -> None:
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="")) == "0.0.0.0"


def test_an_ipv4_address_inside_ipv6_is_told_as_what_it_is() -> None:
    """Otherwise all who come over IPv4 to a listener for both families would share one network of IPv6."""
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="::ffff:192.0.2.7")) == "192.0.2.7"
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="2001:db8::7")) == "2001:db8::7"


def test_logging_in_gives_the_session_a_new_key(client: Client, alice: User) -> None:
    session = client.session
    session["kept"] = "yes"
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = before = session.session_key
    log_in(client)
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != before


def test_the_session_cookie_lasts_a_working_day_and_is_hidden_from_scripts(client: Client, alice: User) -> None:
    log_in(client)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    assert (cookie["max-age"], cookie["samesite"], bool(cookie["httponly"])) == (12 * 3600, "Lax", True)


def test_logging_out_is_a_post(client: Client, alice: User) -> None:
    log_in(client)
    assert client.get(reverse("logout")).status_code == 405
    assert is_in(client)
    assert client.post(reverse("logout")).status_code == 302
    assert not is_in(client)


def test_the_login_form_wants_its_token(alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("login"), {"username": "alice", "password": PASSWORD}).status_code == 403


def test_the_admin_site_has_no_login_of_its_own(client: Client) -> None:
    answer = client.get("/fr/admin/login/", {"next": "/fr/admin/"})
    assert answer["Location"] == "/fr/login/?next=%2Ffr%2Fadmin%2F"
    assert client.post("/fr/admin/login/").status_code == 405


def test_a_person_who_was_turned_off_does_not_get_in(client: Client, alice: User) -> None:
    User.objects.update(is_active=False)
    assert log_in(client) == 422
