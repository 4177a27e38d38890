"""The whole training page of one estimate, and the numbered assumptions of its quote."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from calculator import formats
from calculator.charts import training as chart
from calculator.domain.provenance import asked_kind
from calculator.domain.training_scenario import Speed, TrainingEstimate
from calculator.language import gettext as _
from calculator.language import one_language
from calculator.presenters import (
    quantities,
    training_headline,
    training_notices,
    training_published,
    training_steps,
    training_tables,
    training_ways,
    training_words,
    words,
)
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.notices import Notice
from calculator.presenters.page import QUOTE_VALID_DAYS
from calculator.presenters.stats import Stat


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """Everything that training.html prints of an estimate, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    short: str
    machine: str
    stats: tuple[Stat, ...]
    notices: tuple[Notice, ...]
    memory: training_tables.MemoryTable
    ways: tuple[training_ways.WayRow, ...]
    offload: str
    work: tuple[training_tables.Fact, ...]
    utilisations: tuple[training_tables.ShareRow, ...]
    cost: tuple[training_tables.Fact, ...]
    chart: chart.TrainingChart | None
    counts: tuple[training_tables.AlternativeRow, ...]
    methods: tuple[training_tables.AlternativeRow, ...]
    checkpoints: tuple[training_tables.Fact, ...]
    payback: tuple[training_tables.Fact, ...]
    published: training_published.PublishedBlock | None
    loop: training_tables.LoopSizes
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    speed: Badge | None
    speed_text: str
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    price_missing: bool
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]


@one_language()
def training(estimate: TrainingEstimate) -> TrainingPage:
    """The page of an estimate in the active language."""
    at, offload = estimate.scenario.at, estimate.fit.offload_bytes
    return TrainingPage(
        lead=training_headline.lead(estimate),
        eyebrow=training_headline.eyebrow(estimate),
        status=training_headline.sentence(estimate),
        short=training_headline.short(estimate),
        machine=training_words.machine(estimate.sku, estimate.scenario.instances),
        stats=training_headline.stats(estimate),
        notices=training_notices.notices(estimate),
        memory=training_tables.memory(estimate),
        ways=training_ways.ways(estimate),
        offload=training_words.gib(offload) if offload else "",
        work=training_tables.work(estimate),
        utilisations=training_tables.utilisations(estimate),
        cost=training_tables.cost(estimate),
        chart=chart.by_count(estimate),
        counts=training_tables.counts(estimate),
        methods=training_tables.methods(estimate),
        checkpoints=training_tables.checkpoints(estimate),
        payback=training_tables.payback(estimate),
        published=training_published.published(estimate),
        loop=training_tables.loop(estimate),
        formulas=training_steps.formulas(estimate),
        trust=of_kind(estimate.trust),
        speed=badge(estimate.rate.per_gpu) if estimate.rate else None,
        speed_text=speed_text(estimate),
        assumptions=assumptions(estimate),
        quote_date=formats.date(at),
        quote_until=formats.date(at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        price_missing=estimate.bill is not None and estimate.bill.price is None,
        badges=field_badges(estimate),
        placeholders=placeholders(estimate),
    )


ASKED = {
    "mbs": "micro_batch",
    "accum": "accumulation",
    "steps": "steps_count",
    "seq": "sequence_tokens",
    "hours": "hours_per_month_h",
    "retry": "retry_ratio",
}
"""Fields that say whether their value was typed, by the scenario's attribute."""


def field_badges(estimate: TrainingEstimate) -> dict[str, Badge | None]:
    """Where the value behind each field comes from, by the field's name."""
    price, scenario = estimate.bill.price if estimate.bill else None, estimate.scenario
    return {
        **{name: of_kind(asked_kind(scenario, attribute)) for name, attribute in ASKED.items()},
        "sku": badge(price),
        "speed": badge(estimate.rate.per_gpu) if estimate.rate else None,
    }


def placeholders(estimate: TrainingEstimate) -> dict[str, str]:
    """The value that an empty field stands for, by the field's name."""
    rate = estimate.rate
    price = estimate.sku.prices.get(estimate.scenario.basis)
    found = {"price": formats.number(price.value, 2) if price else _("sur devis")}
    found |= {"tp": formats.number(estimate.scenario.tensor), "pp": formats.number(estimate.scenario.stages)}
    if rate is not None:
        found["train_rate"] = quantities.digits(rate.per_gpu.value)
    return found


def speed_text(estimate: TrainingEstimate) -> str:
    """The speed in use and where it comes from."""
    rate = estimate.rate
    if rate is None:
        return ""
    value = quantities.digits(rate.per_gpu.value)
    if rate.band is not None:
        ends = training_words.banded(*map(quantities.digits, rate.band))
        return _("%(rate)s tok/s par GPU, %(ends)s") % {"rate": value, "ends": ends}
    return _("%(rate)s tok/s par GPU") % {"rate": value}


def assumptions(estimate: TrainingEstimate) -> tuple[str, ...]:
    """The numbered notes of the printed quote."""
    scenario = estimate.scenario
    return (
        _("Prix HT de la liste n°\u00a0%(number)s, facturés %(basis)s\u00a0; %(retry)s de marge pour reprises.")
        % {
            "number": scenario.catalog_version,
            "basis": words.basis_name(scenario.basis),
            "retry": formats.percent(scenario.retry_ratio),
        },
        _speed_note(estimate),
        _(
            "Mémoire\u00a0: %(optimizer)s, calcul en %(numbers)s, recalcul des activations\u00a0: %(again)s, "
            "ZeRO %(stage)s."
        )
        % {
            "optimizer": training_words.optimizer_name(scenario.optimizer),
            "numbers": training_words.numbers_name(scenario.numbers),
            "again": _("oui") if scenario.recomputed else _("non"),
            "stage": int(scenario.sharding),
        },
        _("Énergie\u00a0: puissance de fiche (TDP) de chaque carte pendant toute la durée, sans l’hôte."),
        _("Séquences pleines ou groupées sans remplissage\u00a0: le temps perdu en padding n’est pas compté."),
    )


def _speed_note(estimate: TrainingEstimate) -> str:
    scenario = estimate.scenario
    if scenario.speed is Speed.CALIBRATED:
        return _("Vitesse estimée pour %(software)s, calibrée sur des mesures publiées.") % {
            "software": training_words.framework_name(scenario.framework)
        }
    return {
        Speed.PUBLISHED: _("Vitesse annoncée par le vendeur pour ce cas, non vérifiée."),
        Speed.RATE: _("Vitesse saisie (hypothèse)."),
        Speed.MFU: _("Vitesse déduite d’un MFU saisi (hypothèse)."),
    }[scenario.speed]


def page(answer: Any) -> TrainingPage:
    """The page of an answer in words."""
    return training(answer.estimate)
