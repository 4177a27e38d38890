"""The price cases as a person meets them: on the pages, from the file that is sent to the list in force."""

import datetime as dt
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from calculator.models import CatalogItem, CatalogVersion, PriceEvent, PriceRow, PriceUpload, PriceUploadLine
from calculator.pricing import diffrows
from tests import factories as make
from tests import pagetext
from tests.pricelist import filefactory
from tests.pricelist import pagesite as site

pytestmark = pytest.mark.usefixtures("seeded")
P03_HEAD = "sku;component;amount;currency;unit"
STEPS = ("list-apply", "list-compare", "list-reject", "list-columns")


@pytest.fixture
def paula(db: None) -> Client:
    return site.client_of("pricing", name="paula")


def applied(client: Client, content: str | bytes, name: str = "prices.csv") -> PriceUpload:
    """Sent and put into force; the seed's rate, of October, is old by now."""
    upload = site.sent(client, content, name=name)
    answer = site.decide(client, "list-apply", upload)
    assert answer.status_code == 303, pagetext.words(answer.text)
    upload.refresh_from_db()
    return upload


def shown(client: Client, upload: PriceUpload, language: str = "fr") -> str:
    return pagetext.words(client.get(f"/{language}/lists/{upload.pk}").text)


def amount_now(code: str = "GPU-PRO", component: str = "instance_hour") -> Decimal | None:
    return PriceRow.objects.filter(item__code=code, component=component).latest("pk").amount


def test_p02_a_windows_file_is_told_apart_on_the_page_and_keeps_its_accents(paula: Client) -> None:
    row = "GPU-PRO;Carte dédiée;1,60 €;EUR;instance_hour;instance_hour"
    content = f"sku;label_fr;amount;currency;component;unit\n{row}\n".encode("cp1252")
    assert b"\x80" in content and b"\xe9" in content
    upload = applied(paula, content)
    assert "windows-1252" in shown(paula, upload) and "windows-1252" in shown(paula, upload, "en")
    assert CatalogItem.objects.get(code="GPU-PRO").label_fr == "Carte dédiée"
    assert amount_now() == Decimal("1.60")


@pytest.mark.parametrize(("language", "told"), [("fr", "4,20 €"), ("en", "€4.20")])
def test_p04_a_decimal_comma_is_never_a_thousands_mark_in_either_language(
    paula: Client, language: str, told: str
) -> None:
    row = "GPU-TITAN;instance_hour;4,20;EUR;instance_hour"
    file = filefactory.csv(P03_HEAD, row)
    upload = site.sent(paula, file)
    text = shown(paula, upload, language)
    assert told in text and "420" not in text.split("Ce que verront")[0].split("What customers")[0]
    upload.refresh_from_db()
    paula.post(f"/{language}/lists/{upload.pk}/apply", {"old_rate": "on", "seen": upload.diff_hash})
    assert amount_now("GPU-TITAN") == Decimal("4.20")


def test_p08_a_binary_number_of_a_workbook_is_stored_and_shown_as_it_was_typed(paula: Client) -> None:
    rows = [P03_HEAD.split(";"), ("GPU-PRO", "instance_hour", 1.4, "EUR", "instance_hour")]
    upload = applied(paula, filefactory.xlsx(rows), "prices.xlsx")
    assert amount_now() == Decimal("1.4")
    assert "1,40 €" in shown(paula, upload) and "1,39" not in shown(paula, upload)
    again = site.sent(paula, f"{P03_HEAD}\nGPU-PRO;instance_hour;1,40;EUR;instance_hour\n")
    assert (again.unchanged_count, again.changed_count) == (1, 0)


def test_p13_a_sentinel_for_a_variable_price_is_refused_by_name_and_no_bill_is_negative(paula: Client) -> None:
    make.make_api("openrouter/auto")
    upload = site.sent(
        paula,
        "model,component,mode,context_over,amount,currency,unit\nopenrouter/auto,input,standard,0,-1,USD,token\n",
    )
    assert "prix variable" in shown(paula, upload)
    assert site.decide(paula, "list-apply", upload).status_code == 422
    assert not PriceRow.objects.filter(item__code="openrouter/auto").exists()
    found = paula.get("/fr/economics.json?api=openrouter/auto&ref=openrouter/auto").json()
    (bill,) = [row["bill"] for row in found["apis"] if row["code"] == "openrouter/auto"]
    assert (bill["usd"], bill["eur"]) == (None, None)


def test_p14_free_is_a_word_and_an_unknown_price_leaves_a_bill_open(paula: Client) -> None:
    free = site.sent(
        paula, "model,component,kind,amount,currency,unit\nmistral-small-2603,cache_read,free,0,USD,mtok\n"
    )
    assert "gratuit" in shown(paula, free) and "free" in shown(paula, free, "en")
    only_output = make.make_api("only-output")
    make.make_price(only_output, "output", "15.00")
    query = "api=only-output&ref=only-output&traffic=requests&requests=1000&in=1000&out=500"
    found = paula.get(f"/fr/economics.json?{query}").json()
    (bill,) = [row["bill"] for row in found["apis"] if row["code"] == "only-output"]
    assert (bill["usd"], bill["eur"]) == (None, None)
    assert "prix inconnu : entrée" in pagetext.words(paula.get(f"/fr/economics?{query}").text)


@pytest.mark.parametrize("step", STEPS)
def test_p18_a_step_about_somebody_elses_private_file_is_404_and_kept_in_the_record(paula: Client, step: str) -> None:
    hidden = site.sent(site.client_of("pricing", "sales", name="sam"), site.SMALL, audience="sales")
    path = reverse(step, args=[hidden.pk])
    assert paula.post(path).status_code == 404
    event = PriceEvent.objects.get(action="refused")
    assert (event.actor and event.actor.username, event.upload, event.subject) == ("paula", hidden, path)
    assert event.audience == "sales"
    assert CatalogVersion.objects.count() == 1


def test_p18_a_number_that_is_no_file_and_a_person_without_the_right_are_recorded_too(paula: Client) -> None:
    olga = site.client_of("operator", name="olga")
    upload = site.sent(paula, site.SMALL)
    assert paula.post(reverse("list-apply", args=[999_999])).status_code == 404
    assert olga.post(reverse("list-apply", args=[upload.pk])).status_code == 403
    found = PriceEvent.objects.filter(action="refused").order_by("id").values_list("actor__username", "subject")
    assert list(found) == [
        ("paula", reverse("list-apply", args=[999_999])),
        ("olga", reverse("list-apply", args=[upload.pk])),
    ]
    assert paula.get("/fr/lists/..%2F..%2Fx").status_code == 404


def test_p18_looking_at_what_is_not_there_leaves_no_trace(paula: Client) -> None:
    assert paula.get(reverse("list", args=[999_999])).status_code == 404
    assert site.client_of("operator", name="olga").get(reverse("list-upload")).status_code == 403
    assert not PriceEvent.objects.filter(action="refused").exists()


def test_p20_the_same_bytes_another_day_name_the_earlier_upload_and_its_day(paula: Client) -> None:
    first = applied(paula, site.SMALL)
    again = site.sent(paula, site.SMALL)
    text = shown(paula, again)
    assert "Aucun changement." in text
    assert f"Identique à l’envoi n° {first.pk} du {first.uploaded_at.astimezone():%d/%m/%Y}" in text
    assert f"Identical to upload no. {first.pk}" in shown(paula, again, "en")
    assert "Identique à l’envoi" not in shown(paula, site.sent(paula, site.SMALL.replace("1,60", "1,61")))


def test_p29_the_comparison_says_that_a_start_is_the_hour_of_paris(paula: Client) -> None:
    line = PriceUploadLine(
        line_no=2, verdict="new", component="instance_hour", valid_from=dt.datetime(2026, 11, 30, 23, tzinfo=dt.UTC)
    )
    assert diffrows.row(line, ()).start == "01/12/2026 00:00 (Paris)"
    upload = site.sent(paula, f"{P03_HEAD};valid_from\nGPU-PRO;instance_hour;1,60;EUR;instance_hour;2036-12-01\n")
    assert "à partir du 01/12/2036 00:00 (Paris)" in shown(paula, upload)
    assert "from 1 Dec 2036 00:00 (Paris)" in shown(paula, upload, "en")


def test_p43_a_rate_upside_down_is_blocked_on_its_page_and_dated_by_its_day(paula: Client) -> None:
    upload = site.sent(paula, "rate_date,base,quote,rate,source\n2026-10-30,EUR,USD,0.8951,ECB\n")
    text = shown(paula, upload)
    assert "0,8951 ressemble à un cours en euros pour un USD" in text
    assert "à partir du 30/10/2026 " in text and "30/10/2026 01:00" not in text
    assert site.decide(paula, "list-apply", upload).status_code == 422
    assert CatalogVersion.objects.count() == 1


def test_what_was_blocked_is_not_to_be_dealt_with_once_it_is_applied(paula: Client) -> None:
    upload = site.sent(paula, site.TENFOLD)
    assert "À traiter avant d’appliquer" in shown(paula, upload)
    anton = site.client_of("approver", name="anton")
    site.decide(anton, "list-approve", upload, reason="Vérifié.")
    site.decide(paula, "list-apply", upload)
    text = shown(paula, upload)
    assert "Lignes bloquées ou illisibles" in text and "À traiter avant" not in text
