"""From a file in the browser to a new list: compared, approved by somebody else, applied; nothing before that."""

import datetime as dt
import re

import pytest
from django.test import Client
from django.urls import reverse

from calculator.models import CatalogVersion, PriceEvent, PriceRow, PriceUpload
from calculator.pricing import impact
from tests import factories as make
from tests import pagetext
from tests.pricelist import pagesite as site

pytestmark = pytest.mark.usefixtures("seeded")


@pytest.fixture
def paula(db: None) -> Client:
    """She uploads and applies."""
    return site.client_of("pricing", name="paula")


@pytest.fixture
def anton(db: None) -> Client:
    """He approves."""
    return site.client_of("approver", name="anton")


def step(client: Client, name: str, upload: PriceUpload, **data: str) -> str:
    """Send a decision and return the text of the page that follows."""
    answer = site.decide(client, name, upload, **data)
    return pagetext.words((client.get(answer.headers["Location"]) if answer.status_code == 303 else answer).text)


def catalogue() -> tuple[int, int, int]:
    return CatalogVersion.objects.count(), PriceRow.objects.count(), PriceUpload.objects.count()


def test_a_file_is_compared_and_shows_old_new_and_the_change(paula: Client) -> None:
    text = site.words(paula, "list", site.sent(paula, site.SMALL).pk)
    for told in ("Prêt à appliquer", "GPU-PRO", "1,50 €", "1,60 €", "+6,7 %", "virgule décimale"):
        assert told in text


def test_p17_looking_at_a_comparison_changes_nothing(paula: Client, anton: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    before, events = catalogue(), PriceEvent.objects.count()
    for client in (paula, anton):
        for name in ("list", "list-file", "list-errors"):
            client.get(reverse(name, args=[upload.pk]))
    assert (catalogue(), PriceEvent.objects.count()) == (before, events)


def test_applying_makes_the_next_list_and_says_so(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    text = step(paula, "list-apply", upload)
    assert "Liste n° 2 en vigueur" in text and "Appliqué en liste n° 2" in text
    assert CatalogVersion.objects.latest("number").number == 2
    assert "1,60 €" in site.words(paula, "price-history", "sku", "GPU-PRO")


def test_p20_pressing_twice_answers_that_it_is_done(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    step(paula, "list-apply", upload)
    assert "Déjà appliqué en liste n° 2" in step(paula, "list-apply", upload)
    assert CatalogVersion.objects.count() == 2


def test_a_file_that_says_what_the_list_says_has_nothing_to_apply(paula: Client) -> None:
    upload = site.sent(paula, site.SAME)
    assert "Aucun changement" in site.words(paula, "list", upload.pk)
    assert "0 changement" in step(paula, "list-apply", upload)
    assert CatalogVersion.objects.count() == 1


def test_every_error_is_named_at_once_with_its_line_and_column(paula: Client) -> None:
    text = site.words(paula, "list", site.sent(paula, site.BROKEN).pk)
    assert "2 problèmes de lecture" in text
    for told in ("« 1,6O » n’est pas un nombre", "Il n’y a pas de montant", "amount"):
        assert told in text


def test_p16_a_file_with_errors_is_not_applied_by_halves(paula: Client) -> None:
    upload = site.sent(paula, site.BROKEN)
    answer = site.decide(paula, "list-apply", upload)
    assert answer.status_code == 422
    assert CatalogVersion.objects.count() == 1


def test_the_errors_come_as_a_file_for_whoever_corrects_them(paula: Client) -> None:
    upload = site.sent(paula, site.BROKEN)
    answer = paula.get(reverse("list-errors", args=[upload.pk]))
    lines = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()
    assert [line.partition(";")[0] for line in lines] == ["ligne", "2", "3"]


def test_a_blocked_line_waits_for_a_second_person_with_a_reason(paula: Client, anton: Client) -> None:
    upload = site.sent(paula, site.TENFOLD)
    assert "une virgule déplacée" in site.words(paula, "list", upload.pk)
    assert "autre personne" in step(paula, "list-apply", upload)
    assert "Donnez une raison" in step(anton, "list-approve", upload, reason=" ")
    assert "Accord donné" in step(anton, "list-approve", upload, reason="Nouvelle offre, vérifiée au contrat.")
    assert "Liste n° 2 en vigueur" in step(paula, "list-apply", upload)
    assert "accord de anton" in site.words(paula, "lists")


def test_nobody_approves_his_own_file_superusers_included(admin_client: Client) -> None:
    upload = site.sent(admin_client, site.TENFOLD)
    assert "Donner son accord" not in site.words(admin_client, "list", upload.pk)
    assert "Personne n’approuve son propre fichier" in step(admin_client, "list-approve", upload, reason="Moi-même")
    assert "autre personne" in step(admin_client, "list-apply", upload)


def test_an_agreement_holds_for_the_comparison_it_was_given_to(paula: Client, anton: Client) -> None:
    upload = site.sent(paula, site.TENFOLD)
    step(anton, "list-approve", upload, reason="Vérifié.")
    step(paula, "list-apply", site.sent(paula, site.SMALL))
    assert "relisez la nouvelle comparaison" in step(paula, "list-apply", upload)
    step(paula, "list-compare", upload)
    assert "autre personne" in step(paula, "list-apply", upload)


def seen(client: Client, upload: PriceUpload) -> str:
    """What the page carries of the comparison that it shows."""
    found = re.search(r'name="seen" value="(\w+)"', client.get(reverse("list", args=[upload.pk])).text)
    assert found
    return found[1]


COMMAS = {"kind": "gpu", "encoding": "", "decimal_mark": ","}
TWO_PRICES = (
    "sku;component;mode;amount;offer;currency;unit;checked_on\n"
    "GPU-PRO;instance_hour;on_demand;1,6;15;EUR;instance_hour;2026-11-30\n"
)


def read_with(client: Client, upload: PriceUpload, amount: str) -> None:
    """Say which of the two columns of TWO_PRICES is the price."""
    names = ("sku", "component", "mode", "amount", "offer", "currency", "unit", "checked_on")
    told = {"amount": "", "offer": "", amount: "amount"}
    meant = {f"column-{place}": told.get(name, name) for place, name in enumerate(names)}
    assert client.post(reverse("list-columns", args=[upload.pk]), COMMAS | meant).status_code == 303


def test_a_decision_holds_for_the_comparison_on_the_page_it_was_taken_on(paula: Client, anton: Client) -> None:
    """1.60 € is looked at; before the decision is sent, the file is read as saying 15 €."""
    upload = site.sent(paula, TWO_PRICES)
    read_with(paula, upload, "amount")
    looked_at = seen(paula, upload)
    read_with(paula, upload, "offer")
    assert seen(anton, upload) != looked_at
    for client, name in ((anton, "list-approve"), (paula, "list-apply")):
        assert "ne donne plus le même résultat" in step(client, name, upload, reason="Vu.", seen=looked_at)
    assert CatalogVersion.objects.count() == 1
    assert "Accord donné" in step(anton, "list-approve", upload, reason="Vu.", seen=seen(anton, upload))


@pytest.mark.parametrize("name", ["list-approve", "list-apply"])
def test_a_decision_that_names_no_comparison_is_refused(paula: Client, anton: Client, name: str) -> None:
    upload = site.sent(paula, site.SMALL)
    client = anton if name == "list-approve" else paula
    answer = client.post(reverse(name, args=[upload.pk]), {"old_rate": "on", "reason": "Vu."})
    assert answer.status_code == 422 and "ne donne plus le même résultat" in pagetext.words(answer.text)
    assert CatalogVersion.objects.count() == 1 and not PriceEvent.objects.filter(action="approved").exists()


def test_saying_how_a_file_is_read_stands_in_the_record(paula: Client) -> None:
    upload = site.sent(paula, TWO_PRICES)
    read_with(paula, upload, "offer")
    event = PriceEvent.objects.get(action="configured")
    assert (event.actor and event.actor.username, event.upload) == ("paula", upload)
    assert '"offer": "amount"' in event.after and '"columns": {}' in event.before
    assert "lecture précisée" in site.words(paula, "list", upload.pk)


def test_nobody_approves_a_reading_of_his_own_of_another_ones_file(paula: Client, anton: Client) -> None:
    """Which column is the price decides the price: who said so is not the second person."""
    upload = site.sent(paula, TWO_PRICES)
    both = site.client_of("pricing", "approver", name="bea")
    read_with(both, upload, "offer")
    assert "Personne n’approuve son propre fichier" in step(both, "list-approve", upload, reason="Juste.")
    assert "Accord donné" in step(anton, "list-approve", upload, reason="Juste.")


def test_who_only_compares_again_what_its_sender_had_compared_may_approve(paula: Client) -> None:
    upload = site.sent(paula, site.TENFOLD)
    both = site.client_of("pricing", "approver", name="bea")
    step(both, "list-compare", upload)
    assert "Accord donné" in step(both, "list-approve", upload, reason="Juste.")


def test_p19_a_list_that_came_meanwhile_is_named(paula: Client) -> None:
    first, second = site.sent(paula, site.SMALL), site.sent(paula, site.SMALL.replace("1,60", "1,65"))
    step(paula, "list-apply", first)
    assert "comparé à la liste n° 1, et la liste n° 2 est en vigueur" in step(paula, "list-apply", second)
    assert "1,60 €" in step(paula, "list-compare", second)
    assert "Liste n° 3 en vigueur" in step(paula, "list-apply", second)


def test_what_customers_would_see_stands_with_numbers_and_changes_nothing(paula: Client) -> None:
    """The monthly rental of GPU-PRO is 830.64 € in the offer; 1 661.28 € is twice as much."""
    dearer = f"{site.HEAD_GPU}\nGPU-PRO;instance_month;reserved;1661,28;EUR;instance_month;2026-11-30\n"
    upload, before = site.sent(paula, dearer), catalogue()
    text = site.words(paula, "list", upload.pk)
    assert "Ce que verront les clients" in text and "830,64 €" in text and "661,28 €" in text
    assert "GPU moins cher" in text or "API moins chère" in text
    assert catalogue() == (before[0], before[1], before[2])
    assert "830,64 €" in site.words(paula, "list-effects", upload.pk)


def test_what_customers_would_see_of_a_very_large_file_is_said_not_to_be_computed(
    paula: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = site.sent(paula, site.SMALL)
    monkeypatch.setattr(impact, "MOST_CHANGES", 0)
    monkeypatch.setattr(impact.publish, "preview", None)
    for name in ("list", "list-effects"):
        assert "ce que verront les clients n’est pas calculé" in site.words(paula, name, upload.pk)


def test_rejecting_closes_a_file_for_good(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    assert "Donnez une raison" in step(paula, "list-reject", upload)
    assert "Fichier rejeté" in step(paula, "list-reject", upload, reason="Mauvais mois.")
    assert "déjà appliqué ou rejeté" in step(paula, "list-reject", upload, reason="Encore")
    page = site.words(paula, "list", upload.pk)
    assert "Mauvais mois." in page and "Appliquer la liste" not in page


def test_a_later_start_is_an_hour_of_paris_and_is_listed_as_planned(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    step(paula, "list-apply", upload, effective="2036-12-15 08:00")
    assert "15/12/2036 08:00" in site.words(paula, "lists")
    assert PriceRow.objects.get(catalog_version_id=2).valid_from.isoformat() == "2036-12-15T07:00:00+00:00"


def test_p46_an_old_exchange_rate_is_confirmed_before_a_list_is_applied(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    assert "cours ancien accepté" in site.words(paula, "list", upload.pk)
    answer = paula.post(reverse("list-apply", args=[upload.pk]))
    assert answer.status_code == 422 and "cochez pour appliquer quand même" in answer.text
    assert CatalogVersion.objects.count() == 1
    make.make_fx(dt.datetime.now(dt.UTC).date(), "1.10", catalog_version=CatalogVersion.objects.get())
    assert "cours ancien accepté" not in site.words(paula, "list", upload.pk)
    seen_now = {"seen": seen(paula, upload)}
    answer = paula.post(reverse("list-apply", args=[upload.pk]), seen_now, follow=True)
    assert "Liste n° 2" in pagetext.words(answer.text)


def test_a_start_that_is_no_instant_comes_back_with_what_was_typed(paula: Client) -> None:
    upload = site.sent(paula, site.SMALL)
    answer = paula.post(reverse("list-apply", args=[upload.pk]), {"effective": "lundi", "old_rate": "on"})
    assert answer.status_code == 422 and 'value="lundi"' in answer.text


def test_starting_in_the_past_needs_the_right_and_a_reason(paula: Client) -> None:
    upload, past = site.sent(paula, site.SMALL), "2026-11-01"
    assert "À partir de cet instant, le résultat est autre" in step(paula, "list-apply", upload, effective=past)
    assert "droit" in step(paula, "list-apply", upload, effective=past)
    both = site.client_of("pricing", "approver", name="both")
    assert "Donnez une raison" in step(both, "list-apply", upload, effective=past)
    assert "Liste n° 2" in step(both, "list-apply", upload, effective=past, reason="Contrat du 1er novembre.")


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "empty.csv", "vide"),
        (b"PK\x03\x04nonsense", "a.xlsx", "endommagé"),
        (b"\x00\x01\x02binary", "a.csv", "binaires"),
        (b"<!DOCTYPE x><a/>", "a.xml", "DOCTYPE"),
    ],
)
def test_what_is_no_price_file_is_refused_with_a_sentence(paula: Client, content: bytes, name: str, said: str) -> None:
    answer = site.send(paula, content, name)
    page = paula.get(answer.headers["Location"]) if answer.status_code == 303 else answer
    assert said in pagetext.words(page.text)
    assert CatalogVersion.objects.count() == 1


def test_foreign_headers_are_asked_about_once_and_remembered(paula: Client) -> None:
    upload = site.sent(paula, site.FOREIGN)
    page = site.words(paula, "list-columns", upload.pk)
    assert "Remarque interne" in page and "à revoir" in page
    told = {"kind": "gpu", "decimal_mark": ","}
    columns = ("sku", "component", "amount", "currency", "unit", "")
    told |= {f"column-{place}": column for place, column in enumerate(columns)}
    answer = paula.post(reverse("list-columns", args=[upload.pk]), told, follow=True)
    assert "1,60 €" in pagetext.words(answer.text)
    again = site.sent(paula, site.FOREIGN.replace("1,60", "1,65"))
    assert "1,65 €" in site.words(paula, "list", again.pk)


def test_two_headers_cannot_mean_the_same_column(paula: Client) -> None:
    upload = site.sent(paula, site.FOREIGN)
    told = {"kind": "gpu", "column-0": "sku", "column-1": "sku"}
    answer = paula.post(reverse("list-columns", args=[upload.pk]), told)
    assert answer.status_code == 422 and "même colonne" in pagetext.words(answer.text)


def test_one_price_typed_in_goes_the_way_of_a_file(paula: Client) -> None:
    data = {
        "code": "GPU-PRO",
        "component": "instance_hour",
        "mode": "on_demand",
        "price_kind": "price",
        "amount": "1,60",
        "currency": "EUR",
        "checked_on": "2026-11-30",
    }
    answer = paula.post(reverse("list-price", args=["gpu"]), data)
    upload = PriceUpload.objects.latest("pk")
    assert answer.status_code == 303 and upload.origin == "manual"
    assert "+6,7 %" in site.words(paula, "list", upload.pk)
    assert paula.post(reverse("list-price", args=["gpu"]), {**data, "amount": ""}).status_code == 422


def test_a_new_model_with_another_name_goes_the_way_of_a_file(paula: Client) -> None:
    data = {"code": "gpt-9", "item_kind": "llm_model", "provider": "OpenAI", "aliases": "gpt-nine"}
    paula.post(reverse("list-item", args=["model"]), data)
    upload = PriceUpload.objects.latest("pk")
    assert "gpt-9" in site.words(paula, "list", upload.pk)
    assert "Liste n° 2" in step(paula, "list-apply", upload)


def test_private_files_are_not_there_for_people_without_the_right(paula: Client) -> None:
    seller = site.client_of("pricing", "sales", name="seller")
    upload = site.sent(seller, site.SMALL, audience="sales")
    assert upload.audience == "sales"
    for name in ("list", "list-file", "list-errors", "list-columns"):
        assert paula.get(reverse(name, args=[upload.pk])).status_code == 404
    for name in ("list-apply", "list-compare", "list-reject"):
        assert paula.post(reverse(name, args=[upload.pk])).status_code == 404
    assert "Liste n° 2" in step(seller, "list-apply", upload)
    assert "1,60" not in pagetext.words(paula.get(reverse("prices")).text)
    assert "1,60 €" in site.words(seller, "private-prices")


@pytest.mark.parametrize("kind", ["gpu", "llm", "fx", "gpu_sheet", "model_sheet"])
@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json"])
def test_templates_and_the_list_in_force_are_files_to_keep(paula: Client, kind: str, suffix: str) -> None:
    for name in ("list-template", "list-current"):
        answer = paula.get(reverse(name, args=[kind, suffix]))
        assert answer.status_code == 200 and answer.headers["Content-Disposition"].startswith("attachment")
    assert paula.get(reverse("list-template", args=["kings", suffix])).status_code == 404


def test_the_list_in_force_uploaded_as_it_is_changes_nothing(paula: Client) -> None:
    for kind in ("gpu", "llm"):
        content = paula.get(reverse("list-current", args=[kind, "csv"])).content
        upload = site.sent(paula, content)
        assert "Aucun changement" in site.words(paula, "list", upload.pk)


def test_the_pages_read_in_english(paula: Client) -> None:
    upload = site.sent(paula, site.BROKEN)
    page = pagetext.words(paula.get(f"/en/lists/{upload.pk}").text)
    assert "Cannot be applied as it is" in page and "unreadable" in page
    for name in ("new", f"{upload.pk}/columns", "price/gpu", "price/llm", "item/sku", "item/model"):
        assert paula.get(f"/en/lists/{name}").status_code == 200


def test_a_null_character_is_kept_neither_in_a_reason_nor_in_an_attempt(paula: Client, anton: Client) -> None:
    """PostgreSQL takes no such text."""
    upload = site.sent(paula, site.SMALL)
    assert paula.post("/fr/lists/price/%00").status_code == 404
    assert anton.post("/fr/lists/price/%00").status_code == 403
    assert PriceEvent.objects.get(action="refused").subject == "/fr/lists/price/"
    assert "Donnez une raison" in step(paula, "list-reject", upload, reason="\x00")
    step(paula, "list-reject", upload, reason="mau\x00vais")
    assert PriceEvent.objects.get(action="rejected").reason == "mauvais"
