"""One outlook as flat rows, unrounded: what the CSV and the workbook hold, in the order of the page."""

from collections.abc import Iterator
from decimal import Decimal

from calculator import formats
from calculator.domain.scenario import Outcome
from calculator.language import gettext as _
from calculator.presenters.badges import word
from calculator.presenters.row import Row, sourced_row
from calculator.presenters.rows import export_rows
from sales.domain.outlook_answer import OutlookEstimate
from sales.outlook import solved, verdicts, words


def rows(found: OutlookEstimate) -> tuple[Row, ...]:
    """The verdict, the rules, every section of the page, then the economics rows that they rest on."""
    parts = (_verdict, _rules, _reasons, _solved, _moved, _year, _ways, _power)
    own = tuple(row for part in parts for row in part(found))
    return (*own, *export_rows(found.economics))


def _verdict(found: OutlookEstimate) -> Iterator[Row]:
    section, plain = _("Verdict"), verdicts.plain(found.both)
    yield Row(section, _("Verdict"), f"{plain.text} {plain.reserve}".strip())
    kind = word(found.trust) if found.trust else ""
    yield Row(section, _("GPU moins API"), found.both.gap_eur, _("€ HT / mois"), kind)


def _rules(found: OutlookEstimate) -> Iterator[Row]:
    for profiles, section in ((False, _("Règle publiée")), (True, _("Profil publié"))):
        for line in verdicts.lines(found, profiles=profiles):
            said = words.joined((line.own, line.computed, line.finding))
            yield Row(section, line.rule, said, "", _("annoncé"))


def _reasons(found: OutlookEstimate) -> Iterator[Row]:
    for line in verdicts.reasons(found):
        sides = (line.counts, formats.labelled("GPU", line.gpu), formats.labelled("API", line.api))
        yield Row(_("Raison hors prix"), line.name, words.joined(sides))


def _solved(found: OutlookEstimate) -> Iterator[Row]:
    section, basis = _("Ce qu’il faudrait"), found.scenario.basis
    for one, line in zip(found.solutions, solved.lines(found), strict=True):
        unit = words.unit(one.unknown.value, basis)
        value = one.solved if one.outcome is Outcome.REACHED or one.solved is not None else line.solved
        yield Row(section, _("%(name)s, aujourd’hui") % {"name": line.name}, one.now, unit)
        yield Row(section, _("%(name)s, à égalité") % {"name": line.name}, value, unit)
        yield Row(section, _("%(name)s, lecture") % {"name": line.name}, line.reading)


def _moved(found: OutlookEstimate) -> Iterator[Row]:
    section, basis = _("Sensibilité"), found.scenario.basis
    for one in found.sensitivity.bars:
        code = one.lever.value
        name = str(words.INPUTS[code])
        for end, label in ((one.low, _("%(name)s, bas")), (one.high, _("%(name)s, haut"))):
            value = end.value if end else None
            yield Row(section, label % {"name": name}, value, words.unit(code, basis))
            gap = end.gap_eur if end else None
            yield Row(section, f"{label % {'name': name}}\u00a0: {_('GPU moins API')}", gap, _("€ HT / mois"))
    bands, unit = found.sensitivity.bands, _("€ HT / 1M tokens de sortie")
    yield Row(section, _("GPU, au mieux"), bands.gpu_low, unit)
    yield Row(section, _("GPU, au pire"), bands.gpu_high, unit)
    yield Row(section, _("API, au mieux"), bands.api_low, unit)
    yield Row(section, _("API, au pire"), bands.api_high, unit)


def _year(found: OutlookEstimate) -> Iterator[Row]:
    if found.ramp is None:
        return
    euros = _("€ HT")
    for month in found.ramp.months:
        section = _("Mois %(number)s") % {"number": month.number}
        count = None if month.instances is None else Decimal(month.instances)
        yield Row(section, _("Volume de sortie"), month.volume_tokens, _("tokens / mois"))
        yield Row(section, _("Instances"), count)
        yield Row(section, "GPU", month.gpu_eur, _("€ HT / mois"))
        yield Row(section, "API", month.api_eur, _("€ HT / mois"))
        yield Row(section, _("GPU, cumulé"), month.gpu_so_far_eur, euros)
        yield Row(section, _("API, cumulé"), month.api_so_far_eur, euros)
    section = _("Douze mois")
    for one in found.ramp.arrivals:
        label = _("Instances voulues dès le mois %(month)s") % {"month": one.month}
        yield Row(section, label, Decimal(one.last))
    for number in found.ramp.crossings:
        yield Row(section, _("Changement du côté le moins cher"), Decimal(number), _("mois"))


def _ways(found: OutlookEstimate) -> Iterator[Row]:
    for way in found.commitments.ways:
        section = _("Engagement\u00a0: %(name)s") % {"name": words.TERMS[way.term]}
        if way.price is None:
            yield Row(section, _("Prix"), _("sur devis"))
            continue
        yield sourced_row(section, _("Prix"), way.price)
        yield Row(section, _("Coût du mois"), way.total_eur, _("€ HT / mois"))
        yield Row(section, _("Coût par million"), way.eur_per_mtok, _("€ HT / 1M tokens de sortie"))
        yield Row(section, _("Heures payées"), way.paid_h, "h")
        yield Row(section, _("Part inactive"), way.idle_ratio, _("part de 1"))
    known = found.commitments
    yield Row(_("Engagement"), _("Le mois coûte moins dès"), known.month_from_h, "h")
    yield Row(_("Engagement"), _("L’année coûte moins dès"), known.year_from_months, _("mois"))


def _power(found: OutlookEstimate) -> Iterator[Row]:
    section, energy, unit = _("Électricité"), found.energy, _("kWh / 1M tokens de sortie")
    yield sourced_row(section, _("Puissance d’une carte"), energy.power_w, "W")
    yield Row(section, _("Cartes, heures productives"), energy.cards_kwh_per_mtok, unit)
    yield Row(section, _("Cartes, heures payées"), energy.cards_paid_kwh_per_mtok, unit)
    yield Row(section, _("Centre de données, heures productives"), energy.site_kwh_per_mtok, unit)
    yield Row(section, _("Centre de données, heures payées"), energy.site_paid_kwh_per_mtok, unit)
    grams = _("g CO₂e / 1M tokens de sortie")
    yield Row(section, _("CO₂e, heures productives"), energy.g_per_mtok, grams)
    yield Row(section, _("CO₂e, heures payées"), energy.g_paid_per_mtok, grams)
