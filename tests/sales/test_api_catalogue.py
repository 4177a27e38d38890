"""The catalogue and its prices as data: the offer's own figures, parts of lists, and nothing that is private."""

import datetime as dt
import json
from decimal import Decimal

import pytest

from calculator import figures
from calculator.models import Audience, CatalogItem
from tests import factories
from tests.sales.apisite import asked, keys, refused, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("seeded")]
LISTS = ("skus", "gpus", "language-models", "api-models", "versions", "figures", "prices", "calculators")


def by_code(path: str) -> dict[str, dict[str, object]]:
    return {item["code"]: item for item in told(path)["items"]}


def test_the_published_prices_of_the_offer_and_none_where_none_is_published() -> None:
    skus = by_code("skus")
    hours = {code: item["prices"]["hour"] for code, item in skus.items() if not item["is_test_host"]}  # type: ignore[index]
    assert {code: price and price["value"] for code, price in hours.items()} == {
        "GPU-STARTER": "0.85",
        "GPU-PRO": "1.5",
        "GPU-ENTERPRISE": "4.2",
        "GPU-TITAN": "5.4",
        "GPU-SUPERCOMPUTE": None,
    }
    month = skus["GPU-PRO"]["prices"]["month"]  # type: ignore[index]
    assert (month["value"], month["unit"], month["kind"]) == ("830.64", "EUR/month", "list_price")


def test_api_models_have_their_other_names_and_each_price_its_mode() -> None:
    found = by_code("api-models")["gpt-5.4"]
    assert "gpt 5.4" in str(found["aliases"]).replace("-", " ")
    outputs = {mode: tiers[0]["output"]["value"] for mode, tiers in found["modes"].items()}  # type: ignore[attr-defined]
    assert (outputs["standard"], outputs["batch"]) == ("15", "7.5")


def test_retired_models_are_listed_only_when_asked_for() -> None:
    kept, every = by_code("api-models"), by_code("api-models?retired=1")
    gone = set(every) - set(kept)
    assert gone
    assert all(every[code]["retired_on"] for code in gone)


def test_data_sheets_and_model_dimensions_stand_as_in_the_catalogue() -> None:
    gpus = {item["name"]: item for item in told("gpus")["items"]}
    assert (gpus["RTX 4090"]["vram_gb"], gpus["RTX 4090"]["mem_bw_gb_s"]) == ("24", "1008")
    models = {item["name"]: item for item in told("language-models")["items"]}
    assert models["Mistral-7B-v0.3"]["params_total"] == 7_248_023_552
    assert "roofs" not in gpus["RTX 4090"]


def test_a_list_is_read_part_by_part_without_moving() -> None:
    whole = told("prices?limit=500")
    seen, address, parts = [], "prices?limit=40", 0
    while address:
        found = told(address)
        seen += found["items"]
        address, parts = (found["next"] or "").partition("/api/v1/")[2], parts + 1
    assert parts > 1
    assert (seen, found["count"], found["at"][:10]) == (whole["items"], len(seen), whole["at"][:10])


def test_the_next_part_keeps_version_instant_and_language() -> None:
    address = told("prices?limit=1&lang=en&at=2026-11-30T14:00:00Z")["next"]
    assert "catalog=1&at=2026-11-30T14:00:00Z&limit=1&offset=1&lang=en" in address


@pytest.mark.parametrize("name", LISTS)
def test_every_list_ends_and_refuses_what_it_does_not_know(name: str) -> None:
    found = told(f"{name}?offset=100000")
    assert (found["items"], found["next"]) == ([], None)
    assert found["count"] > 0
    assert keys(refused(f"{name}?color=red", 422)) == [("color", "unknown")]
    assert keys(refused(f"{name}?limit=501", 422)) == [("limit", "unreadable")]


def test_prices_are_those_of_the_instant() -> None:
    before = told("prices?kind=api&mode=standard&at=2026-01-01T00:00:00Z&limit=500")["items"]
    today = told("prices?kind=api&mode=standard&limit=500")["items"]
    assert {row["kind"] for row in today} == {"api"}
    assert {row["mode"] for row in today} == {"standard"}
    assert all(row["valid_from"] < "2026-01-01T00:00:01" for row in before)
    assert len(before) < len(today)


def test_a_price_that_ended_is_in_the_history_and_not_in_force(noon: dt.datetime) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    version = factories.make_version()
    factories.make_price(item, component="instance_hour", mode="on_demand", currency="EUR", amount=Decimal("1.40"),
                         catalog_version=version, valid_from=factories.NOW - dt.timedelta(hours=1))  # fmt: skip
    rows = [row for row in told("prices/sku/gpu-pro")["items"] if row["component"] == "instance_hour"]
    assert [(row["amount"], row["in_force"]) for row in rows] == [("1.4", True), ("1.5", False)]
    sold = [row for row in told("prices?kind=sku")["items"] if row["code"] == "GPU-PRO"]
    assert [row["amount"] for row in sold if row["unit"] == "instance_hour"] == ["1.4"]
    old = told("prices?kind=sku&catalog=1")["items"]
    assert "1.5" in [row["amount"] for row in old if row["code"] == "GPU-PRO"]


def test_private_prices_are_in_no_answer(noon: dt.datetime) -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    factories.make_price(item, component="instance_hour", mode="on_demand", currency="EUR", amount=Decimal("1.2345"),
                         audience=Audience.SALES, catalog_version=factories.make_version())  # fmt: skip
    for path in ("skus", "prices?limit=500", "prices/sku/GPU-PRO", "versions", "estimates/economics"):
        assert "1.2345" not in json.dumps(told(path))


def test_an_alias_leads_to_the_item_and_what_is_not_there_is_named() -> None:
    assert told("prices/api/mistral-small-latest")["code"] == "mistral-small-2603"
    problem = refused("prices/sku/GPU-PRX?lang=en", 404)
    assert keys(problem) == [("code", "missing")]
    assert "GPU-PRO" in problem["detail"]
    assert keys(refused("prices/car/GPU-PRO", 404)) == [("kind", "missing")]
    assert keys(refused("prices/sku/a%00b", 404)) == [("code", "missing")]
    assert keys(refused("skus?catalog=99", 404)) == [("catalog", "missing")]


def test_versions_tell_no_name_and_no_count() -> None:
    assert [set(item) for item in told("versions")["items"]] == [{"number", "kind", "created_at"}]


def test_published_figures_come_with_their_conditions() -> None:
    rates = {item["sku"]: (item["value"], item["kind"], item["single_stream"]) for item in told("figures")["items"]}
    assert rates["GPU-PRO"] == ("64", "claim", True)
    assert told("figures?sku=gpu-titan")["items"][0]["value"] == "124"
    assert told("figures?metric=copy_bytes_per_s")["items"] == []
    assert told("figures?at=2020-01-01T00:00:00Z")["items"] == []


def test_figures_of_test_models_show_only_to_whoever_names_sku_and_model() -> None:
    item = CatalogItem.objects.get(code="GPU-PRO")
    model = factories.make_language_model("tiny-random", is_test=True)
    factories.make_figure(item, language_model=model, test_model=True, value=777, published_at=factories.START)
    figures.forget()
    for path in ("figures", "figures?sku=GPU-PRO", "figures?model=tiny-random"):
        assert "777" not in [row["value"] for row in told(path)["items"]]
    assert [row["value"] for row in told("figures?sku=GPU-PRO&model=Tiny-Random")["items"]] == ["777"]


def test_labels_follow_the_language() -> None:
    french, english = asked("prices/api/gpt-5.4?lang=fr"), asked("prices/api/gpt-5.4", accept_language="en")
    assert (french.headers["Content-Language"], english.headers["Content-Language"]) == ("fr", "en")
    assert french.json()["items"][0]["note"] != english.json()["items"][0]["note"]  # type: ignore[attr-defined]
