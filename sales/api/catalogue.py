"""The catalogue as data: SKUs, GPUs, language models, API models, figures, versions, prices and their history."""

import datetime as dt
from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from calculator import catalog, permalinks, published
from calculator.answers import absence
from calculator.domain.offers import ApiModel, Basis, Rates, Sku
from calculator.domain.provenance import Sourced
from calculator.jsonable import data, sourced_data
from calculator.models import CatalogVersion, Figure
from sales.api import questions, schemas
from sales.api.asking import asked, asked_catalogue, asked_item, part, state
from sales.api.problems import RefusedError

router = Router()
COMPONENTS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
OF_NUMBER = ("value", "unit", "kind", "source", "note", "date")


def number(item: Sourced[Any] | None) -> dict[str, Any] | None:
    """A number with its origin; None for what is unknown."""
    if item is None:
        return None
    found = sourced_data(item.label, item)
    return {name: found[name] for name in OF_NUMBER}


@router.get("/skus", response=schemas.Skus, url_name="api-skus", operation_id="skus", summary="Dedicated GPUs")
def skus(request: HttpRequest) -> dict[str, Any]:
    """Every GPU configuration with its prices in force; a price that is null is on request."""
    question = asked_catalogue(request, questions.CATALOGUE)
    found = catalog.sku_choices(question.catalog_version, question.at)
    return {**state(question), **part(request, questions.CATALOGUE, question, map(sku_data, found))}


def sku_data(sku: Sku) -> dict[str, Any]:
    """A configuration for the answer."""
    return {
        "code": sku.code,
        "label": sku.label,
        "gpu": sku.gpu,
        "gpu_count": sku.gpu_count,
        "vram_gb": data(sku.vram_gb),
        "is_test_host": sku.is_test_host,
        "prices": {basis.value: number(sku.prices.get(basis)) for basis in Basis},
    }


@router.get("/gpus", response=schemas.Gpus, url_name="api-gpus", operation_id="gpus", summary="GPU data sheets")
def gpus(request: HttpRequest) -> dict[str, Any]:
    """Data sheets by name, in the sheets' own units; null = not stated, or not supported in hardware."""
    question = asked(request, questions.LIST)
    return part(request, questions.LIST, question, map(data, catalog.gpu_sheets()))


@router.get(
    "/language-models",
    response=schemas.LanguageModels,
    url_name="api-language-models",
    operation_id="language_models",
    summary="Open-weights models",
)
def language_models(request: HttpRequest) -> dict[str, Any]:
    """Dimensions of the open-weights models by name."""
    question = asked(request, questions.LIST)
    return part(request, questions.LIST, question, map(data, catalog.language_models()))


@router.get(
    "/api-models",
    response=schemas.ApiModels,
    url_name="api-models",
    operation_id="api_models",
    summary="Models sold by the token",
)
def api_models(request: HttpRequest) -> dict[str, Any]:
    """Models of API providers with their other names and their rates in force by service level and context tier."""
    question = asked_catalogue(request, questions.API_MODELS)
    version, at = question.catalog_version, question.at
    aliases = published.aliases(version, at)
    found = [
        {**api_data(api), "aliases": aliases.get(api.code, ())}
        for api in catalog.api_choices(version, at, include_retired=question.with_retired)
    ]
    return {**state(question), **part(request, questions.API_MODELS, question, found)}


def api_data(api: ApiModel) -> dict[str, Any]:
    """A model sold by the token, without its other names."""
    return {
        "code": api.code,
        "label": api.label,
        "provider": api.provider,
        "retired_on": data(api.retired_on),
        "context_window_tokens": api.context_window_tokens,
        "modes": {mode.value: [tier_data(rates) for rates in tiers] for mode, tiers in api.modes.items()},
    }


def tier_data(rates: Rates) -> dict[str, Any]:
    """The rates of one context tier."""
    found = {component: number(getattr(rates, component)) for component in COMPONENTS}
    return {"context_over_tokens": rates.context_over_tokens, **found}


@router.get(
    "/versions", response=schemas.Versions, url_name="api-versions", operation_id="versions", summary="Versions"
)
def versions(request: HttpRequest) -> dict[str, Any]:
    """The numbered states of the catalogue, newest first."""
    question = asked(request, questions.LIST)
    return part(request, questions.LIST, question, map(version_data, catalog.versions()))


def version_data(version: CatalogVersion) -> dict[str, Any]:
    """A version: who made it and what it counted stays inside."""
    return {"number": version.number, "kind": version.kind, "created_at": permalinks.write_instant(version.created_at)}


@router.get(
    "/figures",
    response=schemas.Figures,
    url_name="api-figures",
    operation_id="figures",
    summary="Published throughputs and measured roofs",
)
def figures(request: HttpRequest) -> dict[str, Any]:
    """Figures that stand at the instant, newest first. Those of test models show only where both their SKU and their
    model are named."""
    question = asked(request, questions.FIGURES, at=timezone.now().astimezone(dt.UTC).replace(microsecond=0))
    found = published.standing_figures(question.at, question.sku, question.model, question.metric)
    shown = part(request, questions.FIGURES, question, map(figure_data, found))
    return {"at": permalinks.write_instant(question.at), **shown}


def figure_data(figure: Figure) -> dict[str, Any]:
    """A figure with its conditions."""
    own = ("metric", "unit", "scope", "kind", "label", "conditions", "precision", "engine", "run", "exception")
    counted = ("input_tokens", "output_tokens", "concurrency", "single_stream", "test_model")
    return {
        "id": figure.pk,
        "sku": figure.sku.code,
        "model": figure.language_model.name if figure.language_model else "",
        "value": data(figure.value),
        "source": figure.reference,
        "date": data(figure.as_of),
        "published_at": permalinks.write_instant(figure.published_at),
        **{name: str(getattr(figure, name)) for name in own},
        **{name: getattr(figure, name) for name in counted},
    }


@router.get("/prices", response=schemas.Prices, url_name="api-prices", operation_id="prices", summary="Prices in force")
def prices(request: HttpRequest) -> dict[str, Any]:
    """Every public price in force at the instant, with its start, its source and the day it was checked."""
    question = asked_catalogue(request, questions.PRICES)
    found = [
        {"kind": kind, "code": code, **data(point)}
        for kind, code, point in catalog.prices_in_force(question.catalog_version, question.at)
        if question.kind in ("", kind) and question.mode in ("", point.mode)
    ]
    rate: Sourced[Decimal] | None = catalog.latest_rate(question.catalog_version, question.at)
    shown = part(request, questions.PRICES, question, found)
    return {**state(question), "usd_per_eur": number(rate), **shown}


@router.get(
    "/prices/{kind}/{path:code}",
    response=schemas.History,
    url_name="api-price-history",
    operation_id="price_history",
    summary="Every price of one item",
)
def price_history(request: HttpRequest, kind: str, code: str) -> dict[str, Any]:
    """Every price of one item that the version knows, newest start first; announced and withdrawn ones included."""
    question, asked_code = asked_catalogue(request, questions.CATALOGUE), asked_item(kind, code)
    version, at = question.catalog_version, question.at
    try:
        name = catalog.canonical_code(kind, asked_code, version, at)
    except catalog.NotFound as error:
        raise RefusedError([absence("code", error)]) from error
    found = [{"kind": kind, "code": name, **data(point)} for point in catalog.price_history(kind, name, version, at)]
    shown = part(request, questions.CATALOGUE, question, found)
    return {**state(question), "kind": kind, "code": name, **shown}
