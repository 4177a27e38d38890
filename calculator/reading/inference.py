"""What the inference calculator reads: offers with their sheets, the model, the calibration, our published runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from calculator import figures, sheets
from calculator.accuracy.naming import engine_class
from calculator.calibrated import calibration
from calculator.catalog import sku_choices, sku_of
from calculator.domain.hardware import Gpu, Roofs
from calculator.domain.llm import MISTRAL_7B, LanguageModel
from calculator.domain.offers import Scope, Sku, Throughput
from calculator.domain.precision import PRECISIONS
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving_scenario import (
    OWN_MODEL,
    IncompleteModelError,
    InferenceFacts,
    InferenceScenario,
    KnownRun,
    Offer,
    is_own_model,
    own_model,
)
from calculator.figures import Figures
from calculator.snapshots import PARIS, SKU, NotFound, item_called, nearest_code, snapshot

GGUF = "gguf-"


def gpu_named(name: str) -> Gpu:
    """The data sheet of that name. Raises NotFound with the nearest name."""
    found = sheets.gpu(name)
    if found is None:
        raise NotFound("gpu", name, nearest_code(name, (gpu.name for gpu in sheets.gpus())))
    return found


def tested_models(sku: Sku, scenario: InferenceScenario, known: Figures) -> tuple[LanguageModel, ...]:
    """The test models that were measured on a SKU by the scenario's instant: they exist for this SKU alone."""
    records = (
        figure.language_model
        for figure, _rate in known.standing(scenario.at)
        if figure.sku.code == sku.code and figure.test_model
    )
    by_name = {record.name: record for record in records if record is not None and record.is_test}
    return tuple(sheets.stored(LanguageModel, record) for _name, record in sorted(by_name.items()))


def model_of(scenario: InferenceScenario, tested: Iterable[LanguageModel] = ()) -> LanguageModel:
    """The model that the visitor describes, else the catalogue's of that name, else the test model among `tested`.

    Raises NotFound with the nearest. What is missing of a described model is the notation's to say: such a scenario is
    never answered.
    """
    found = sheets.language_model(scenario.model)
    if found is None:
        found = next((one for one in tested if one.name.casefold() == scenario.model.strip().casefold()), None)
    if is_own_model(scenario):
        named = replace(scenario, model=OWN_MODEL) if found else scenario
        try:
            return own_model(named)
        except IncompleteModelError:
            found = found or MISTRAL_7B
    if found is None:
        raise NotFound("model", scenario.model, nearest_code(scenario.model, (one.name for one in sheets.models())))
    return found


def own_offer(gpu: Gpu) -> Offer:
    """A GPU chosen by its data sheet: one card, no price until the visitor types one."""
    return Offer(Sku(code=gpu.name, label=gpu.name, gpu=gpu.name, gpu_count=1, vram_gb=gpu.vram_gb), gpu)


def offer_of(sku: Sku, roofs: Mapping[str, Roofs]) -> Offer:
    """A SKU with the data sheet of its GPU and what was measured of it."""
    return Offer(sku, sheets.gpu_of(sku, roofs))


def chosen_offer(scenario: InferenceScenario, roofs: Mapping[str, Roofs]) -> Offer:
    """The hardware asked for. Raises NotFound for a SKU or a GPU that does not exist."""
    known = snapshot(scenario.catalog_version)
    item = item_called(known, SKU, scenario.sku, scenario.at)
    if scenario.gpu:
        return own_offer(gpu_named(scenario.gpu))
    return offer_of(sku_of(known, item, scenario.at), roofs)


def precision_code(text: str) -> str:
    """The code of a run's precision; formats of llama.cpp are stored by their own name.

    >>> precision_code("Q4_K_M"), precision_code("FP16")
    ('gguf-q4_k_m', 'fp16')
    """
    folded = text.casefold()
    return folded if folded in PRECISIONS else f"{GGUF}{folded}"


def run_of(throughput: Throughput, sku: Sku) -> KnownRun | None:
    """A published measurement as a run of a whole instance; None where its conditions are not all known."""
    rate, engine = throughput.output_tok_per_s, engine_class(throughput.engine)
    concurrency, prompt, output = throughput.concurrency, throughput.input_tokens, throughput.output_tokens
    code = precision_code(throughput.precision)
    if rate.kind is not Kind.MEASURED or engine is None or code not in PRECISIONS:
        return None
    if not concurrency or not prompt or not output:
        return None
    several = sku.gpu_count if throughput.scope is Scope.GPU else 1
    return KnownRun(
        model=throughput.model,
        precision=code,
        engine=engine,
        concurrency=concurrency * several,
        prompt_tokens=prompt,
        output_tokens=output,
        output_tok_per_s=replace(rate, value=rate.value * several),
        run=throughput.run,
    )


def runs_of(found: Iterable[Throughput], sku: Sku, model: LanguageModel) -> Iterator[KnownRun]:
    """Our runs of that model on that SKU."""
    for throughput in found:
        run = run_of(throughput, sku)
        if run is not None and run.model.casefold() == model.name.casefold():
            yield run


def claim_of(found: Iterable[Throughput]) -> Sourced[float] | None:
    """The vendor's own single-stream rate of a SKU; None where there is none."""
    claims = (one.output_tok_per_s for one in found if one.single_stream)
    return next((rate for rate in claims if rate.kind is Kind.CLAIM), None)


def throughputs_of(
    sku: Sku, scenario: InferenceScenario, known: Figures, model: LanguageModel
) -> tuple[Throughput, ...]:
    """The throughputs of one SKU valid at the instant; those of test models only where `model` is one."""
    return tuple(
        throughput
        for figure, throughput in known.standing(scenario.at)
        if figure.sku.code == sku.code and figure.test_model == model.is_test
    )


def for_inference(scenario: InferenceScenario, known_figures: Figures | None = None) -> InferenceFacts:
    """Everything that the inference answer may use for one scenario.

    Raises NotFound for a version, SKU, GPU or model that does not exist.
    """
    known, recorded = snapshot(scenario.catalog_version), known_figures or figures.current()
    roofs = recorded.roofs(scenario.at)
    chosen = chosen_offer(scenario, roofs)
    model = model_of(scenario, tested_models(chosen.sku, scenario, recorded))
    skus = sku_choices(known.number, scenario.at)
    offered = tuple(offer_of(sku, roofs) for sku in skus if not sku.is_test_host)
    found = throughputs_of(chosen.sku, scenario, recorded, model)
    return InferenceFacts(
        catalog_version=known.number,
        catalog_date=known.date,
        at=scenario.at,
        day=scenario.at.astimezone(PARIS).date(),
        model=model,
        offer=chosen,
        offers=offered if chosen in offered else (*offered, chosen),
        calibration=calibration(),
        runs=tuple(runs_of(found, chosen.sku, model)),
        claim_tok_per_s=claim_of(found),
        is_own_model=is_own_model(scenario),
    )
