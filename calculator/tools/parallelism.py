"""The multi-GPU calculator: days, speed-up and cost of a training run on 1 to 64 GPUs."""

from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import calibrated, catalog, fields, formats, permalinks, sheets
from calculator.domain import parallel_answer
from calculator.domain.offers import Basis, Sku
from calculator.domain.parallel_scenario import ParallelismEstimate, ParallelismFacts, ParallelismScenario, Sharing
from calculator.domain.parallel_settled import NVIDIA, framework_of, micro_batch
from calculator.domain.units import half_up
from calculator.forms.parallelism import Choices, ParallelismForm
from calculator.permalinks import Problem
from calculator.permalinks import parallelism as notation
from calculator.presenters import parallelism as words
from calculator.presenters import parallelism_notices, parallelism_rows, parallelism_sections
from calculator.reading.parallelism import for_parallelism
from calculator.tool import Answer, Calculator, Handover, Kept, Notice, Preset, by_kind
from calculator.tools import impossible
from calculator.tools.calibration import recalibrated

NAME = "parallelism"
MFU_DECIMALS = 4
KEY_OF_KIND = {"sku": "sku", "gpu": "gpu", "model": "model", "net": "net", "version": "catalog"}


def default_scenario() -> ParallelismScenario:
    """The run that the offer publishes, at today's catalogue."""
    return catalog.first_visit(ParallelismScenario)


def answer(scenario: ParallelismScenario, known: None = None) -> Answer:
    """The estimate of `scenario`; raises catalog.NotFound for a code or name that does not exist."""
    del known
    facts = for_parallelism(scenario)
    named = canonical(scenario, facts)
    estimate = parallel_answer.estimate(named, facts)
    return Answer(replace(named, calibration=calibrated.mark()), facts, estimate)


def canonical(scenario: ParallelismScenario, facts: ParallelismFacts) -> ParallelismScenario:
    """`scenario` with codes and names as the catalogue writes them."""
    return replace(
        scenario,
        sku=facts.sku.code if facts.sku else scenario.sku,
        gpu=facts.gpu.name if scenario.gpu else "",
        model=facts.model.name if facts.model else "",
    )


def choices(
    scenario: ParallelismScenario, known: None, facts: ParallelismFacts | None = None, query: QueryDict | None = None
) -> Choices:
    """Machines for sale, GPUs that the calibration knows, open-weights models."""
    del known, query
    skus = tuple(sku for sku in catalog.sku_choices(scenario.catalog_version, scenario.at) if sku.gpu)
    if facts is not None and facts.sku is not None and facts.sku.code not in {sku.code for sku in skus}:
        skus = (*skus, facts.sku)
    gpus = tuple(gpu for gpu in sheets.gpus() if gpu.vendor == NVIDIA or gpu.name == scenario.gpu)
    return Choices(skus, gpus, sheets.models())


def repaired(scenario: ParallelismScenario, error: catalog.NotFound) -> ParallelismScenario:
    """`scenario` without what does not exist; the nearest machine, GPU or model takes its place."""
    match error.kind:
        case "sku":
            return replace(scenario, sku=error.nearest or catalog.usual(scenario).sku)
        case "gpu":
            return replace(scenario, gpu=error.nearest)
        case "model":
            return replace(scenario, model=error.nearest)
        case "net":
            return replace(scenario, network=catalog.usual(scenario).network)
    return replace(scenario, catalog_version=catalog.latest_version())


def own(scenario: ParallelismScenario) -> ParallelismScenario:
    """A scenario without the calibration's mark that its link carries."""
    return replace(scenario, calibration="")


def released(found: Answer) -> ParallelismScenario:
    """The visitor's own inputs."""
    return own(found.scenario)


def notices(found: Answer) -> tuple[Notice, ...]:
    """The calibration has changed since the link was made; or another offer's price may be carried over."""
    return (*recalibrated(found.estimate.scenario.calibration), *_price_proposal(found))


def _price_proposal(found: Answer) -> tuple[Notice, ...]:
    """Another offer of the same GPU, as an assumption where this machine has no price."""
    estimate: ParallelismEstimate = found.estimate
    offered = words.price_carried_over(estimate, found.facts)
    if estimate.price is not None or offered is None:
        return ()
    sku, price = offered
    text = _(
        "Le prix de cette machine n’est pas publié. Au tarif de %(sku)s, %(count)s GPU coûteraient %(price)s HT par "
        "heure\u00a0: une hypothèse, pas un prix."
    ) % {"sku": sku.code, "count": estimate.instance_gpus, "price": formats.unit_price(price)}
    return (Notice("price_proposal", text, permalinks.write(replace(found.scenario, price_eur=price))),)


def refused(found: Answer) -> tuple[Problem, ...]:
    """A division that the model does not have. Ranks that do not go into the GPUs are an answer: other counts do, and
    a published topology asks for it."""
    keys = dict.fromkeys(("parallel_heads", "parallel_kv_heads", "parallel_vocabulary"), "tp")
    messages = found.estimate.faults
    return impossible.problems(
        found.scenario,
        messages,
        {**keys, "parallel_layers": "pp"},
        lambda message: str(parallelism_notices.notice(message).text),
    )


def handovers(found: Answer) -> tuple[Handover, ...]:
    """The same run on the training page, and what the machine costs to serve with."""
    scenario: ParallelismScenario = found.scenario
    serving = Handover("economics", gettext_lazy("Coût de l’inférence sur cette machine"), words.query(rented(found)))
    if scenario.gpu or found.estimate.chosen is None:
        return () if scenario.gpu else (serving,)
    run = Handover("training", gettext_lazy("Mémoire et coût d’un entraînement"), words.query(training_of(found)))
    return (run, serving)


def machine_of(scenario: ParallelismScenario) -> dict[str, str]:
    """The offer, where there is one."""
    return {} if scenario.gpu else {"sku": scenario.sku}


def rented(found: Answer) -> dict[str, str]:
    """The offer, by the hour where it has no price by the month."""
    sku: Sku | None = found.facts.sku
    by_hour = sku is not None and Basis.HOUR in sku.prices and Basis.MONTH not in sku.prices
    return {**machine_of(found.scenario), **({"basis": Basis.HOUR.value} if by_hour else {})}


def training_of(found: Answer) -> dict[str, str]:
    """The run in the keys of the training page: as many whole instances, its tokens, its way of sharing."""
    scenario: ParallelismScenario = found.scenario
    estimate: ParallelismEstimate = found.estimate
    count = -(-scenario.gpu_count // (found.facts.sku.gpu_count if found.facts.sku else 1))
    carried = {
        **machine_of(scenario),
        "count": str(count),
        "method": "pretrain",
        "work": "tokens",
        "tokens": fields.plain(scenario.tokens_count),
        "mbs": str(round(micro_batch(scenario) * scenario.tensor_parallel * scenario.pipeline_parallel)),
        "framework": framework_of(scenario).value,
        "seq": str(scenario.sequence_tokens),
        "accum": str(scenario.micro_batches),
        "recomp": str(int(scenario.recomputed)),
        "zero": "3" if scenario.sharing is Sharing.SHARDED else "0",
        "tp": str(scenario.tensor_parallel),
        "pp": str(scenario.pipeline_parallel),
    }
    shape = {"model": scenario.model} if scenario.model else {"params": fields.plain(scenario.params_count)}
    if scenario.model or estimate.mfu is None:
        return {**carried, **shape}
    mfu = fields.plain(half_up(estimate.mfu.value, MFU_DECIMALS))
    return {**carried, **shape, "speed": "mfu", "conv": "6n", "mfu": mfu}


def kept(found: Answer) -> Kept:
    """The offer whose price the estimate holds."""
    return Kept(codes=frozenset({found.facts.sku.code} if found.facts.sku else set()))


def file_stem(found: Answer) -> str:
    """A name that tells the files of two scenarios apart."""
    scenario = found.scenario
    machine = (scenario.gpu or scenario.sku).replace(" ", "-")
    return f"vmcloud-parallelism-{machine}-{scenario.gpu_count}-{scenario.at:%Y%m%d}"


def shown(found: Answer) -> Any:
    """The page of an answer in words."""
    return words.parallelism(found.estimate)


def short(found: Answer) -> str:
    """The days of the run, for the notice of an old link."""
    return words.short(found.estimate)


PRESETS = (
    Preset("published", gettext_lazy("Encodeur 2,7 Md, 92 → 14 jours"), {}),
    Preset("pcie", gettext_lazy("Le même sur 8 RTX 4090 (PCIe)"), {"gpu": "RTX 4090", "machine": "8"}),
    Preset(
        "ethernet",
        gettext_lazy("8 machines d’un A100, Ethernet"),
        {"sku": "GPU-TITAN", "machine": "1", "net": "eth25", "cards": "1"},
    ),
    Preset(
        "fixed_batch",
        gettext_lazy("Batch global fixe, 64 GPU"),
        {"gpus": "64", "batchby": "step", "steptok": "131072"},
    ),
    Preset(
        "topology_16",
        gettext_lazy("70B, TP 8 × PP 2 sur 16 A100"),
        {"model": "Llama-3.1-70B", "gpus": "16", "tp": "8", "pp": "2"},
    ),
    Preset(
        "topology_8",
        gettext_lazy("La même sur 8 H100"),
        {"model": "Llama-3.1-70B", "gpu": "H100-SXM-80GB", "gpus": "8", "tp": "8", "pp": "2"},
    ),
    Preset(
        "sharded",
        gettext_lazy("8B en FSDP sur 16 GPU"),
        {"model": "Llama-3.1-8B", "gpus": "16", "sharing": "sharded"},
    ),
)
PROFILES = (
    Preset("none", gettext_lazy("Rien de masqué"), {"overlap": "0"}),
    Preset("half", gettext_lazy("Moitié"), {"overlap": "0.5"}),
    Preset("all", gettext_lazy("Tout"), {"overlap": "1"}),
)

TOOL = Calculator(
    name=NAME,
    title=gettext_lazy("Multi-GPU"),
    document_title=gettext_lazy("VMCloud calculator, multi-GPU"),
    form=ParallelismForm,
    notation=notation.NOTATION,
    default=default_scenario,
    answer=answer,
    choices=choices,
    key_of=by_kind(KEY_OF_KIND),
    repaired=repaired,
    released=released,
    page=shown,
    sentence=words.sentence,
    rows=parallelism_rows.export_rows,
    sections=parallelism_sections.sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    notices=notices,
    handovers=handovers,
    own=own,
    impossible=refused,
    presets=PRESETS,
    profiles=PROFILES,
)
