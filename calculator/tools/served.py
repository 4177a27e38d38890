"""What a model costs once it is trained: its serving point on the same machine, as the inference page estimates it."""

from urllib.parse import parse_qsl

from calculator import catalog
from calculator.domain.serving_scenario import InferenceScenario
from calculator.domain.training_scenario import TrainingScenario
from calculator.tools import inference

PRICED = ("basis", "price")


def economics_values(scenario: TrainingScenario) -> dict[str, str]:
    """The economics link of the model that `scenario` trains, served where it was trained; empty without an estimate.

    Base model, machine and how many of them go on, without a price: which one holds is the training page's to say.
    Lengths, clients and targets are those of the inference page's first visit. Adapters are merged into the base, whose
    rate this is. A model that is described by its number of parameters alone has no dimensions to estimate a rate from.
    """
    if scenario.params_count is not None:
        return {}
    try:
        query = inference.economics_query(inference.answer(served(scenario)))
    except catalog.NotFound:
        return {}
    return {name: value for name, value in parse_qsl(query) if name not in PRICED}


def served(scenario: TrainingScenario) -> InferenceScenario:
    """The model on its training machine, with the inference page's usual load."""
    return InferenceScenario(
        catalog_version=scenario.catalog_version,
        at=scenario.at,
        sku=scenario.sku,
        model=scenario.model,
        instances=scenario.instances,
        basis=scenario.basis,
        price_eur=scenario.price_eur,
    )
