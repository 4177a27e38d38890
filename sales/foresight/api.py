"""Foresight of an API: requests refused at the peak, and a bill that grows with every request."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal

from django.utils.translation import gettext as _

from calculator import formats, pagestate, permalinks, registry
from calculator.domain.offers import Mode
from calculator.domain.scenario import EconomicsEstimate
from calculator.presenters import quantities
from calculator.presenters.words import Mark
from calculator.tool import Answer
from sales.domain.foresight import RateLimit, back_off_s, grown_traffic, rate_limit
from sales.foresight.parts import GAVE_WAY, GIVES_WAY, HOLDS, Change, Foresight, Limit, WayOut, distance, held, opened

NAME = "economics"
SHARE_DECIMALS = Decimal("0.0001")
MOST_CACHE = Decimal("0.99")


def foresight(answer: Answer, supposed: Mapping[str, Decimal]) -> Foresight:
    """Today's peak against the API's limit, and both bills under `growth` times the traffic."""
    estimate: EconomicsEstimate = answer.estimate
    tool = registry.CALCULATORS[NAME]
    reached = estimate.requests_count * (1 - answer.scenario.response_cache_ratio)
    hours = answer.scenario.hours_per_month_h
    found = rate_limit(reached, hours, supposed["peak"], supposed["limit"], supposed["lasts"])
    grown = tool.answer(grown_traffic(answer.scenario, supposed["growth"]), tool.reads())
    return Foresight(
        sentence=_first(found),
        limits=(_limit(found),),
        tomorrow=tool.sentence(grown.estimate),
        tomorrow_href=opened(NAME, grown.query, answer.scenario),
        changes=_changes(estimate, grown.estimate),
        ways=_ways(answer, found, supposed["lasts"]) if found.is_exceeded else (),
        notes=(_("La limite et la pointe sont des hypothèses\u00a0: remplacez-les par celles de votre contrat."),),
    )


def per_minute(value: Decimal) -> str:
    """Requests a minute with three digits."""
    return f"{quantities.digits(value)}{formats.NBSP}{_('req/min')}"


def _first(found: RateLimit) -> str:
    told = {
        "peak": per_minute(found.peak_per_min),
        "limit": per_minute(found.limit_per_min),
        "share": formats.percent(found.refused_ratio),
    }
    if not found.is_exceeded:
        return _("À la pointe, %(peak)s\u00a0: sous la limite de %(limit)s, rien n’est refusé.") % told
    return _("À la pointe, %(peak)s pour %(limit)s permises\u00a0: %(share)s seront refusées (429).") % told


def _limit(found: RateLimit) -> Limit:
    factor = found.limit_per_min / found.peak_per_min if found.peak_per_min else None
    where = per_minute(found.limit_per_min)
    if factor is None:
        return Limit(_("limite de requêtes de l’API"), where, _("aucune requête"), Mark(_("tient aujourd’hui"), HOLDS))
    return Limit(_("limite de requêtes de l’API"), where, distance(factor), held(factor))


def _ways(answer: Answer, found: RateLimit, lasts_h: Decimal) -> tuple[WayOut, ...]:
    return (_slowed(found), _repeated(lasts_h), *_cached(answer, found), *_batched(answer), _dedicated(answer))


def _slowed(found: RateLimit) -> WayOut:
    """A limit on the client's side: nothing is refused, requests wait."""
    drained = (
        _("la file ne se vide jamais")
        if found.drained_s is None
        else _("file vide %(time)s après la pointe") % {"time": quantities.duration(found.drained_s)}
    )
    effect = _("jusqu’à %(wait)s d’attente, %(drained)s") % {
        "wait": quantities.duration(found.wait_s),
        "drained": drained,
    }
    mark = Mark(_("rien n’est refusé"), HOLDS) if found.drained_s is not None else Mark(_("ne suffit pas"), GAVE_WAY)
    return WayOut(_("Limiter le débit côté client"), effect, "", mark)


def _repeated(lasts_h: Decimal) -> WayOut:
    """Three attempts with waits that double: enough for a short burst only."""
    effect = _("%(wait)s gagnées par requête, pour une pointe de %(lasts)s") % {
        "wait": quantities.duration(back_off_s()),
        "lasts": quantities.duration(lasts_h * 3600),
    }
    enough = lasts_h * 3600 <= back_off_s()
    mark = Mark(_("suffit"), HOLDS) if enough else Mark(_("ne suffit pas"), GAVE_WAY)
    return WayOut(_("Réessayer trois fois, après 1, 2 et 4\u00a0s"), effect, "", mark)


def _cached(answer: Answer, found: RateLimit) -> tuple[WayOut, ...]:
    """The share of repeated requests that a response cache has to answer."""
    kept = (1 - answer.scenario.response_cache_ratio) * (1 - found.cache_ratio)
    # What is kept is rounded down, so that the peak does pass once the cache answers its share.
    needed = 1 - kept.quantize(SHARE_DECIMALS, ROUND_FLOOR)
    if needed > MOST_CACHE:
        return ()
    effect = _("il faudrait que %(share)s des requêtes se répètent dans l’heure") % {
        "share": formats.percent(needed, 1)
    }
    scenario = replace(answer.scenario, response_cache_ratio=needed)
    return (_priced(_("Garder les réponses en cache"), effect, scenario, Mark(_("si elles se répètent"), GIVES_WAY)),)


def _batched(answer: Answer) -> tuple[WayOut, ...]:
    """What can wait until tomorrow goes by batch, which has limits of its own."""
    if answer.scenario.mode is Mode.BATCH:
        return ()
    scenario = replace(answer.scenario, mode=Mode.BATCH)
    mark = Mark(_("si rien ne presse"), GIVES_WAY)
    return (_priced(_("Passer en mode batch"), _("réponses sous 24\u00a0h, avec ses propres limites"), scenario, mark),)


def _dedicated(answer: Answer) -> WayOut:
    """A card of one's own refuses nobody below its capacity."""
    gpu = answer.estimate.gpu
    effect = _("capacité prévue\u00a0: %(tokens)s tokens de sortie par mois et par instance") % {
        "tokens": formats.tokens(gpu.step_tokens)
    }
    price = formats.money(gpu.total_eur)
    href = pagestate.address(NAME, answer.query)
    return WayOut(_("Servir sur %(sku)s") % {"sku": gpu.sku.code}, effect, price, Mark(_("aucune limite"), HOLDS), href)


def _priced(title: str, effect: str, scenario: object, mark: Mark) -> WayOut:
    """A way out that the economics page applies, with what the reference API then costs a month."""
    tool = registry.CALCULATORS[NAME]
    found = tool.answer(scenario, tool.reads())
    estimate: EconomicsEstimate = found.estimate
    reference = next((row for row in estimate.comparisons if row.bill.api.code == found.scenario.reference), None)
    price = formats.money(reference.bill.eur) if reference else ""
    return WayOut(title, effect, price, mark, pagestate.address(NAME, permalinks.write(found.scenario)))


def _changes(today: EconomicsEstimate, grown: EconomicsEstimate) -> tuple[Change, ...]:
    """The month's bill of the GPU and of each API, today and with more traffic."""
    rows = [Change(_bill_name(today), formats.money(today.gpu.total_eur), formats.money(grown.gpu.total_eur))]
    later = {row.bill.api.code: row.bill for row in grown.comparisons}
    for row in today.comparisons:
        bill = later.get(row.bill.api.code)
        tomorrow = formats.money(bill.eur if bill else None)
        rows.append(Change(row.bill.api.label, formats.money(row.bill.eur), tomorrow))
    return tuple(rows)


def _bill_name(estimate: EconomicsEstimate) -> str:
    return estimate.gpu.sku.code
