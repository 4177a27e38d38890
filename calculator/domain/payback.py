"""Payback of a shorter prompt: fine-tuning costs once, and each request then reads fewer tokens.

On an API the saving is the input price. On a GPU it is GPU time, which is money only where hours are released: a card
that is always on costs the same, and the time it saves is room for more requests.
"""

from decimal import Decimal

from calculator.domain.calibration import Engine, Era
from calculator.domain.inference import Deployment, NotModelledError, prompt_work_s, rates
from calculator.domain.offers import ApiModel, Basis, Mode
from calculator.domain.precision import HALF, HALF_ELEMENT_BYTES
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.scenario import Message
from calculator.domain.serving_layout import constants_of
from calculator.domain.training_cost import chosen_price
from calculator.domain.training_scenario import Payback, Reads, TrainingScenario
from calculator.domain.training_speed import Setup
from calculator.domain.units import HOUR_S, MTOK, to_decimal, usd_to_eur


def paid_back_requests(cost_eur: Decimal, saved_eur: Decimal) -> Decimal | None:
    """Requests after which the saving has paid the training; None where a request saves nothing.

    0.948 € of training, 1 500 tokens fewer at 0.75 $ per million and 1.1172 $ a euro:

    >>> round(paid_back_requests(Decimal("0.948"), Decimal("1500") * Decimal("0.75") / 10**6 / Decimal("1.1172")))
    941
    """
    return cost_eur / saved_eur if saved_eur > 0 else None


def estimated_prefill(setup: Setup, tokens: float) -> Sourced[float] | None:
    """Prompt tokens a second and GPU on a busy server, 16-bit weights, by the serving calibration; None where the
    model is not covered."""
    calibration = setup.facts.calibration
    deployment = Deployment(setup.model, setup.gpu, HALF, HALF_ELEMENT_BYTES)
    constants = constants_of(calibration, Engine.VLLM, Era.NEW, HALF, setup.gpu)
    try:
        coefficients = rates(deployment, constants)
    except NotModelledError:
        return None
    seconds = prompt_work_s(coefficients, tokens, tokens) - coefficients.prompt_s
    return Sourced(tokens / seconds, "tok/s", Kind.ESTIMATE, "prefill_estimate", date=calibration.date)


def prefill_rate(setup: Setup, tokens: float) -> Sourced[float] | None:
    """The typed prefill rate, or the estimated one."""
    typed = setup.scenario.prefill_tok_per_s
    if typed is not None:
        return Sourced(float(typed), "tok/s", Kind.INPUT, "prefill_tok_per_s", replaces=True)
    return estimated_prefill(setup, tokens)


def input_price(api: ApiModel | None) -> Sourced[Decimal] | None:
    """The API's standard price of an input token, in its first context tier, USD per million."""
    tiers = api.modes.get(Mode.STANDARD) if api else None
    return tiers[0].input if tiers else None


def months_of(requests: Decimal | None, a_month: Decimal | None) -> Decimal | None:
    """Months until those requests have come; None where either is unknown."""
    return None if requests is None or not a_month else requests / a_month


def _answer(
    scenario: TrainingScenario,
    cost_eur: Decimal | None,
    saved_eur: Decimal | None,
    rate: Sourced[float] | Sourced[Decimal] | None,
    saved_gpu_s: float | None = None,
    *,
    cash: bool = True,
    reasons: tuple[Message, ...] = (),
) -> Payback:
    requests = None if cost_eur is None or saved_eur is None else paid_back_requests(cost_eur, saved_eur)
    return Payback(
        reads=scenario.reads,
        saved_tokens=scenario.saved_tokens or Decimal(0),
        rate=rate,
        saved_gpu_s=saved_gpu_s,
        saved_eur=saved_eur,
        requests_count=requests,
        months=months_of(requests, scenario.requests_count),
        cash=cash,
        reasons=reasons,
    )


def _on_api(setup: Setup, cost_eur: Decimal | None, tokens: Decimal) -> Payback:
    scenario, price, fx = setup.scenario, input_price(setup.facts.api), setup.facts.usd_per_eur
    rate = scenario.usd_per_eur or (fx.value if fx else None)
    if price is None:
        return _answer(scenario, cost_eur, None, None, reasons=(Message("no_input_price", field="reference"),))
    if rate is None:
        return _answer(scenario, cost_eur, None, price, reasons=(Message("no_exchange_rate", field="usd_per_eur"),))
    return _answer(scenario, cost_eur, usd_to_eur(tokens * price.value / MTOK, rate), price)


def _on_gpu(setup: Setup, cost_eur: Decimal | None, tokens: Decimal) -> Payback:
    scenario, cash = setup.scenario, setup.scenario.reads is Reads.GPU
    rate = prefill_rate(setup, float(tokens))
    if rate is None:
        reason = Message("no_prefill_rate", field="prefill_tok_per_s")
        return _answer(scenario, cost_eur, None, None, cash=cash, reasons=(reason,))
    seconds = float(tokens) / rate.value
    price = chosen_price(setup)
    if not cash:
        return _answer(scenario, None, None, rate, seconds, cash=False)
    if price is None or scenario.basis is not Basis.HOUR:
        reason = Message("no_hour_price", field="price_eur")
        return _answer(scenario, cost_eur, None, rate, seconds, reasons=(reason,))
    hour = price.value / setup.facts.sku.gpu_count
    return _answer(scenario, cost_eur, to_decimal(seconds) / HOUR_S * hour, rate, seconds)


def payback(setup: Setup, cost_eur: Decimal | None) -> Payback | None:
    """When a shorter prompt has paid the training; None where nobody asked, or no token is saved."""
    scenario = setup.scenario
    if scenario.reads is Reads.NOBODY or not scenario.saved_tokens:
        return None
    if scenario.reads is Reads.API:
        return _on_api(setup, cost_eur, scenario.saved_tokens)
    return _on_gpu(setup, cost_eur, scenario.saved_tokens)
