"""The economics calculator: what a million tokens costs on a dedicated GPU and on an API."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from calculator import catalog, fields, figures, formats
from calculator.domain import economics
from calculator.domain.offers import EconomicsFacts
from calculator.domain.scenario import EconomicsEstimate, EconomicsScenario
from calculator.figures import Figures
from calculator.forms.economics import Choices, EconomicsForm
from calculator.permalinks import economics as notation
from calculator.permalinks import rates
from calculator.presenters import economics_sections, export_rows, page, sentence
from calculator.tool import Answer, Calculator, Kept, Preset, codes_of

KEY_OF_KIND = {"sku": "sku", "figure": "fig", "model": "model", "version": "catalog"}


def answer(scenario: EconomicsScenario, known: Figures | None = None) -> Answer:
    """The estimate of `scenario` from the catalogue it names; raises catalog.NotFound for a code it does not hold.

    `known` are the figures as a page has read them already, once for all that it asks.
    """
    facts = catalog.for_economics(scenario, known)
    named = canonical(scenario, facts)
    estimate = economics.estimate(rates.released(named, facts), facts)
    return Answer(notation.pinned(named, facts), facts, estimate)


def canonical(scenario: EconomicsScenario, facts: EconomicsFacts) -> EconomicsScenario:
    """`scenario` with every code and name as the catalogue writes it, whatever case or alias it was asked by."""
    measured = facts.sku.throughput.model if facts.sku.throughput else ""
    return replace(
        scenario,
        sku=facts.sku.code,
        apis=tuple(api.code for api in facts.apis),
        reference=catalog.canonical_code("api", scenario.reference, facts.catalog_version, facts.at),
        model=measured if measured.casefold() == scenario.model.casefold() else scenario.model,
    )


def released(found: Answer) -> EconomicsScenario:
    """The visitor's own inputs: neither the figure nor the exchange rate that the catalogue gave."""
    own_rate: EconomicsScenario = rates.released(found.scenario, found.facts)
    return replace(own_rate, figure_id=None)


def based(query: QueryDict, base: EconomicsScenario) -> EconomicsScenario:
    """`base` with the SKU that was picked, so that the form offers that SKU's figures. NotFound: unknown version."""
    code = query.get("sku", "")
    codes = {sku.code.casefold(): sku.code for sku in catalog.sku_choices(base.catalog_version, base.at)}
    return replace(base, sku=codes.get(code.casefold(), base.sku))


def choices(
    scenario: EconomicsScenario, known: Figures, facts: EconomicsFacts | None = None, query: QueryDict | None = None
) -> Choices:
    """What the form offers: all that is for sale, and what is retired only where it is chosen already."""
    version, at = scenario.catalog_version, scenario.at
    chosen: Iterable[str] = query.getlist("api") if query is not None else ()
    kept = {code.casefold() for code in (*chosen, *scenario.apis, scenario.reference)}
    today = timezone.localdate(at)
    every = catalog.api_choices(version, at, include_retired=True)
    offered = {api.code for api in every if api.retired_on is None or api.retired_on > today}
    skus = catalog.sku_choices(version, at)
    if facts is not None and facts.sku.code not in {sku.code for sku in skus}:
        skus = (*skus, facts.sku)
    return Choices(
        skus=skus,
        apis=tuple(api for api in every if api.code in offered or api.code.casefold() in kept),
        figures=catalog.throughputs(scenario.sku, at, include_test=True, known=known),
    )


def key_of(error: catalog.NotFound, scenario: EconomicsScenario) -> str:
    """The link's key behind a code that the catalogue does not hold."""
    if error.kind != "api":
        return KEY_OF_KIND[error.kind]
    return "api" if error.code in scenario.apis else "ref"


def repaired(scenario: EconomicsScenario, error: catalog.NotFound) -> EconomicsScenario:
    """`scenario` without what the catalogue does not hold; a vanished SKU or reference gives way to the nearest."""
    match key_of(error, scenario):
        case "sku":
            return replace(scenario, sku=error.nearest or catalog.usual(scenario).sku, figure_id=None)
        case "api":
            return replace(scenario, apis=tuple(code for code in scenario.apis if code != error.code))
        case "ref":
            return replace(scenario, reference=error.nearest or catalog.usual(scenario).reference)
        case "fig":
            return replace(scenario, figure_id=None)
        case "model":
            return replace(scenario, model="")
    return replace(scenario, catalog_version=catalog.latest_version())


def kept(found: Answer) -> Kept:
    """The rate, the hours, the figures behind the chosen SKU and the overview, and every offer of the answer."""
    estimate, facts = found.estimate, found.facts
    rate, skus = estimate.usd_per_eur, (facts.sku, *facts.skus)
    used = {sku.throughput.figure_id for sku in skus if sku.throughput}
    return Kept(
        usd_per_eur=rate.value if rate else None,
        rate_date=rate.date if rate else None,
        hours_per_month_h=estimate.hours_per_month_h.value,
        figures=frozenset(number for number in used if number is not None),
        codes=codes_of((*skus, *facts.apis)),
    )


def file_stem(found: Answer) -> str:
    """A name that tells the files of two scenarios apart."""
    volume = fields.plain(found.estimate.volume_tokens.to_integral_value())
    return f"vmcloud-{found.scenario.sku}-{volume}-{found.scenario.at:%Y%m%d}"


def own(scenario: EconomicsScenario) -> EconomicsScenario:
    """A scenario without the figure and the rate that its link carries."""
    return replace(scenario, figure_id=None, usd_per_eur=None)


def shown(found: Answer) -> Any:
    """The page of an answer in words."""
    return page.economics(found.estimate)


def short(found: Answer) -> str:
    """The month's bill, for the notice of an old link."""
    estimate: EconomicsEstimate = found.estimate
    amount = formats.money(estimate.gpu.total_eur, unknown=_("sur devis") if estimate.gpu.price is None else "")
    return _("%(amount)s HT par mois") % {"amount": amount}


PRESETS = (
    Preset("prototype", gettext_lazy("Prototype 10\u00a0M"), {"volume": "10000000"}),
    Preset("team", gettext_lazy("Équipe 50\u00a0M"), {"volume": "50000000"}),
    Preset("internal", gettext_lazy("Interne 100\u00a0M"), {"volume": "100000000"}),
    Preset("production", gettext_lazy("Production 300\u00a0M"), {"volume": "300000000"}),
    Preset("prompt", gettext_lazy("Avec prompts, 4 pour 1"), {"volume": "100000000", "in": "2000", "out": "500"}),
    Preset(
        "hours_used",
        gettext_lazy("GPU-TITAN à l’usage"),
        {"volume": "100000000", "sku": "GPU-TITAN", "basis": "hour", "rental": "hours_used"},
    ),
)
PROFILES = (
    Preset("office", gettext_lazy("Bureau 24\u00a0%"), {"util": "0.24"}),
    Preset("steady", gettext_lazy("Interne 65\u00a0%"), {"util": "0.65"}),
    Preset("batch", gettext_lazy("Batch 90\u00a0%"), {"util": "0.90"}),
)

TOOL = Calculator(
    name="economics",
    title=gettext_lazy("Économie des tokens"),
    document_title=gettext_lazy("VMCloud calculator, économie des tokens"),
    form=EconomicsForm,
    notation=notation.NOTATION,
    default=catalog.default_scenario,
    answer=answer,
    choices=choices,
    key_of=key_of,
    repaired=repaired,
    released=released,
    page=shown,
    sentence=sentence,
    rows=export_rows,
    sections=economics_sections.sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    reads=figures.current,
    based=based,
    own=own,
    presets=PRESETS,
    profiles=PROFILES,
)
