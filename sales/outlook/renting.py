"""Ways to rent and electricity, in words."""

from decimal import Decimal
from typing import NamedTuple

from calculator import formats
from calculator.domain.offers import Basis
from calculator.domain.units import MONTHS_A_YEAR
from calculator.language import gettext as _
from calculator.presenters import words as common
from calculator.presenters.badges import Badge, badge
from sales.domain.commitments import Commitment, Term
from sales.domain.energy import Energy
from sales.domain.outlook_answer import OutlookEstimate
from sales.outlook import words


class WayLine(NamedTuple):
    """A way to rent: its price and origin, the month, the cost of a million, the idle share of the paid hours."""

    name: str
    price: str
    badge: Badge | None
    month: str
    per_mtok: str
    idle: str
    css: str


class PowerLine(NamedTuple):
    """An amount of a million output tokens: over the hours that produce, and over all paid ones."""

    name: str
    productive: str
    paid: str


def ways(found: OutlookEstimate) -> tuple[WayLine, ...]:
    """From the loosest to the firmest."""
    return tuple(_way(one) for one in found.commitments.ways)


def _way(one: Commitment) -> WayLine:
    basis = Basis.HOUR if one.term in (Term.HOURS_USED, Term.HOURS_ON) else Basis.MONTH
    price = _("sur devis")
    if one.price is not None:
        price = common.per_period(formats.unit_price(one.price.value), basis)
    missing = "–" if one.price is None else _("inconnu")
    return WayLine(
        name=str(words.TERMS[one.term]),
        price=price,
        badge=badge(one.price),
        month=missing if one.total_eur is None else formats.money(one.total_eur),
        per_mtok=missing if one.eur_per_mtok is None else formats.unit_price(one.eur_per_mtok),
        idle=missing if one.idle_ratio is None else formats.percent(one.idle_ratio),
        css="best gpu" if one.is_cheapest else "",
    )


def sentences(found: OutlookEstimate) -> tuple[str, ...]:
    """How much the card works, and from how many hours a longer commitment pays."""
    known, parts = found.commitments, []
    if known.works_ratio is not None:
        parts.append(_works(found, known.works_ratio))
    if known.month_from_h is not None and known.month_from_ratio is not None:
        parts.append(_month(known.month_from_h, known.month_from_ratio))
    if known.year_from_months is not None:
        parts.append(_year(known.year_from_months))
    return tuple(parts)


def _works(found: OutlookEstimate, ratio: Decimal) -> str:
    count = found.both.gpu.instances or 1
    share = formats.percent(ratio)
    if count * found.both.gpu.sku.gpu_count == 1:
        return _("Cette carte travaille %(share)s du temps.") % {"share": share}
    return _("Ces cartes travaillent %(share)s du temps.") % {"share": share}


def _month(hours: Decimal, ratio: Decimal) -> str:
    values = {"hours": formats.number(hours, 0), "share": formats.percent(ratio)}
    if ratio > 1:
        return _("Le prix au mois dépasse toujours le prix à l’heure\u00a0: il faudrait %(hours)s h par mois.") % values
    return _("Le prix au mois coûte moins à partir de %(hours)s h utilisées par mois (%(share)s).") % values


def _year(needed: Decimal) -> str:
    months = {"months": formats.number(needed, 1)}
    if needed > MONTHS_A_YEAR:
        return (
            _("L’engagement d’un an coûte toujours plus que le mois\u00a0: il faudrait %(months)s mois d’usage.")
            % months
        )
    return _("L’engagement d’un an coûte moins à partir de %(months)s mois d’usage.") % months


def power(found: Energy) -> tuple[PowerLine, ...]:
    """Cards, data centre, CO2e."""
    return (
        _line(_("Cartes, à leur puissance maximale"), found.cards_kwh_per_mtok, found.cards_paid_kwh_per_mtok, "kWh"),
        _line(_("Avec le centre de données (PUE)"), found.site_kwh_per_mtok, found.site_paid_kwh_per_mtok, "kWh"),
        _line("CO₂e", found.g_per_mtok, found.g_paid_per_mtok, "g"),
    )


def _line(name: str, productive: Decimal | None, paid: Decimal | None, unit: str) -> PowerLine:
    return PowerLine(name, _quantity(productive, unit), _quantity(paid, unit))


def _quantity(value: Decimal | None, unit: str) -> str:
    if value is None:
        return _("inconnu")
    return f"{formats.number(formats.significant(value, 3).normalize())}{formats.NBSP}{unit}"
