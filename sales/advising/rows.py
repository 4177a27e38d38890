"""One piece of advice as flat rows: what CSV and workbook hold, unrounded."""

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator.domain.units import to_decimal
from calculator.presenters.badges import word
from calculator.presenters.input_rows import input_rows
from calculator.presenters.row import Row, Value, sourced_row
from sales.advising import jobs, lead, page, reasons
from sales.advising.form import NeedForm
from sales.advising.notation import KEYS
from sales.advising.words import TARGETS
from sales.domain.advice import Advice
from sales.domain.need import peak_per_s, requests_a_month, utilisation_ceiling, volume_tokens
from sales.domain.options import Option


def export_rows(advice: Advice) -> tuple[Row, ...]:
    """Every figure of the page in its order."""
    parts = (_answer, _inputs, _training, _indexing, _options, _excluded, _notices)
    return tuple(row for part in parts for row in part(advice))


def _answer(advice: Advice) -> Iterator[Row]:
    section, need = _("Réponse"), advice.scenario
    yield Row(section, _("Phrase"), lead.sentence(advice))
    yield Row(section, _("Origine la plus faible"), word(advice.trust) if advice.trust else _("inconnue"))
    if need.serves:
        yield Row(section, _("Requêtes par mois"), requests_a_month(need), _("requêtes"))
        yield Row(section, _("Tokens de sortie par mois"), volume_tokens(need), _("tokens"))
        yield Row(section, _("Requêtes à l’heure la plus chargée"), peak_per_s(need), _("requêtes/s"))
        yield Row(section, _("Utilisation au plus"), utilisation_ceiling(need), _("part de 1"))


def _inputs(advice: Advice) -> Iterator[Row]:
    yield from input_rows(NeedForm, KEYS[2:], advice.scenario, {})
    yield sourced_row(_("Saisies"), _("Dollars pour 1 €"), advice.usd_per_eur)


def _training(advice: Advice) -> Iterator[Row]:
    for rank, option in enumerate(jobs.fitting(advice), start=1):
        section = _("Entraîner %(rank)s. %(name)s") % {"rank": rank, "name": option.sku.code}
        kind = word(option.trust) if option.trust else ""
        yield Row(section, _("Durée"), to_decimal(option.seconds or 0.0), "s", kind)
        yield Row(section, _("Coût d’un entraînement"), option.eur, _("€ HT"), kind)
        yield Row(section, _("Entraînements par mois"), Decimal(option.runs_a_month))
        yield Row(section, _("Coût par million de tokens entraînés"), option.eur_per_mtok, _("€ HT"), kind)


def _indexing(advice: Advice) -> Iterator[Row]:
    for rank, option in enumerate(advice.indexing.options if advice.indexing else (), start=1):
        line = jobs.indexing_line(option)
        section = _("Indexer %(rank)s. %(name)s") % {"rank": rank, "name": line.title}
        kind = word(option.trust) if option.trust else ""
        yield Row(section, _("Coût"), option.eur, _("€ HT"), kind)
        yield Row(section, _("Coût par million de tokens lus"), option.eur_per_mtok, _("€ HT"), kind)
        if option.seconds is not None:
            yield Row(section, _("Durée"), to_decimal(option.seconds), "s", kind)


def _options(advice: Advice) -> Iterator[Row]:
    for rank, option in enumerate(advice.serving.options if advice.serving else (), start=1):
        yield from _option(f"{rank}. {lead.name(option)}", option)


def _option(section: str, option: Option) -> Iterator[Row]:
    kind = word(option.trust) if option.trust else ""
    yield Row(section, _("Modèle"), page.model(option))
    yield Row(section, _("Coût du mois"), option.month_eur, _("€ HT"), kind)
    yield Row(section, _("Coût par million de tokens de sortie"), option.eur_per_mtok, _("€ HT"), kind)
    yield Row(section, _("Délais"), str(TARGETS[option.targets]))
    if option.sized is not None:
        yield Row(section, _("Instances"), _count(option.instances))
        yield Row(section, _("Utilisation"), option.utilisation_ratio, _("part de 1"), kind)
        yield Row(section, _("Part servie par les GPU"), option.share, _("part de 1"))
    served = option.busiest.served if option.busiest else None
    if served is not None:
        yield Row(section, _("Premier token à la pointe"), to_decimal(served.point.first_token_s), "s", kind)
        yield Row(section, _("Par token à la pointe"), to_decimal(served.point.token_s), "s", kind)
    for message in option.loses:
        yield Row(section, _("Ce qui changerait le classement"), reasons.losing(message))


def _count(value: int | None) -> Value:
    return None if value is None else Decimal(value)


def _excluded(advice: Advice) -> Iterator[Row]:
    for line in page.excluded(advice):
        yield Row(_("Écartées"), line.name, line.reason)


def _notices(advice: Advice) -> Iterator[Row]:
    for message in advice.warnings:
        found = reasons.notice(message)
        yield Row(_("Remarques"), found.lead, str(found.text))
