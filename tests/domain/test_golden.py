"""The reference figures of the offer: each row of golden.csv is read, computed from its inputs, and compared."""

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from calculator.domain import breakeven, economics, hardware, llm
from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep, EconomicsEstimate, EconomicsScenario, Outcome, Rental

from .factories import PRO, claim, facts, flat_api, prices, rate_of, scenario

GOLDEN = Path(__file__).parent / "golden.csv"
MILLION = Decimal(10**6)
Inputs = dict[str, str]
Value = Decimal | float | int | str


def rows() -> list[dict[str, str]]:
    lines = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


def read_inputs(text: str) -> Inputs:
    return dict(part.strip().split("=", 1) for part in text.split(";") if "=" in part)


def estimate_for(given: Inputs) -> EconomicsEstimate:
    """An estimate of one SKU with the row's prices and rate, against one output-only API at the row's price."""
    month, hour = given.get("eur_per_month"), given.get("eur_per_hour")
    sku = replace(PRO, prices=prices(hour, month), throughput=claim(float(given.get("tok_s", "64"))))
    known = facts(
        sku=sku,
        skus=(sku,),
        apis=(flat_api(given.get("usd_per_1m", "15.00")),),
        usd_per_eur=rate_of(given.get("usd_per_eur", "1.0")),
    )
    return economics.estimate(scenario_for(given, Basis.MONTH if month else Basis.HOUR), known)


def scenario_for(given: Inputs, basis: Basis) -> EconomicsScenario:
    ceiling = given.get("utilisation", given.get("utilisation_ceiling", "0.65"))
    return scenario(
        basis=basis,
        rental=Rental.HOURS_USED if given.get("rental") == "hours used" else Rental.ALWAYS_ON,
        billing_step=BillingStep.HOUR,
        utilisation_ratio=Decimal(ceiling),
        hours_per_month_h=Decimal(given.get("hours", "720")),
        volume_tokens=Decimal(given.get("volume_m", "100")) * MILLION,
    )


def full_price(given: Inputs) -> Value:
    return estimate_for(given).gpu.full_eur_per_mtok or "unknown"


def headline_price(given: Inputs) -> Value:
    return estimate_for(given).gpu.eur_per_mtok or "unknown"


def bill(given: Inputs) -> Value:
    return estimate_for(given).gpu.bill_eur or "unknown"


def capacity_m(given: Inputs) -> Value:
    return (estimate_for(given).gpu.capacity_tokens or Decimal(0)) / MILLION


def gpus(given: Inputs) -> Value:
    return estimate_for(given).gpu.instances or "unknown"


def api_usd(given: Inputs) -> Value:
    return estimate_for(given).comparisons[0].bill.usd or "unknown"


def implied(given: Inputs) -> Value:
    return estimate_for(given).gpu.implied_utilisation_ratio or "unknown"


def one_card_parity(given: Inputs) -> Value:
    """The bill of one card over the API's price, capacity aside: where two straight lines would cross."""
    api_price = Decimal(given["usd_per_1m"]) / Decimal(given["usd_per_eur"])
    unlimited = breakeven.Staircase(Decimal(given["eur_per_month"]), Decimal(10**15))
    return breakeven.staircase_break_even(unlimited, api_price / MILLION).intervals[0].start_tokens / MILLION


def intervals(given: Inputs) -> Value:
    found = estimate_for(given).comparisons[0].break_even
    if found.outcome is Outcome.NEVER:
        return "never"
    ends = [(part.start_tokens, part.end_tokens) for part in found.intervals]
    return "; ".join(f"{start / MILLION:.3f}-{f'{end / MILLION:.3f}' if end else ''}" for start, end in ends)


def lora(given: Inputs) -> Value:
    return llm.lora_params(llm.MISTRAL_7B, int(given["rank"]), given["targets"].split(","))


def pretraining(given: Inputs) -> Value:
    return llm.pretraining_flop(float(given["params"]), float(given["tokens"]))


def allreduce(given: Inputs) -> Value:
    message = float(given["params"]) * float(given["bytes"])
    return hardware.ring_allreduce_s(message, int(given["n"]), float(given["bandwidth"]), 0.0)


def kv(given: Inputs) -> Value:
    model = replace(
        llm.MISTRAL_7B,
        layers=int(given["layers"]),
        kv_heads=int(given["kv_heads"]),
        head_dim=int(given["head_dim"]),
    )
    return llm.kv_bytes_per_token(model, float(given["bytes"]))


def prefill_ms(given: Inputs) -> Value:
    seconds = llm.prefill_bound_s(
        float(given["P"]), int(given["L"]), int(given["d"]), int(given["T"]), float(given["flops"])
    )
    return seconds * 1000


def decode(given: Inputs) -> Value:
    return llm.decode_bound_tok_per_s(float(given["P"]) * float(given["bytes"]), 0, float(given["bandwidth"]))


COMPUTE: tuple[tuple[str, Callable[[Inputs], Value]], ...] = (
    (r"eur_1m_pro_month_at_100m", headline_price),
    (r"eur_1m_.*", full_price),
    (r"capacity_.*", capacity_m),
    (r"gpus_for_.*", gpus),
    (r"month_300m_pro|bill_.*", bill),
    (r"api_300m_.*", api_usd),
    (r"one_card_bill_over_price_.*", one_card_parity),
    (r"implied_utilisation_.*", implied),
    (r"breakeven_.*", intervals),
    (r"lora_params_.*", lora),
    (r"pretrain_flops", pretraining),
    (r"allreduce_.*", allreduce),
    (r"kv_bytes_.*", kv),
    (r"prefill_.*", prefill_ms),
    (r"decode_bound_.*", decode),
)


def compute(row: dict[str, str]) -> Value:
    chosen = next(function for pattern, function in COMPUTE if re.fullmatch(pattern, row["id"]))
    return chosen(read_inputs(row["inputs"]))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_reference_figure(row: dict[str, str]) -> None:
    computed = compute(row)
    tolerance = float(row["rel_tolerance"])
    expected = [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?:e\d+)?", row["expected"])]
    if not expected or isinstance(computed, str):
        assert [float(n) for n in re.findall(r"[\d.]+", str(computed))] == pytest.approx(expected, rel=tolerance)
        assert re.sub(r"[\d.]+", "#", str(computed)) == re.sub(r"[\d.]+", "#", row["expected"])
        return
    assert float(computed) == pytest.approx(expected[0], rel=tolerance, abs=0)


def test_every_reference_row_of_the_economics_area_is_here() -> None:
    """A row that is lost from the table would otherwise be a figure that nobody checks any more."""
    assert sum(row["area"] == "economics" for row in rows()) == 22
    assert sum(row["area"] == "inference" for row in rows()) == 8


def test_the_four_figures_of_gpu_pro_at_100_million() -> None:
    """The headline by month and by hour, and both at full planned use, from one estimate."""
    found = economics.estimate(scenario(), facts()).bases
    assert found[Basis.MONTH].eur_per_mtok == Decimal("8.3064")
    assert found[Basis.HOUR].eur_per_mtok == Decimal("10.80")
    assert float(found[Basis.MONTH].full_eur_per_mtok or 0) == pytest.approx(7.7034, abs=5e-5)
    assert float(found[Basis.HOUR].full_eur_per_mtok or 0) == pytest.approx(10.0160, abs=5e-5)
