"""The training calculator: tokens, FLOP, speed, memory, time, cost and payback of a training run."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy

from calculator import calibrated, catalog, permalinks, sheets
from calculator.domain.memory import Sharding
from calculator.domain.training_answer import estimate
from calculator.domain.training_scenario import TrainingFacts, TrainingScenario
from calculator.forms.training import Choices, TrainingForm
from calculator.permalinks import Problem, rates
from calculator.permalinks import training as notation
from calculator.presenters import training as words
from calculator.presenters import training_headline, training_notices, training_sections
from calculator.presenters.training_rows import export_rows
from calculator.reading import training as reading
from calculator.tool import Answer, Calculator, Handover, Kept, Notice, Preset, by_kind, codes_of
from calculator.tools import carrying, impossible, served
from calculator.tools.calibration import recalibrated

IMPOSSIBLE = {"fault_heads": "tp", "fault_kv_heads": "tp", "fault_vocabulary": "tp", "fault_layers": "pp"}
"""Divisions that no hardware makes valid, by the key of the link that asks for them."""
KEY_OF_KIND = {"sku": "sku", "model": "model", "gpu": "sku", "api": "ref", "version": "catalog"}


def default_scenario() -> TrainingScenario:
    """The published fine-tuning, at today's catalogue."""
    return catalog.first_visit(TrainingScenario)


def answer(scenario: TrainingScenario, known: object = None) -> Answer:
    """The estimate of `scenario` from the catalogue it names; raises catalog.NotFound for a code it does not hold."""
    del known
    facts = reading.for_training(scenario)
    named = canonical(scenario, facts)
    mark = calibrated.mark()
    asked = replace(rates.released(named, facts), calibration=named.calibration or mark)
    return Answer(replace(rates.pinned(named, facts), calibration=mark), facts, estimate(asked, facts))


def canonical(scenario: TrainingScenario, facts: TrainingFacts) -> TrainingScenario:
    """`scenario` with every code and name as the catalogue writes it."""
    return replace(
        scenario,
        sku=facts.sku.code,
        model=scenario.model if scenario.params_count is not None else facts.model.name,
        reference=facts.api.code if facts.api else scenario.reference,
    )


def choices(
    scenario: TrainingScenario, known: object, facts: TrainingFacts | None = None, query: QueryDict | None = None
) -> Choices:
    """What the form offers: offers with a data sheet, every model, the APIs on sale and the chosen one."""
    del known, query
    version, at = scenario.catalog_version, scenario.at
    offered = reading.with_sheets(catalog.sku_choices(version, at))
    if facts is not None and facts.sku.code not in {sku.code for sku in offered}:
        offered = (*offered, facts.sku)
    today = timezone.localdate(at)
    apis = tuple(
        api
        for api in catalog.api_choices(version, at, include_retired=True)
        if api.retired_on is None or api.retired_on > today or api.code == scenario.reference
    )
    return Choices(offered, sheets.models(), apis)


def repaired(scenario: TrainingScenario, error: catalog.NotFound) -> TrainingScenario:
    """`scenario` with the nearest that exists, or the usual case's, in place of what vanished."""
    match KEY_OF_KIND[error.kind]:
        case "sku":
            return replace(scenario, sku=error.nearest or catalog.usual(scenario).sku)
        case "model":
            return replace(scenario, model=error.nearest or catalog.usual(scenario).model)
        case "ref":
            return replace(scenario, reference=error.nearest or catalog.usual(scenario).reference)
    return replace(scenario, catalog_version=catalog.latest_version())


def own(scenario: TrainingScenario) -> TrainingScenario:
    """A scenario without the exchange rate and the calibration that its link carries."""
    return replace(scenario, usd_per_eur=None, calibration="")


def released(found: Answer) -> TrainingScenario:
    """The visitor's own inputs: neither the catalogue's exchange rate nor the calibration of that day."""
    own_rate: TrainingScenario = rates.released(found.scenario, found.facts)
    return replace(own_rate, calibration="")


def notices(found: Answer) -> tuple[Notice, ...]:
    """That the link was made under another calibration than today's, which the address now names."""
    return recalibrated(found.estimate.scenario.calibration)


def refused(found: Answer) -> tuple[Problem, ...]:
    """A division that the model does not have. Ranks that do not go into the GPUs are an answer: other counts do."""
    return impossible.problems(
        found.scenario,
        found.estimate.warnings,
        IMPOSSIBLE,
        lambda message: str(training_notices.notice_of(message).text),
    )


def handovers(found: Answer) -> tuple[Handover, ...]:
    """Serving this model, what its tokens cost, and training all of its weights on several GPUs."""
    scenario: TrainingScenario = found.scenario
    machine = {"sku": scenario.sku}
    priced = {**machine, **carrying.price(scenario.price_eur, scenario.basis, found.facts.sku.prices)}
    model = {} if scenario.params_count is not None else {"model": scenario.model}
    rented = {**priced, **carrying.instances(scenario.instances), **model}
    pairs = [("inference", gettext_lazy("Servir ce modèle sur ce GPU"), rented)]
    if not scenario.method.frozen_base:
        run = _run(found, {**machine, **model, **carrying.by_hour(scenario.price_eur, scenario.basis)})
        pairs.append(("parallelism", gettext_lazy("L’entraîner sur plusieurs GPU"), run))
    ways = [
        Handover(target, title, urlencode({"v": permalinks.VERSION, **values}, safe=":/"))
        for target, title, values in pairs
    ]
    return (*ways[:1], _costs(scenario, priced), *ways[1:])


def _costs(scenario: TrainingScenario, priced: dict[str, str]) -> Handover:
    """What the trained model's tokens cost: with its estimated rate, else the machine alone, and the title says so."""
    if point := served.economics_values(scenario):
        query = urlencode({**point, **priced}, safe=":/")
        return Handover("economics", gettext_lazy("Coût de ses tokens, débit estimé"), query)
    title = gettext_lazy("Coût des tokens (débit non estimable)")
    return Handover("economics", title, urlencode({"v": permalinks.VERSION, **priced}, safe=":/"))


def _run(found: Answer, start: dict[str, str]) -> dict[str, str]:
    """The run for the multi-GPU page: model, tokens, GPUs, division, and the step."""
    scenario: TrainingScenario = found.scenario
    work = found.estimate.amount
    values = {
        "params": found.estimate.model.params_total,
        "gpus": found.estimate.gpu_count,
        "tp": found.estimate.scenario.tensor,
        "pp": found.estimate.scenario.stages,
        "seq": scenario.sequence_tokens,
        "recomp": int(scenario.recomputed),
    }
    if work is not None:
        values["tokens"] = round(work.tokens)
    sharing = "sharded" if scenario.sharding is Sharding.WEIGHTS else "data"
    return {**start, "sharing": sharing, **{name: str(value) for name, value in values.items()}}


def kept(found: Answer) -> Kept:
    """The rate, the hours and every offer of the answer."""
    facts: TrainingFacts = found.facts
    rate = facts.usd_per_eur
    apis = (facts.api,) if facts.api else ()
    return Kept(
        usd_per_eur=found.scenario.usd_per_eur,
        rate_date=rate.date if rate else None,
        hours_per_month_h=found.scenario.hours_per_month_h,
        codes=codes_of((facts.sku, *facts.skus, *apis)),
    )


def file_stem(found: Answer) -> str:
    """A name that tells the files of two scenarios apart."""
    scenario: TrainingScenario = found.scenario
    model = found.estimate.model.name
    return f"vmcloud-training-{model}-{scenario.method.value}-{scenario.sku}-{scenario.at:%Y%m%d}"


def short(found: Answer) -> str:
    """The run's key figure, for the notice of an old link."""
    return training_headline.short(found.estimate)


def sections(found: Answer) -> dict[str, Any]:
    """The answer as data."""
    return training_sections.sections(found)


ENCODER = {
    "params": "2700000000",
    "method": "pretrain",
    "work": "tokens",
    "tokens": "40000000000",
    "mbs": "16",
    "recomp": "1",
    "framework": "FSDP",
}
LARGE = {"model": "Llama-3.1-70B", "method": "full", "mbs": "1", "seq": "2048", "recomp": "1", "steps": "500"}
PRESETS = (
    Preset("published_8", gettext_lazy("QLoRA publié, batch de 8"), {"speed": "published", "rows": "12000"}),
    Preset(
        "published_32",
        gettext_lazy("QLoRA publié, batch de 32"),
        {"speed": "published", "rows": "12000", "mbs": "8", "recomp": "1"},
    ),
    Preset(
        "encoder_1",
        gettext_lazy("Encodeur 2,7\u00a0Md, 1 A100"),
        {**ENCODER, "sku": "GPU-TITAN", "accum": "32", "speed": "published"},
    ),
    Preset(
        "encoder_8",
        gettext_lazy("Encodeur 2,7\u00a0Md, 8 A100 au même MFU"),
        {**ENCODER, "sku": "GPU-SUPERCOMPUTE", "accum": "4", "speed": "mfu", "mfu": "0.2613"},
    ),
    Preset(
        "lora_8b",
        gettext_lazy("LoRA d’un 8B"),
        {
            "model": "Llama-3.1-8B",
            "sku": "GPU-TITAN",
            "method": "lora",
            "work": "dataset",
            "rows": "20000",
            "mean": "700",
            "epochs": "3",
            "seq": "2048",
            "mbs": "4",
            "accum": "8",
            "recomp": "1",
        },
    ),
    Preset(
        "full_8b",
        gettext_lazy("8B complet, 8 A100"),
        {
            "model": "Llama-3.1-8B",
            "sku": "GPU-SUPERCOMPUTE",
            "method": "full",
            "seq": "4096",
            "mbs": "2",
            "accum": "4",
            "steps": "1000",
            "zero": "3",
            "recomp": "1",
            "framework": "FSDP",
        },
    ),
    Preset(
        "misfit_70b",
        gettext_lazy("70B sur une carte de 80\u00a0Go"),
        {**LARGE, "sku": "GPU-TITAN", "accum": "128"},
    ),
    Preset(
        "topology",
        gettext_lazy("70B, TP 8 × PP 2"),
        {
            **LARGE,
            "sku": "GPU-SUPERCOMPUTE",
            "count": "2",
            "tp": "8",
            "pp": "2",
            "accum": "64",
            "framework": "Megatron",
        },
    ),
)

TOOL = Calculator(
    name="training",
    title=gettext_lazy("Entraînement"),
    document_title=gettext_lazy("VMCloud calculator, entraînement"),
    form=TrainingForm,
    notation=notation.NOTATION,
    default=default_scenario,
    answer=answer,
    choices=choices,
    key_of=by_kind(KEY_OF_KIND),
    repaired=repaired,
    released=released,
    page=words.page,
    sentence=training_headline.sentence,
    rows=export_rows,
    sections=sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    notices=notices,
    handovers=handovers,
    own=own,
    impossible=refused,
    presets=PRESETS,
)
