"""The sample update by keyboard alone: logged in, uploaded, looked at, applied, taken back. A second sample waits."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import axe
from tests.browser.conftest import DESKTOP, PHONE, ROOT, Watch, environment_of, served
from tests.prepared import Copy

SAMPLES = ROOT / "fixtures" / "price_updates"
PASSWORD = "a-sample-of-a-password"
MAKE_PEOPLE = f"""
from django.contrib.auth.models import Group, User
for name, group in (("paula", "pricing"), ("anton", "approver")):
    user, _ = User.objects.get_or_create(username=name)
    user.set_password("{PASSWORD}")
    user.save()
    user.groups.set([Group.objects.get(name=group)])
"""
SignedIn = Callable[..., Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prepared: Copy) -> Iterator[str]:
    """A site of its own, whose prices may change, with somebody who keeps prices and somebody who approves."""
    folder = tmp_path_factory.mktemp("prices")
    prepared(folder)
    with served(folder) as address:
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", MAKE_PEOPLE]
        subprocess.run(command, cwd=ROOT, env=environment_of(folder), check=True, timeout=60)
        yield address


@pytest.fixture
def signed_in(chromium: Browser, site: str, watch: Watch) -> Iterator[SignedIn]:
    """A page of somebody who logged in by keyboard."""
    contexts: list[BrowserContext] = []

    def made(name: str, **options: object) -> Page:
        settings = {"base_url": site, "viewport": DESKTOP, "locale": "fr-FR", **options}
        context = watch.follow(chromium.new_context(**settings))  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.goto("/fr/login/?next=/fr/lists/")
        page.get_by_label("Nom d’utilisateur").focus()
        page.keyboard.type(name)
        page.keyboard.press("Tab")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Listes de prix")
        return page

    yield made
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.breaches ?? []") == []
        context.close()


def follow(page: Page, role: str, name: str | re.Pattern[str]) -> None:
    """Reach a link or a button with Tab and press Enter on it; it must show where the focus is."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    expect(wanted).to_be_visible()
    for _press in range(120):
        if wanted.evaluate("(one) => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    assert wanted.evaluate("(one) => one === document.activeElement && one.matches(':focus-visible')")
    page.keyboard.press("Enter")


def upload(page: Page, name: str) -> None:
    """Choose a sample on the page of uploads and send it."""
    page.goto("/fr/lists/")
    follow(page, "link", "Déposer un fichier")
    page.locator("#id_file").set_input_files(SAMPLES / name)
    follow(page, "button", "Déposer et comparer")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Proposition de prix n°")


def clean(page: Page) -> None:
    """No breach of accessibility, no sideways scrolling."""
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_sample_update_is_applied_and_taken_back_by_keyboard(signed_in: SignedIn) -> None:
    page = signed_in("paula")
    upload(page, "friday-update.csv")
    expect(page.locator(".lead")).to_contain_text("Prêt à appliquer : 3 changements de prix.")
    expect(page.get_by_role("row", name=re.compile("GPU-PRO.*heure"))).to_contain_text("1,55")
    clean(page)
    accepted = page.get_by_label("cours ancien accepté")
    if accepted.count():
        accepted.focus()
        page.keyboard.press("Space")
    follow(page, "button", re.compile("Appliquer la liste"))
    expect(page.locator(".notice")).to_contain_text("en vigueur")
    page.goto("/fr/prices/sku/GPU-PRO/")
    expect(page.locator("main")).to_contain_text("1,55")
    page.goto("/fr/lists/")
    clean(page)
    follow(page, "link", re.compile("Annuler la liste n°"))
    expect(page.locator("table")).to_contain_text("1,50")
    clean(page)
    page.get_by_label("Raison").focus()
    page.keyboard.type("C’était un essai.")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_contain_text("en vigueur")
    expect(page.locator("main")).to_contain_text("annulée par la n°")


def test_a_line_held_back_gets_its_second_person(signed_in: SignedIn) -> None:
    paula, anton = signed_in("paula"), signed_in("anton")
    upload(paula, "second-person.csv")
    apply = paula.get_by_role("button", name=re.compile("Appliquer la liste"))
    expect(apply).to_be_disabled()
    anton.goto(paula.url)
    anton.get_by_label("Raison de l’accord").focus()
    anton.keyboard.type("Baisse annoncée, vérifiée.")
    anton.keyboard.press("Enter")
    expect(anton.locator(".notice")).to_contain_text("Accord donné")
    clean(anton)
    paula.reload()
    expect(apply).to_be_enabled()
    paula.get_by_label("Raison du rejet").focus()
    paula.keyboard.type("Seulement un essai.")
    paula.keyboard.press("Enter")
    expect(paula.locator(".lead")).to_contain_text("Rejeté")


@pytest.mark.parametrize("options", [{"viewport": PHONE}, {"color_scheme": "dark"}], ids=["phone", "dark"])
def test_the_pages_of_people_who_keep_prices_are_clean(signed_in: SignedIn, options: dict[str, object]) -> None:
    page = signed_in("paula", **options)
    for path in ("", "new", "price/gpu", "item/model", "discrepancies"):
        page.goto(f"/fr/lists/{path}")
        clean(page)
    for path in ("account/", "account/password"):
        page.goto(f"/en/{path}")
        clean(page)
    upload(page, "second-person.csv")
    clean(page)
    if options.get("viewport"):
        page.set_viewport_size({"width": 360, "height": 780})
        clean(page)
        wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length"
        assert page.evaluate(wide) == 0
