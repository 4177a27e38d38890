"""One training estimate as flat rows: what the CSV, the workbook and a saved estimate hold, unrounded."""

from collections.abc import Iterator
from decimal import Decimal

from calculator import formats
from calculator.domain.offers import Sku
from calculator.domain.provenance import Kind, asked_kind
from calculator.domain.training_scenario import Alternative, TrainingEstimate
from calculator.domain.training_work import whole_steps
from calculator.domain.units import Number, to_decimal
from calculator.language import gettext as _
from calculator.presenters import training_headline, training_tables, training_ways, training_words
from calculator.presenters.badges import word
from calculator.presenters.row import Row, Value, sourced_row


def export_rows(estimate: TrainingEstimate) -> tuple[Row, ...]:
    """Every figure of the page in its order."""
    parts = (_answer, _inputs, _work, _speed, _time_and_cost, _memory, _ways, _checkpoints, _payback, _alternatives)
    return tuple(row for part in parts for row in part(estimate))


def _number(value: Number | None) -> Decimal | None:
    return None if value is None else to_decimal(value)


def _answer(estimate: TrainingEstimate) -> Iterator[Row]:
    section = _("Réponse")
    yield Row(section, _("Phrase"), training_headline.sentence(estimate))
    yield Row(section, _("Origine la plus faible"), word(estimate.trust) if estimate.trust else _("inconnue"))


def _inputs(estimate: TrainingEstimate) -> Iterator[Row]:
    """What was asked, each called typed or, as long as nobody touched it, an assumption."""
    section, scenario = _("Saisies"), estimate.scenario
    yes_no = _("oui") if scenario.recomputed else _("non")
    told: tuple[tuple[str, str, Value, str], ...] = (
        ("model", _("Modèle"), training_words.model_name(estimate.model), ""),
        ("sku", _("GPU dédié"), training_words.machine(estimate.sku, scenario.instances), ""),
        ("method", _("Méthode"), training_words.method_name(scenario.method), ""),
        ("numbers", _("Format de calcul"), training_words.numbers_name(scenario.numbers), ""),
        ("optimizer", _("Optimiseur"), training_words.optimizer_name(scenario.optimizer), ""),
        ("framework", _("Logiciel"), training_words.framework_name(scenario.framework), ""),
        ("recomputed", _("Recalculer les activations"), yes_no, ""),
        ("micro_batch", _("Micro-batch"), Decimal(scenario.micro_batch), _("séquences")),
        ("accumulation", _("Accumulation"), Decimal(scenario.accumulation), _("passes")),
        ("sequence_tokens", _("Longueur de séquence"), Decimal(scenario.sequence_tokens), _("tokens")),
        ("tensor_parallel", _("Parallélisme tensoriel (TP)"), Decimal(scenario.tensor), "GPU"),
        ("pipeline_parallel", _("Parallélisme de pipeline (PP)"), Decimal(scenario.stages), _("étages")),
        ("sharding", _("Partage entre copies (ZeRO, FSDP)"), Decimal(int(scenario.sharding)), ""),
    )
    for attribute, label, value, unit in told:
        yield Row(section, label, value, unit, word(_asked(estimate, attribute)))


def _asked(estimate: TrainingEstimate, attribute: str) -> Kind:
    """Typed, left as it was, or chosen here: a division that the visitor left open."""
    if attribute in ("tensor_parallel", "pipeline_parallel") and estimate.is_divided:
        return Kind.ESTIMATE
    behind = {"model": ("model", "params_count"), "sku": ("sku", "instances")}.get(attribute, (attribute,))
    kinds = {asked_kind(estimate.scenario, name) for name in behind}
    return Kind.INPUT if Kind.INPUT in kinds else Kind.ASSUMPTION


def _work(estimate: TrainingEstimate) -> Iterator[Row]:
    section, found = _("Travail"), estimate.amount
    steps = None if found is None else Decimal(whole_steps(found))
    yield Row(section, _("Tokens"), _number(found.tokens if found else None), _("tokens"))
    yield Row(section, _("Batch global"), _number(found.global_batch if found else None), _("séquences"))
    yield Row(section, _("Pas de l’optimiseur"), steps, _("pas"))
    yield Row(section, _("Séquences"), _number(found.sequences if found else None), _("séquences"))
    yield Row(section, _("Époques"), _number(found.epochs if found else None))
    yield Row(section, _("Paramètres entraînés"), _number(estimate.trained_params), _("paramètres"))
    yield Row(section, _("FLOP par token, poids"), _number(estimate.flop.linear), "FLOP")
    yield Row(section, _("FLOP par token, attention causale"), _number(estimate.flop.attention), "FLOP")
    yield Row(section, _("FLOP par token, recalcul"), _number(estimate.flop.recomputation), "FLOP")
    yield Row(section, _("FLOP du travail"), _number(estimate.total_flop), "FLOP")


def _speed(estimate: TrainingEstimate) -> Iterator[Row]:
    section, rate = _("Vitesse"), estimate.rate
    yield sourced_row(section, _("Débit par GPU"), rate.per_gpu if rate else None, "tok/s")
    if rate is None:
        return
    kind = word(rate.per_gpu.kind)
    yield Row(section, _("Débit total"), _number(rate.total_tok_per_s), "tok/s", kind)
    if rate.band is not None:
        yield Row(section, _("Débit par GPU, bas de la fourchette"), _number(rate.band[0]), "tok/s", kind)
        yield Row(section, _("Débit par GPU, haut de la fourchette"), _number(rate.band[1]), "tok/s", kind)
    for name, share in rate.utilisations:
        yield Row(section, training_words.utilisation_name(name), _number(share), _("part de 1"), kind)


def _time_and_cost(estimate: TrainingEstimate) -> Iterator[Row]:
    section, took, bill = _("Durée et coût"), estimate.duration, estimate.bill
    kind = word(estimate.trust) if estimate.trust else ""
    yield Row(section, _("Durée"), _number(took.with_retries_s if took else None), "s", kind)
    if took is not None and took.run_s.low is not None and took.run_s.high is not None:
        yield Row(section, _("Durée, bas de la fourchette"), _number(took.run_s.low), "s", kind)
        yield Row(section, _("Durée, haut de la fourchette"), _number(took.run_s.high), "s", kind)
    if bill is None:
        return
    yield sourced_row(section, _("Prix d’une instance"), bill.price)
    yield Row(section, _("Heures payées"), bill.paid_h, "h", kind)
    yield Row(section, _("Heures de GPU"), bill.gpu_h, "h", kind)
    yield Row(section, _("Total HT"), bill.eur, _("€ HT / travail"), kind)
    yield Row(section, _("Total HT, bas de la fourchette"), bill.low_eur, _("€ HT / travail"), kind)
    yield Row(section, _("Total HT, haut de la fourchette"), bill.high_eur, _("€ HT / travail"), kind)
    yield Row(section, _("Total TTC"), bill.gross_eur, _("€ TTC / travail"), kind)
    yield Row(section, _("Énergie des cartes à leur TDP, sans l’hôte"), _number(estimate.energy_kwh), "kWh")


def _memory(estimate: TrainingEstimate) -> Iterator[Row]:
    section, fit = _("Mémoire d’un GPU"), estimate.fit
    for line, size in fit.memory.lines:
        yield Row(section, training_words.line_name(line), None if line in fit.unknown else _number(size), _("octets"))
    needed = None if fit.unknown else fit.memory.needed_bytes
    yield Row(section, _("Nécessaire"), _number(needed), _("octets"))
    yield Row(section, _("Disponible"), _number(fit.memory.usable_bytes), _("octets"))
    yield Row(section, _("Verdict"), training_words.verdict(fit.verdict).text)
    yield Row(section, _("Octets par paramètre, avant partage"), _number(fit.state_bytes_a_param), _("octets"))


def _ways(estimate: TrainingEstimate) -> Iterator[Row]:
    section = _("Solutions")
    for way in estimate.fit.ways:
        where = training_words.machine(_sku(estimate, way.sku), way.instances)
        name = f"{training_ways.way_name(way, estimate)}, {where}"
        yield Row(section, name, _number(way.needed_bytes), _("octets"))
        yield Row(section, formats.labelled(name, _("verdict")), training_words.verdict(way.verdict).text)
        yield Row(section, formats.labelled(name, _("durée")), _number(way.seconds), "s")
        yield Row(section, formats.labelled(name, _("coût")), way.eur, _("€ HT / travail"))


def _sku(estimate: TrainingEstimate, code: str) -> Sku:
    return next((sku for sku in estimate.skus if sku.code == code), estimate.sku)


def _checkpoints(estimate: TrainingEstimate) -> Iterator[Row]:
    section, found = _("Sauvegardes"), estimate.checkpoints
    yield Row(section, _("Poids seuls"), _number(found.weight_bytes), _("octets"))
    yield Row(section, _("Avec les états, pour reprendre"), _number(found.restart_bytes), _("octets"))
    yield Row(section, _("Écrites"), Decimal(found.written_count))
    yield Row(section, _("Gardées"), Decimal(found.kept_count))
    yield Row(section, _("Place occupée"), _number(found.stored_bytes), _("octets"))
    yield Row(section, _("Stockage pour toute la durée, HT"), found.total_eur, _("€ HT"))


def _payback(estimate: TrainingEstimate) -> Iterator[Row]:
    section, found = _("Prompt raccourci"), estimate.payback
    if found is None:
        return
    yield Row(section, _("Tokens en moins par requête"), found.saved_tokens, _("tokens"))
    yield Row(section, _("Temps de GPU gagné par requête"), _number(found.saved_gpu_s), "s")
    yield Row(section, _("Économie par requête"), found.saved_eur, _("€ HT / requête"))
    yield Row(section, _("Requêtes pour rembourser"), found.requests_count, _("requêtes"))
    yield Row(section, _("Mois pour rembourser"), found.months, _("mois"))


def _alternatives(estimate: TrainingEstimate) -> Iterator[Row]:
    for row, shown in zip(estimate.counts, training_tables.counts(estimate), strict=True):
        yield from _alternative(_("Selon le nombre de GPU"), row, shown)
    for row, shown in zip(estimate.methods, training_tables.methods(estimate), strict=True):
        yield from _alternative(_("Selon la méthode"), row, shown)


def _alternative(section: str, row: Alternative, shown: training_tables.AlternativeRow) -> Iterator[Row]:
    """Whether it runs, or why not; then time and cost."""
    yield Row(section, formats.labelled(shown.name, _("verdict")), shown.mark.text)
    yield Row(section, formats.labelled(shown.name, _("durée")), _number(row.seconds), "s")
    yield Row(section, formats.labelled(shown.name, _("coût")), row.eur, _("€ HT / travail"))
