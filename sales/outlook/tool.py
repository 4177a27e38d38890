"""The outlook as a calculator of its own: one path from link or form to answer, page and files, as for every other."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy

from calculator import catalog, fields
from calculator.figures import Figures
from calculator.permalinks import economics as economics_notation
from calculator.permalinks import rates
from calculator.presenters.headline import sentence
from calculator.tool import Answer, Calculator, Kept
from calculator.tools import economics
from sales.domain.outlook import OutlookScenario
from sales.domain.outlook_answer import OutlookEstimate, estimate
from sales.outlook import notation, page, reading, rows, sections
from sales.outlook.forms import OutlookForm


def default() -> OutlookScenario:
    """The outlook of a first visit."""
    return catalog.first_visit(OutlookScenario)


def with_reference(scenario: OutlookScenario) -> OutlookScenario:
    """`scenario` with option B among the compared APIs: here it is chosen by itself, before any box is ticked."""
    listed = {code.casefold() for code in scenario.apis}
    if scenario.reference.casefold() in listed:
        return scenario
    return replace(scenario, apis=(*scenario.apis, scenario.reference))


def answer(scenario: OutlookScenario, known: Figures | None = None) -> Answer:
    """The outlook of `scenario` from the catalogue it names; raises catalog.NotFound for a code it does not hold."""
    asked = with_reference(scenario)
    prices = catalog.for_economics(asked, known)
    named: Any = economics.canonical(asked, prices)
    facts = reading.facts(prices, named.reference)
    found = estimate(rates.released(named, prices), facts)
    return Answer(economics_notation.pinned(named, prices), prices, found)


def of_economics(found: Answer) -> Answer:
    """The economics answer inside an outlook's."""
    return replace(found, estimate=found.estimate.economics)


def said(found: OutlookEstimate) -> str:
    """The answer in one sentence."""
    return sentence(found.economics)


def file_stem(found: Answer) -> str:
    """A name that tells the files of two outlooks apart."""
    volume = fields.plain(found.estimate.economics.volume_tokens.to_integral_value())
    return f"vmcloud-outlook-{found.scenario.sku}-{volume}-{found.scenario.at:%Y%m%d}"


def short(found: Answer) -> str:
    """The month's bill, for the notice of an old link."""
    return economics.short(of_economics(found))


def kept(found: Answer) -> Kept:
    """What a saved outlook would name."""
    return economics.kept(of_economics(found))


def shown(found: Answer) -> Any:
    """The page in words."""
    return page.outlook(found.estimate)


TOOL = Calculator(
    name="outlook",
    title=gettext_lazy("Et si…"),
    document_title=gettext_lazy("VMCloud calculator, et si…"),
    form=OutlookForm,
    notation=notation.NOTATION,
    default=default,
    answer=answer,
    choices=economics.choices,
    key_of=economics.key_of,
    repaired=economics.repaired,
    released=economics.released,
    page=shown,
    sentence=said,
    rows=rows.rows,
    sections=sections.sections,
    file_stem=file_stem,
    short=short,
    kept=kept,
    reads=economics.TOOL.reads,
    based=economics.based,
    own=economics.own,
    presets=economics.PRESETS,
    profiles=economics.PROFILES,
)
