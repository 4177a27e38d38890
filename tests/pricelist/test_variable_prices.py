"""P13, its other half: a price that varies from one request to the next is said to vary, and has a number nowhere.

A router such as openrouter/auto forwards each request to a model of its choice. Its price is no number below zero, no
zero and no withdrawal: it is sold, and nobody can say beforehand at what.
"""

import datetime as dt
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from calculator.models import CatalogItem, CatalogVersion, PriceRow, PriceUpload
from calculator.pricelist import discrepancies, library
from calculator.pricelist.contract import FileKind, Price
from calculator.pricelist.reading import read
from calculator.pricelist.writing import catalogue as exported
from tests import factories as make
from tests import pagetext
from tests.append_only import refused
from tests.pricelist import pagesite as site

ROUTER = "openrouter/auto"
HEAD = "model,component,kind,amount,currency,unit,checked_on"
VARIES = f"{HEAD}\n{ROUTER},input,variable,,USD,mtok,2026-11-30\n{ROUTER},output,variable,,USD,mtok,2026-11-30\n"
KNOWN = f"{HEAD}\n{ROUTER},input,price,2.00,USD,mtok,2026-11-30\n{ROUTER},output,price,8.00,USD,mtok,2026-11-30\n"
QUERY = f"api={ROUTER}&ref={ROUTER}&traffic=requests&requests=1000&in=1000&out=500"


@pytest.fixture
def paula(seeded: None) -> Client:
    make.make_api(ROUTER)
    return site.client_of("pricing", "approver", name="paula")


def sent(client: Client, content: str) -> PriceUpload:
    return site.sent(client, content)


def applied(client: Client, content: str, since: str = "2026-11-28") -> PriceUpload:
    """In force since a day that is past, so that whoever asks in the same second has it too."""
    upload = sent(client, content)
    answer = site.decide(client, "list-apply", upload, effective=since, reason="as announced")
    assert answer.status_code == 303, pagetext.words(answer.text)
    upload.refresh_from_db()
    return upload


def words(client: Client, path: str) -> str:
    """The text of a page; spaces that do not break are like any other here."""
    return pagetext.words(client.get(path).text).replace("\u00a0", " ")


def bill(client: Client, query: str = QUERY) -> dict[str, object]:
    found = client.get(f"/fr/economics.json?{query}").json()
    (only,) = [row["bill"] for row in found["apis"] if row["code"] == ROUTER]
    return dict(only)


# --- what the database and the files take


def test_p13_a_variable_price_has_no_amount_and_a_machine_has_none_that_varies(db: None) -> None:
    api, sku = make.make_api(ROUTER), make.make_sku()
    assert make.make_price(api, "input", None, kind="variable").amount is None
    for amount in ("-1", "0", "2.50"):
        refused(make.make_price, api, "output", amount, kind="variable")
    machine = {"kind": "variable", "mode": "on_demand", "currency": "EUR"}
    for component in ("instance_hour", "instance_month"):
        refused(make.make_price, sku, component, None, unit=component, **machine)


def test_p13_a_file_says_that_a_price_varies_by_its_kind_alone() -> None:
    content = (
        f"{HEAD}\nm,input,variable,,USD,mtok,\nm,output,variable,3,USD,mtok,\nm,cache_read,variable,-1,USD,mtok,\n"
    )
    found = read(content.encode(), "prices.csv")
    (line,) = found.lines
    assert isinstance(line.content, Price)
    assert (line.content.component, line.content.kind, line.content.amount) == ("input", "variable", None)
    assert [(one.line_no, one.column, one.code) for one in found.problems] == [
        (3, "amount", "variable_with_amount"),
        (4, "amount", "negative_number"),
        (4, "amount", "variable_with_amount"),
    ]


def test_p13_a_machine_that_varies_is_refused_with_the_reason() -> None:
    content = "sku;component;kind;amount;currency;unit\nGPU-PRO;instance_hour;variable;;EUR;instance_hour\n"
    found = read(content.encode(), "prices.csv")
    assert [(one.column, one.code) for one in found.problems] == [("kind", "variable_machine")]


def test_p13_the_sentence_about_a_sentinel_says_how_a_variable_price_is_written(paula: Client) -> None:
    head = "model,component,mode,context_over,amount,currency,unit"
    upload = sent(paula, f"{head}\n{ROUTER},input,standard,0,-1,USD,token\n")
    assert "Un prix variable s’écrit « variable » dans « kind », sans montant." in words(
        paula, f"/fr/lists/{upload.pk}"
    )
    assert "is written “variable” in “kind”, without an amount." in words(paula, f"/en/lists/{upload.pk}")


# --- from the file to what a customer reads


def test_p13_the_model_shows_that_its_price_varies_and_no_bill_is_made(paula: Client) -> None:
    upload = applied(paula, VARIES)
    assert (upload.new_count, upload.error_count) == (2, 0)
    assert [(row.kind, row.amount) for row in PriceRow.objects.filter(item__code=ROUTER)] == [("variable", None)] * 2
    visitor = Client()
    found = bill(visitor)
    assert (found["usd"], found["eur"], found["usd_per_mtok"], found["eur_per_mtok"]) == (None, None, None, None)
    text = words(visitor, f"/fr/economics?{QUERY}")
    assert "prix variable : entrée" in text and "prix variable : sortie" in text
    assert "prix inconnu" not in text
    assert "price varies: input" in words(visitor, f"/en/economics?{QUERY}")


def test_p13_a_variable_price_of_a_component_that_is_not_used_leaves_the_bill_whole(paula: Client) -> None:
    """1 000 requests of 1 000 in and 500 out: 1 M × 2 + 0.5 M × 8 = 6 $; cached reads vary and are not used."""
    applied(paula, f"{KNOWN}{ROUTER},cache_read,variable,,USD,mtok,2026-11-30\n")
    assert Decimal(str(bill(Client())["usd"])) == 6
    with_cache = f"{QUERY}&hit=0.5"
    assert "prix variable : lecture du cache" in words(Client(), f"/fr/economics?{with_cache}")
    assert bill(Client(), with_cache)["usd"] is None


@pytest.mark.parametrize(("language", "told"), [("fr", "variable"), ("en", "varies")])
def test_p13_the_price_list_has_the_word_in_every_cell_of_a_rate_that_varies(
    paula: Client, language: str, told: str
) -> None:
    with_source = VARIES.replace("checked_on\n", "checked_on,source_url\n").replace(
        "-30\n", "-30,https://a.example/x\n"
    )
    applied(paula, with_source)
    page = Client().get(f"/{language}/prices/").text
    (row,) = [one for one in page.split("<tr") if ROUTER in one]
    # Two rates in dollars, and the same two in euros; the source says where that is written.
    assert pagetext.words(row).split().count(told) == 4
    assert 'href="https://a.example/x"' in row and {"fr": "30/11/2026", "en": "30 Nov 2026"}[language] in row


def test_p13_history_chart_and_interface_tell_a_varying_price_from_a_withdrawn_one(paula: Client) -> None:
    applied(paula, KNOWN)
    applied(paula, VARIES, "2026-11-29")
    path = reverse("price-history", args=["api", ROUTER])
    history = words(Client(), path)
    assert "prix variable" in history and "8,00 $" in history and "retiré de la vente" not in history
    items = Client().get(f"/api/v1/prices/api/{ROUTER}").json()["items"]
    assert [(one["amount"], one["is_variable"], one["in_force"]) for one in items if one["component"] == "output"] == [
        (None, True, True),
        ("8", False, False),
    ]
    listed = Client().get("/api/v1/prices?limit=500").json()["items"]
    assert [one["is_variable"] for one in listed if one["code"] == ROUTER] == [True, True]


# --- changes, back and forth


def test_p13_a_price_that_becomes_variable_is_a_change_with_a_warning(paula: Client) -> None:
    applied(paula, KNOWN)
    upload = sent(paula, VARIES)
    text = words(paula, f"/fr/lists/{upload.pk}")
    assert (upload.changed_count, upload.withdrawn_count, upload.warning_count, upload.blocked_count) == (2, 0, 2, 0)
    assert "Ce prix ne sera plus connu d’avance" in text and "prix variable" in text and "8,00 $" in text


def test_p13_a_variable_price_that_gets_a_number_is_a_change_without_a_percentage(paula: Client) -> None:
    applied(paula, VARIES)
    again = sent(paula, VARIES)
    assert (again.unchanged_count, again.changed_count) == (2, 0)
    upload = sent(paula, KNOWN)
    assert (upload.changed_count, upload.new_count, upload.blocked_count) == (2, 0, 0)
    assert [line.change_percent for line in upload.lines.all()] == [None, None]
    assert "prix variable" in words(paula, f"/fr/lists/{upload.pk}")
    applied(paula, KNOWN, "2026-11-29")
    assert Decimal(str(bill(Client())["usd"])) == 6


def test_p13_a_variable_price_is_withdrawn_and_a_rollback_makes_it_vary_again(paula: Client) -> None:
    applied(paula, VARIES)
    gone = applied(paula, VARIES.replace("variable", "withdrawn"), "2026-11-29")
    assert gone.withdrawn_count == 2
    assert "prix variable" not in words(Client(), f"/fr/economics?{QUERY}")
    version = CatalogVersion.objects.latest("number").number
    chief = site.client_of("approver", "pricing", name="chief")
    told = chief.post(reverse("list-rollback", args=[version]), {"reason": "sold after all"}, follow=True)
    assert told.status_code == 200
    assert CatalogVersion.objects.latest("number").number == version + 1
    newest = PriceRow.objects.filter(catalog_version__number=version + 1)
    assert [(row.component, row.kind, row.amount) for row in newest] == [
        ("input", "variable", None),
        ("output", "variable", None),
    ]


def test_p13_the_current_list_goes_out_and_comes_back_unchanged(paula: Client) -> None:
    applied(paula, VARIES)
    version = CatalogVersion.objects.latest("number").number
    now = dt.datetime.now(dt.UTC)
    for suffix in ("csv", "xlsx", "json"):
        upload = site.sent(paula, exported(FileKind.LLM, version, now, suffix, french=False), name=f"prices.{suffix}")
        assert (upload.error_count, upload.new_count, upload.changed_count, upload.withdrawn_count) == (0, 0, 0, 0)
        assert PriceRow.objects.filter(item__code=ROUTER).count() == 2


def test_p13_one_price_is_said_to_vary_in_the_form(paula: Client) -> None:
    data = {"code": ROUTER, "component": "input", "mode": "standard", "price_kind": "variable", "amount": ""}
    data |= {"currency": "USD", "checked_on": "2026-11-30"}
    answer = paula.post(reverse("list-price", args=["llm"]), data)
    assert answer.status_code == 303, pagetext.words(answer.text)
    (line,) = PriceUpload.objects.latest("pk").lines.all()
    assert (line.verdict, line.new_amount) == ("new", None)
    assert "prix variable" not in words(paula, reverse("list-price", args=["gpu"]))


# --- against the library


def test_p13_the_library_proposes_nothing_against_a_price_that_is_said_to_vary(seeded: None) -> None:
    now = dt.datetime.now(dt.UTC)
    mini = CatalogItem.objects.get(code="gpt-5.4-mini")
    make.make_price(
        mini, "output", None, kind="variable", origin="upload", valid_from=now - dt.timedelta(hours=1),
        checked_on=dt.date(2026, 11, 30),
    )  # fmt: skip
    version = make.newest_version().number
    proposed = [(row["model"], row["component"], row["mode"]) for row in library.proposed_rows(version, now)]
    assert ("gpt-5.4-mini", "output", "standard") not in proposed
    (line,) = [one for one in discrepancies.report(version, now) if one.verdict == discrepancies.DIFFERS]
    assert (line.code, line.component, line.ours, line.our_price_varies) == ("gpt-5.4-mini", "output", None, True)
    # The library's 4.50 of mini's output, as in the table of published prices.
    assert (line.theirs, line.percent) == (Decimal("4.5"), None)


@pytest.mark.parametrize("amount", ["-1", "-0.000001", "0"])
def test_p13_a_number_below_zero_in_the_library_is_never_proposed(amount: str) -> None:
    assert not library.may_propose(None, library.Offer("input", "standard", 0, Decimal(amount)))
