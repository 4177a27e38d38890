"""Accounts: no default password, a link that works once, and never without a superuser."""

import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from vmcloud.accounts import people, roles

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough secret"


def shown_link(client: Client, user: User) -> str | None:
    """The link to a new password on the page of an account; each page makes one, of the second it was asked for."""
    found = re.search(r"/fr/account/set/[^\s<\"]+", client.get(reverse("person", args=[user.pk])).text)
    return found and found.group()


@pytest.fixture
def root(client: Client) -> User:
    roles.sync()
    user = User.objects.create_superuser("root", password=PASSWORD)
    client.force_login(user)
    return user


def make(client: Client, name: str = "bob", **more: object) -> User:
    data = {"username": name, "email": "bob@example.org", "groups": ["pricing"], "is_active": "on", **more}
    assert client.post(reverse("person-new"), data).status_code == 303
    return User.objects.get(username=name)


def test_a_new_account_has_no_password_and_the_groups_asked_for(client: Client, root: User) -> None:
    bob = make(client)
    assert not bob.has_usable_password() and not bob.is_staff and not bob.is_superuser
    assert [group.name for group in bob.groups.all()] == ["pricing"]


def test_the_link_lets_the_person_choose_a_password_once(client: Client, root: User) -> None:
    bob = make(client)
    link = shown_link(client, bob)
    assert link is not None
    visitor = Client()
    form = visitor.get(link, follow=True).redirect_chain[-1][0]
    chosen = {"new_password1": "violet-tramway-91", "new_password2": "violet-tramway-91"}
    assert visitor.post(form, chosen).status_code == 302
    bob.refresh_from_db()
    assert bob.check_password("violet-tramway-91")
    assert "ne sert plus" in Client().get(link, follow=True).text
    assert shown_link(client, bob) is None


def test_a_link_that_two_browsers_have_open_sets_one_password(client: Client, root: User) -> None:
    """Each has the token in its session already; the second one comes after the link was used."""
    bob = make(client)
    link, first, second = people.password_link(bob), Client(), Client()
    forms = [one.get(link, follow=True).redirect_chain[-1][0] for one in (first, second)]
    for one, form, chosen in zip((first, second), forms, ("violet-tramway-91", "orange-tramway-92"), strict=True):
        one.post(form, {"new_password1": chosen, "new_password2": chosen})
    bob.refresh_from_db()
    assert bob.check_password("violet-tramway-91")
    assert not bob.check_password("orange-tramway-92")


def test_a_link_made_before_the_password_was_withdrawn_again_opens_nothing(client: Client, root: User) -> None:
    bob = make(client)
    old = people.password_link(bob)
    people.withdraw_password(bob.pk, "root")
    assert "ne sert plus" in Client().get(old, follow=True).text


def test_a_link_of_one_person_does_not_fit_another(client: Client, root: User) -> None:
    bob, carol = make(client), make(client, name="carol")
    token = people.password_link(bob).split("/")[-2:]
    forged = people.password_link(carol).split("/")
    forged[-2:] = token
    assert "ne sert plus" in Client().get("/".join(forged), follow=True).text


@pytest.mark.parametrize("weak", ["short", "123456789012", "password1234", "bob-example-bob"])
def test_a_weak_password_is_refused_by_the_link(client: Client, root: User, weak: str) -> None:
    bob = make(client, name="bob-example")
    visitor = Client()
    form = visitor.get(people.password_link(bob), follow=True).redirect_chain[-1][0]
    answer = visitor.post(form, {"new_password1": weak, "new_password2": weak})
    bob.refresh_from_db()
    assert answer.status_code == 200 and not bob.has_usable_password()


def test_a_name_is_taken_whatever_its_capitals(client: Client, root: User) -> None:
    make(client)
    answer = client.post(reverse("person-new"), {"username": "BOB", "is_active": "on"})
    assert answer.status_code == 422 and "déjà pris" in answer.text


def test_an_unknown_group_or_a_broken_address_comes_back_with_its_sentence(client: Client, root: User) -> None:
    data = {"username": "eve", "email": "no-address", "groups": ["kings"]}
    answer = client.post(reverse("person-new"), data)
    assert answer.status_code == 422 and not User.objects.filter(username="eve").exists()
    assert 'value="eve"' in answer.text


def test_turning_an_account_off_ends_what_it_can_do(client: Client, root: User) -> None:
    bob = make(client)
    visitor = Client()
    visitor.force_login(bob)
    assert client.post(reverse("person", args=[bob.pk]), {"groups": [], "email": ""}).status_code == 303
    assert visitor.get(reverse("account")).status_code == 302
    bob.refresh_from_db()
    assert not bob.is_active and list(bob.groups.all()) == []


@pytest.mark.parametrize("change", [{"is_superuser": "on"}, {"is_active": "on"}, {}])
def test_the_last_superuser_does_not_lock_himself_out(client: Client, root: User, change: dict[str, str]) -> None:
    answer = client.post(reverse("person", args=[root.pk]), change)
    assert answer.status_code == 422 and "dernier superutilisateur" in answer.text
    root.refresh_from_db()
    assert root.is_active and root.is_superuser


def test_one_of_two_superusers_may_go(client: Client, root: User) -> None:
    User.objects.create_superuser("second", password=PASSWORD)
    assert client.post(reverse("person", args=[root.pk]), {"is_active": "on"}).status_code == 303
    root.refresh_from_db()
    assert not root.is_superuser and not root.is_staff


def test_a_superuser_without_a_password_does_not_count_as_one_who_is_left(client: Client, root: User) -> None:
    make(client, name="second", is_superuser="on")
    assert client.post(reverse("person", args=[root.pk]), {"is_active": "on"}).status_code == 422


def test_the_last_superuser_keeps_his_password(client: Client, root: User) -> None:
    client.post(reverse("person-password", args=[root.pk]))
    root.refresh_from_db()
    assert root.check_password(PASSWORD)


def test_withdrawing_a_password_closes_sessions_and_shows_a_link(client: Client, root: User) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    visitor = Client()
    visitor.force_login(bob)
    assert client.post(reverse("person-password", args=[bob.pk])).status_code == 303
    bob.refresh_from_db()
    assert not bob.has_usable_password()
    assert visitor.get(reverse("account")).status_code == 302
    assert shown_link(client, bob) is not None


def test_changing_ones_password_keeps_this_session_under_a_new_key_and_ends_the_others(client: Client) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    other = Client()
    client.force_login(bob)
    other.force_login(bob)
    before = client.session.session_key
    new = "violet-tramway-91"
    data = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post(reverse("password"), data).status_code == 303
    assert client.get(reverse("account")).status_code == 200 and client.session.session_key != before
    assert other.get(reverse("account")).status_code == 302


@pytest.mark.parametrize(
    "data",
    [
        {"old_password": "wrong", "new_password1": "violet-tramway-91", "new_password2": "violet-tramway-91"},
        {"old_password": PASSWORD, "new_password1": "short", "new_password2": "short"},
        {"old_password": PASSWORD, "new_password1": "violet-tramway-91", "new_password2": "violet-tramway-92"},
        {},
    ],
)
def test_a_password_is_not_changed_by_halves(client: Client, data: dict[str, str]) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    client.force_login(bob)
    assert client.post(reverse("password"), data).status_code == 422
    bob.refresh_from_db()
    assert bob.check_password(PASSWORD)


def typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    left = list(answers)
    monkeypatch.setattr("getpass.getpass", lambda prompt: left.pop(0))


def test_the_command_asks_twice_and_prints_no_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    bob = User.objects.create_user("bob")
    typed(monkeypatch, "violet-tramway-91", "violet-tramway-91")
    call_command("reset_password", "bob")
    bob.refresh_from_db()
    assert bob.check_password("violet-tramway-91")
    assert "violet" not in capsys.readouterr().out + caplog.text


@pytest.mark.parametrize(
    ("answers", "said"), [(("violet-tramway-91", "other-word-here"), "differ"), (("short", "short"), "Nothing was")]
)
def test_the_command_refuses_two_that_differ_and_one_that_is_weak(
    monkeypatch: pytest.MonkeyPatch, answers: tuple[str, str], said: str
) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    typed(monkeypatch, *answers)
    with pytest.raises(CommandError, match=said):
        call_command("reset_password", "bob")
    bob.refresh_from_db()
    assert bob.check_password(PASSWORD)


def test_the_command_knows_whom_it_does_not_know() -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("reset_password", "nobody-here")


def test_the_list_shows_everybody_with_groups_and_state(client: Client, root: User) -> None:
    make(client)
    page = client.get(reverse("people")).text
    assert "bob@example.org" in page and "pricing" in page and "mot de passe à choisir" in page


def test_the_list_asks_the_database_as_often_for_many_as_for_few(
    client: Client, root: User, django_assert_max_num_queries: object
) -> None:
    for number in range(30):
        User.objects.create_user(f"person-{number}").groups.add(Group.objects.get(name="sales"))
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        client.get(reverse("people"))


def test_an_account_that_is_not_there_is_a_404(client: Client, root: User) -> None:
    assert client.get(reverse("person", args=[999])).status_code == 404
    assert client.post(reverse("person-password", args=[999])).status_code == 404


def test_the_pages_read_in_english(client: Client, root: User) -> None:
    for name in ("people/", "people/new", f"people/{root.pk}", "account/", "account/password"):
        page = client.get(f"/en/{name}")
        assert page.status_code == 200 and "Compte" not in page.text
