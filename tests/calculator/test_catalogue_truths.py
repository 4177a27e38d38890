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


def test_nothing_is_quoted_that_is_sold_no_more(seeded: None) -> None:
    seller = quotefactory.seller()
    draft = quotefactory.drafted(seller)
    retire("GPU-PRO")
    answer = quotefactory.send(seller, draft)
    assert "GPU-PRO n’est plus en vente depuis le" in pagetext.words(answer.text)
    draft.refresh_from_db()
    assert draft.sequence is None


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
