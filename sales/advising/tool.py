"""The advisor as one more calculator: a need in, ranked offers out."""

from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from calculator import calibrated, catalog, figures, sheets
from calculator.domain.scenario import EconomicsScenario
from calculator.domain.serving_scenario import InferenceScenario
from calculator.figures import Figures
from calculator.permalinks import rates
from calculator.reading.inference import for_inference, model_of
from calculator.reading.tokens import for_tokens
from calculator.reading.training import for_training
from calculator.tool import Answer, Calculator, Kept, Preset, by_kind, codes_of
from sales.advising import lead, page, rows, sections
from sales.advising.form import Choices, NeedForm
from sales.advising.notation import NOTATION
from sales.domain import indexing_offers, training_offers
from sales.domain.advice import AdviceFacts, estimate
from sales.domain.need import Need
from sales.domain.serving_offers import ServingFacts

NAME = "advice"
KEY_OF_KIND = {"model": "model", "version": "catalog", "sku": "use", "gpu": "use", "api": "range", "embedding": "docs"}


def default_scenario() -> Need:
    """A first visit: an assistant for a team, at today's catalogue."""
    return catalog.first_visit(Need)


def facts_of(need: Need, known: Figures | None = None) -> AdviceFacts:
    """Every offer with the open model, prices and APIs on sale. Raises NotFound for a version or model."""
    version, at = need.catalog_version, need.at
    asked = InferenceScenario(version, at, model=need.open_model)
    offered = tuple(sku for sku in catalog.sku_choices(version, at) if sku.gpu and not sku.is_test_host)
    name = model_of(asked).name
    by_sku = {sku.code: for_inference(replace(asked, model=name, sku=sku.code), known) for sku in offered}
    apis = catalog.api_choices(version, at)
    priced = EconomicsScenario(version, at, apis=tuple(api.code for api in apis))
    if offered:
        priced = replace(priced, sku=offered[0].code)
    if apis:
        priced = replace(priced, reference=apis[0].code)
    prices = catalog.for_economics(priced, known)
    return AdviceFacts(
        catalog_version=prices.catalog_version,
        catalog_date=prices.catalog_date,
        at=at,
        day=prices.day,
        serving=ServingFacts(by_sku, prices, apis),
        usd_per_eur=prices.usd_per_eur,
        training={sku.code: for_training(training_offers.asked(need, sku.code)) for sku in offered if need.trains},
        tokens=for_tokens(indexing_offers.asked(need), known) if need.indexes else None,
    )


def answer(need: Need, known: Figures | None = None) -> Answer:
    """The advice for `need`; raises catalog.NotFound for a version or a model that does not exist."""
    facts = facts_of(need, known)
    named = canonical(need)
    asked = replace(rates.released(named, facts), calibration=calibrated.mark())
    return Answer(replace(rates.pinned(named, facts), calibration=calibrated.mark()), facts, estimate(asked, facts))


def canonical(need: Need) -> Need:
    """`need` with the model's name as the catalogue writes it."""
    found = sheets.language_model(need.model) if need.model else None
    return need if found is None else replace(need, model=found.name)


def choices(need: Need, known: Any, facts: AdviceFacts | None = None, query: QueryDict | None = None) -> Choices:
    """What the form offers: every open model."""
    del need, known, facts, query
    return Choices(sheets.models())


def repaired(need: Need, error: catalog.NotFound) -> Need:
    """`need` without what does not exist; a vanished model gives way to the nearest."""
    if error.kind == "model":
        return replace(need, model=error.nearest)
    return replace(need, catalog_version=catalog.latest_version())


def own(need: Need) -> Need:
    """A need without what its link carries of the catalogue and the calibration."""
    return replace(need, usd_per_eur=None, calibration="")


def released(found: Answer) -> Need:
    """The visitor's own inputs."""
    own_rate: Need = rates.released(found.scenario, found.facts)
    return replace(own_rate, calibration="")


def kept(found: Answer) -> Kept:
    """The exchange rate and every offer of the answer."""
    facts: AdviceFacts = found.facts
    rate = facts.usd_per_eur
    return Kept(
        usd_per_eur=found.scenario.usd_per_eur,
        rate_date=rate.date if rate else None,
        codes=codes_of((*(own.offer.sku for own in facts.serving.by_sku.values()), *facts.serving.apis)),
    )


def file_stem(found: Answer) -> str:
    """A name that tells the files of two needs apart."""
    return f"vmcloud-conseil-{found.scenario.use.value}-{found.scenario.at:%Y%m%d}"


PRESETS = (
    Preset("team", gettext_lazy("Assistant d’équipe"), {}),
    Preset(
        "legal",
        gettext_lazy("2\u00a0M de documents juridiques"),
        {"use": "index", "load": "none", "docs": "2000000", "doc": "4000"},
    ),
    Preset(
        "tickets",
        gettext_lazy("Affiner sur 12\u202f000 tickets"),
        {"use": "tune", "load": "none", "rows": "12000", "row": "256", "model": "Mistral-7B"},
    ),
    Preset(
        "encoder",
        gettext_lazy("Encodeur de 2,7\u00a0Md"),
        {"use": "pretrain", "load": "none", "params": "2700000000", "corpus": "40000000000"},
    ),
    Preset(
        "assistant",
        gettext_lazy("Assistant, premier token en 100\u00a0ms"),
        {"in": "1024", "out": "256", "ttft": "100", "tpot": "16.6667", "model": "Mistral-7B-v0.3"},
    ),
    Preset(
        "tokens100",
        gettext_lazy("100\u00a0M de tokens par mois"),
        {
            **{"load": "tokens", "volume": "100000000", "shape": "steady", "in": "2000", "out": "500"},
            "range": ("small", "large"),
        },
    ),
    Preset(
        "rag",
        gettext_lazy("RAG grand public"),
        {"use": "rag", "users": "2000", "shape": "public"},
    ),
    Preset(
        "batch",
        gettext_lazy("Lots de nuit"),
        {"use": "batch", "load": "requests", "requests": "2000000", "shape": "night"},
    ),
)

TOOL = Calculator(
    name=NAME,
    title=gettext_lazy("Conseil"),
    document_title=gettext_lazy("VMCloud calculator, conseil"),
    form=NeedForm,
    notation=NOTATION,
    default=default_scenario,
    answer=answer,
    choices=choices,
    key_of=by_kind(KEY_OF_KIND),
    repaired=repaired,
    released=released,
    page=page.page,
    sentence=lead.sentence,
    rows=rows.export_rows,
    sections=sections.sections,
    file_stem=file_stem,
    short=lead.short,
    kept=kept,
    reads=figures.current,
    own=own,
    presets=PRESETS,
)
