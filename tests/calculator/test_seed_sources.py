"""What is seeded against what it was taken from: the offer, two price data sets, the ECB, the data sheets."""

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal

import pytest
from currency_converter import CurrencyConverter
from django.db import transaction
from django.utils.translation import override
from genai_prices import Usage, calc_price
from genai_prices.types import ModelPrice, TieredPrices
from pytest_django import DjangoDbBlocker

from calculator import catalog, ledger, seeding
from calculator.domain import hardware
from calculator.domain.offers import ApiModel, Basis, Mode, Rates
from calculator.domain.provenance import Kind
from calculator.models import CatalogItem, Figure, FxRate, Gpu, LanguageModel, PriceRow

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
PROVIDERS = {"Mistral": "mistral", "OpenAI": "openai", "Anthropic": "anthropic", "Google": "google"}
PRICE_OF = {
    "input": "input_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write_5m": "cache_write_mtok",
    "cache_write_1h": "cache_write_1h_mtok",
    "output": "output_mtok",
}
CONTEXT_OF = {
    Mode.STANDARD: None,
    Mode.BATCH: {"processing": "batch"},
    Mode.FLEX: {"service_tier": "flex"},
    Mode.PRIORITY: {"service_tier": "priority"},
}
DISAGREEING = "deepseek-chat"

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def as_seeded(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The catalogue as seeded, loaded once for all tests of this module and taken back after them."""
    with django_db_blocker.unblock(), transaction.atomic():
        seeding.seed()
        yield
        transaction.set_rollback(True)


def apis(at: dt.datetime = NOW) -> dict[str, ApiModel]:
    return {api.code: api for api in catalog.api_choices(1, at, include_retired=True)}


def library_price(api: ApiModel, mode: Mode, at: dt.datetime = NOW) -> ModelPrice:
    """The price set that genai-prices finds for one mode at an explicit instant."""
    found = calc_price(
        Usage(input_tokens=1, output_tokens=1),
        api.code,
        provider_id=PROVIDERS[api.provider],
        genai_request_timestamp=at,
        price_context=CONTEXT_OF[mode],
    )
    return found.model_price


def library_rate(price: ModelPrice, component: str, context_over: int) -> Decimal | None:
    """One component of a price set in one context tier."""
    rate = getattr(price, PRICE_OF[component])
    if isinstance(rate, TieredPrices):
        tiers = {0: rate.base, **{tier.start: tier.price for tier in rate.tiers}}
        return tiers.get(context_over)
    return rate if context_over == 0 else None


def seeded_rates(rates: Rates) -> dict[str, Decimal]:
    return {component: rate.value for component in PRICE_OF if (rate := getattr(rates, component)) is not None}


def tiers_of(found: dict[str, ApiModel]) -> Iterator[tuple[ApiModel, Mode, Rates]]:
    for api in found.values():
        for mode, tiers in api.modes.items():
            for rates in tiers:
                yield api, mode, rates


# --- API prices


def test_every_api_price_in_force_is_the_one_of_genai_prices() -> None:
    """111 rows, less 5 of GPUs, 10 withdrawals, the 10 prices they end, and the 3 in dispute."""
    compared = 0
    for api, mode, rates in tiers_of(apis()):
        if api.code == DISAGREEING:
            continue
        price = library_price(api, mode)
        for component, amount in seeded_rates(rates).items():
            assert amount == library_rate(price, component, rates.context_over_tokens), (api.code, mode, component)
            compared += 1
    assert compared == 111 - 5 - 10 - 10 - 3


def test_a_mode_found_in_genai_prices_differs_from_its_standard_price() -> None:
    """A mode that the library does not know is answered with the standard price, silently."""
    for api, mode, _rates in tiers_of(apis()):
        if api.code != DISAGREEING and mode is not Mode.STANDARD:
            assert library_price(api, mode).output_mtok != library_price(api, Mode.STANDARD).output_mtok


def test_no_mode_or_tier_of_genai_prices_is_left_out() -> None:
    """Except the long-context tier of Sonnet 4.5, which the library keeps as history: such requests are refused."""
    for code, api in apis().items():
        if code == DISAGREEING:
            continue
        standard = library_price(api, Mode.STANDARD).output_mtok
        for mode in CONTEXT_OF:
            output = library_price(api, mode).output_mtok
            assert (mode in api.modes) == (mode is Mode.STANDARD or output != standard), (code, mode)
        tiers = [0, *(tier.start for tier in standard.tiers)] if isinstance(standard, TieredPrices) else [0]
        seeded_tiers = [rates.context_over_tokens for rates in api.modes[Mode.STANDARD]]
        assert seeded_tiers == ([0] if code == "claude-sonnet-4-5" else tiers), code


@pytest.mark.parametrize(("day", "tiers"), [("2026-03-01", [0, 200_000]), ("2026-03-14", [0])])
def test_the_long_context_tier_of_sonnet_46_ended_when_genai_prices_says(day: str, tiers: list[int]) -> None:
    at = dt.datetime.fromisoformat(day).replace(hour=12, tzinfo=dt.UTC)
    sonnet = apis(at)["claude-sonnet-4-6"]
    price = library_price(sonnet, Mode.STANDARD, at)
    assert [rates.context_over_tokens for rates in sonnet.modes[Mode.STANDARD]] == tiers
    for rates in sonnet.modes[Mode.STANDARD]:
        for component, amount in seeded_rates(rates).items():
            assert amount == library_rate(price, component, rates.context_over_tokens)


@pytest.mark.parametrize(("day", "tiers"), [("2026-04-29", [0, 200_000]), ("2026-05-01", [0])])
def test_the_long_context_tier_of_sonnet_45_ended_with_its_beta(day: str, tiers: list[int]) -> None:
    at = dt.datetime.fromisoformat(day).replace(hour=12, tzinfo=dt.UTC)
    sonnet = apis(at)["claude-sonnet-4-5"]
    assert [rates.context_over_tokens for rates in sonnet.modes[Mode.STANDARD]] == tiers
    if len(tiers) == 2:
        assert seeded_rates(sonnet.modes[Mode.STANDARD][1]) == {
            "input": Decimal("6.00"),
            "cache_read": Decimal("0.60"),
            "cache_write_5m": Decimal("7.50"),
            "cache_write_1h": Decimal("12.00"),
            "output": Decimal("22.50"),
        }


@pytest.mark.parametrize(
    ("code", "mode", "amounts"),
    [
        ("gpt-5.4", Mode.STANDARD, ("2.50", "0.25", "15.00")),
        ("gpt-5.4", Mode.BATCH, ("1.25", "0.13", "7.50")),
        ("gpt-5.4", Mode.FLEX, ("1.25", "0.13", "7.50")),
        ("gpt-5.4", Mode.PRIORITY, ("5.00", "0.50", "30.00")),
        ("gpt-5.4-mini", Mode.STANDARD, ("0.75", "0.075", "4.50")),
        ("gpt-5.4-mini", Mode.BATCH, ("0.375", "0.0375", "2.25")),
        ("gpt-5.4-mini", Mode.PRIORITY, ("1.50", "0.15", "9.00")),
        ("gpt-4.1", Mode.STANDARD, ("2.00", "0.50", "8.00")),
        ("gpt-4.1", Mode.BATCH, ("1.00", None, "4.00")),
        ("claude-haiku-4-5", Mode.STANDARD, ("1.00", "0.10", "5.00")),
        ("claude-haiku-4-5", Mode.BATCH, ("0.50", "0.05", "2.50")),
        ("claude-sonnet-4-5", Mode.STANDARD, ("3.00", "0.30", "15.00")),
        ("claude-sonnet-4-6", Mode.STANDARD, ("3.00", "0.30", "15.00")),
        ("claude-sonnet-4-6", Mode.BATCH, ("1.50", "0.15", "7.50")),
        ("mistral-small-2603", Mode.STANDARD, ("0.15", "0.015", "0.60")),
        ("mistral-small-2603", Mode.BATCH, ("0.075", "0.0075", "0.30")),
        ("gemini-2.5-flash", Mode.STANDARD, ("0.30", "0.03", "2.50")),
        ("gemini-2.5-flash", Mode.BATCH, ("0.15", "0.03", "1.25")),
        ("deepseek-chat", Mode.STANDARD, ("0.28", "0.028", "0.42")),
    ],
)
def test_p41_each_api_of_the_offer_has_its_prices_by_mode(
    code: str, mode: Mode, amounts: tuple[str, str | None, str]
) -> None:
    rates = apis()[code].modes[mode][0]
    found = (rates.input, rates.cache_read, rates.output)
    assert tuple(None if rate is None else rate.value for rate in found) == tuple(
        None if amount is None else Decimal(amount) for amount in amounts
    )


def test_long_context_of_gpt_54_is_a_tier_of_its_own() -> None:
    base, long_context = apis()["gpt-5.4"].modes[Mode.STANDARD]
    assert long_context.context_over_tokens == 272_000
    assert seeded_rates(long_context) == {
        "input": Decimal("5.00"),
        "cache_read": Decimal("0.50"),
        "output": Decimal("22.50"),
    }
    assert base.context_over_tokens == 0


def test_cache_writes_of_the_claude_models_are_priced_for_both_durations() -> None:
    for code, writes in {"claude-haiku-4-5": ("1.25", "2.00"), "claude-sonnet-4-6": ("3.75", "6.00")}.items():
        rates = apis()[code].modes[Mode.STANDARD][0]
        assert rates.cache_write_5m is not None and rates.cache_write_1h is not None
        assert (rates.cache_write_5m.value, rates.cache_write_1h.value) == tuple(map(Decimal, writes))


def test_no_model_has_a_price_before_it_was_released() -> None:
    before = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    assert all(dict(api.modes) == {} for api in apis(before).values())


def test_the_disputed_price_says_that_its_sources_disagree() -> None:
    output = apis()[DISAGREEING].modes[Mode.STANDARD][0].output
    assert output is not None and output.note.startswith("Les sources divergent.")


@pytest.mark.parametrize(
    ("code", "day"),
    [
        ("claude-sonnet-4-5", "2026-11-30"),
        ("gemini-2.5-flash", "2026-12-01"),
        ("deepseek-chat", "2026-07-24"),
        ("gpt-4.1", "2027-01-14"),
    ],
)
def test_retirement_days_are_kept(code: str, day: str) -> None:
    assert apis()[code].retired_on == dt.date.fromisoformat(day)


def test_retired_models_are_not_offered_by_default() -> None:
    offered = {api.code for api in catalog.api_choices(1, NOW)}
    assert set(apis()) - offered == {"claude-sonnet-4-5", "deepseek-chat"}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("mistral-small-4", "mistral-small-2603"),
        ("Mistral Small 4", "mistral-small-2603"),
        ("mistral-small-latest", "mistral-small-2603"),
        ("gpt-4.1-2025-04-14", "gpt-4.1"),
        ("gpt-5.4-2026-03-05", "gpt-5.4"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("DeepSeek V3.2", "deepseek-chat"),
    ],
)
def test_p42_other_exact_names_lead_to_the_model(asked: str, code: str) -> None:
    assert catalog.canonical_code("api", asked, 1, NOW) == code


@pytest.mark.parametrize("asked", ["gpt-4.1-mini", "gpt-5.6", "gpt-4o-mini-2024-07-18", "mistral-small", "claude"])
def test_p42_names_that_are_not_listed_have_no_price(asked: str) -> None:
    with pytest.raises(catalog.NotFound):
        catalog.canonical_code("api", asked, 1, NOW)


def test_the_latest_alias_did_not_yet_mean_small_4_before_it_moved() -> None:
    with pytest.raises(catalog.NotFound):
        catalog.canonical_code("api", "mistral-small-latest", 1, dt.datetime(2026, 3, 15, 12, tzinfo=dt.UTC))


# --- GPUs


def test_the_five_named_configurations_have_the_published_prices() -> None:
    skus = {sku.code: sku for sku in catalog.sku_choices(1, NOW)}
    hours = {code: sku.prices[Basis.HOUR].value for code, sku in skus.items() if Basis.HOUR in sku.prices}
    months = {code: sku.prices[Basis.MONTH].value for code, sku in skus.items() if Basis.MONTH in sku.prices}
    assert hours == {
        "GPU-STARTER": Decimal("0.85"),
        "GPU-PRO": Decimal("1.50"),
        "GPU-ENTERPRISE": Decimal("4.20"),
        "GPU-TITAN": Decimal("5.40"),
    }
    assert months == {"GPU-PRO": Decimal("830.64")}
    assert list(skus) == ["GPU-STARTER", "GPU-PRO", "GPU-ENTERPRISE", "GPU-TITAN", "GPU-SUPERCOMPUTE", "CPU-LOCAL"]


def test_no_price_is_invented_for_what_has_none() -> None:
    assert not PriceRow.objects.filter(item__code__in=["GPU-SUPERCOMPUTE", "CPU-LOCAL"]).exists()
    assert CatalogItem.objects.get(code="GPU-SUPERCOMPUTE").status == CatalogItem.Status.ON_REQUEST


def test_the_eight_gpu_machine_holds_the_memory_of_eight() -> None:
    sku = next(one for one in catalog.sku_choices(1, NOW) if one.code == "GPU-SUPERCOMPUTE")
    assert (sku.gpu, sku.gpu_count, sku.vram_gb) == ("A100-SXM-80GB", 8, 8 * 80)


def test_an_assumed_form_factor_is_said() -> None:
    noted = CatalogItem.objects.filter(note__contains="SXM data sheet is assumed").values_list("code", flat=True)
    assert set(noted) == {"GPU-ENTERPRISE", "GPU-TITAN", "GPU-SUPERCOMPUTE"}


def test_published_rates_are_claims_of_a_single_stream() -> None:
    figures = Figure.objects.order_by("value")
    assert [(figure.sku.code, figure.value) for figure in figures] == [
        ("GPU-STARTER", 22),
        ("GPU-PRO", 64),
        ("GPU-ENTERPRISE", 96),
        ("GPU-TITAN", 124),
    ]
    assert {figure.kind for figure in figures} == {Kind.CLAIM.value}
    assert all(figure.single_stream and figure.language_model is None and figure.conditions for figure in figures)


@pytest.mark.parametrize(
    ("name", "gib"),
    [("A100-SXM-80GB", 80.0), ("A100-SXM-40GB", 40.0), ("T4", 15.0), ("H100-SXM-80GB", 79.6), ("RTX 4090", 24.0)],
)
def test_memory_is_what_the_driver_reports_where_it_is_known(name: str, gib: float) -> None:
    sheet = next(gpu for gpu in catalog.gpu_sheets() if gpu.name == name)
    assert hardware.memory_bytes(sheet) / 2**30 == pytest.approx(gib, abs=0.05)


@pytest.mark.parametrize(
    ("name", "bandwidth", "bf16"),
    [("A100-SXM-80GB", 2039, 312), ("H100-SXM-80GB", 3350, 989), ("RTX 4090", 1008, 165), ("L40S", 864, 362)],
)
def test_peaks_are_without_sparsity(name: str, bandwidth: float, bf16: float) -> None:
    sheet = Gpu.objects.get(name=name)
    assert sheet.mem_bw_gb_s == bandwidth
    assert sheet.bf16_tflops_dense == pytest.approx(bf16, abs=1)


def test_a_t4_has_no_bf16_and_an_a100_no_fp8() -> None:
    assert not Gpu.objects.get(name="T4").bf16_native
    assert not Gpu.objects.get(name="A100-SXM-80GB").fp8_native
    assert Gpu.objects.get(name="L40S").fp8_native


def test_the_cache_of_a_model_follows_from_its_dimensions() -> None:
    """2 (keys and values) × layers × kv heads × head width × 2 bytes; compressed attention keeps less."""
    for model in LanguageModel.objects.all():
        plain = 2 * model.layers * model.kv_heads * model.head_dim * 2
        if model.attention == "MLA":
            assert model.kv_bytes_per_token_16bit < plain
        else:
            assert model.kv_bytes_per_token_16bit == plain, model.name


# --- exchange rates


def test_every_rate_of_2026_is_the_ecbs() -> None:
    ecb = CurrencyConverter(decimal=True)
    rates = FxRate.objects.filter(source="ECB", quote="USD")
    assert {rate.rate for rate in rates if ecb.convert(1, "EUR", "USD", date=rate.rate_date) != rate.rate} == set()
    days = {rate.rate_date for rate in rates}
    assert (len(days), min(days), max(days)) == (213, dt.date(2026, 1, 2), dt.date(2026, 10, 30))
    assert all(day.weekday() < 5 for day in days)


@pytest.mark.parametrize(
    ("day", "rate", "dated"),
    [
        ("2026-10-02", "1.1225", "2026-10-02"),
        ("2026-10-03", "1.1225", "2026-10-02"),
        ("2026-10-05", "1.1204", "2026-10-05"),
        ("2026-10-29", "1.1130", "2026-10-29"),
        ("2026-11-30", "1.1172", "2026-10-30"),
    ],
)
def test_p45_p46_the_seeded_rate_of_a_day(day: str, rate: str, dated: str) -> None:
    found = catalog.latest_rate(1, dt.datetime.fromisoformat(day).replace(hour=12, tzinfo=dt.UTC))
    assert found is not None
    assert (found.value, found.date) == (Decimal(rate), dt.date.fromisoformat(dated))


# --- sources


def test_every_price_says_where_it_was_read_and_when() -> None:
    for row in PriceRow.objects.all():
        assert row.note
        assert row.checked_on == dt.date(2026, 11, 30)
        assert row.source_url.startswith("https://") or row.note.startswith("VMCloud's published offer")


def test_every_note_of_a_price_and_a_rate_is_written_in_french_too() -> None:
    for row in (*PriceRow.objects.all(), *FxRate.objects.all()):
        assert row.note_fr and row.note_fr != row.note
        assert not re.search(r"\b(the|published offer|agree|Starts|verified)\b", row.note_fr), row.note_fr
        assert re.findall(r"\d+\.\d+\.\d+", row.note_fr) == re.findall(r"\d+\.\d+\.\d+", row.note), "same releases"


@pytest.mark.parametrize(
    ("language", "begins"), [("fr", "Offre publiée de VMCloud"), ("en", "VMCloud's published offer")]
)
def test_a_reader_gets_the_note_in_his_language(language: str, begins: str) -> None:
    with override(language):
        sku = next(sku for sku in catalog.sku_choices(1, NOW) if sku.code == "GPU-PRO")
        history = ledger.price_history("sku", "GPU-PRO", 1, NOW)
    assert {price.note.startswith(begins) for price in sku.prices.values()} == {True}
    assert {point.note.startswith(begins) for point in history} == {True}


def test_every_data_sheet_names_its_source() -> None:
    assert not [sheet.name for sheet in Gpu.objects.all() if not sheet.source]
    assert not [model.name for model in LanguageModel.objects.all() if not model.source]


def test_every_price_of_an_api_is_in_dollars_and_of_a_gpu_in_euros() -> None:
    pairs = set(PriceRow.objects.values_list("item__kind", "currency"))
    assert pairs == {("gpu_sku", "EUR"), ("llm_model", "USD"), ("embedding", "USD")}


def test_batch_is_never_dearer_than_standard_nor_a_cache_read_than_input() -> None:
    for api, mode, rates in tiers_of(apis()):
        amounts = seeded_rates(rates)
        assert amounts.get("cache_read", Decimal(0)) <= amounts["input"]
        if mode in (Mode.BATCH, Mode.FLEX):
            standard = {tier.context_over_tokens: seeded_rates(tier) for tier in api.modes[Mode.STANDARD]}
            dearer = standard[rates.context_over_tokens]
            assert all(amount <= dearer[component] for component, amount in amounts.items())
