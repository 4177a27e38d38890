"""What the tokens calculator reads: machines with their sheets, APIs, embedding models, our own prompt rates."""

from collections.abc import Iterable

from calculator import catalog, sheets
from calculator.calibrated import calibration
from calculator.catalog import api_of, embedding_choices, latest_rate, sku_choices, sku_of
from calculator.domain.llm import LanguageModel
from calculator.domain.offers import ApiModel, Scope, Sku
from calculator.domain.provenance import Kind, Sourced
from calculator.domain.serving_scenario import Offer
from calculator.domain.tokens_scenario import TokensFacts, TokensScenario
from calculator.figures import Figures
from calculator.figures import current as current_figures
from calculator.snapshots import API, EMBEDDING, PARIS, SKU, NotFound, Snapshot, item_called, nearest_code, snapshot


def model_named(name: str) -> LanguageModel:
    """The open model of that name. Raises NotFound with the nearest name."""
    found = sheets.language_model(name)
    if found is None:
        raise NotFound("model", name, nearest_code(name, (model.name for model in sheets.models())))
    return found


def machines(version: int, scenario: TokensScenario, asked: Sku) -> tuple[Sku, ...]:
    """Machines with a GPU in catalogue order, without test hosts; the one asked for always among them."""
    offered = tuple(sku for sku in sku_choices(version, scenario.at) if sku.gpu and not sku.is_test_host)
    return offered if asked.code in {sku.code for sku in offered} else (*offered, asked)


def measured_rates(
    skus: Iterable[Sku], scenario: TokensScenario, model: LanguageModel, known: Figures | None
) -> dict[str, Sourced[float]]:
    """Prompt tokens a second of one instance by SKU, where we have measured the asked model at the asked precision."""
    found: dict[str, Sourced[float]] = {}
    for sku in skus:
        for rate in catalog.throughputs(sku.code, scenario.at, known=known):
            prefill = rate.prefill_tok_per_s
            fits = sheets.language_model(rate.model) is model and rate.precision.casefold() == scenario.precision
            if prefill is None or prefill.kind is not Kind.MEASURED or not fits:
                continue
            cards = sku.gpu_count if rate.scope is Scope.GPU else 1
            found.setdefault(sku.code, prefill if cards == 1 else prefill.scaled(prefill.value * cards))
    return found


def api_called(known: Snapshot, kind: str, code: str, scenario: TokensScenario) -> ApiModel:
    """A model sold by the token. Raises NotFound for a code that does not exist."""
    return api_of(known, item_called(known, kind, code, scenario.at), scenario.at)


def for_tokens(scenario: TokensScenario, figures: Figures | None = None) -> TokensFacts:
    """Everything that the tokens answer may use for one scenario.

    Raises NotFound for a version, SKU, model, API or embedding model that does not exist, and for a host without GPU.
    """
    known = snapshot(scenario.catalog_version)
    asked = sku_of(known, item_called(known, SKU, scenario.sku, scenario.at), scenario.at)
    if not asked.gpu:
        raise NotFound("sku", scenario.sku, TokensScenario(known.number, scenario.at).sku)
    model, skus = model_named(scenario.model), machines(known.number, scenario, asked)
    recorded = figures or current_figures()
    return TokensFacts(
        catalog_version=known.number,
        catalog_date=known.date,
        at=scenario.at,
        day=scenario.at.astimezone(PARIS).date(),
        offers=tuple(Offer(sku, sheets.gpu_of(sku, recorded.roofs(scenario.at))) for sku in skus),
        model=model,
        apis=tuple(api_called(known, API, code, scenario) for code in scenario.apis),
        embedding=api_called(known, EMBEDDING, scenario.embedding, scenario),
        embeddings=embedding_choices(known.number, scenario.at),
        calibration=calibration(),
        usd_per_eur=latest_rate(known.number, scenario.at),
        measured=measured_rates(skus, scenario, model, recorded),
    )
