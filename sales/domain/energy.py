"""Electricity and CO2e of a million output tokens on the rented cards.

A card is counted at the full power of its data sheet, which it seldom draws: an upper bound for the hours in which it
produces, and more so for idle ones. The data centre's share (PUE) and the grid's factor are counted only where they are
known; nothing is filled in for a region that nobody named. What an API draws is not published.
"""

from dataclasses import dataclass
from decimal import Decimal

from calculator.domain.provenance import Kind, Sourced
from calculator.domain.units import MTOK, to_decimal
from sales.domain.outlook import OutlookFacts, Sides

WATT_A_KILOWATT = 1000


@dataclass(frozen=True, slots=True)
class Energy:
    """kWh and g CO2e per million output tokens, for the productive hours and for all paid ones; None = not known.

    `cards_*` are the GPUs alone, `site_*` with the data centre's share.
    """

    power_w: Sourced[Decimal] | None
    gpu_count: int
    cards_kwh_per_mtok: Decimal | None
    cards_paid_kwh_per_mtok: Decimal | None
    site_kwh_per_mtok: Decimal | None
    site_paid_kwh_per_mtok: Decimal | None
    g_per_mtok: Decimal | None
    g_paid_per_mtok: Decimal | None


def kwh_per_mtok(power_w: Decimal, gpu_count: int, hours: Decimal, tokens: Decimal) -> Decimal:
    """Power × cards × hours ÷ tokens, per million. `hours` are those of one instance of `gpu_count` cards, added up.

    An RTX 4090 of 450 W writes 64 tokens a second: a million takes 4.34 hours.

    >>> round(kwh_per_mtok(Decimal(450), 1, Decimal(15625) / 3600, Decimal(1_000_000)), 4)
    Decimal('1.9531')
    """
    return power_w * gpu_count * hours / WATT_A_KILOWATT * MTOK / tokens


def co2e_g(site_kwh: Decimal | None, grid_g_per_kwh: Decimal | None) -> Decimal | None:
    """kWh of the site × the grid's factor; None where either is unknown.

    >>> co2e_g(Decimal("2.5"), Decimal(40))
    Decimal('100.0')
    """
    return None if site_kwh is None or grid_g_per_kwh is None else site_kwh * grid_g_per_kwh


def _with_site(cards_kwh: Decimal | None, pue_ratio: Decimal | None) -> Decimal | None:
    return None if cards_kwh is None or pue_ratio is None else cards_kwh * pue_ratio


def energy(both: Sides, facts: OutlookFacts) -> Energy:
    """The cards of this month, at the power of their data sheet."""
    bill, served, card, asked = both.gpu, both.inputs.terms.month.served_tokens, facts.gpu, both.scenario
    power = None
    if card is not None and card.tdp_w is not None:
        power = Sourced(to_decimal(card.tdp_w), "W", Kind.DATA_SHEET, card.name, reference=card.source)
    count = bill.sku.gpu_count
    productive, paid = (
        kwh_per_mtok(power.value, count, hours, served) if power and hours is not None and served else None
        for hours in (bill.productive_h, bill.paid_h)
    )
    site, site_paid = _with_site(productive, asked.pue_ratio), _with_site(paid, asked.pue_ratio)
    factor = asked.grid_g_per_kwh
    return Energy(power, count, productive, paid, site, site_paid, co2e_g(site, factor), co2e_g(site_paid, factor))
