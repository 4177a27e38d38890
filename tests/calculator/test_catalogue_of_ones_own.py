"""A catalogue that price files alone have filled: none of the offers that the defaults name is in it."""

from django.test import Client

from calculator import catalog
from tests import factories as make
from tests import pagetext
from tests.platform import sitetour
from tests.pricelist import pagesite as site

HEAD = "sku;provider;label_fr;label_en;gpu;gpu_count;vram_gb;component;amount;currency;unit"
OWN = f"{HEAD}\nOWN-1;Own;Une carte;One card;RTX 4090;1;24;instance_hour;2,00;EUR;instance_hour\n"


def applied(client: Client, content: str) -> None:
    upload = site.sent(client, content)
    assert upload.error_count == 0, site.words(client, "list", upload.pk)
    # Since a day that is past, so that whoever asks in the same second has it too.
    answer = site.decide(client, "list-apply", upload, effective="2026-11-28", reason="as announced")
    assert answer.status_code == 303, pagetext.words(answer.text)
    catalog.forget()


def begun() -> Client:
    """Data sheets, an empty first version, and somebody who puts prices into force."""
    make.make_gpu("RTX 4090")
    make.make_language_model("Mistral-7B-v0.3")
    make.make_version(kind="seed")
    return site.client_of("pricing", "approver")


def test_a_catalogue_without_apis_says_what_a_page_lacks(db: None) -> None:
    applied(begun(), OWN)
    assert catalog.default_scenario().sku == "OWN-1"
    answer = Client().get("/fr/skus/")
    assert answer.status_code == 503
    assert "L’API « mistral-small-2603 » n’est pas au catalogue." in pagetext.words(answer.text)
    assert "OWN-1" in pagetext.words(Client().get("/fr/prices/").text)
    assert [line for line in sitetour.faults() if ": 503" not in line] == []


def test_a_catalogue_without_our_own_offers_answers_everywhere(db: None) -> None:
    """Filled by files alone: no GPU-PRO, no gpt-5.4, one of each kind, one model, no exchange rate."""
    pricing = begun()
    tokens = (
        f"{site.HEAD_API.replace(',checked_on', ',item_kind,provider')}\n"
        "own/chat,input,standard,1,USD,mtok,llm_model,Own\nown/chat,output,standard,2,USD,mtok,llm_model,Own\n"
        "own/embed,input,standard,0.02,USD,mtok,embedding,Own\n"
    )
    for content in (OWN, tokens):
        applied(pricing, content)
    first = catalog.default_scenario()
    assert (first.sku, first.basis.value, first.apis, first.reference) == ("OWN-1", "hour", ("own/chat",), "own/chat")
    assert sitetour.faults() == []
