"""One multi-GPU estimate as flat rows: what CSV, workbook, print and saved estimates hold, unrounded."""

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator.domain import parallel_trust
from calculator.domain.parallel_scenario import ParallelismEstimate, Point
from calculator.domain.parallel_trust import Trust
from calculator.domain.provenance import Kind, weakest_kind
from calculator.domain.units import to_decimal
from calculator.forms.parallelism import ParallelismForm
from calculator.permalinks import parallelism as notation
from calculator.presenters import parallelism_causes, parallelism_notices, parallelism_tables
from calculator.presenters.badges import word
from calculator.presenters.input_rows import input_rows
from calculator.presenters.parallelism_headline import sentence
from calculator.presenters.row import Row, sourced_row, unit_word


def export_rows(estimate: ParallelismEstimate) -> tuple[Row, ...]:
    """Every figure of the page in its order."""
    parts = (_answer, _inputs, _step, _counts, _explanation, _links, _reductions, _ways, _notices)
    return tuple(row for part in parts for row in part(estimate))


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else to_decimal(value)


def _answer(estimate: ParallelismEstimate) -> Iterator[Row]:
    section = _("Réponse")
    yield Row(section, _("Phrase"), sentence(estimate))
    yield Row(section, _("Origine la plus faible"), word(estimate.trust) if estimate.trust else _("inconnue"))
    one = _kind(parallel_trust.one_gpu(estimate))
    yield Row(section, _("Durée sur un seul GPU"), _decimal(estimate.one_gpu_days), _("jours"), one)
    if estimate.chosen is not None:
        trust = parallel_trust.of_point(estimate, estimate.chosen)
        yield from _point(section, estimate.chosen, trust)
        yield Row(section, _("Total TTC"), estimate.eur_ttc, _("€ TTC"), _kind(trust.bill))
    yield Row(section, _("Rentabilité"), parallelism_tables.stop_sentence(estimate))


def _kind(kind: Kind | None) -> str:
    """The word of a kind; a figure that rests on the visitor's inputs alone is one of them."""
    return word(kind or Kind.INPUT)


def _point(section: str, point: Point, trust: Trust) -> Iterator[Row]:
    kind = _kind(trust.run)
    yield Row(section, _("Machines"), Decimal(point.machines), "", _kind(trust.machines))
    yield Row(section, _("Instances"), Decimal(point.instances), "", word(Kind.INPUT))
    yield Row(section, _("Durée"), _decimal(point.days), _("jours"), kind)
    yield Row(section, _("Accélération"), _decimal(point.speed_up), "", kind)
    yield Row(section, _("Part de l’idéal"), _decimal(point.efficiency), _("part de 1"), kind)
    yield Row(section, _("Débit"), _decimal(point.tok_per_s), "tok/s", kind)
    yield Row(section, _("Heures de GPU"), _decimal(point.gpu_hours_h), "h", kind)
    yield Row(section, _("Coût"), point.eur, _("€ HT"), _kind(trust.bill))


def _inputs(estimate: ParallelismEstimate) -> Iterator[Row]:
    section = _("Saisies")
    yield from input_rows(ParallelismForm, notation.KEYS[2:], estimate.scenario, {})
    yield sourced_row(section, _("MFU d’un GPU seul"), estimate.mfu, _("part de 1"))
    yield sourced_row(section, _("Pic 16 bits"), estimate.peak, "FLOP/s")
    yield sourced_row(section, _("Prix d’une instance"), estimate.price, _("€ HT / h"))


def _step(estimate: ParallelismEstimate) -> Iterator[Row]:
    if estimate.chosen is None:
        return
    section, time = _("Un pas"), estimate.chosen.time
    run = parallel_trust.run(estimate, estimate.chosen)
    for label, value, kind in (
        (_("Calcul"), time.compute_s, parallel_trust.one_gpu(estimate)),
        (_("Échange entre copies"), time.data_s, _exchange_kind(estimate)),
        (_("Échange visible entre copies"), time.exposed_s, run),
        (_("Tenseurs partagés"), time.tensor_s, Kind.ESTIMATE),
        (_("Étages du pipeline"), time.pipeline_s, Kind.ESTIMATE),
        (_("Bulle du pipeline"), time.bubble_s, run),
        (_("Attente entre machines"), time.cluster_s, run),
        (_("Le pas entier"), time.step_s, run),
    ):
        yield Row(section, label, to_decimal(value), "s", _kind(kind))


def _exchange_kind(estimate: ParallelismEstimate) -> Kind:
    current = next((row for row in estimate.links if row.is_current), None)
    return parallel_trust.exchange(current) if current else Kind.ESTIMATE


def _counts(estimate: ParallelismEstimate) -> Iterator[Row]:
    for row in estimate.rows:
        section, trust = _("%(count)s GPU") % {"count": row.gpu_count}, parallel_trust.of_point(estimate, row)
        yield from _point(section, row, trust)
        gain = _decimal(row.added_ratio)
        yield Row(section, _("Gain du dernier ajout"), gain, _("part de l’idéal"), _kind(trust.run))
        yield Row(section, _("Coût d’un jour gagné"), row.eur_per_saved_day, _("€ HT / jour"), _kind(trust.bill))


def _explanation(estimate: ParallelismEstimate) -> Iterator[Row]:
    found = estimate.explanation
    if found is None:
        return
    section = parallelism_causes.title(found)
    observed = Kind.CLAIM if estimate.scenario.observed_days is None else Kind.INPUT
    compared = _kind(weakest_kind((None if observed is Kind.INPUT else observed, parallel_trust.one_gpu(estimate))))
    yield Row(section, _("Durée observée ou annoncée"), to_decimal(found.observed_days), _("jours"), word(observed))
    yield Row(section, _("Accélération"), to_decimal(found.speed_up), "", compared)
    yield Row(section, _("Part de l’idéal"), to_decimal(found.efficiency), _("part de 1"), compared)
    for line in parallelism_causes.lines(found):
        yield Row(section, line.name, f"{line.value}, {line.verdict} ({line.why})")


def _links(estimate: ParallelismEstimate) -> Iterator[Row]:
    for row in estimate.links:
        section, kind = (
            _("Lien\u00a0: %(name)s") % {"name": row.link.name},
            _kind(parallel_trust.run(estimate, row.point)),
        )
        rate, floor = word(parallel_trust.rate(row)), word(parallel_trust.textbook(row))
        measured = word(parallel_trust.exchange(row))
        yield Row(section, _("Débit par sens"), to_decimal(row.rate_bytes_per_s), unit_word("B/s"), rate)
        yield Row(section, _("Échange, à 100\u00a0% de la fiche"), to_decimal(row.textbook_s), "s", floor)
        yield Row(section, _("Échange, rendement mesuré"), to_decimal(row.allreduce_s), "s", measured)
        yield Row(section, _("Part de l’idéal"), to_decimal(row.point.efficiency), _("part de 1"), kind)
        yield Row(section, _("Durée"), to_decimal(row.point.days), _("jours"), kind)


def _reductions(estimate: ParallelismEstimate) -> Iterator[Row]:
    kind = word(_exchange_kind(estimate))
    for row in estimate.reductions:
        if row.available:
            name = parallelism_tables.reduction_name(row.reduction)
            yield Row(_("Somme des gradients"), name, to_decimal(row.measured_s), "s", kind)


def _ways(estimate: ParallelismEstimate) -> Iterator[Row]:
    kind = word(Kind.ESTIMATE)
    for row in estimate.ways:
        section = parallelism_tables.way_name(row)
        for fault in row.faults:
            yield Row(section, _("Impossible"), str(parallelism_notices.sentence_of(fault)))
        if row.point is None:
            continue
        days = _kind(parallel_trust.run(estimate, row.point))
        yield Row(section, _("Durée"), to_decimal(row.point.days), _("jours"), days)
        yield Row(section, _("Octets envoyés par GPU et par pas"), _decimal(row.crossing_bytes), unit_word("B"), kind)
        yield Row(
            section,
            _("Mémoire par GPU"),
            _decimal(row.memory.needed_bytes if row.memory else None),
            unit_word("B"),
            kind,
        )


def _notices(estimate: ParallelismEstimate) -> Iterator[Row]:
    for notice in parallelism_notices.notices(estimate):
        yield Row(_("Remarques"), notice.lead, str(notice.text))
