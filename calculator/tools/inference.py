"""The inference calculator: memory, latency, throughput and cost of serving a model, and which offer to take."""

from dataclasses import replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from calculator import calibrated, catalog, figures, permalinks, sheets
from calculator.domain import serving_answer
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_cost import as_economics
from calculator.domain.serving_layout import CALIBRATED_VENDOR
from calculator.domain.serving_scenario import InferenceFacts, InferenceScenario, is_own_model
from calculator.figures import Figures
from calculator.forms.inference import Choices, InferenceForm
from calculator.permalinks import Problem, economics
from calculator.permalinks import inference as notation
from calculator.permalinks.notation import written_pair
from calculator.presenters import inference as presenter
from calculator.presenters import inference_lead, inference_rows, inference_sections
from calculator.presenters.inference_notices import notice
from calculator.reading.inference import for_inference, tested_models
from calculator.tool import Answer, Calculator, Handover, Kept, Preset, by_kind, codes_of
from calculator.tools import carrying, impossible

NAME = "inference"
KEY_OF_KIND = {"sku": "sku", "gpu": "gpu", "model": "model", "version": "catalog"}


def default_scenario() -> InferenceScenario:
    """A first visit: a chat on one GPU, at today's catalogue."""
    return catalog.first_visit(InferenceScenario)


def answer(scenario: InferenceScenario, known: Figures | None = None) -> Answer:
    """The estimate of `scenario`; raises catalog.NotFound for a code or name that does not exist."""
    facts = for_inference(scenario, known)
    named = canonical(scenario, facts)
    estimate = serving_answer.estimate(named, facts)
    return Answer(replace(named, calibration=calibrated.mark()), facts, estimate)


def canonical(scenario: InferenceScenario, facts: InferenceFacts) -> InferenceScenario:
    """`scenario` with codes and names as the catalogue writes them."""
    code = catalog.canonical_code("sku", scenario.sku, facts.catalog_version, facts.at)
    gpu = facts.offer.gpu.name if scenario.gpu and facts.offer.gpu else ""
    return replace(scenario, sku=code, gpu=gpu, model=facts.model.name)


def choices(
    scenario: InferenceScenario,
    known: Figures,
    facts: InferenceFacts | None = None,
    query: QueryDict | None = None,
) -> Choices:
    """Machines for sale, GPUs that the calibration knows, open-weights models.

    A test host is offered once something was measured on it, and its test models once it is chosen.
    """
    del query
    measured = {figure.sku.code for figure, _rate in known.standing(scenario.at)}
    listed = catalog.sku_choices(scenario.catalog_version, scenario.at)
    skus = tuple(sku for sku in listed if sku.gpu or (sku.is_test_host and sku.code in measured))
    chosen = facts.offer.sku if facts is not None and not scenario.gpu else None
    if chosen is not None and chosen.code not in {sku.code for sku in skus}:
        skus = (*skus, chosen)
    gpus = tuple(gpu for gpu in sheets.gpus() if gpu.vendor == CALIBRATED_VENDOR or gpu.name == scenario.gpu)
    own = scenario.model if is_own_model(scenario) and sheets.language_model(scenario.model) is None else ""
    tested = () if chosen is None else tested_models(chosen, scenario, known)
    return Choices(skus, gpus, (*sheets.models(), *tested), own)


def repaired(scenario: InferenceScenario, error: catalog.NotFound) -> InferenceScenario:
    """`scenario` without what does not exist; a vanished SKU or model gives way to the nearest."""
    match error.kind:
        case "sku":
            return replace(scenario, sku=error.nearest or catalog.usual(scenario).sku)
        case "gpu":
            return replace(scenario, gpu=error.nearest)
        case "model":
            return replace(scenario, model=error.nearest or catalog.usual(scenario).model)
    return replace(scenario, catalog_version=catalog.latest_version())


def own(scenario: InferenceScenario) -> InferenceScenario:
    """A scenario without the calibration that its link carries."""
    return replace(scenario, calibration="")


def released(found: Answer) -> InferenceScenario:
    """The visitor's own inputs."""
    return own(found.scenario)


def page(found: Answer) -> presenter.InferencePage:
    """The page of an answer in words."""
    return presenter.page(found.estimate, found.facts)


def short(found: Answer) -> str:
    """The answer in a few words, for the notice of an old link."""
    return presenter.short(found.estimate)


def file_stem(found: Answer) -> str:
    """A name that tells the files of two scenarios apart."""
    scenario: InferenceScenario = found.scenario
    model = "".join(letter if letter.isalnum() or letter in ".-" else "-" for letter in scenario.model)
    return f"vmcloud-inference-{model}-{scenario.sku}-{scenario.at:%Y%m%d}"


def kept(found: Answer) -> Kept:
    """The hours and every offer of the answer."""
    skus = [offer.sku for offer in found.facts.offers]
    return Kept(hours_per_month_h=found.scenario.hours_per_month_h, codes=codes_of(skus))


def economics_query(found: Answer) -> str:
    """The point as an economics link: decode and prefill rates of one GPU apart, so that prompts are counted once."""
    scenario: InferenceScenario = found.scenario
    estimate: InferenceEstimate = found.estimate
    if estimate.carried is None or estimate.chosen.served is None or scenario.gpu:
        return ""
    values = as_economics(scenario, estimate.carried, estimate.chosen.served.concurrency, found.facts.offer.sku)
    pairs = (written_pair(key, values[key.attribute]) for key in economics.KEYS if key.attribute in values)
    return "&".join((f"v={permalinks.VERSION}", *pairs))


IMPOSSIBLE = {
    "division_heads": "tp",
    "division_kv_heads": "tp",
    "division_vocabulary": "tp",
    "division_layers": "pp",
    "tensor_parallel_llama_cpp": "tp",
}
"""Divisions that no hardware makes valid, by the key of the link that asks for them."""


def refused(found: Answer) -> tuple[Problem, ...]:
    """A division that the model does not have. More GPUs than are rented is an answer: renting them would do."""
    reasons = found.estimate.chosen.reasons
    return impossible.problems(found.scenario, reasons, IMPOSSIBLE, lambda message: str(notice(message).text))


def handovers(found: Answer) -> tuple[Handover, ...]:
    """To what the tokens cost beside an API, and to training the same model on the same machine."""
    scenario: InferenceScenario = found.scenario
    ways = []
    if query := economics_query(found):
        ways.append(Handover("economics", gettext_lazy("Comparer aux API avec ces débits"), query))
    if not found.facts.is_own_model and not scenario.gpu:
        values = {"v": permalinks.VERSION, "model": scenario.model, "sku": scenario.sku}
        values |= {"count": str(scenario.instances)} | carrying.price(scenario.price_eur, scenario.basis, ())
        ways.append(Handover("training", gettext_lazy("Entraîner ce modèle sur ce GPU"), urlencode(values)))
    return tuple(ways)


PRESETS = (
    Preset(
        "chat",
        gettext_lazy("Chat"),
        {"model": "Mistral-7B-v0.3", "sku": "GPU-ENTERPRISE", "in": "1024", "out": "256", "conc": "16"},
    ),
    Preset(
        "code",
        gettext_lazy("Code"),
        {
            **{"model": "Qwen2.5-7B", "sku": "GPU-TITAN", "in": "2048", "out": "128", "conc": "8"},
            **{"ttft": "500", "tpot": "30"},
        },
    ),
    Preset(
        "rag",
        gettext_lazy("RAG"),
        {
            **{"model": "Mistral-Nemo-12B", "sku": "GPU-TITAN", "in": "6000", "out": "400", "conc": "8"},
            **{"ttft": "3000", "tpot": "50", "hit": "0.3"},
        },
    ),
    Preset(
        "long",
        gettext_lazy("Document long"),
        {
            **{"model": "Llama-3.1-8B", "sku": "GPU-TITAN", "in": "60000", "out": "1000", "conc": "2"},
            **{"ttft": "20000", "tpot": "50"},
        },
    ),
    Preset(
        "batch",
        gettext_lazy("Batch"),
        {
            **{"model": "Mistral-7B-v0.3", "sku": "GPU-PRO", "in": "1024", "out": "512", "conc": "32"},
            **{"ttft": "0", "tpot": "0", "util": "0.9"},
        },
    ),
    Preset(
        "assistant",
        gettext_lazy("Assistant interne publié"),
        {
            **{"model": "Mistral-7B-v0.3", "sku": "GPU-ENTERPRISE", "in": "1024", "out": "256", "conc": "16"},
            **{"kv": "fp8", "ttft": "100", "tpot": "16.6667", "mem": "0.9", "maxseq": "16"},
        },
    ),
    Preset(
        "llama70b",
        gettext_lazy("Llama-3-70B, 4\u00a0×\u00a0A100"),
        {
            **{"model": "Llama-3-70B", "sku": "GPU-TITAN", "count": "4", "tp": "4", "in": "2048", "out": "2048"},
            **{"conc": "16", "mem": "0.9", "maxseq": "256", "ttft": "2000", "tpot": "50"},
        },
    ),
    Preset(
        "llama8b",
        gettext_lazy("Llama-3-8B fp8, L40S"),
        {
            **{"model": "Llama-3-8B", "gpu": "L40S", "prec": "fp8", "kv": "fp8", "in": "2048", "out": "1024"},
            **{"conc": "16", "mem": "0.95", "ttft": "500", "tpot": "50"},
        },
    ),
)

TOOL = Calculator(
    name=NAME,
    title=gettext_lazy("Inférence"),
    document_title=gettext_lazy("VMCloud calculator, inférence"),
    form=InferenceForm,
    notation=notation.NOTATION,
    default=default_scenario,
    answer=answer,
    choices=choices,
    key_of=by_kind(KEY_OF_KIND),
    repaired=repaired,
    released=released,
    page=page,
    sentence=inference_lead.sentence,
    rows=inference_rows.export_rows,
    sections=inference_sections.sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    reads=figures.current,
    handovers=handovers,
    own=own,
    impossible=refused,
    presets=PRESETS,
)
