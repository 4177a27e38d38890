"""The tables of the multi-GPU page: over the number of GPUs, by link, by algorithm, by way of sharing."""

from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import ngettext

from calculator import calibrated, formats, permalinks
from calculator.domain import parallel_trust
from calculator.domain.collectives import Reduction
from calculator.domain.interconnects import Reach
from calculator.domain.memory import MemoryEstimate
from calculator.domain.parallel_scenario import LinkRow, ParallelismEstimate, Point, Sharing, WayRow
from calculator.domain.parallel_tables import shared_machine
from calculator.domain.provenance import Sourced
from calculator.language import gettext as _
from calculator.presenters import parallelism_notices, parallelism_units
from calculator.presenters.badges import Badge, badge
from calculator.presenters.parallelism_headline import efficiency, machines


class CountLine(NamedTuple):
    """One number of GPUs: its run, and what it is remarkable for."""

    gpus: str
    machines: str
    days: str
    speed_up: str
    efficiency: str
    tok_per_s: str
    eur: str
    added: str
    saved_day: str
    marks: tuple[str, ...]
    query: str
    is_current: bool


class LinkLine(NamedTuple):
    """One interconnect in place of the chosen one."""

    name: str
    detail: str
    rate: str
    textbook: str
    allreduce: str
    efficiency: str
    speed_up: str
    days: str
    badge: Badge | None
    is_current: bool


class ReductionLine(NamedTuple):
    """One way to form the sum."""

    name: str
    textbook: str
    measured: str
    note: str
    is_current: bool


class WayLine(NamedTuple):
    """One way of sharing."""

    name: str
    crossing: str
    days: str
    efficiency: str
    memory: str
    fits: str
    is_bad: bool
    note: str
    is_current: bool


class PartLine(NamedTuple):
    """Where the time of a step goes."""

    name: str
    seconds: str
    share: str
    note: str


class OverlapLine(NamedTuple):
    """The run with another share hidden."""

    ratio: str
    exposed: str
    efficiency: str
    days: str
    is_current: bool


def counts(estimate: ParallelismEstimate) -> tuple[CountLine, ...]:
    """Powers of two and the chosen number."""
    return tuple(_count(estimate, row) for row in estimate.rows)


def _count(estimate: ParallelismEstimate, row: Point) -> CountLine:
    asked = replace(estimate.scenario, gpu_count=row.gpu_count)
    return CountLine(
        gpus=formats.number(row.gpu_count),
        machines=machines(row),
        days=parallelism_units.days(row.days),
        speed_up=parallelism_units.factor(row.speed_up),
        efficiency=efficiency(row),
        tok_per_s=parallelism_units.number(row.tok_per_s),
        eur=formats.money(row.eur, decimals=0, unknown=_("sur devis")),
        added="" if row.added_ratio is None else formats.percent(row.added_ratio),
        saved_day=_saved_day(row),
        marks=marks(estimate, row),
        query=permalinks.write(replace(asked, calibration=calibrated.mark())),
        is_current=row.gpu_count == estimate.scenario.gpu_count,
    )


def _saved_day(row: Point) -> str:
    if row.added_ratio is None:
        return ""
    if row.eur is None:
        return "—"
    if row.eur_per_saved_day is None:
        return _("aucun jour gagné")
    return formats.money(row.eur_per_saved_day, decimals=0)


def marks(estimate: ParallelismEstimate, row: Point) -> tuple[str, ...]:
    """What a number of GPUs is remarkable for."""
    found = {
        _("ne tient pas en mémoire"): row.fits is False,
        _("le moins cher"): estimate.cheapest is not None and row.gpu_count == estimate.cheapest.gpu_count,
        _("le plus rapide"): estimate.fastest is not None and row.gpu_count == estimate.fastest.gpu_count,
        _("au-delà, ne paie plus"): row.gpu_count == estimate.stop.gpu_count,
    }
    return tuple(text for text, holds in found.items() if holds)


def stop_sentence(estimate: ParallelismEstimate) -> str:
    """Where adding GPUs stops paying, and by which rule."""
    stop, scenario = estimate.stop, estimate.scenario
    if not estimate.rows:
        return ""
    values = {
        "count": formats.number(stop.gpu_count) if stop.gpu_count else "",
        "next": formats.number(stop.next_count) if stop.next_count else "",
        "floor": formats.percent(scenario.floor_ratio),
        "day": formats.money(scenario.day_eur, decimals=0),
        "last": formats.number(estimate.rows[-1].gpu_count),
    }
    texts = {
        "": _("Jusqu’à %(last)s GPU, chaque GPU ajouté apporte au moins %(floor)s de son gain idéal."),
        "added_ratio": _(
            "Au-delà de %(count)s GPU, ajouter ne paie plus\u00a0: passer à %(next)s apporte moins de %(floor)s du "
            "gain idéal."
        ),
        "day_eur": _(
            "Au-delà de %(count)s GPU, un jour gagné coûte plus que les %(day)s qu’il vaut pour vous (passage à "
            "%(next)s)."
        ),
        "slower": _("Au-delà de %(count)s GPU, l’entraînement ralentit (passage à %(next)s)."),
    }
    return texts[stop.reason] % values


def links(estimate: ParallelismEstimate) -> tuple[LinkLine, ...]:
    """Every interconnect, the fastest first."""
    return tuple(_link(estimate, row) for row in estimate.links)


def _link(estimate: ParallelismEstimate, row: LinkRow) -> LinkLine:
    sheet = Sourced(row.rate_bytes_per_s, "B/s", parallel_trust.rate(row), row.link.name, _address(row.link.source))
    return LinkLine(
        name=row.link.name,
        detail=_link_detail(estimate, row),
        rate=parallelism_units.rate(row.rate_bytes_per_s),
        textbook=parallelism_units.seconds(row.textbook_s),
        allreduce=parallelism_units.seconds(row.allreduce_s),
        efficiency=efficiency(row.point),
        speed_up=parallelism_units.factor(row.point.speed_up),
        days=parallelism_units.days(row.point.days),
        badge=badge(sheet),
        is_current=row.is_current,
    )


def _address(source: str) -> str:
    """The first address of a source that names several."""
    return source.split(" ; ", maxsplit=1)[0]


def _link_detail(estimate: ParallelismEstimate, row: LinkRow) -> str:
    place = _link_place(estimate, row)
    if row.is_current:
        return _("votre configuration, %(place)s") % {"place": place}
    if row.slowest != row.link.name:
        return _("%(place)s\u00a0; freiné par %(slowest)s") % {"place": place, "slowest": row.slowest}
    return place


def _link_place(estimate: ParallelismEstimate, row: LinkRow) -> str:
    """Where a link of the table runs, and between how many machines and cards."""
    if row.link.reach is Reach.MACHINE:
        if row.is_current:
            return _("dans la machine")
        if estimate.machine_gpus > 1:
            return _("dans la machine, hypothétique pour ce GPU")
        held = formats.number(shared_machine(estimate.machine_gpus))
        return _("dans des machines de %(count)s GPU, hypothétique") % {"count": held}
    cards = ngettext("%(count)s carte chacune", "%(count)s cartes chacune", row.cards)
    values = {"count": formats.number(row.machines), "cards": cards % {"count": formats.number(row.cards)}}
    alone = row.machines == estimate.scenario.gpu_count
    text = _("entre %(count)s machines d’un GPU, %(cards)s") if alone else _("entre %(count)s machines, %(cards)s")
    return _("%(place)s, borné par PCIe") % {"place": text % values} if row.capped else text % values


def reduction_name(reduction: Reduction) -> str:
    """An all-reduce algorithm in words."""
    return {
        Reduction.RING: _("Anneau"),
        Reduction.TREE: _("Deux arbres"),
        Reduction.SWITCH: _("Somme dans le commutateur"),
    }[reduction]


def reductions(estimate: ParallelismEstimate) -> tuple[ReductionLine, ...]:
    """Ring, trees, switch."""
    notes = {
        Reduction.RING: _("2(N−1)/N du message sur chaque lien, 2(N−1) sauts"),
        Reduction.TREE: _("2 fois le message, 2·log₂ N sauts\u00a0: mieux pour les petits messages"),
        Reduction.SWITCH: _("une fois le message\u00a0: NVLink 4 et suivants, cinq GPU et plus"),
    }
    return tuple(
        ReductionLine(
            name=reduction_name(row.reduction),
            textbook=parallelism_units.seconds(row.textbook_s) if row.available else "—",
            measured=parallelism_units.seconds(row.measured_s) if row.available else _("pas sur ce lien"),
            note=notes[row.reduction],
            is_current=row.is_current,
        )
        for row in estimate.reductions
    )


def way_name(row: WayRow) -> str:
    """A way of sharing in words."""
    names = {
        "data": _("Données\u00a0: une copie par GPU"),
        "sharded": _("États partagés (ZeRO-3, FSDP)"),
        "tensor": _("Tenseurs, %(tensor)s GPU par copie"),
        "pipeline": _("Pipeline de %(pipeline)s étages"),
        "own": _("Votre partage\u00a0: TP %(tensor)s × PP %(pipeline)s"),
    }
    degrees = {"tensor": formats.number(row.tensor_parallel), "pipeline": formats.number(row.pipeline_parallel)}
    text = names[row.code] % degrees
    return f"{text}, FSDP" if row.code == "own" and row.sharing is Sharing.SHARDED else text


def ways(estimate: ParallelismEstimate) -> tuple[WayLine, ...]:
    """Each way of sharing the chosen GPUs."""
    return tuple(_way(row) for row in estimate.ways)


def _way(row: WayRow) -> WayLine:
    note = " ".join(str(parallelism_notices.sentence_of(fault)) for fault in row.faults)
    text, is_bad = fits(row.memory) if row.point else (_("impossible"), True)
    run = None if is_bad else row.point
    return WayLine(
        name=way_name(row),
        crossing=parallelism_units.size(row.crossing_bytes) if row.point else "—",
        days=parallelism_units.days(run.days) if run else "—",
        efficiency=efficiency(run) if run else "—",
        memory=parallelism_units.memory(row.memory.needed_bytes) if row.memory else _("inconnue"),
        fits=text,
        is_bad=is_bad,
        note=note,
        is_current=row.is_current,
    )


def fits(memory: MemoryEstimate | None) -> tuple[str, bool]:
    """Whether a GPU holds its share, in words, and whether it does not."""
    if memory is None:
        return _("non vérifié"), False
    return (_("tient"), False) if memory.fits else (_("ne tient pas"), True)


def parts(estimate: ParallelismEstimate) -> tuple[PartLine, ...]:
    """Where the time of a step goes; parts that do not occur are left out."""
    if estimate.chosen is None:
        return ()
    time = estimate.chosen.time
    hidden = _("échange de %(all)s, dont %(hidden)s masqués") % {
        "all": parallelism_units.seconds(time.data_s),
        "hidden": parallelism_units.seconds(time.data_s - time.exposed_s),
    }
    found = (
        (_("Calcul"), time.compute_s, _("6 FLOP par paramètre et par token, à la MFU d’un GPU seul")),
        (_("Échange visible entre copies"), time.exposed_s, hidden),
        (_("Tenseurs partagés"), time.tensor_s, _("sommes d’activations à chaque couche, jamais masquées")),
        (_("Étages du pipeline"), time.pipeline_s, _("activations passées d’un étage à l’autre")),
        (_("Bulle du pipeline"), time.bubble_s, _("(p−1)/(m+p−1) du pas")),
        (_("Attente entre machines"), time.cluster_s, _("perte ajustée sur des mesures au-delà de huit GPU")),
    )
    return tuple(
        PartLine(name, parallelism_units.seconds(value), formats.percent(value / time.step_s, 1), note)
        for name, value, note in found
        if value
    )


def overlaps(estimate: ParallelismEstimate) -> tuple[OverlapLine, ...]:
    """What the assumption of overlap decides."""
    return tuple(
        OverlapLine(
            ratio=formats.percent(ratio),
            exposed=parallelism_units.seconds(row.time.exposed_s),
            efficiency=efficiency(row),
            days=parallelism_units.days(row.days),
            is_current=ratio == float(estimate.scenario.overlap_ratio),
        )
        for ratio, row in estimate.overlaps
    )
