"""What each calculator's answer is compared by: quantities read off the estimate that its own page shows.

A code means the same wherever it stands, so that scenarios of different calculators share the quantities that both
have. Nothing is computed here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import fields
from calculator.domain.memory import MemoryEstimate
from calculator.domain.parallel_scenario import ParallelismEstimate
from calculator.domain.scenario import Comparison, EconomicsEstimate
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.tokens_scenario import TokensEstimate
from calculator.domain.training_scenario import TrainingEstimate
from calculator.domain.units import to_decimal
from calculator.presenters import counted, inference_words, training_words, words
from calculator.presenters.quantities import DAY_S

Raw = Decimal | float | int | str | None


class Look(StrEnum):
    """How a value is written for a reader; a file holds it unrounded, in the quantity's unit."""

    TEXT = "text"
    MONEY = "money"
    UNIT_PRICE = "unit_price"
    COUNT = "count"
    TOKENS = "tokens"
    SECONDS = "seconds"
    BYTES = "bytes"
    PHYSICAL = "physical"
    RATIO = "ratio"


class Better(StrEnum):
    """Which end is the better one; NONE where neither is. Amounts of a month or of a job say nothing unless all
    scenarios do the same work (`of_work`)."""

    NONE = ""
    LOWER = "lower"
    HIGHER = "higher"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One result: its code, its words, how to read it off an estimate, and whether one end of it is the better one."""

    code: str
    label: fields.Text
    look: Look
    read: Callable[[Any], Raw]
    unit: fields.Text = ""
    better: Better = Better.NONE
    of_work: bool = False


MONTH, JOB = gettext_lazy("€ HT / mois"), gettext_lazy("€ HT")
PER_MTOK = gettext_lazy("€ HT / 1M tokens de sortie")
MACHINE_LABEL, MONTH_LABEL = gettext_lazy("GPU loués"), gettext_lazy("GPU, coût du mois")
JOB_LABEL, TIME_LABEL = gettext_lazy("Coût du travail"), gettext_lazy("Durée")
MTOK_LABEL = gettext_lazy("GPU, coût d’un million de tokens")
RATE_LABEL = gettext_lazy("Débit total")


def _month(read: Callable[[Any], Raw]) -> Quantity:
    return Quantity("month_eur", MONTH_LABEL, Look.MONEY, read, MONTH, Better.LOWER, of_work=True)


def _per_mtok(read: Callable[[Any], Raw]) -> Quantity:
    return Quantity("eur_per_mtok", MTOK_LABEL, Look.UNIT_PRICE, read, PER_MTOK, Better.LOWER)


def _job(read: Callable[[Any], Raw]) -> Quantity:
    return Quantity("job_eur", JOB_LABEL, Look.MONEY, read, JOB, Better.LOWER, of_work=True)


def _time(read: Callable[[Any], Raw]) -> Quantity:
    return Quantity("time_s", TIME_LABEL, Look.SECONDS, read, "s", Better.LOWER, of_work=True)


def _machine(read: Callable[[Any], Raw]) -> Quantity:
    return Quantity("machine", MACHINE_LABEL, Look.TEXT, read)


def _rate(read: Callable[[Any], Raw], label: fields.Text = RATE_LABEL) -> Quantity:
    return Quantity("tok_per_s", label, Look.PHYSICAL, read, "tok/s", Better.HIGHER)


def _yes(value: bool | None) -> str | None:
    return None if value is None else _("oui") if value else _("non")


def _reference(estimate: EconomicsEstimate) -> Comparison | None:
    """The API that the scenario names as its reference, where it is among the compared ones."""
    named = estimate.scenario.reference
    return next((row for row in estimate.comparisons if row.bill.api.code == named), None)


def _of_reference(read: Callable[[Comparison], Raw]) -> Callable[[EconomicsEstimate], Raw]:
    def found(estimate: EconomicsEstimate) -> Raw:
        row = _reference(estimate)
        return None if row is None else read(row)

    return found


def _economics_machine(estimate: EconomicsEstimate) -> str:
    return counted.named(estimate.gpu.instances or 1, estimate.gpu.sku)


ECONOMICS = (
    _machine(_economics_machine),
    _month(lambda found: found.gpu.total_eur),
    Quantity("month_ttc_eur", gettext_lazy("GPU, TTC"), Look.MONEY, lambda found: found.gpu.total_ttc_eur,
             gettext_lazy("€ TTC / mois"), Better.LOWER, of_work=True),
    _per_mtok(lambda found: found.gpu.eur_per_mtok),
    Quantity("full_eur_per_mtok", gettext_lazy("GPU, à pleine capacité prévue"), Look.UNIT_PRICE,
             lambda found: found.gpu.full_eur_per_mtok, PER_MTOK, Better.LOWER),
    Quantity("capacity_tokens", gettext_lazy("Capacité prévue d’une instance"), Look.TOKENS,
             lambda found: found.gpu.capacity_tokens, gettext_lazy("tokens / mois"), Better.HIGHER),
    Quantity("use_ratio", gettext_lazy("Utilisation réelle"), Look.RATIO,
             lambda found: found.gpu.implied_utilisation_ratio, gettext_lazy("part de 1")),
    Quantity("reference", gettext_lazy("API de référence"), Look.TEXT,
             _of_reference(lambda row: f"{row.bill.api.label}, {words.mode_name(row.bill.mode)}")),
    Quantity("reference_month_eur", gettext_lazy("API de référence, coût du mois"), Look.MONEY,
             _of_reference(lambda row: row.bill.eur), MONTH, Better.LOWER, of_work=True),
    Quantity("verdict", gettext_lazy("Face à elle, le GPU coûte"), Look.TEXT,
             _of_reference(lambda row: words.verdict(row.verdict, row.difference_ratio).text)),
)  # fmt: skip


def _memory(found: InferenceEstimate) -> MemoryEstimate | None:
    return found.chosen.memory.estimate if found.chosen.memory else None


def _speed(name: str) -> Callable[[InferenceEstimate], Raw]:
    return lambda found: None if found.speeds is None else getattr(found.speeds, name).value


def _inference_machine(found: InferenceEstimate) -> str:
    scenario = found.scenario
    return inference_words.machine(scenario.sku or scenario.gpu, scenario.instances)


FITS, MEETS = gettext_lazy("Tient en mémoire"), gettext_lazy("Tient les objectifs")
NEEDED = gettext_lazy("Mémoire nécessaire par GPU")
INFERENCE = (
    _machine(_inference_machine),
    Quantity("fits", FITS, Look.TEXT, lambda found: _yes(found.chosen.fits)),
    Quantity("meets", MEETS, Look.TEXT, lambda found: _yes(found.chosen.meets)),
    Quantity("needed_bytes", NEEDED, Look.BYTES,
             lambda found: memory.needed_bytes if (memory := _memory(found)) else None, "B", Better.LOWER),
    Quantity("first_token_s", gettext_lazy("Premier token"), Look.SECONDS, _speed("first_token_s"), "s", Better.LOWER),
    Quantity("token_s", gettext_lazy("Temps par token"), Look.SECONDS, _speed("token_s"), "s", Better.LOWER),
    Quantity("end_to_end_s", gettext_lazy("Réponse entière"), Look.SECONDS, _speed("end_to_end_s"), "s"),
    Quantity("user_tok_per_s", gettext_lazy("Débit par flux"), Look.PHYSICAL, _speed("user_tok_per_s"), "tok/s",
             Better.HIGHER),
    _rate(_speed("total_tok_per_s")),
    Quantity("requests_per_s", gettext_lazy("Requêtes par seconde"), Look.PHYSICAL, _speed("requests_per_s"), "req/s"),
    Quantity("most_clients", gettext_lazy("Flux en même temps, au plus"), Look.COUNT, lambda found: found.most_clients,
             "", Better.HIGHER),
    _month(lambda found: found.cost.bill_eur if found.cost else None),
    _per_mtok(lambda found: found.cost.output.value if found.cost else None),
    Quantity("full_eur_per_mtok", gettext_lazy("GPU, à pleine capacité prévue"), Look.UNIT_PRICE,
             lambda found: found.cost.planned.value if found.cost else None, PER_MTOK, Better.LOWER),
)  # fmt: skip

TRAINING = (
    _machine(lambda found: training_words.machine(found.sku, found.scenario.instances)),
    Quantity("fits", FITS, Look.TEXT, lambda found: _yes(found.fit.fits)),
    Quantity("needed_bytes", NEEDED, Look.BYTES,
             lambda found: None if found.fit.unknown else found.fit.memory.needed_bytes, "B", Better.LOWER),
    Quantity("work_tokens", gettext_lazy("Tokens lus"), Look.TOKENS,
             lambda found: found.amount.tokens if found.amount else None, gettext_lazy("tokens")),
    _time(lambda found: found.duration.run_s.value if found.duration else None),
    _job(lambda found: found.bill.eur if found.bill else None),
    _rate(lambda found: found.rate.total_tok_per_s if found.rate else None),
    Quantity("energy_kwh", gettext_lazy("Énergie"), Look.PHYSICAL, lambda found: found.energy_kwh, "kWh", Better.LOWER,
             of_work=True),
)  # fmt: skip


def _seconds(days: float) -> Decimal:
    return to_decimal(days) * DAY_S


PARALLELISM = (
    Quantity("gpu_count", gettext_lazy("Nombre de GPU"), Look.COUNT, lambda found: found.scenario.gpu_count),
    _time(lambda found: _seconds(found.chosen.days) if found.chosen else None),
    _job(lambda found: found.chosen.eur if found.chosen else None),
    _rate(lambda found: found.chosen.tok_per_s if found.chosen else None),
    Quantity("speed_up", gettext_lazy("Accélération"), Look.PHYSICAL,
             lambda found: found.chosen.speed_up if found.chosen else None),
    Quantity("efficiency", gettext_lazy("Part de l’idéal"), Look.RATIO,
             lambda found: found.chosen.efficiency if found.chosen else None, gettext_lazy("part de 1"), Better.HIGHER),
)  # fmt: skip

TOKENS = (
    Quantity("work_tokens", gettext_lazy("Tokens du corpus"), Look.TOKENS, lambda found: found.total.value,
             gettext_lazy("tokens")),
    Quantity("chunks", gettext_lazy("Morceaux à indexer"), Look.COUNT, lambda found: found.chunks_count),
    Quantity("embedded_tokens", gettext_lazy("Tokens lus pour indexer"), Look.TOKENS,
             lambda found: found.embedded.value, gettext_lazy("tokens"), Better.LOWER, of_work=True),
    Quantity("embedding", gettext_lazy("Modèle d’index"), Look.TEXT, lambda found: found.embedding.model.label),
    Quantity("embedding_eur", gettext_lazy("Indexer par API"), Look.MONEY, lambda found: found.embedding.eur, JOB,
             Better.LOWER, of_work=True),
    _machine(lambda found: inference_words.machine(found.gpu.offer.sku.code, found.gpu.instances)),
    _time(lambda found: found.gpu.time_s.value if found.gpu.time_s else None),
    _job(lambda found: found.gpu.eur),
)  # fmt: skip

QUANTITIES: Mapping[str, tuple[Quantity, ...]] = {
    "economics": ECONOMICS,
    "inference": INFERENCE,
    "training": TRAINING,
    "parallelism": PARALLELISM,
    "tokens": TOKENS,
}


def _economics_work(found: EconomicsEstimate) -> tuple[object, ...]:
    return found.volume_tokens, found.requests_count, found.scenario.input_tokens, found.scenario.output_tokens


def _inference_work(found: InferenceEstimate) -> tuple[object, ...]:
    scenario = found.scenario
    volume = found.cost.volume_tokens if found.cost else None
    return volume, scenario.model, scenario.params, scenario.prompt_tokens, scenario.output_tokens


def _training_work(found: TrainingEstimate) -> tuple[object, ...]:
    return found.amount.tokens if found.amount else None, found.model.name, found.scenario.params_count


def _parallel_work(found: ParallelismEstimate) -> tuple[object, ...]:
    return found.params_count, found.scenario.tokens_count


def _tokens_work(found: TokensEstimate) -> tuple[object, ...]:
    return (found.total.value,)


WORK: Mapping[str, Callable[[Any], tuple[object, ...]]] = {
    "economics": _economics_work,
    "inference": _inference_work,
    "training": _training_work,
    "parallelism": _parallel_work,
    "tokens": _tokens_work,
}
"""What must be the same for amounts of a month or of a job to be ranked."""
