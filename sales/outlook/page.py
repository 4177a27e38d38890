"""The whole page of an outlook in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from calculator import formats
from calculator.language import gettext as _
from calculator.presenters import headline, notices
from calculator.presenters import page as economics_page
from calculator.presenters.badges import Badge, badge, of_kind
from sales.domain.outlook_answer import OutlookEstimate
from sales.outlook import charts, claims, grid, months, moved, renting, solved, verdicts


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure with its title and the rows behind it."""

    title: str
    sentences: tuple[str, ...]
    figure: charts.Figure | None
    lines: tuple[months.MonthLine, ...]


@dataclass(frozen=True, slots=True)
class OutlookPage:
    """Everything that outlook_result.html prints."""

    lead: SafeString
    eyebrow: str
    status: str
    short: str
    gpu_name: str
    api_name: str
    plain: verdicts.Plain
    trust: Badge | None
    rules: tuple[verdicts.RuleLine, ...]
    profiles: tuple[verdicts.RuleLine, ...]
    reasons: tuple[verdicts.Reason, ...]
    claimed: claims.Claims
    equalities: tuple[solved.SolvedLine, ...]
    levers: tuple[moved.MovedLine, ...]
    levers_title: str
    tornado: charts.Figure | None
    bands: tuple[moved.BandLine, ...]
    year: Drawn | None
    ways: tuple[renting.WayLine, ...]
    ways_sentences: tuple[str, ...]
    power: tuple[renting.PowerLine, ...]
    power_w: str
    power_badge: Badge | None
    factors: tuple[grid.Factor, ...]
    notices: tuple[notices.Notice, ...]
    price_missing: bool
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]


@formats.one_language()
def outlook(found: OutlookEstimate) -> OutlookPage:
    """The page of an outlook in the active language."""
    economics, both, energy = found.economics, found.both, found.energy
    plain = verdicts.plain(both)
    return OutlookPage(
        lead=headline.lead(economics),
        eyebrow=headline.eyebrow(economics),
        status=plain.text,
        short=formats.money(both.gpu.total_eur, decimals=0, unknown=_("sur devis")),
        gpu_name=both.gpu.sku.name,
        api_name=both.api.bill.api.label if both.api else "",
        plain=plain,
        trust=of_kind(found.trust),
        rules=verdicts.lines(found, profiles=False),
        profiles=verdicts.lines(found, profiles=True),
        reasons=verdicts.reasons(found),
        claimed=claims.claims(),
        equalities=solved.lines(found),
        levers=moved.lines(found),
        levers_title=moved.title(found),
        tornado=charts.tornado(found),
        bands=moved.bands(found),
        year=_year(found),
        ways=renting.ways(found),
        ways_sentences=renting.sentences(found),
        power=renting.power(energy),
        power_w=_power(found),
        power_badge=badge(energy.power_w),
        factors=grid.factors(found.scenario),
        notices=notices.notices(economics),
        price_missing=economics.gpu.price is None,
        badges=economics_page.field_badges(economics),
        placeholders=placeholders(found),
    )


def _year(found: OutlookEstimate) -> Drawn | None:
    ramp = found.ramp
    if ramp is None:
        return None
    return Drawn(months.title(ramp), months.sentences(found, ramp), charts.year(found, ramp), months.lines(ramp))


def _power(found: OutlookEstimate) -> str:
    energy = found.energy
    if energy.power_w is None:
        return ""
    watts = f"{formats.number(energy.power_w.value)}{formats.NBSP}W"
    return watts if energy.gpu_count == 1 else f"{formats.number(energy.gpu_count)}{formats.NBSP}× {watts}"


def placeholders(found: OutlookEstimate) -> dict[str, str]:
    """What an empty field stands for, the economics form's own among them."""
    facts, prices = found.facts, found.facts.prices.sku.prices
    band, rates = facts.rate_band, facts.fx
    own = {
        "rate_low": formats.number(band.low_ratio, 2) if band else "",
        "rate_high": formats.number(band.high_ratio, 2) if band else "",
        "fx_low": formats.number(rates.low.value) if rates else "",
        "fx_high": formats.number(rates.high.value) if rates else "",
    }
    listed = {f"{basis.value}_price": formats.number(price.value, 2) for basis, price in prices.items()}
    return {**economics_page.placeholders(found.economics), **own, **listed}
