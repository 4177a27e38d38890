"""The ways out of a memory misfit, ready to print, each with the link that gives its figures."""

from typing import NamedTuple

from calculator import formats
from calculator.domain.training_scenario import TrainingEstimate, Verdict, Way
from calculator.language import gettext as _
from calculator.presenters import quantities, training_words
from calculator.presenters.training_tables import cost_cell
from calculator.presenters.words import Mark


class WayRow(NamedTuple):
    """One way out: what to change, what it then needs, how long it takes, what it costs, and its link."""

    name: str
    detail: str
    memory: str
    mark: Mark
    time: str
    eur: str
    query: str


def ways(estimate: TrainingEstimate) -> tuple[WayRow, ...]:
    """The ways out of a misfit, in the order of the estimate: what is enough first, cheapest first."""
    return tuple(_way(way, estimate) for way in estimate.fit.ways)


def _way(way: Way, estimate: TrainingEstimate) -> WayRow:
    return WayRow(
        name=way_name(way, estimate),
        detail=_detail(way, estimate),
        memory=_("%(needed)s sur %(usable)s")
        % {"needed": _needed(way), "usable": training_words.gib(way.usable_bytes)},
        mark=training_words.verdict(way.verdict),
        time=quantities.duration(way.seconds) if way.fits else "",
        eur=cost_cell(way),
        query=training_words.link(estimate.scenario, way.changes),
    )


def _needed(way: Way) -> str:
    """What a way needs: at least what is modelled of it."""
    size = training_words.gib(way.needed_bytes)
    return _("au moins %(size)s") % {"size": size} if way.verdict is Verdict.UNKNOWN else size


def _detail(way: Way, estimate: TrainingEstimate) -> str:
    """The machine of a way, and the batch where its copies cannot make one so small."""
    sku = next((one for one in estimate.skus if one.code == way.sku), estimate.sku)
    where = training_words.instances(sku, way.instances)
    scenario = estimate.scenario
    if way.batch == scenario.micro_batch * scenario.accumulation * estimate.data_parallel:
        return where
    return _("%(machine)s, batch global de %(batch)s") % {"machine": where, "batch": formats.number(way.batch)}


def way_name(way: Way, estimate: TrainingEstimate) -> str:
    """What a way changes."""
    passes = {"passes": formats.number(_passes(way, estimate))}
    names = {
        "one_sequence": _("Une séquence à la fois, %(passes)s passes accumulées (1 × %(passes)s)"),
        "recomputation": _("Recalculer les activations (gradient checkpointing)"),
        "both": _("Recalcul, et 1 × %(passes)s accumulées"),
        "sixteen_bits": _("Calculer sur 16 bits"),
        "sharding": _("Partager poids, gradients et états entre les copies (ZeRO-3, FSDP)"),
        "eight_bit_states": _("AdamW 8 bits, recalcul et 1 × %(passes)s"),
        "lora": _("LoRA, recalcul et 1 × %(passes)s"),
        "qlora": _("QLoRA"),
        "qlora_saving": _("QLoRA, recalcul et 1 × %(passes)s"),
        "more_instances": _("Plus de GPU, tout partagé (FSDP), recalcul"),
        "other_sku": _("Autre GPU, recalcul et 1 × %(passes)s"),
    }
    return names[way.code] % passes


def _passes(way: Way, estimate: TrainingEstimate) -> int:
    """Passes accumulated before a step, as the way leaves them."""
    found = way.changes.get("accumulation", estimate.scenario.accumulation)
    return found if isinstance(found, int) else estimate.scenario.accumulation
