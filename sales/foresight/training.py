"""Foresight of a training run: how far micro-batch and sequence can grow before the memory is full."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import formats, registry
from calculator.domain.training_scenario import TrainingEstimate, Way
from calculator.presenters import training_ways
from calculator.tool import Answer
from sales.domain.foresight import MOST_SEQUENCE_TOKENS, TrainingLimit, training_limits
from sales.foresight.parts import Foresight, Limit, WayOut, distance, held, opened

NAME = "training"


def foresight(answer: Answer, supposed: Mapping[str, Decimal]) -> Foresight:
    """The room that this run's GPUs leave, and the same run with `growth` times the sequence."""
    estimate: TrainingEstimate = answer.estimate
    tool = registry.CALCULATORS[NAME]
    longer = min(MOST_SEQUENCE_TOKENS, int(answer.scenario.sequence_tokens * supposed["growth"]))
    grown = tool.answer(replace(answer.scenario, sequence_tokens=longer), tool.reads())
    limits = training_limits(estimate.scenario, answer.facts)
    return Foresight(
        sentence=_first(limits, estimate) or tool.sentence(estimate),
        limits=tuple(_limit(limit) for limit in limits),
        tomorrow=_("Séquences de %(tokens)s tokens\u00a0: %(answer)s")
        % {"tokens": formats.number(longer), "answer": tool.sentence(grown.estimate)},
        tomorrow_href=opened(NAME, grown.query, answer.scenario),
        ways=tuple(
            _way(shown, way, answer)
            for shown, way in zip(training_ways.ways(grown.estimate), grown.estimate.fit.ways, strict=False)
        ),
        notes=_notes(estimate),
    )


def _notes(estimate: TrainingEstimate) -> tuple[str, ...]:
    """What memory is lost to, which no choice of this page changes: states of a full training."""
    if estimate.fit.state_bytes_a_param is None or estimate.scenario.method.frozen_base:
        return ()
    told = {"bytes": formats.number(estimate.fit.state_bytes_a_param, 0)}
    text = _(
        "Entraîner tous les poids demande %(bytes)s octets par paramètre avant les activations. AdamW fusionné "
        "n’y change rien\u00a0: il évite des temporaires, pas les états."
    )
    return (text % told,)


def _first(limits: tuple[TrainingLimit, ...], estimate: TrainingEstimate) -> str:
    if not limits:
        return ""
    batch, sequence = limits
    told = {"model": estimate.model.name, "now": formats.number(batch.now), "length": formats.number(sequence.now)}
    if sequence.most is None:
        return _("%(model)s n’entre pas en mémoire, quelle que soit la longueur des séquences.") % told
    told |= {"longest": formats.number(sequence.most)}
    if batch.most is None:
        return _("La mémoire manquera au premier pas\u00a0: même un micro-batch de 1 est trop.") % told
    told |= {"batch": formats.number(batch.most)}
    if batch.most < batch.now:
        return (
            _("La mémoire manquera au premier pas\u00a0: le micro-batch de %(now)s devrait tomber à %(batch)s.") % told
        )
    return _("La mémoire tient jusqu’à un micro-batch de %(batch)s, ou des séquences de %(longest)s tokens.") % told


def _limit(limit: TrainingLimit) -> Limit:
    names = {"micro_batch": _("micro-batch"), "sequence_tokens": _("tokens par séquence")}
    factor = None if limit.most is None else limit.most / limit.now
    where = _("aucun") if limit.most is None else formats.number(limit.most)
    return Limit(names[limit.code], where, distance(factor), held(factor))


def _way(shown: training_ways.WayRow, way: Way, answer: Answer) -> WayOut:
    effect = f"{shown.detail} — {shown.memory}" if shown.detail else shown.memory
    price = shown.eur if way.eur is None else formats.money(way.eur)
    return WayOut(shown.name, effect, price, shown.mark, opened(NAME, shown.query, answer.scenario))
