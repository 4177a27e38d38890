"""The second factor: optional, asked of those who turned it on, never twice the same code, lifted by a command."""

import time

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from vmcloud.accounts import secondfactor

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
# RFC 6238, appendix B: this secret gives 94287082 at 59 s, of which six digits are 287082.
RFC_KEY, RFC_TIME, RFC_CODE = b"12345678901234567890".hex(), 59, "287082"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password=PASSWORD)


@pytest.fixture
def signed_in(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def code_of(device: TOTPDevice) -> str:
    return f"{totp(device.bin_key):06d}"


def turned_on(user: User) -> TOTPDevice:
    return TOTPDevice.objects.create(user=user, name="totp", confirmed=True)


def log_in(client: Client, code: str = "") -> int:
    data = {"username": "alice", "password": PASSWORD, "code": code}
    return client.post(reverse("login"), data).status_code


def test_the_codes_are_those_of_the_standard(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    TOTPDevice.objects.create(user=alice, name="totp", key=RFC_KEY)
    monkeypatch.setattr(time, "time", lambda: float(RFC_TIME))
    assert secondfactor.fits(alice, RFC_CODE)


def test_whoever_did_not_choose_it_logs_in_without_a_code(client: Client, alice: User) -> None:
    assert log_in(client) == 303


def test_whoever_chose_it_needs_the_code(client: Client, alice: User) -> None:
    device = turned_on(alice)
    assert log_in(client) == 422
    assert "_auth_user_id" not in client.session
    assert log_in(client, code_of(device)) == 303


def test_a_code_with_the_space_that_applications_print_is_read(client: Client, alice: User) -> None:
    code = code_of(turned_on(alice))
    assert log_in(client, f"{code[:3]} {code[3:]}") == 303


def test_a_code_works_once(client: Client, alice: User) -> None:
    code = code_of(turned_on(alice))
    assert log_in(client, code) == 303
    assert log_in(Client(), code) == 422


@pytest.mark.parametrize("wrong", ["12345", "abcdef", "-1", "٣٣٣٣٣٣", "9" * 12])
def test_what_is_no_code_is_refused_with_a_sentence(client: Client, alice: User, wrong: str) -> None:
    turned_on(alice)
    assert log_in(client, wrong) == 422


def test_guessing_codes_locks_out_like_guessing_passwords(client: Client, alice: User) -> None:
    turned_on(alice)
    assert [log_in(client, "000000") for _ in range(5)][-1] == 429


def test_a_wrong_code_makes_even_the_right_one_wait(alice: User) -> None:
    device = turned_on(alice)
    assert not secondfactor.fits(alice, "0")
    assert not secondfactor.fits(alice, code_of(device))


def test_an_unconfirmed_secret_asks_nothing(client: Client, alice: User) -> None:
    secondfactor.begin(alice)
    assert log_in(client) == 303


def test_turning_on_shows_the_secret_and_wants_a_first_code(signed_in: Client, alice: User) -> None:
    assert signed_in.post(reverse("factor-begin"))["Location"] == reverse("factor")
    page = signed_in.get(reverse("factor"))
    device = TOTPDevice.objects.get(user=alice)
    assert "<svg" in page.text and secondfactor.key_text(device) in page.text
    assert signed_in.post(reverse("factor"), {"code": code_of(device)}).status_code == 303
    assert secondfactor.is_on(alice)


def test_the_picture_breaks_no_rule_of_the_content_policy(alice: User) -> None:
    drawn = secondfactor.picture(turned_on(alice))
    assert drawn.startswith("<svg") and "style" not in drawn and "href" not in drawn and "<script" not in drawn


def test_a_wrong_first_code_turns_nothing_on(signed_in: Client, alice: User) -> None:
    secondfactor.begin(alice)
    assert signed_in.post(reverse("factor"), {"code": "0"}).status_code == 422
    assert not secondfactor.is_on(alice)


def test_beginning_anew_keeps_the_old_one_until_the_new_one_is_confirmed(signed_in: Client, alice: User) -> None:
    old = turned_on(alice)
    secondfactor.begin(alice)
    new = secondfactor.pending(alice)
    assert new is not None and secondfactor.is_on(alice)
    assert secondfactor.confirm(alice, code_of(new))
    assert list(TOTPDevice.objects.filter(user=alice)) == [new]
    assert old.key != new.key


def test_an_open_session_alone_replaces_no_second_factor(signed_in: Client, alice: User) -> None:
    """A secret of whoever sits down at the session would lock its owner out: turning off by a code comes first."""
    old = turned_on(alice)
    assert signed_in.post(reverse("factor-begin"))["Location"] == reverse("factor-off")
    assert secondfactor.pending(alice) is None
    secondfactor.begin(alice)
    waiting = secondfactor.pending(alice)
    assert waiting is not None
    assert signed_in.get(reverse("factor"))["Location"] == reverse("account")
    assert signed_in.post(reverse("factor"), {"code": code_of(waiting)})["Location"] == reverse("account")
    assert TOTPDevice.objects.get(user=alice, confirmed=True) == old


def test_turning_off_wants_a_code(signed_in: Client, alice: User) -> None:
    device = turned_on(alice)
    assert signed_in.get(reverse("factor-off")).status_code == 200
    assert signed_in.post(reverse("factor-off"), {"code": ""}).status_code == 422
    assert signed_in.post(reverse("factor-off"), {"code": code_of(device)}).status_code == 303
    assert not secondfactor.is_on(alice)


def test_guessing_codes_in_an_open_session_is_slowed_so_that_the_right_one_does_not_help(
    signed_in: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wrong code doubles the time within which none is looked at: a thousand guesses are one."""
    device, now = turned_on(alice), timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    for guess in range(20):
        assert signed_in.post(reverse("factor-off"), {"code": f"{guess:06d}"}).status_code == 422
    assert signed_in.post(reverse("factor-off"), {"code": code_of(device)}).status_code == 422
    assert secondfactor.is_on(alice)
    device.refresh_from_db()
    assert device.throttling_failure_count == 1


def test_the_lock_of_guessed_codes_holds_with_the_right_password_and_code(client: Client, alice: User) -> None:
    device = turned_on(alice)
    for _guess in range(5):
        log_in(client, "000000")
    assert log_in(client, code_of(device)) == 429
    assert "_auth_user_id" not in client.session


def test_the_page_of_a_secret_leads_away_when_there_is_none(signed_in: Client) -> None:
    assert signed_in.get(reverse("factor"))["Location"] == reverse("account")


def test_the_command_lifts_it_for_a_lost_phone(client: Client, alice: User) -> None:
    turned_on(alice)
    call_command("reset_second_factor", "alice")
    assert log_in(client) == 303


def test_the_command_knows_whom_it_does_not_know() -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("reset_second_factor", "nobody-here")


def test_nobody_sees_the_secrets_in_the_admin_site(admin_client: Client) -> None:
    assert admin_client.get("/fr/admin/otp_totp/totpdevice/").status_code == 404
