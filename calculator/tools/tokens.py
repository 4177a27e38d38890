"""The tokens calculator: a corpus in tokens, and what embedding and reading it costs and takes."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from calculator import calibrated, catalog, fields, figures, permalinks, sheets
from calculator.domain import tokens
from calculator.domain.offers import Basis
from calculator.domain.tokens_scenario import TokensEstimate, TokensFacts, TokensScenario
from calculator.figures import Figures
from calculator.forms.tokens import Choices, TokensForm
from calculator.permalinks import rates
from calculator.permalinks import tokens as notation
from calculator.presenters import tokens as words
from calculator.presenters import tokens_rows, tokens_sections
from calculator.reading.tokens import for_tokens
from calculator.tool import Answer, Calculator, Handover, Kept, Notice, Preset, by_kind, codes_of
from calculator.tools import carrying
from calculator.tools.calibration import recalibrated

NAME = "tokens"
KEY_OF_KIND = {"sku": "sku", "model": "model", "api": "api", "embedding": "embed", "version": "catalog"}


def default_scenario() -> TokensScenario:
    """Two million documents at today's catalogue."""
    return catalog.first_visit(TokensScenario)


def answer(scenario: TokensScenario, known: Figures | None = None) -> Answer:
    """The estimate of `scenario`; raises catalog.NotFound for a code or name that does not exist."""
    facts = for_tokens(scenario, known)
    named = canonical(scenario, facts)
    pinned = replace(rates.pinned(named, facts), calibration=calibrated.mark())
    return Answer(pinned, facts, tokens.estimate(rates.released(named, facts), facts))


def canonical(scenario: TokensScenario, facts: TokensFacts) -> TokensScenario:
    """`scenario` with every code and name as the catalogue writes it."""
    return replace(
        scenario,
        sku=catalog.canonical_code("sku", scenario.sku, facts.catalog_version, facts.at),
        model=facts.model.name,
        apis=tuple(dict.fromkeys(api.code for api in facts.apis)),
        embedding=facts.embedding.code,
    )


def released(found: Answer) -> TokensScenario:
    """The visitor's own inputs: neither the catalogue's exchange rate nor the calibration's mark."""
    own_rate: TokensScenario = rates.released(found.scenario, found.facts)
    return replace(own_rate, calibration="")


def choices(
    scenario: TokensScenario, known: Any, facts: TokensFacts | None = None, query: QueryDict | None = None
) -> Choices:
    """What the form offers; a retired API only where it is chosen already."""
    del known
    version, at = scenario.catalog_version, scenario.at
    chosen: Iterable[str] = query.getlist("api") if query is not None else ()
    kept = {code.casefold() for code in (*chosen, *scenario.apis)}
    offered = {api.code for api in catalog.api_choices(version, at)}
    every = catalog.api_choices(version, at, include_retired=True)
    skus = tuple(sku for sku in catalog.sku_choices(version, at) if sku.gpu)
    if facts is not None:
        shown = {sku.code for sku in skus}
        skus = (*skus, *(offer.sku for offer in facts.offers if offer.sku.code not in shown))
    return Choices(
        embeddings=catalog.embedding_choices(version, at),
        apis=tuple(api for api in every if api.code in offered or api.code.casefold() in kept),
        skus=skus,
        models=sheets.models(),
    )


def repaired(scenario: TokensScenario, error: catalog.NotFound) -> TokensScenario:
    """`scenario` without what does not exist; the nearest takes its place, an API is left out."""
    match error.kind:
        case "sku":
            return replace(scenario, sku=error.nearest or catalog.usual(scenario).sku)
        case "model":
            return replace(scenario, model=error.nearest or catalog.usual(scenario).model)
        case "api":
            return replace(scenario, apis=tuple(code for code in scenario.apis if code != error.code))
        case "embedding":
            return replace(scenario, embedding=error.nearest or catalog.usual(scenario).embedding)
    return replace(scenario, catalog_version=catalog.latest_version())


def own(scenario: TokensScenario) -> TokensScenario:
    """A scenario without what its link carries of the catalogue and the calibration."""
    return replace(scenario, usd_per_eur=None, calibration="")


def notices(found: Answer) -> tuple[Notice, ...]:
    """The calibration has changed since the link was made."""
    return recalibrated(found.estimate.scenario.calibration)


def _carried(**values: object) -> str:
    """A link's query for another calculator."""
    return urlencode((("v", permalinks.VERSION), *((name, str(value)) for name, value in values.items())), safe=":/")


def handovers(found: Answer) -> tuple[Handover, ...]:
    """The corpus to train on, a chunk or a document as prompt, the corpus as input paid by the token."""
    scenario: TokensScenario = found.scenario
    document = fields.plain(max(scenario.mean_tokens.to_integral_value(), Decimal(1)))
    price = carrying.price(scenario.price_eur, Basis.HOUR, found.estimate.gpu.offer.sku.prices)
    machine = {"sku": scenario.sku, "model": scenario.model, **carrying.instances(scenario.instances), **price}
    return (
        Handover(
            "training",
            gettext_lazy("Entraîner un modèle sur ce corpus"),
            _carried(**machine, work="tokens", tokens=fields.plain(scenario.mean_tokens * scenario.documents_count)),
        ),
        Handover(
            "inference",
            gettext_lazy("Servir des prompts de cette longueur"),
            _carried(**machine, **{"in": document}, prec=scenario.precision),
        ),
        Handover(
            "economics",
            gettext_lazy("Comparer API et GPU avec ces prompts"),
            _carried(sku=scenario.sku, **price, **{"in": document}, **prompt_rate(found.estimate)),
        ),
    )


def prompt_rate(estimate: TokensEstimate) -> dict[str, str]:
    """The rate of one GPU for prompts as long as the documents, as the economics take it: typed, hence an assumption
    there. None where unknown."""
    gpu = next(item for item in estimate.gpus if item.offer.sku.code == estimate.gpu.offer.sku.code)
    if gpu.rate is None:
        return {}
    one = gpu.rate.value / (gpu.instances * gpu.offer.sku.gpu_count)
    return {"prefill": fields.plain(Decimal(repr(one)).quantize(Decimal("0.01")))}


def kept(found: Answer) -> Kept:
    """The exchange rate and every offer of the answer."""
    estimate: TokensEstimate = found.estimate
    rate, facts = estimate.usd_per_eur, found.facts
    skus = tuple(offer.sku for offer in facts.offers)
    return Kept(
        usd_per_eur=rate.value if rate else None,
        rate_date=rate.date if rate else None,
        codes=codes_of((*skus, *facts.apis, *facts.embeddings)),
    )


def file_stem(found: Answer) -> str:
    """A name that tells the files of two scenarios apart."""
    return f"vmcloud-tokens-{found.scenario.documents_count}-{found.scenario.at:%Y%m%d}"


def shown(found: Answer) -> Any:
    """The page of an answer in words."""
    return words.tokens(found.estimate)


def short(found: Answer) -> str:
    """The total of tokens, for the notice of an old link."""
    estimate: TokensEstimate = found.estimate
    return words.short(estimate)


PRESETS = (
    Preset("legal", gettext_lazy("2\u00a0M de documents juridiques"), {}),
    Preset(
        "reference",
        gettext_lazy("Phrase de référence"),
        {"docs": "1", "mean": "12", "n": "1", "p50": "12", "p95": "12"},
    ),
    Preset(
        "support",
        gettext_lazy("12\u202f000 tickets de support"),
        {"docs": "12000", "mean": "256", "chunk": "256", "overlap": "32"},
    ),
    Preset(
        "chat",
        gettext_lazy("Journal de 500\u202f000 conversations"),
        {"docs": "500000", "mean": "900", "chunk": "900", "overlap": "0", "mode": "batch"},
    ),
    Preset(
        "books",
        gettext_lazy("1\u202f000 ouvrages entiers"),
        {"docs": "1000", "mean": "120000", "chunk": "1024", "overlap": "128", "embed": "embed-v4.0"},
    ),
)
PROFILES = (
    Preset("short", gettext_lazy("256 + 32"), {"chunk": "256", "overlap": "32"}),
    Preset("usual", gettext_lazy("512 + 64"), {"chunk": "512", "overlap": "64"}),
    Preset("long", gettext_lazy("1\u202f024 + 128"), {"chunk": "1024", "overlap": "128"}),
)

TOOL = Calculator(
    name=NAME,
    title=gettext_lazy("Tokens"),
    document_title=gettext_lazy("VMCloud calculator, tokens"),
    form=TokensForm,
    notation=notation.NOTATION,
    default=default_scenario,
    answer=answer,
    choices=choices,
    key_of=by_kind(KEY_OF_KIND),
    repaired=repaired,
    released=released,
    page=shown,
    sentence=words.sentence,
    rows=tokens_rows.export_rows,
    sections=tokens_sections.sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    reads=figures.current,
    notices=notices,
    handovers=handovers,
    own=own,
    presets=PRESETS,
    profiles=PROFILES,
)
