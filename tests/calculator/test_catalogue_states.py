"""What an operator can make of the catalogue: in each state every page, file, interface and command still answers.

A state is made by price files' own means: new items, prices, withdrawals, retirements, rates. After it the whole site
is walked (`sitetour`): nothing breaks, and no word of the program stands in a text.
"""

import datetime as dt
from collections.abc import Callable, Iterable

import pytest
from django.utils import timezone

from calculator import catalog
from calculator.models import CatalogItem, FxRate, Gpu
from tests import factories as make
from tests.platform import sitetour

pytestmark = pytest.mark.slow
State = Callable[[], Iterable[str] | None]
Kind = CatalogItem.Kind
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
MARKUP = "<b>\"Pro\"</b> & 'x' {{ y }} %(z)s \u05e9\u05dc\u05d5\u05dd \U0001f680"
LARGEST, SMALLEST = "999999.999999999", "0.000000001"


def past() -> dt.datetime:
    return timezone.now().replace(microsecond=0) - HOUR


def of_kind(kind: str) -> Iterable[CatalogItem]:
    return CatalogItem.objects.filter(kind=kind)


def retire(kind: str, when: dt.timedelta = dt.timedelta(0), but: str = "") -> None:
    day = timezone.localdate() + when
    CatalogItem.objects.filter(kind=kind).exclude(code=but).update(retired_on=day)


def withdraw(items: Iterable[CatalogItem]) -> None:
    """Every price of the items ends."""
    columns = ("component", "mode", "context_over", "currency", "unit")
    for item in items:
        for key in set(item.prices.values_list(*columns)):
            make.make_price(item, key[0], None, valid_from=past(), **dict(zip(columns[1:], key[1:], strict=True)))


def token_prices(code: str, kind: str, amount: str | None, since: dt.datetime = make.START) -> None:
    item = CatalogItem.objects.filter(code=code).first() or make.make_api(code)
    for component in ("input", "output"):
        make.make_price(item, component, amount, kind=kind, valid_from=since)


def card() -> Gpu:
    return Gpu.objects.get(name="T4")


def asked_of_sku(code: str) -> list[str]:
    return [
        f"{name}?sku={code}" for name in ("economics", "inference", "training", "tokens", "parallelism", "outlook/")
    ]


def asked_of_api(code: str) -> list[str]:
    pages = (f"economics?api={code}&ref={code}", f"tokens?api={code}", f"outlook/?ref={code}", f"training?ref={code}")
    return [*pages, f"economics.json?api={code}&ref={code}&in=500&mode=batch"]


def sku_without_price() -> Iterable[str]:
    make.make_sku("GPU-NONE", gpu=card(), vram_gb=16)
    return asked_of_sku("GPU-NONE")


def no_sku_has_a_price() -> None:
    withdraw(of_kind(Kind.GPU_SKU))


def every_sku_is_retired() -> Iterable[str]:
    retire(Kind.GPU_SKU)
    return asked_of_sku("GPU-PRO")


def every_sku_is_retired_tomorrow() -> None:
    retire(Kind.GPU_SKU, DAY)


def one_sku_is_left() -> None:
    retire(Kind.GPU_SKU, but="GPU-TITAN")


def skus_of_a_bare_sheet() -> Iterable[str]:
    sheet = make.make_gpu("Bare GPU", bf16_tflops_dense=None, bf16_native=False)
    for count in (1, 8, 1000):
        make.make_price(make.make_sku(f"BARE-{count}", gpu=sheet, gpu_count=count), "instance_hour", "1.5")
    found = [page for count in (1, 8, 1000) for page in asked_of_sku(f"BARE-{count}")]
    return [*found, "inference?gpu=Bare+GPU", "parallelism?gpu=Bare+GPU"]


def extreme_sheets() -> Iterable[str]:
    make.make_gpu("Least", mem_type="", vram_gb=0.001, mem_bw_gb_s=0.001, bf16_tflops_dense=None)
    make.make_gpu("Most", vram_gb=999_999, mem_bw_gb_s=999_999, bf16_tflops_dense=999_999)
    return [f"{name}?gpu={gpu}" for name in ("inference", "parallelism") for gpu in ("Least", "Most")]


def extreme_models() -> Iterable[str]:
    small = dict.fromkeys(("layers", "heads", "kv_heads", "max_context"), 1) | dict.fromkeys(("hidden", "head_dim"), 8)
    counts = dict.fromkeys(("params_total", "params_active"), 1000) | {"params_non_embedding": 700}
    sizes = {"intermediate": 8, "vocab": 16, "kv_bytes_per_token_16bit": 32}
    make.make_language_model("One-layer", **small, **counts, **sizes)
    large = dict.fromkeys(("params_total", "params_active"), 10**15) | {"params_non_embedding": 9 * 10**14}
    make.make_language_model("Enormous", **large, layers=1000, hidden=100_000, heads=1000, kv_heads=1000)
    pages = ("inference", "training", "parallelism", "tokens", "advice/")
    return [f"{page}?model={name}" for page in pages for name in ("One-layer", "Enormous")]


def api_of_variable_prices() -> Iterable[str]:
    token_prices("router/auto", "variable", None)
    return asked_of_api("router/auto")


def every_price_of_tokens_varies() -> None:
    for item in of_kind(Kind.LLM_MODEL):
        withdraw([item])
        token_prices(item.code, "variable", None, past() + dt.timedelta(minutes=1))


def every_token_is_free() -> None:
    for item in of_kind(Kind.LLM_MODEL):
        withdraw([item])
        token_prices(item.code, "free", "0", past() + dt.timedelta(minutes=1))


def apis_of_one_part() -> Iterable[str]:
    make.make_price(make.make_api("output-only"), "output", "2")
    make.make_rates(make.make_api("batch-only"), "1", "0.1", "2", mode="batch")
    make.make_rates(make.make_api("flex-only"), "1", "0.1", "2", mode="flex")
    make.make_rates(make.make_api("long-only"), "1", "0.1", "2", context_over=200_000)
    make.make_price(make.make_api("pictures-only"), "image", "0.04", unit="image")
    token_prices("free", "free", "0")
    codes = ("output-only", "batch-only", "flex-only", "long-only", "pictures-only", "free")
    return [page for code in codes for page in asked_of_api(code)]


def prices_that_no_calculator_reads() -> Iterable[str]:
    for code, values in (("euros", {"currency": "EUR"}), ("a-region", {"region": "eu"}), ("peak", {"window": "peak"})):
        for component in ("input", "output"):
            make.make_price(make.make_api(code) if component == "input" else item_of(code), component, "3", **values)
    for code, values in (("DOLLARS", {"currency": "USD"}), ("SPOT", {"mode": "spot"}), ("REGION", {"region": "eu"})):
        make.make_price(make.make_sku(code, gpu=card(), vram_gb=16), "instance_hour", "1.5", **values)
    return [*asked_of_api("euros"), *asked_of_api("peak"), *asked_of_sku("DOLLARS"), *asked_of_sku("SPOT")]


def item_of(code: str) -> CatalogItem:
    return CatalogItem.objects.get(code=code)


def every_api_is_retired() -> Iterable[str]:
    retire(Kind.LLM_MODEL)
    return asked_of_api("gpt-5.4")


def every_api_is_retired_tomorrow() -> None:
    retire(Kind.LLM_MODEL, DAY)


def no_api_has_a_price() -> None:
    withdraw(of_kind(Kind.LLM_MODEL))


def the_usual_offers_are_retired() -> None:
    codes = (catalog.default_scenario().sku, catalog.default_scenario().reference, "text-embedding-3-small")
    CatalogItem.objects.filter(code__in=codes).update(retired_on=timezone.localdate())


def every_embedding_is_retired() -> None:
    retire(Kind.EMBEDDING)


def no_embedding_has_a_price() -> None:
    withdraw(of_kind(Kind.EMBEDDING))


def everything_is_retired() -> None:
    for kind in Kind:
        retire(kind)


def nothing_has_a_price() -> None:
    withdraw(CatalogItem.objects.all())


def without_rates() -> None:
    FxRate.objects.update(voided_in_version=make.make_version(), void_reason="wrong")


def a_rate_of_tomorrow_only() -> None:
    without_rates()
    make.make_fx(timezone.localdate() + DAY, "1.10")


def a_rate_of_2001_only() -> None:
    without_rates()
    make.make_fx(dt.date(2001, 1, 2), "0.94")


def texts_of_any_kind() -> Iterable[str]:
    labels = {"label_fr": MARKUP, "label_en": MARKUP, "provider": MARKUP[:60]}
    sku = make.make_sku("MARKUP", gpu=card(), vram_gb=16, interconnect=MARKUP, note=MARKUP, **labels)
    link = "https://example.org/?q='%22<>&"
    make.make_price(sku, "instance_hour", "1.5", note=MARKUP, note_fr=MARKUP, source_url=link)
    long = make.make_api("z" * 80, label_fr="x" * 120, label_en="\U0001f680" * 120, provider="y" * 60)
    make.make_rates(long, "1", "0.1", "2", note=MARKUP, source_url=f"https://example.org/{'a' * 480}")
    make.make_alias(long, item_of("gpt-5.4-mini").label_fr.lower() + " again")
    make.make_alias(long, "mistral small 4 (label of another)")
    return [*asked_of_sku("MARKUP"), *asked_of_api("z" * 80)]


def prices_at_their_limits() -> Iterable[str]:
    for name, amount in (("TINY", SMALLEST), ("HUGE", LARGEST)):
        make.make_rates(make.make_api(f"{name}-API"), amount, amount, amount)
        sku = make.make_sku(name, gpu=card(), vram_gb=16)
        make.make_price(sku, "instance_hour", amount)
        make.make_price(sku, "instance_month", amount)
    return [page for name in ("TINY", "HUGE") for page in (*asked_of_sku(name), *asked_of_api(f"{name}-API"))]


def planned_far_ahead() -> None:
    far = dt.datetime(2098, 1, 1, tzinfo=dt.UTC)
    make.make_price(item_of("gpt-5.4"), "input", "9", valid_from=far)
    make.make_price(item_of("GPU-PRO"), "instance_hour", "9", valid_from=far)


def three_hundred_starts() -> Iterable[str]:
    item = make.make_api("often")
    for number in range(300):
        make.make_price(item, "input", str(1 + number % 7), valid_from=make.START + number * DAY)
    return asked_of_api("often")


ADDED: tuple[State, ...] = (
    *(sku_without_price, skus_of_a_bare_sheet, extreme_sheets, extreme_models, api_of_variable_prices),
    *(apis_of_one_part, prices_that_no_calculator_reads, texts_of_any_kind, prices_at_their_limits),
    *(planned_far_ahead, three_hundred_starts),
)
"""What stands beside the usual offers: all at once, and each alone among the slow tests."""
TELLING: tuple[State, ...] = (
    *(every_sku_is_retired, the_usual_offers_are_retired, every_price_of_tokens_varies, every_token_is_free),
    *(everything_is_retired, nothing_has_a_price, without_rates),
)
OTHERS: tuple[State, ...] = (
    *(no_sku_has_a_price, every_sku_is_retired_tomorrow, one_sku_is_left, every_api_is_retired),
    *(every_api_is_retired_tomorrow, no_api_has_a_price, every_embedding_is_retired, no_embedding_has_a_price),
    *(a_rate_of_tomorrow_only, a_rate_of_2001_only),
)


def test_every_address_answers_beside_odd_offers(seeded: None) -> None:
    asked = [page for state in ADDED for page in state() or ()]
    assert sitetour.faults(asked) == []


@pytest.mark.parametrize("state", TELLING, ids=lambda state: state.__name__)
def test_every_address_answers_in_a_state(seeded: None, state: State) -> None:
    assert sitetour.faults(state() or ()) == []


@pytest.mark.slow
@pytest.mark.parametrize("state", (*ADDED, *OTHERS), ids=lambda state: state.__name__)
def test_every_address_answers_in_every_other_state(seeded: None, state: State) -> None:
    assert sitetour.faults(state() or ()) == []
