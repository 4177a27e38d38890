"""How long a measurement will take and what it costs, before it starts: from the newest like it, or not known."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from benchmarks import limits, presets
from benchmarks.models import BenchmarkRun
from benchmarks.services import RunConfig
from benchmarks.wording import duration
from calculator import formats
from calculator.domain.economics import as_set
from calculator.domain.offers import Basis, Sku

S_PER_H = 3600


@dataclass(frozen=True, slots=True)
class Forecast:
    """`seconds` for all repeats, None when no run tells; `limit_s` is what ends them at the latest.

    `sku` names what is paid for, `eur_per_h` is the price of all its instances; None without a price.
    """

    seconds: float | None
    limit_s: float
    repeats_count: int
    from_code: str = ""
    sku: str = ""
    eur_per_h: Decimal | None = None

    @property
    def eur(self) -> Decimal | None:
        """The forecast time, or the time limit, at the price of an hour; None without a price."""
        if self.eur_per_h is None:
            return None
        return self.eur_per_h * Decimal(str(self.limit_s if self.seconds is None else self.seconds)) / S_PER_H


def forecast(config: RunConfig, repeats_count: int) -> Forecast:
    """Requests × answer length ÷ measured rate for each step, and the newest like run's time around its steps."""
    like, found = newest_like(config), rented(config.sku_code, config.gpus_count)
    once = None if like is None else seconds(config, like)
    limit_s = limit_of(config)
    hour = found.prices.get(Basis.HOUR) if found else None
    return Forecast(
        seconds=None if once is None else min(once, limit_s) * repeats_count,
        limit_s=limit_s * repeats_count,
        repeats_count=repeats_count,
        from_code=like.code if like else "",
        sku=found.name if found else config.sku_code,
        eur_per_h=hour.value if hour else None,
    )


def engine_kind(config: RunConfig) -> str:
    kind = BenchmarkRun.EngineKind
    return kind.URL if config.target else kind.VLLM if config.vllm else kind.LLAMA_CPP


def limit_of(config: RunConfig) -> float:
    """What kills one run at the latest, seconds; a vLLM has the time to load its weights besides."""
    asked = BenchmarkRun(
        engine_kind=engine_kind(config), soft_limit_s=config.soft_limit_s, hard_limit_s=config.hard_limit_s
    )
    return limits.limits_of(asked).hard_s


def newest_like(config: RunConfig) -> BenchmarkRun | None:
    """The newest run of ours that succeeded with the same kind of engine on the same offer or server."""
    runs = BenchmarkRun.objects.filter(
        status=BenchmarkRun.Status.SUCCEEDED,
        origin=BenchmarkRun.Origin.MEASURED,
        engine_kind=engine_kind(config),
        sku_code=config.sku_code,
        started_at__isnull=False,
        steps__output_tok_per_s__gt=0,
    )
    if config.target:
        runs = runs.filter(target_model=config.target.model)
    return runs.order_by("-created_at").first()


def seconds(config: RunConfig, like: BenchmarkRun) -> float | None:
    """One run of `config` at the rates of `like`: the time of the steps and the time around them."""
    rates = {step.concurrency: step.output_tok_per_s for step in like.steps.all() if step.output_tok_per_s}
    if not rates or like.started_at is None or like.finished_at is None:
        return None
    spent_s = (like.finished_at - like.started_at).total_seconds()
    within_s = sum(closed(like.requests_count, like.output_tokens, count, rate) for count, rate in rates.items())
    return max(0.0, spent_s - within_s) + sum(steps(config, rates))


def steps(config: RunConfig, rates: dict[int, float]) -> list[float]:
    """Seconds of each step that is asked for; a step of a set length takes that at most."""
    if config.rates_per_s:
        found = [config.requests_count / rate + config.ramp_s for rate in config.rates_per_s]
    else:
        found = [
            closed(config.requests_count, config.output_tokens, count, rate_near(rates, count))
            for count in config.concurrencies
        ]
    return [min(each, config.duration_s) if config.duration_s else each for each in found]


def closed(requests_count: int, output_tokens: int, concurrency: int, rate_tok_per_s: float) -> float:
    """A closed loop with one request a stream to warm up: 128 + 4 answers of 100 tokens at 1,000 tok/s take 13.2 s."""
    return (requests_count + concurrency) * output_tokens / rate_tok_per_s


def rate_near(rates: dict[int, float], concurrency: int) -> float:
    """The rate at the known concurrency that is nearest; of two as near, the lower one."""
    return rates[min(rates, key=lambda known: (abs(known - concurrency), known))]


def rented(sku_code: str, gpus_count: int) -> Sku | None:
    """The offer, as many times as the GPUs that are asked for need; None for this machine."""
    found = next((sku for sku in presets.skus() if sku.code.casefold() == sku_code.casefold()), None)
    if found is None:
        return None
    return as_set(found, max(1, math.ceil(gpus_count / found.gpu_count)))


def words(found: Forecast) -> dict[str, Any]:
    """The forecast as two sentences: the time, the cost."""
    return {"time": time_words(found), "cost": cost_words(found)}


def time_words(found: Forecast) -> str:
    count = found.repeats_count
    runs = ngettext("%(count)d exécution", "%(count)d exécutions", count) % {"count": count}
    if found.seconds is None:
        return _("Durée inconnue avant une première mesure de ce genre ; %(limit)s au plus pour %(runs)s.") % {
            "limit": duration(found.limit_s),
            "runs": runs,
        }
    return _("Environ %(time)s pour %(runs)s, d’après la mesure %(code)s.") % {
        "time": duration(found.seconds),
        "runs": runs,
        "code": found.from_code,
    }


def cost_words(found: Forecast) -> str:
    if found.eur is None:
        return _("Sans prix horaire connu pour cette machine, le coût n’est pas estimé.")
    named = {"eur": formats.money(found.eur), "sku": found.sku, "price": formats.money(found.eur_per_h)}
    if found.seconds is None:
        return _("Soit %(eur)s au plus, au prix de %(sku)s à l’heure (%(price)s).") % named
    return _("Soit %(eur)s, au prix de %(sku)s à l’heure (%(price)s).") % named
