"""The facts of an economics scenario: which prices, which throughput, which exchange rate, in how many queries."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pytest_django import DjangoAssertNumQueries

from calculator import catalog
from calculator.domain.economics import estimate
from calculator.domain.offers import Basis, EconomicsFacts, Mode, Scope
from calculator.domain.provenance import Kind
from calculator.domain.scenario import EconomicsScenario
from calculator.models import CatalogItem, Figure, LanguageModel
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def offer() -> dict[str, CatalogItem]:
    """The offer of the price cases: four GPUs with the vendor's rates, the four API models, the ECB's rates."""
    items: dict[str, CatalogItem] = {}
    prices = (
        ("GPU-STARTER", "0.85", 22),
        ("GPU-PRO", "1.50", 64),
        ("GPU-ENTERPRISE", "4.20", 96),
        ("GPU-TITAN", "5.40", 124),
    )
    for position, (code, hour, rate) in enumerate(prices):
        items[code] = make.make_sku(code, position=position)
        make.make_price(items[code], "instance_hour", hour)
        make.make_figure(items[code], rate, single_stream=True)
    make.make_price(items["GPU-PRO"], "instance_month", "830.64")
    items["CPU-LOCAL"] = make.make_sku("CPU-LOCAL", is_test_host=True, position=9, vram_gb=0)
    apis = (
        ("mistral-small-2603", "0.15", "0.015", "0.60"),
        ("gpt-5.4-mini", "0.75", "0.075", "4.50"),
        ("claude-haiku-4-5", "1.00", "0.10", "5.00"),
        ("gpt-5.4", "2.50", "0.25", "15.00"),
        ("claude-sonnet-4-6", "3.00", "0.30", "15.00"),
    )
    for position, (code, *amounts) in enumerate(apis):
        items[code] = make.make_api(code, position=position)
        make.make_rates(items[code], *amounts)
    make.make_fx(dt.date(2026, 10, 2), "1.1225")
    make.make_fx(dt.date(2026, 10, 30), "1.1172")
    return items


@pytest.fixture
def mistral() -> LanguageModel:
    return make.make_language_model("Mistral-7B-v0.3")


@pytest.fixture
def random_weights() -> LanguageModel:
    return make.make_language_model("random-tiny", is_test=True)


def facts_for(**values: Any) -> EconomicsFacts:
    return catalog.for_economics(scenario_with(**values))


def scenario_with(**values: Any) -> EconomicsScenario:
    return replace(catalog.default_scenario(make.NOW), **values)


def asked_for(**values: Any) -> catalog.NotFound:
    with pytest.raises(catalog.NotFound) as caught:
        facts_for(**values)
    return caught.value


Offer = dict[str, CatalogItem]


# --- what the default answer stands on


def test_the_facts_are_those_of_the_version_and_the_instant(offer: Offer) -> None:
    facts = facts_for()
    assert (facts.catalog_version, facts.at) == (1, make.NOW)
    assert facts.catalog_date == offer["GPU-PRO"].catalog_version.created_at.astimezone(ZoneInfo("Europe/Paris")).date()
    assert facts.usd_per_eur is not None
    assert (facts.usd_per_eur.value, facts.usd_per_eur.date) == (Decimal("1.1172"), dt.date(2026, 10, 30))


def test_the_overview_holds_every_sku_for_sale_and_no_test_host(offer: Offer) -> None:
    facts = facts_for()
    assert [sku.code for sku in facts.skus] == ["GPU-STARTER", "GPU-PRO", "GPU-ENTERPRISE", "GPU-TITAN"]
    rates = [sku.throughput.output_tok_per_s.value for sku in facts.skus if sku.throughput]
    assert rates == [22, 64, 96, 124]


def test_a_retired_sku_leaves_the_overview_and_still_answers_when_asked_for(offer: Offer) -> None:
    make.make_price(make.make_sku("GPU-OLD", retired_on=dt.date(2026, 11, 1)), "instance_hour", "0.50")
    assert "GPU-OLD" not in [sku.code for sku in facts_for().skus]
    assert facts_for(sku="GPU-OLD").sku.prices[Basis.HOUR].value == Decimal("0.50")


def test_the_apis_are_those_asked_for_in_catalogue_order(offer: Offer) -> None:
    facts = facts_for(apis=("gpt-5.4", "mistral-small-2603"))
    assert [api.code for api in facts.apis] == ["mistral-small-2603", "gpt-5.4"]


def test_a_retired_api_is_kept_when_asked_for_and_marked(offer: Offer) -> None:
    retired = make.make_api("claude-sonnet-4-5", retired_on=dt.date(2026, 11, 30), position=9)
    make.make_price(retired, "output", "15.00")
    api = facts_for(apis=("claude-sonnet-4-5",)).apis[0]
    assert api.retired_on == dt.date(2026, 11, 30)
    assert api.modes[Mode.STANDARD][0].output is not None


@pytest.mark.parametrize(("hour", "minute", "code"), [(22, 59, "api_retiring"), (23, 30, "api_retired")])
def test_the_warning_retires_an_api_at_midnight_in_paris_as_the_catalogue_does(
    offer: Offer, hour: int, minute: int, code: str
) -> None:
    at = dt.datetime(2026, 11, 30, hour, minute, tzinfo=dt.UTC)
    make.make_price(make.make_api("leaving", retired_on=dt.date(2026, 12, 1), position=9), "output", "15.00")
    asked = replace(catalog.default_scenario(at), apis=("leaving",), reference="leaving")
    offered = {api.code for api in catalog.api_choices(asked.catalog_version, at)}
    assert code in {message.code for message in estimate(asked, catalog.for_economics(asked)).warnings}
    assert ("leaving" in offered) is (code == "api_retiring")


def test_no_api_asked_for_gives_none(offer: Offer) -> None:
    assert facts_for(apis=()).apis == ()


def test_codes_are_matched_in_any_case_and_answered_as_the_offer_writes_them(offer: Offer) -> None:
    facts = facts_for(sku="gpu-pro", apis=("GPT-5.4",), reference="Gpt-5.4")
    assert (facts.sku.code, facts.apis[0].code) == ("GPU-PRO", "gpt-5.4")


def test_an_alias_stands_for_its_model(offer: Offer) -> None:
    make.make_alias(offer["mistral-small-2603"], "mistral small 4")
    assert facts_for(apis=("Mistral Small 4",)).apis[0].code == "mistral-small-2603"


def test_p44_without_an_exchange_rate_the_facts_have_none(offer: Offer) -> None:
    before_the_first = dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
    assert facts_for(at=before_the_first).usd_per_eur is None


def test_p45_on_a_saturday_the_facts_hold_fridays_rate(offer: Offer) -> None:
    rate = facts_for(at=dt.datetime(2026, 10, 3, 12, tzinfo=dt.UTC)).usd_per_eur
    assert rate is not None
    assert (rate.value, rate.date) == (Decimal("1.1225"), dt.date(2026, 10, 2))


def test_the_catalogue_gives_the_published_four_figures_of_gpu_pro(offer: Offer) -> None:
    """8.3064 and 10.80 €/1M at 100 M by the month and by the hour; 7.7034 and 10.0160 at full planned use."""
    scenario = scenario_with()
    answer = estimate(scenario, catalog.for_economics(scenario))
    month, hour = answer.bases[Basis.MONTH], answer.bases[Basis.HOUR]
    assert month.eur_per_mtok == Decimal("8.3064")
    assert hour.eur_per_mtok == Decimal("10.80")
    assert month.full_eur_per_mtok == pytest.approx(Decimal("7.7034"), abs=Decimal("0.00005"))
    assert hour.full_eur_per_mtok == pytest.approx(Decimal("10.0160"), abs=Decimal("0.00005"))


# --- which throughput


def test_without_a_model_the_vendors_own_claim_is_taken(offer: Offer, mistral: LanguageModel) -> None:
    make.make_figure(offer["GPU-PRO"], 900, language_model=mistral, kind="measured", published_at=make.NOW)
    throughput = facts_for().sku.throughput
    assert throughput is not None
    assert (throughput.output_tok_per_s.value, throughput.output_tok_per_s.kind) == (64, Kind.CLAIM)
    assert throughput.single_stream and throughput.model == ""
    assert throughput.concurrency is None


def test_with_a_model_the_newest_figure_of_that_model_is_taken(offer: Offer, mistral: LanguageModel) -> None:
    pro = offer["GPU-PRO"]
    make.make_figure(pro, 800, language_model=mistral, published_at=make.START)
    newest = make.make_figure(pro, 900, language_model=mistral, published_at=make.START + dt.timedelta(days=1))
    throughput = facts_for(model="mistral-7b-V0.3").sku.throughput
    assert throughput is not None
    assert (throughput.figure_id, throughput.output_tok_per_s.value) == (newest.pk, 900)
    assert throughput.model == "Mistral-7B-v0.3"


def test_a_model_without_a_figure_for_the_sku_leaves_the_throughput_unknown(
    offer: Offer, mistral: LanguageModel
) -> None:
    make.make_figure(offer["GPU-TITAN"], 900, language_model=mistral)
    facts = facts_for(model="Mistral-7B-v0.3")
    assert facts.sku.throughput is None
    assert {sku.code for sku in facts.skus if sku.throughput} == {"GPU-TITAN"}


def test_a_known_model_without_any_figure_is_not_an_error(offer: Offer, mistral: LanguageModel) -> None:
    assert facts_for(model="Mistral-7B-v0.3").sku.throughput is None


def test_a_figure_is_valid_from_its_publication_to_its_withdrawal(offer: Offer, mistral: LanguageModel) -> None:
    published, withdrawn = make.NOW - dt.timedelta(days=10), make.NOW - dt.timedelta(days=5)
    make.make_figure(offer["GPU-PRO"], 900, language_model=mistral, published_at=published, withdrawn_at=withdrawn)
    found = {
        days: facts_for(model=mistral.name, at=make.NOW - dt.timedelta(days=days)).sku.throughput
        for days in (11, 10, 6, 5)
    }
    assert [days for days, throughput in found.items() if throughput] == [10, 6]


def test_a_figure_published_within_the_second_of_the_scenario_counts(offer: Offer, mistral: LanguageModel) -> None:
    """A scenario is dated to the second, a publication to the microsecond."""
    half = dt.timedelta(milliseconds=500)
    figure = make.make_figure(offer["GPU-PRO"], 900, language_model=mistral, published_at=make.NOW + half)
    assert facts_for(model=mistral.name).sku.throughput is not None
    assert facts_for(model=mistral.name, at=make.NOW - dt.timedelta(seconds=1)).sku.throughput is None
    Figure.objects.filter(pk=figure.pk).update(withdrawn_at=make.NOW + half)
    assert facts_for(model=mistral.name).sku.throughput is None


def test_a_figure_asked_for_by_its_number_is_taken_instead_of_a_newer_one(offer: Offer, mistral: LanguageModel) -> None:
    older = make.make_figure(offer["GPU-PRO"], 800, language_model=mistral)
    make.make_figure(offer["GPU-PRO"], 900, language_model=mistral, published_at=make.NOW)
    throughput = facts_for(model=mistral.name, figure_id=older.pk).sku.throughput
    assert throughput is not None and throughput.output_tok_per_s.value == 800


def test_a_figure_asked_for_must_be_the_skus_own_exist_and_be_valid(offer: Offer) -> None:
    foreign = make.make_figure(offer["GPU-TITAN"], 130)
    withdrawn = make.make_figure(offer["GPU-PRO"], 70, withdrawn_at=make.NOW)
    prompt = make.make_figure(offer["GPU-PRO"], 5000, metric=Figure.Metric.PREFILL)
    for number in (foreign.pk, withdrawn.pk, prompt.pk, 999_999):
        error = asked_for(figure_id=number)
        assert (error.kind, error.code) == ("figure", str(number))


def test_the_conditions_of_a_figure_come_with_it(offer: Offer, mistral: LanguageModel) -> None:
    make.make_figure(
        offer["GPU-PRO"],
        1234.5,
        language_model=mistral,
        precision="fp16",
        engine="vLLM 0.32",
        concurrency=16,
        input_tokens=1024,
        output_tokens=256,
        scope="instance",
        kind="measured",
        reference="run 17",
        run="17",
        conditions="one run",
        label="measured_run",
    )
    throughput = facts_for(model=mistral.name).sku.throughput
    assert throughput is not None
    assert (throughput.precision, throughput.engine, throughput.concurrency) == ("fp16", "vLLM 0.32", 16)
    assert (throughput.input_tokens, throughput.output_tokens, throughput.scope) == (1024, 256, Scope.INSTANCE)
    rate = throughput.output_tok_per_s
    assert (rate.value, rate.unit, rate.kind, rate.label) == (1234.5, "tok/s", Kind.MEASURED, "measured_run")
    assert (rate.reference, rate.date, rate.note, throughput.run) == ("run 17", make.CHECKED, "one run", "17")


def test_a_prompt_rate_belongs_to_the_output_rate_of_the_same_conditions(offer: Offer, mistral: LanguageModel) -> None:
    same = {"language_model": mistral, "engine": "vLLM", "concurrency": 16, "kind": "measured"}
    make.make_figure(offer["GPU-PRO"], 900, **same)
    make.make_figure(offer["GPU-PRO"], 9000, metric=Figure.Metric.PREFILL, **same)
    make.make_figure(offer["GPU-PRO"], 1, metric=Figure.Metric.PREFILL, **{**same, "concurrency": 1})
    throughput = facts_for(model=mistral.name).sku.throughput
    assert throughput is not None and throughput.prefill_tok_per_s is not None
    assert throughput.prefill_tok_per_s.value == 9000


def test_without_a_prompt_rate_the_prompt_time_is_unknown(offer: Offer) -> None:
    throughput = facts_for().sku.throughput
    assert throughput is not None and throughput.prefill_tok_per_s is None


# --- test models


@pytest.fixture
def cpu_figure(offer: Offer, random_weights: LanguageModel) -> Figure:
    return make.make_figure(
        offer["CPU-LOCAL"],
        2000,
        language_model=random_weights,
        test_model=True,
        kind="measured",
        scope="instance",
        run="1",
    )


def test_a_test_models_figure_answers_when_its_sku_and_its_model_are_named(cpu_figure: Figure) -> None:
    throughput = facts_for(sku="CPU-LOCAL", model="random-tiny").sku.throughput
    assert throughput is not None
    assert (throughput.output_tok_per_s.value, throughput.test_model, throughput.run) == (2000, True, "1")


def test_a_test_models_figure_answers_to_nothing_less(cpu_figure: Figure) -> None:
    assert facts_for(sku="CPU-LOCAL").sku.throughput is None
    assert facts_for(sku="GPU-PRO", model="random-tiny").sku.throughput is None
    assert asked_for(sku="CPU-LOCAL", figure_id=cpu_figure.pk).kind == "figure"
    assert asked_for(sku="GPU-PRO", model="random-tiny", figure_id=cpu_figure.pk).kind == "figure"


def test_a_test_models_figure_enters_no_overview_even_on_a_sku_for_sale(
    offer: Offer, random_weights: LanguageModel
) -> None:
    make.make_figure(offer["GPU-PRO"], 5000, language_model=random_weights, test_model=True, kind="measured")
    facts = facts_for(sku="GPU-PRO", model="random-tiny")
    assert facts.sku.throughput is not None and facts.sku.throughput.output_tok_per_s.value == 5000
    rates = [sku.throughput.output_tok_per_s.value for sku in facts.skus if sku.throughput]
    assert rates == [22, 64, 96, 124]


def test_throughputs_of_a_sku_leave_test_models_out_unless_asked_for(cpu_figure: Figure) -> None:
    assert catalog.throughputs("CPU-LOCAL", make.NOW) == ()
    shown = catalog.throughputs("cpu-local", make.NOW, include_test=True)
    assert [throughput.figure_id for throughput in shown] == [cpu_figure.pk]


def test_throughputs_of_a_sku_come_newest_first_and_only_its_own(offer: Offer, mistral: LanguageModel) -> None:
    newer = make.make_figure(offer["GPU-PRO"], 900, language_model=mistral, published_at=make.NOW)
    make.make_figure(offer["GPU-PRO"], 9000, metric=Figure.Metric.PREFILL, published_at=make.NOW)
    found = catalog.throughputs("GPU-PRO", make.NOW)
    assert [throughput.output_tok_per_s.value for throughput in found] == [900, 64]
    assert found[0].figure_id == newer.pk


# --- what is not there


@pytest.mark.parametrize(
    ("values", "kind", "code", "nearest"),
    [
        ({"sku": "GPU-PR0"}, "sku", "GPU-PR0", "GPU-PRO"),
        ({"sku": "gpu-tita"}, "sku", "gpu-tita", "GPU-TITAN"),
        ({"sku": "@@"}, "sku", "@@", ""),
        ({"apis": ("gpt-5.4", "claude-sonet-4-6")}, "api", "claude-sonet-4-6", "claude-sonnet-4-6"),
        ({"reference": "gpt-5.6"}, "api", "gpt-5.6", "gpt-5.4"),
        ({"catalog_version": 99}, "version", "99", "1"),
        ({"figure_id": 424242}, "figure", "424242", ""),
    ],
)
def test_what_does_not_exist_is_named_with_what_is_nearest(
    offer: Offer, values: dict[str, Any], kind: str, code: str, nearest: str
) -> None:
    error = asked_for(**values)
    assert (error.kind, error.code, error.nearest) == (kind, code, nearest)


def test_an_unknown_language_model_is_named_with_what_is_nearest(offer: Offer, mistral: LanguageModel) -> None:
    error = asked_for(model="Mistral-7B-v0.9")
    assert (error.kind, error.code, error.nearest) == ("model", "Mistral-7B-v0.9", "Mistral-7B-v0.3")


def test_the_visitors_own_prices_are_not_applied_here(offer: Offer) -> None:
    facts = facts_for(price_eur=Decimal(1), rate_tok_per_s=Decimal(1000), usd_per_eur=Decimal(1))
    assert facts.sku.prices[Basis.MONTH].value == Decimal("830.64")
    assert facts.sku.throughput is not None and facts.sku.throughput.output_tok_per_s.value == 64
    assert facts.usd_per_eur is not None and facts.usd_per_eur.value == Decimal("1.1172")


# --- queries


def test_a_cold_process_needs_four_queries(offer: Offer, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    scenario = scenario_with()
    catalog.forget()
    with django_assert_num_queries(4):
        catalog.for_economics(scenario)


def test_a_warm_process_asks_for_the_figures_only(
    offer: Offer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    scenario = scenario_with()
    catalog.for_economics(scenario)
    with django_assert_num_queries(1):
        catalog.for_economics(scenario)
    with django_assert_num_queries(0):
        catalog.sku_choices(1, make.NOW)
        catalog.api_choices(1, make.NOW)
        catalog.latest_rate(1, make.NOW)
        catalog.price_history("sku", "GPU-PRO", 1, make.NOW)


def test_a_published_figure_is_seen_at_once_by_a_process_that_was_warm(offer: Offer, mistral: LanguageModel) -> None:
    scenario = scenario_with(model=mistral.name)
    assert catalog.for_economics(scenario).sku.throughput is None
    make.make_figure(offer["GPU-PRO"], 900, language_model=mistral)
    assert catalog.for_economics(scenario).sku.throughput is not None
