"""The tables of the training page, ready to print: every number already text."""

from decimal import Decimal
from typing import NamedTuple

from calculator import formats
from calculator.domain.offers import Basis
from calculator.domain.training import Method
from calculator.domain.training_scenario import (
    Alternative,
    Fit,
    Reads,
    TrainingEstimate,
    Utilisation,
    Verdict,
    Way,
)
from calculator.language import gettext as _
from calculator.presenters import quantities, training_words, words
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.words import Mark

MINUTE_S = 60
SHORTEST_MONTHS = Decimal("0.01")
"""A payback below some hours needs no digits."""


class MemoryRow(NamedTuple):
    """One line of memory with its bar, in per cent of the larger of need and card."""

    name: str
    size: str
    width: str
    failing: bool


class MemoryTable(NamedTuple):
    """The lines of one GPU, their sum, and where the card ends (`line`, a per cent for the bars)."""

    rows: tuple[MemoryRow, ...]
    needed: str
    usable: str
    line: str
    mark: Mark
    a_param: str
    band: str


def memory(estimate: TrainingEstimate) -> MemoryTable:
    """Every line that takes room, each bar against the whole card; a line that is not modelled says so."""
    found, unknown = estimate.fit.memory, estimate.fit.unknown
    widest = max(found.usable_bytes, *(size for _line, size in found.lines))
    rows = tuple(
        MemoryRow(
            training_words.line_name(line),
            training_words.gib(None if line in unknown else size),
            f"{size / widest * 100:.1f}%",
            line is found.failing,
        )
        for line, size in found.lines
        if size or line in unknown
    )
    band, a_param = estimate.fit.band, estimate.fit.state_bytes_a_param
    return MemoryTable(
        rows=rows,
        needed=training_words.needed(estimate.fit),
        usable=training_words.gib(found.usable_bytes),
        line=f"{found.usable_bytes / widest * 100:.1f}%",
        mark=training_words.verdict(memory_verdict(estimate.fit)),
        a_param="" if a_param is None else formats.number(formats.significant(a_param).normalize()),
        band=training_words.banded(*map(training_words.gib, band)) if band else "",
    )


def memory_verdict(fit: Fit) -> Verdict:
    """What the total says of the memory alone: an invalid division is said elsewhere."""
    if fit.verdict is not Verdict.IMPOSSIBLE:
        return fit.verdict
    return Verdict.FITS if fit.memory.fits else Verdict.MISFIT


class ShareRow(NamedTuple):
    """A utilisation by one convention."""

    name: str
    share: str
    formula: str


def utilisations(estimate: TrainingEstimate) -> tuple[ShareRow, ...]:
    """MFU by each convention, and HFU; nothing where no peak or no speed is known."""
    if estimate.rate is None:
        return ()
    again = " + 2N" if estimate.scenario.recomputed else ""
    formulas = {
        Utilisation.SIX: "6N",
        Utilisation.SIX_ATTENTION: "6N + 12·L·T·d",
        Utilisation.METHOD: f"{estimate.flop.factor}N",
        Utilisation.HARDWARE: f"{estimate.flop.factor}N{again} + {8 if again else 6}·L·T·d",
    }
    return tuple(
        ShareRow(training_words.utilisation_name(kind), formats.percent(share, 1), formulas[kind])
        for kind, share in estimate.rate.utilisations
    )


class AlternativeRow(NamedTuple):
    """The same run on another count or by another method."""

    name: str
    time: str
    eur: str
    mark: Mark
    is_current: bool
    query: str


def counts(estimate: TrainingEstimate) -> tuple[AlternativeRow, ...]:
    """The run by number of GPUs."""
    return tuple(
        _alternative(row, estimate, training_words.instances(estimate.sku, int(row.code))) for row in estimate.counts
    )


def methods(estimate: TrainingEstimate) -> tuple[AlternativeRow, ...]:
    """The run by method."""
    return tuple(_alternative(row, estimate, training_words.method_name(Method(row.code))) for row in estimate.methods)


def _alternative(row: Alternative, estimate: TrainingEstimate, name: str) -> AlternativeRow:
    return AlternativeRow(
        name=name,
        time=quantities.duration(row.seconds) if row.fits else "",
        eur=cost_cell(row),
        mark=_refused_batch(row, estimate) if row.verdict is Verdict.BATCH else training_words.verdict(row.verdict),
        is_current=row.is_current,
        query=training_words.link(estimate.scenario, row.changes),
    )


def _refused_batch(row: Alternative, estimate: TrainingEstimate) -> Mark:
    """Why the copies cannot share the global batch."""
    batch = estimate.scenario.micro_batch * estimate.scenario.accumulation * estimate.data_parallel
    text = _("batch de %(batch)s indivisible par %(copies)s")
    return Mark(text % {"batch": formats.number(batch), "copies": formats.number(row.copies)}, "lose")


def cost_cell(row: Alternative | Way) -> str:
    """The cost; nothing beside what does not run, and the words for a price on request."""
    if not row.fits:
        return ""
    return _("sur devis") if row.eur is None and row.seconds is not None else words.bare(formats.money(row.eur))


class Fact(NamedTuple):
    """A quantity with its value and, where it has one, its origin."""

    name: str
    value: str
    badge: Badge | None = None


def work(estimate: TrainingEstimate) -> tuple[Fact, ...]:
    """What is trained and how much computing it is."""
    share = None if estimate.trained_params is None else estimate.trained_params / estimate.model.params_total
    found = estimate.amount
    flop = estimate.flop
    rows = [
        Fact(_("Paramètres entraînés"), _trained(estimate, share)),
        Fact(_("Batch global"), _("%(count)s séquences") % {"count": _batch(estimate)}),
        Fact(_("Copies du modèle (parallélisme de données)"), formats.number(estimate.data_parallel)),
        Fact(_("FLOP par token, poids (%(factor)sN)") % {"factor": flop.factor}, _flop(flop.linear)),
        Fact(_("FLOP par token, attention causale"), _flop(flop.attention)),
    ]
    if flop.recomputation:
        rows.append(Fact(_("FLOP par token, recalcul (2N et attention)"), _flop(flop.recomputation)))
    rows.append(Fact(_("FLOP du travail"), _flop(estimate.total_flop)))
    if found is not None:
        rows.insert(0, Fact(_("Tokens"), formats.number(found.tokens, 0)))
        rows.insert(3, Fact(_("Séquences"), formats.number(found.sequences, 0)))
    return tuple(rows)


def _trained(estimate: TrainingEstimate, share: float | None) -> str:
    if estimate.trained_params is None or share is None:
        return formats.number(None)
    text = formats.tokens(estimate.trained_params, digits=4)
    return f"{text} ({formats.percent(share, 0 if share == 1 else 2)})"


def _batch(estimate: TrainingEstimate) -> str:
    scenario = estimate.scenario
    batch = scenario.micro_batch * scenario.accumulation * estimate.data_parallel
    parts = (scenario.micro_batch, scenario.accumulation, estimate.data_parallel)
    return f"{formats.number(batch)} = {' × '.join(formats.number(part) for part in parts)}"


def _flop(value: float | None) -> str:
    return quantities.scaled(value, "FLOP")


def cost(estimate: TrainingEstimate) -> tuple[Fact, ...]:
    """Money, hours and energy."""
    bill = estimate.bill
    if bill is None:
        return ()
    on_basis = words.per_period(formats.unit_price(bill.price.value), estimate.scenario.basis) if bill.price else ""
    rows = [
        Fact(_("Prix d’une instance"), on_basis or _("sur devis"), badge(bill.price)),
        Fact(_("Heures payées"), f"{quantities.digits(bill.paid_h)}{formats.NBSP}h"),
        Fact(_("Heures de GPU"), f"{quantities.digits(bill.gpu_h)}{formats.NBSP}h"),
        Fact(_("Total HT"), training_words.eur(bill.eur, estimate), of_kind(bill.trust) if bill.price else None),
        Fact(_("Total TTC"), formats.money(bill.gross_eur, unknown=_("sur devis") if bill.price is None else "")),
        Fact(_("Énergie des cartes à leur TDP, sans l’hôte"), _energy(estimate)),
    ]
    if estimate.scenario.basis is Basis.MONTH:
        rows.insert(1, Fact(_("Mois payés"), formats.number(bill.months)))
    return tuple(rows)


def _energy(estimate: TrainingEstimate) -> str:
    if estimate.energy_kwh is None:
        return formats.number(None)
    return f"{quantities.digits(estimate.energy_kwh)}{formats.NBSP}kWh"


def checkpoints(estimate: TrainingEstimate) -> tuple[Fact, ...]:
    """Size of one checkpoint, what is kept, what it costs to keep."""
    found = estimate.checkpoints
    name = _("Adaptateurs seuls") if estimate.scenario.method.frozen_base else _("Poids seuls")
    return (
        Fact(name, quantities.scaled(found.weight_bytes, "B")),
        Fact(_("Avec les états, pour reprendre"), quantities.scaled(found.restart_bytes, "B")),
        Fact(
            _("Gardées, sur écrites, la dernière comprise"),
            f"{formats.number(found.kept_count)} / {formats.number(found.written_count)}",
        ),
        Fact(_("Place occupée"), quantities.scaled(found.stored_bytes, "B")),
        Fact(_("Stockage pour toute la durée, HT"), formats.money(found.total_eur, unknown=_("prix inconnu"))),
    )


def payback(estimate: TrainingEstimate) -> tuple[Fact, ...]:
    """What a shorter prompt saves and when it has paid the training; empty where nobody asked."""
    found = estimate.payback
    if found is None:
        return ()
    rows = [Fact(_("Tokens en moins par requête"), formats.number(found.saved_tokens))]
    if found.rate is not None:
        rows.append(Fact(_rate_name(found.reads), _rate(found.rate.value, found.reads), badge(found.rate)))
    if found.saved_gpu_s is not None:
        rows.append(Fact(_("Temps de GPU gagné par requête"), quantities.duration(found.saved_gpu_s)))
    if not found.cash:
        return (*rows, Fact(_("Économie en argent"), _("aucune\u00a0: la carte est payée de toute façon")))
    rows.append(Fact(_("Économie pour 1\u202f000 requêtes, HT"), formats.money(_thousand(found.saved_eur))))
    rows.append(Fact(_("Requêtes pour rembourser"), _count(found.requests_count)))
    rows.append(Fact(_("Mois pour rembourser"), _months(found.months)))
    return tuple(rows)


def _thousand(value: Decimal | None) -> Decimal | None:
    return None if value is None else value * 1000


def _count(value: Decimal | None) -> str:
    return formats.number(None) if value is None else formats.number(value, 0)


def _months(value: Decimal | None) -> str:
    if value is None:
        return formats.number(None)
    return quantities.digits(value) if value >= SHORTEST_MONTHS else f"<{formats.NBSP}{formats.number(SHORTEST_MONTHS)}"


def _rate_name(reads: Reads) -> str:
    return _("Prix de l’entrée") if reads is Reads.API else _("Lecture du prompt, par GPU")


def _rate(value: Decimal | float, reads: Reads) -> str:
    if reads is Reads.API:
        return quantities.with_unit(value, "USD/Mtok")
    return f"{quantities.digits(value)}{formats.NBSP}tok/s"


class LoopSizes(NamedTuple):
    """The sizes that the training loop names: batch, sequence, vocabulary."""

    batch: str
    sequence: str
    vocabulary: str


def loop(estimate: TrainingEstimate) -> LoopSizes:
    """B, T and |V| of one pass."""
    scenario = estimate.scenario
    return LoopSizes(
        formats.number(scenario.micro_batch),
        formats.number(scenario.sequence_tokens),
        formats.number(estimate.model.vocab),
    )
