"""Foresight of a server: the clients at which each target and the cache give way, and the server under more load."""

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import formats, registry
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_outcome import Target
from calculator.presenters import inference_tables, inference_words
from calculator.presenters.words import Mark
from calculator.tool import Answer
from sales.domain.foresight import ServingLimit, grown_serving, serving_limits
from sales.foresight.parts import Foresight, Limit, WayOut, distance, held, opened

NAME = "inference"


def foresight(answer: Answer, supposed: Mapping[str, Decimal]) -> Foresight:
    """What gives way first on this server, and the same server under `growth` times the load."""
    estimate: InferenceEstimate = answer.estimate
    limits = serving_limits(estimate)
    tool = registry.CALCULATORS[NAME]
    grown = tool.answer(grown_serving(answer.scenario, supposed["growth"]), tool.reads())
    return Foresight(
        sentence=_first(limits) or tool.sentence(estimate),
        limits=tuple(_limit(limit) for limit in limits),
        tomorrow=tool.sentence(grown.estimate),
        tomorrow_href=opened(NAME, grown.query, answer.scenario),
        ways=tuple(_way(way, answer) for way in inference_tables.ways(grown.estimate)),
    )


def _name(code: str) -> str:
    return _("mémoire du cache KV") if code == "memory" else str(inference_words.TARGETS[Target(code)])


def _first(limits: tuple[ServingLimit, ...]) -> str:
    if not limits:
        return ""
    first = limits[0]
    if first.clients is None:
        return _("Dès le premier client, l’objectif «\u00a0%(what)s\u00a0» est manqué.") % {"what": _name(first.code)}
    told = {"what": _name(first.code), "clients": formats.number(first.clients, 0)}
    if first.has_given_way:
        return _("Ce serveur lâche déjà\u00a0: «\u00a0%(what)s\u00a0» ne tient que jusqu’à %(clients)s clients.") % told
    return _("Lâche en premier\u00a0: «\u00a0%(what)s\u00a0», au-delà de %(clients)s clients.") % told


def _limit(limit: ServingLimit) -> Limit:
    count = formats.number(limit.clients, 0)
    where = _("aucun client") if limit.clients is None else _("%(count)s clients") % {"count": count}
    return Limit(_name(limit.code), where, distance(limit.factor), held(limit.factor))


def _way(way: inference_tables.Way, answer: Answer) -> WayOut:
    return WayOut(way.title, way.effect, way.price, Mark(way.mark, way.css), opened(NAME, way.query, answer.scenario))
