"""From a calculator to a sent quote by keyboard alone, opened by a stranger, answered, printed: in both languages."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import axe
from tests.browser.conftest import DESKTOP, PHONE, ROOT, Watch, environment_of, served
from tests.prepared import Copy

PASSWORD = "a-sample-of-a-password"
MAKE_PEOPLE = f"""
from django.contrib.auth.models import Group, User
for name, group in (("alice", "sales"), ("carol", "approver"), ("paula", "pricing")):
    user = User.objects.create_user(name, password="{PASSWORD}")
    user.groups.set([Group.objects.get(name=group)])
"""
PROMISED_S = 120
WORDS = {
    "fr": {
        "make": "Faire un devis", "draft": "Créer le brouillon", "rate": "cours ancien accepté",
        "send": "Numéroter et envoyer", "link": "Lien du client", "others": "Essayer d’autres volumes",
        "volume": "Volume de sortie", "compute": "Calculer", "back": "Envoyer au vendeur",
        "sent": "Votre proposition est chez le vendeur", "theirs": "Contre-proposition du client", "client": "Client",
    },
    "en": {
        "make": "Make a quote", "draft": "Create the draft", "rate": "old rate accepted",
        "send": "Number and send", "link": "Customer’s link", "others": "Try other volumes",
        "volume": "Output volume", "compute": "Compute", "back": "Send to the seller",
        "sent": "Your proposal is with the seller", "theirs": "Customer’s counter-proposal", "client": "Customer",
    },
}  # fmt: skip
SignedIn = Callable[[str, str], Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prepared: Copy) -> Iterator[str]:
    """A site of its own with a seller, an approver, and somebody who records costs."""
    folder = tmp_path_factory.mktemp("quotes")
    prepared(folder)
    with served(folder) as address:
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", MAKE_PEOPLE]
        subprocess.run(command, cwd=ROOT, env=environment_of(folder), check=True, timeout=60)
        yield address


@pytest.fixture
def signed_in(chromium: Browser, site: str, watch: Watch) -> Iterator[SignedIn]:
    """A page of somebody who logged in, at an address."""
    contexts: list[BrowserContext] = []

    def made(name: str, path: str) -> Page:
        context = watch.follow(chromium.new_context(base_url=site, viewport=DESKTOP, locale="fr-FR"))
        contexts.append(context)
        page = context.new_page()
        page.goto(f"/fr/login/?next={path}")
        page.get_by_label("Nom d’utilisateur").fill(name)
        page.get_by_label("Mot de passe").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator("footer")).to_contain_text(name)
        return page

    yield made
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.breaches ?? []") == []
        context.close()


def reach(page: Page, role: str, name: str) -> None:
    """Reach a control with Tab alone; it must show where the focus is."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    expect(wanted).to_be_visible()
    for _press in range(150):
        if wanted.evaluate("(one) => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    assert wanted.evaluate("(one) => one === document.activeElement && one.matches(':focus-visible')")


def follow(page: Page, role: str, name: str) -> None:
    reach(page, role, name)
    page.keyboard.press("Enter")


def is_clean(page: Page) -> None:
    """No breach of accessibility rules, nothing wider than the page."""
    assert axe.violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def sent_by_keyboard(page: Page, said: dict[str, str], customer: str) -> str:
    """The whole way from the calculator shown; the link of the sent quote."""
    follow(page, "link", said["make"])
    reach(page, "textbox", said["client"])
    page.keyboard.type(customer)
    follow(page, "button", said["draft"])
    reach(page, "checkbox", said["rate"])
    page.keyboard.press("Space")
    follow(page, "button", said["send"])
    expect(page.get_by_role("region", name=said["link"])).to_be_focused()
    return page.locator(".quote-link a").get_attribute("href") or ""


@pytest.mark.parametrize("language", ["fr", "en"])
def test_from_the_economics_page_to_a_sent_quote_and_back_by_keyboard_alone(
    signed_in: SignedIn, chromium: Browser, watch: Watch, language: str
) -> None:
    said = WORDS[language]
    page = signed_in("alice", f"/{language}/economics?v=1%26volume=100000000")
    began = time.monotonic()
    link = sent_by_keyboard(page, said, "Ateliers Durand")
    assert time.monotonic() - began < PROMISED_S
    assert f"/{language}/quotes/open/" in link
    is_clean(page)
    quote = page.locator(".quote-d").inner_text()

    context = watch.follow(chromium.new_context(viewport=DESKTOP, locale="fr-FR"))
    stranger = context.new_page()
    stranger.goto(link)
    assert stranger.locator(".quote-d").inner_text() == quote
    is_clean(stranger)
    assert context.cookies() == []
    follow(stranger, "link", said["others"])
    reach(stranger, "textbox", said["volume"])
    stranger.keyboard.press("Control+A")
    stranger.keyboard.type("300 M")
    follow(stranger, "button", said["compute"])
    expect(stranger.locator(".stats dd").first).to_contain_text(re.compile("2.491[.,]92"))
    is_clean(stranger)
    follow(stranger, "button", said["back"])
    expect(stranger.get_by_text(said["sent"])).to_be_visible()
    context.close()

    page.goto(page.url.removesuffix("/send"))
    proposal = page.get_by_role("region", name=re.compile(said["theirs"]))
    expect(proposal.first).to_contain_text("300")
    is_clean(page)


@pytest.mark.parametrize(
    "address",
    [
        "/fr/inference",
        "/fr/training",
        "/fr/tokens",
        "/fr/economics?v=1%26volume=10000000",
    ],
)
def test_the_customers_cases_become_sent_quotes_in_time(signed_in: SignedIn, address: str) -> None:
    page, said = signed_in("alice", address), WORDS["fr"]
    began = time.monotonic()
    follow(page, "link", said["make"])
    reach(page, "textbox", said["client"])
    page.keyboard.type("Ateliers Durand")
    follow(page, "button", said["draft"])
    expect(page.get_by_role("button", name=said["send"])).to_be_visible()
    if page.get_by_role("checkbox", name=said["rate"]).count():
        reach(page, "checkbox", said["rate"])
        page.keyboard.press("Space")
    follow(page, "button", said["send"])
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile(r"Devis \d{4}-\d{4}"))
    assert time.monotonic() - began < PROMISED_S


def test_the_print_is_the_document_alone_on_a4_with_every_row(signed_in: SignedIn) -> None:
    page = signed_in("alice", "/fr/economics?v=1%26volume=300000000")
    sent_by_keyboard(page, WORDS["fr"], "Ateliers Durand")
    rows = page.locator(".quote-d tbody tr").count()
    page.emulate_media(media="print")
    controls = page.locator(".top, .foot, .screen-only, button, form").all()
    assert [control for control in controls if control.is_visible()] == []
    assert page.locator(".quote-d tbody tr:visible").count() == rows
    assert rows > 100
    for amount in ("2 491,92", "498,38", "2 990,30"):
        assert amount in re.sub(r"\s", " ", page.locator(".quote-d").inner_text())
    pdf = page.pdf(prefer_css_page_size=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 9
    assert re.search(rb"/MediaBox\s*\[\s*0\s+0\s+59[45][.\d]*\s+84[12]", pdf)


def test_a_discount_waits_for_somebody_else(signed_in: SignedIn) -> None:
    page = signed_in("alice", "/fr/economics")
    page.get_by_role("link", name="Faire un devis").click()
    page.get_by_label("Client", exact=True).fill("Ateliers Durand")
    page.locator("summary", has_text="Remise").click()
    page.get_by_label("Remise (en").fill("10")
    page.get_by_label("Raison de la remise").fill("lancement")
    page.get_by_role("button", name="Créer le brouillon").click()
    expect(page.get_by_role("button", name="Numéroter et envoyer")).to_be_disabled()
    is_clean(page)
    approver = signed_in("carol", urlsplit(page.url).path)
    approver.get_by_label("Raison de la décision").fill("client stratégique")
    approver.get_by_role("button", name="Donner son accord").click()
    expect(approver.get_by_text("Accord de carol")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Numéroter et envoyer")).to_be_enabled()


def test_list_form_and_costs_are_clean_on_a_phone(signed_in: SignedIn) -> None:
    page = signed_in("alice", "/fr/quotes/")
    page.set_viewport_size(PHONE)
    is_clean(page)
    page.goto("/fr/quotes/new/economics")
    is_clean(page)
    costs = signed_in("paula", "/fr/quotes/costs")
    costs.set_viewport_size(PHONE)
    is_clean(costs)
