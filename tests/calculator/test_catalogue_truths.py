"""What is said, not only that something is said, when the catalogue is not the one that the defaults have in mind."""

import datetime as dt

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from calculator import catalog
from calculator.models import CatalogItem
from tests import factories as make
from tests import pagetext
from tests.pricelist import pagesite as site
from tests.sales import quotefactory


def words(path: str) -> str:
    return pagetext.words(Client().get(path).text)


def retire(*codes: str, days: int = 0) -> None:
    catalog.forget()
    day = timezone.localdate() + dt.timedelta(days=days)
    CatalogItem.objects.filter(code__in=codes).update(retired_on=day)


# --- the latest changes on the home page


def test_a_price_that_varies_or_is_free_is_not_called_withdrawn(seeded: None) -> None:
    """The first change has 3 $ before it; free has no amount, and a price keeps all its decimals."""
    item, now = make.make_api("router/auto"), timezone.now().replace(microsecond=0)
    make.make_price(item, "input", "3", valid_from=now - dt.timedelta(days=1))
    make.make_price(item, "input", None, kind="variable", valid_from=now)
    make.make_price(item, "output", "0", kind="free", valid_from=now)
    make.make_price(item, "cache_read", "0.1234", valid_from=now)
    make.make_price(item, "cache_write_5m", None, valid_from=now)
    text = words("/fr/")
    assert "entrée 3,00 $ → prix variable" in text
    assert "sortie gratuit" in text and "lecture du cache 0,1234 $" in text
    assert "écriture du cache, 5 min retiré" in text
    assert "input $3.00 → price varies" in words("/en/")


# --- offers that are sold no more


def test_a_first_visit_offers_what_is_sold(seeded: None) -> None:
    """GPU-STARTER is the first with a price, by the hour only; gpt-5.4-mini the second of the compared APIs."""
    retire("GPU-PRO", "gpt-5.4", "mistral-small-2603", "text-embedding-3-small")
    first = catalog.default_scenario()
    assert (first.sku, first.basis.value) == ("GPU-STARTER", "hour")
    assert (first.apis[0], first.reference) == ("gpt-5.4-mini", "gpt-5.4-mini")
    assert set(first.apis) & {"gpt-5.4", "mistral-small-2603"} == set()
    text = words("/fr/")
    assert "Corrigez" not in text and "n’est pas proposé" not in text
    # Three of them carry 100 M tokens: 3 × 0.85 € × 720 h.
    assert "1 836,00 € HT par mois contre" in text
    assert Client().get("/api/v1/estimates/economics").json()["scenario"]["sku"] == "GPU-STARTER"


def test_a_default_that_is_sold_otherwise_is_billed_as_it_is_sold(seeded: None) -> None:
    """GPU-PRO loses its price by the month: 1.50 € × 720 h = 1 080 €."""
    pro = CatalogItem.objects.get(code="GPU-PRO")
    make.make_price(pro, "instance_month", None, valid_from=timezone.now() - dt.timedelta(hours=1))
    assert "1 080,00 €" in words("/fr/economics") and "sur devis contre" not in words("/fr/")


@pytest.mark.parametrize("name", ["economics", "inference", "training", "parallelism", "tokens", "outlook"])
def test_a_calculation_on_an_offer_that_is_sold_no_more_says_so(seeded: None, name: str) -> None:
    retire("GPU-TITAN")
    day = timezone.localdate()
    text = words(f"/fr/{name}{'/' if name == 'outlook' else ''}?sku=GPU-TITAN")
    assert f"GPU-TITAN n’est plus en vente depuis le {day:%d/%m/%Y} : son dernier prix sert encore ici." in text
    assert "n’est plus en vente" not in words(f"/fr/{name}{'/' if name == 'outlook' else ''}?sku=GPU-PRO")


def test_the_command_and_the_file_say_it_too(seeded: None, capsys: pytest.CaptureFixture[str]) -> None:
    retire("GPU-TITAN")
    call_command("estimate", "economics", "sku=GPU-TITAN", "--lang", "en")
    assert "GPU-TITAN has not been sold since" in capsys.readouterr().out
    notices = Client().get("/en/economics.json?sku=GPU-TITAN").json()["notices"]
    assert any("has not been sold since" in str(notice) for notice in notices)


def test_a_retirement_ahead_is_announced(seeded: None) -> None:
    retire("GPU-PRO", days=1)
    assert "GPU-PRO ne sera plus en vente à partir du" in words("/fr/economics")


def test_a_link_from_before_keeps_its_numbers(seeded: None) -> None:
    """A canonical link answers alike after prices have moved and its offers were given a last day."""
    client = Client()
    paths = [reverse("export", args=[name, "json"]) for name in ("economics", "inference", "training", "tokens")]
    links = [f"{path}?{client.get(path).json()['permalink'].partition('?')[2]}" for path in paths]
    before = {link: client.get(link).json() for link in links}
    later = make.make_version()
    for code, component in (("GPU-PRO", "instance_month"), ("GPU-ENTERPRISE", "instance_hour")):
        item = CatalogItem.objects.get(code=code)
        make.make_price(item, component, "9.99", valid_from=timezone.now(), catalog_version=later)
    retire("GPU-PRO", "GPU-ENTERPRISE", "gpt-5.4", days=1)
    for link, held in before.items():
        again = client.get(link).json()
        assert again["answer"] == held["answer"]
        assert [row["value"] for row in again["rows"]] == [row["value"] for row in held["rows"]], link


def test_a_saved_estimate_stays_and_says_beside_today_that_its_offer_is_gone(seeded: None) -> None:
    client = Client()
    kept = client.post("/fr/economics/save", {"query": "v=1&sku=GPU-TITAN&basis=hour"}).headers["Location"]
    before = words(kept)
    assert "3 888,00" in before
    retire("GPU-TITAN")
    assert words(kept) == before
    again = words(f"{kept}?recalculate")
    assert "GPU-TITAN n’est plus en vente depuis le" in again and "3 888,00" in again


def test_nothing_is_quoted_that_is_sold_no_more(seeded: None) -> None:
    seller = quotefactory.seller()
    draft = quotefactory.drafted(seller)
    retire("GPU-PRO")
    answer = quotefactory.send(seller, draft)
    assert "GPU-PRO n’est plus en vente depuis le" in pagetext.words(answer.text)
    draft.refresh_from_db()
    assert draft.sequence is None


# --- prices that vary, lack or are not read


def test_the_list_of_apis_says_why_one_has_no_price(seeded: None) -> None:
    varies = make.make_api("router/auto")
    make.make_price(varies, "output", None, kind="variable")
    make.make_price(make.make_api("reads-only"), "input", "1")
    text = words("/fr/economics")
    assert "router/auto prix variable" in text and "reads-only sortie sans prix" in text
    assert "router/auto price varies" in words("/en/economics")


def euro_api() -> CatalogItem:
    item = make.make_api("euros")
    for component in ("input", "output"):
        make.make_price(item, component, "3", currency="EUR")
    return item


def test_an_api_sold_in_euros_is_not_said_to_be_unsold(seeded: None) -> None:
    euro_api()
    for path in ("/fr/economics?api=euros&ref=euros", "/fr/economics?api=euros&ref=gpt-5.4"):
        text = words(path)
        assert "tarif standard non lu : en euros, d’une région ou de certaines heures" in text
        assert "pas de tarif standard" not in text
    assert "hors de ce tableau et des calculs : euros" in words("/fr/prices/")
    assert "Sold in euros, in one region or at some hours" in words("/en/prices/")
    batch = words("/fr/prices/?mode=batch")
    assert "hors de ce tableau" not in batch and "euros" in batch.partition("Sans tarif batch")[2]


def test_an_end_of_the_prices_in_euros_leaves_nothing_unread(seeded: None) -> None:
    item = euro_api()
    for component in ("input", "output"):
        make.make_price(item, component, None, currency="EUR", valid_from=timezone.now() - dt.timedelta(hours=1))
    assert "pas de tarif standard" in words("/fr/economics?api=euros&ref=euros")


def test_whoever_sends_a_price_that_is_not_read_is_told(seeded: None) -> None:
    pricing = site.client_of("pricing")
    upload = site.sent(pricing, f"{site.HEAD_API}\ngpt-5.4,input,standard,2.20,EUR,mtok,2026-11-30\n")
    assert (upload.error_count, upload.warning_count) == (0, 1)
    assert "ne lisent que des prix en USD" in site.words(pricing, "list", upload.pk)
    spelled = f"{site.HEAD_GPU}\nGPU-PRO;instance_hour;on_demand;1,60;USD;instance_hour;2026-11-30\n"
    assert "ne lisent que des prix en EUR" in site.words(pricing, "list", site.sent(pricing, spelled).pk)


def test_a_price_of_input_that_varies_is_not_said_to_be_unsold(seeded: None) -> None:
    item = make.make_api("router/auto")
    for component in ("input", "output"):
        make.make_price(item, component, None, kind="variable")
    text = words("/fr/tokens?api=router/auto")
    assert "router/auto n’a pas de prix d’entrée connu dans ce mode." in text and "ne se vend pas" not in text


# --- a price file that says an item is retired


def test_an_item_is_not_retired_without_its_day(seeded: None) -> None:
    pricing = site.client_of("pricing")
    upload = site.sent(pricing, "sku;status\nGPU-PRO;retired\n")
    assert upload.error_count == 1
    assert "« GPU-PRO » est dit retiré sans que « retired_on »" in site.words(pricing, "list", upload.pk)
    dated = site.sent(pricing, "sku;status;retired_on\nGPU-PRO;retired;2026-12-31\n")
    assert (dated.error_count, dated.changed_count) == (0, 1)


# --- nothing for sale


def test_tables_without_offers_say_so(seeded: None) -> None:
    CatalogItem.objects.filter(kind="gpu_sku").update(retired_on=timezone.localdate())
    catalog.forget()
    for path, told in (("skus", "Aucune offre GPU en vente"), ("prices", "Aucune offre GPU en vente")):
        assert told in words(f"/fr/{path}/")
    assert "No GPU offer for sale" in words("/en/skus/")
