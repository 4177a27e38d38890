"""What the multi-GPU calculator reads: machine, data sheets, interconnects, calibration, the published run."""

from collections.abc import Iterable

from calculator import figures, interconnects, sheets
from calculator.calibrated import calibration
from calculator.catalog import sku_choices, sku_of
from calculator.domain.hardware import Gpu
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import Sku
from calculator.domain.parallel_scenario import ParallelismFacts, ParallelismScenario
from calculator.reading.inference import gpu_named
from calculator.snapshots import PARIS, SKU, NotFound, item_called, nearest_code, snapshot


def model_named(name: str) -> LanguageModel | None:
    """The model of that name; None for no name. Raises NotFound with the nearest name."""
    if not name:
        return None
    found = sheets.language_model(name)
    if found is None:
        raise NotFound("model", name, nearest_code(name, (model.name for model in sheets.models())))
    return found


def machine_called(scenario: ParallelismScenario) -> Sku | None:
    """The offer of the scenario; None where a data sheet stands in its place.

    Raises NotFound for a code that does not exist, and for a host without a GPU.
    """
    known = snapshot(scenario.catalog_version)
    if scenario.gpu:
        return None
    sku = sku_of(known, item_called(known, SKU, scenario.sku, scenario.at), scenario.at)
    if not sku.gpu:
        raise NotFound("sku", scenario.sku, ParallelismScenario(known.number, scenario.at).sku)
    return sku


def same_gpu(gpu: Gpu, skus: Iterable[Sku]) -> tuple[Sku, ...]:
    """Priced offers of the same GPU."""
    return tuple(sku for sku in skus if sku.prices and not sku.is_test_host and sheets.gpu(sku.gpu) is gpu)


def measured_gpu(gpu: Gpu, sku: Sku | None, scenario: ParallelismScenario) -> Gpu:
    """The GPU with what was measured of the offer; a bare data sheet as it is."""
    found = None if sku is None else sheets.gpu_of(sku, figures.current().roofs(scenario.at))
    return found or gpu


def for_parallelism(scenario: ParallelismScenario) -> ParallelismFacts:
    """Everything that the multi-GPU answer may use for one scenario.

    Raises NotFound for a version, SKU, GPU, model, link or network that does not exist.
    """
    known = snapshot(scenario.catalog_version)
    sku = machine_called(scenario)
    gpu = gpu_named(sku.gpu if sku else scenario.gpu)
    network = interconnects.interconnect(scenario.network)
    if network is None:
        raise NotFound("net", scenario.network)
    return ParallelismFacts(
        catalog_version=known.number,
        catalog_date=known.date,
        at=scenario.at,
        day=scenario.at.astimezone(PARIS).date(),
        gpu=measured_gpu(gpu, sku, scenario),
        sku=sku,
        model=model_named(scenario.model),
        link=interconnects.interconnect(scenario.link) if scenario.link else None,
        network=network,
        interconnects=interconnects.interconnects(),
        calibration=calibration(),
        published=interconnects.published_run(gpu_named(interconnects.published_gpu())),
        same_gpu=same_gpu(gpu, sku_choices(scenario.catalog_version, scenario.at)),
    )
