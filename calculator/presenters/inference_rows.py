"""One inference estimate as flat rows: what the CSV, the workbook and a saved estimate hold, unrounded."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from calculator.domain.memory import Line
from calculator.domain.provenance import Kind, asked_kind
from calculator.domain.ranking import Candidate
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_cost import PriceRange, price_of
from calculator.domain.serving_scenario import Ranged
from calculator.domain.units import GIB, to_decimal
from calculator.fields import Quantity
from calculator.forms import inference as form
from calculator.permalinks import inference as notation
from calculator.permalinks.notation import Key
from calculator.presenters import inference_lead as lead
from calculator.presenters import inference_tables as tables
from calculator.presenters import inference_words as words
from calculator.presenters import quantities
from calculator.presenters.badges import word
from calculator.presenters.inference_notices import notices
from calculator.presenters.row import Row, sourced_row


def export_rows(estimate: InferenceEstimate) -> tuple[Row, ...]:
    """Every figure of the page in its order: answer, inputs, memory, speeds, cost, ways out, ranking, curve."""
    parts = (_answer, _inputs, _measured, _memory, _speeds, _cost, _ways, _ranking, _curve, _notes)
    return tuple(row for part in parts for row in part(estimate))


def _answer(estimate: InferenceEstimate) -> Iterator[Row]:
    section = _("Réponse")
    yield Row(section, _("Phrase"), lead.sentence(estimate))
    yield Row(section, _("Cas"), lead.eyebrow(estimate))
    yield Row(section, _("Origine la plus faible"), word(estimate.trust) if estimate.trust else _("inconnue"))


def _inputs(estimate: InferenceEstimate) -> Iterator[Row]:
    """Every input that is set, by the name of its field."""
    section = _("Saisies")
    labels = {name: str(spec.label) for name, spec in form.NUMBERS.items()}
    labels |= {name: str(spec.label) for name, spec in form.SELECTS.items()}
    labels |= {name: str(spec.label) for name, spec in form.LISTED.items()}
    for key in notation.KEYS:
        value = getattr(estimate.scenario, key.attribute)
        if key.name in labels and value not in (None, "", ()) and not is_unsaid(key.name, estimate):
            shown = to_decimal(value) if key.quantity else written(key, value)
            yield Row(section, labels[key.name], shown, _unit(key.quantity), word(_asked(estimate, key)))


def _asked(estimate: InferenceEstimate, key: Key) -> Kind:
    """Typed, left as it was, or chosen here: a division that the visitor left open."""
    if key.name in ("tp", "pp") and estimate.is_divided:
        return Kind.ESTIMATE
    return asked_kind(estimate.scenario, key.attribute)


def trust_word(estimate: InferenceEstimate, code: str) -> str:
    """What the step behind a figure is worth; an estimate where the step is not told."""
    kinds = (step.trust for step in estimate.steps if step.code == code)
    return word(next(kinds, None) or Kind.ESTIMATE)


def written(key: Key, value: Any) -> str:
    """A value that is no number as it stands in the link."""
    return ", ".join(key.write(item) for item in value) if key.many else key.write(value)


def is_unsaid(name: str, estimate: InferenceEstimate) -> bool:
    """A target that is none, and what describes a model that the catalogue holds."""
    no_target = name in form.TARGETS and not getattr(estimate.scenario, notation.NOTATION.by_name[name].attribute)
    return no_target or (name == "tied" and estimate.scenario.params is None)


def _unit(quantity: Quantity | None) -> str:
    """What an input counts, where its number alone does not say it."""
    if quantity is None:
        return ""
    return _("part de 1") if quantity.percent else "ms" if quantity is notation.MILLISECONDS else ""


def _memory(estimate: InferenceEstimate) -> Iterator[Row]:
    memory = estimate.chosen.memory
    if memory is None:
        return
    section, kind = _("Mémoire d’un GPU"), word(Kind.ESTIMATE)
    unit, sheet = quantities.gibibyte_unit(), word(Kind.DATA_SHEET)
    for line, size in memory.estimate.lines:
        own = trust_word(estimate, "serve_weights") if line is Line.WEIGHTS else kind
        yield Row(section, str(words.LINES[line]), to_decimal(size) / GIB, unit, own)
    yield Row(section, _("utilisable"), to_decimal(memory.estimate.usable_bytes) / GIB, unit, sheet)
    yield Row(section, _("manque"), to_decimal(memory.lacking_bytes) / GIB, unit, kind)
    yield Row(section, _("séquences au contexte moyen"), to_decimal(memory.mean_sequences), "", kind)
    yield Row(section, _("séquences au contexte entier"), to_decimal(memory.full_sequences), "", kind)


def _ranged(section: str, label: str, value: Ranged, unit: str) -> Iterator[Row]:
    kind = word(value.kind)
    yield Row(section, label, to_decimal(value.value), unit, kind)
    if value.low is not None and value.high is not None:
        yield Row(section, _("%(label)s, bas de la fourchette") % {"label": label}, to_decimal(value.low), unit, kind)
        yield Row(section, _("%(label)s, haut de la fourchette") % {"label": label}, to_decimal(value.high), unit, kind)


def _speeds(estimate: InferenceEstimate) -> Iterator[Row]:
    speed, served = estimate.speeds, estimate.chosen.served
    if speed is None or served is None:
        return
    section, kind = _("Vitesses"), word(Kind.ESTIMATE)
    yield from _ranged(section, _("premier token"), speed.first_token_s, "s")
    yield Row(section, _("dont file d’attente"), to_decimal(served.point.queue_s), "s", kind)
    yield Row(section, _("dont lecture du prompt"), to_decimal(served.point.prefill_s), "s", kind)
    yield Row(section, _("dont premier token"), to_decimal(served.point.first_step_s), "s", kind)
    yield from _ranged(section, _("temps par token"), speed.token_s, "s")
    yield from _ranged(section, _("réponse entière"), speed.end_to_end_s, "s")
    yield from _ranged(section, _("débit par flux"), speed.user_tok_per_s, "tok/s")
    yield from _ranged(section, _("débit total de sortie"), speed.total_tok_per_s, "tok/s")
    yield from _ranged(section, _("requêtes par seconde"), speed.requests_per_s, "req/s")
    if estimate.goodput is not None:
        yield Row(
            section,
            _("dans les objectifs, au moins (indication)"),
            to_decimal(estimate.goodput.low_per_s),
            "req/s",
            kind,
        )
        yield Row(
            section,
            _("dans les objectifs, au plus (indication)"),
            to_decimal(estimate.goodput.high_per_s),
            "req/s",
            kind,
        )
    if estimate.most_clients is not None:
        yield Row(section, _("flux en même temps, au plus"), Decimal(estimate.most_clients), "", kind)
    if estimate.best is not None:
        flows = to_decimal(estimate.best.served.concurrency)
        yield Row(section, _("flux dans les objectifs, au plus"), flows, "", kind)
    if estimate.roofline is not None:
        yield Row(section, _("ce qui limite une étape"), str(words.LIMITS[estimate.roofline.binding]))


def _priced(section: str, label: str, price: PriceRange | None, kind: str) -> Iterator[Row]:
    unit = _("€ HT / 1M tokens")
    if price is None:
        return
    yield Row(section, label, price.value, unit, kind)
    if price.low is not None and price.high is not None:
        yield Row(section, _("%(label)s, bas de la fourchette") % {"label": label}, price.low, unit, kind)
        yield Row(section, _("%(label)s, haut de la fourchette") % {"label": label}, price.high, unit, kind)


def _cost(estimate: InferenceEstimate) -> Iterator[Row]:
    section, cost = _("Coût"), estimate.cost
    if cost is None:
        yield Row(section, _("Prix"), _("sur devis"))
        return
    kind = word(Kind.ASSUMPTION)
    yield sourced_row(section, _("Prix d’une instance"), cost.price)
    yield Row(section, _("Facture du mois"), cost.bill_eur, _("€ HT / mois"), trust_word(estimate, "serve_bill"))
    yield Row(section, _("Tokens de sortie par mois"), cost.volume_tokens, _("tokens / mois"), kind)
    yield from _priced(section, _("sortie, tout compris"), cost.output, kind)
    yield from _priced(section, _("sortie, part des étapes de décodage"), cost.output_share, kind)
    yield from _priced(section, _("entrée, part de la lecture des prompts"), cost.input_share, kind)
    yield from _priced(section, _("entrée et sortie confondues"), cost.total, kind)
    yield from _priced(section, _("sortie, à pleine capacité prévue"), cost.planned, kind)


def _measured(estimate: InferenceEstimate) -> Iterator[Row]:
    """Our own runs of this model on this SKU, each with its conditions in its label."""
    for line, run in zip(tables.runs(estimate), tables.ordered(estimate), strict=True):
        yield sourced_row(
            _("Mesures publiées"), f"{line.run}, {line.setup}, {line.load}, {line.lengths}", run.output_tok_per_s
        )


def _ways(estimate: InferenceEstimate) -> Iterator[Row]:
    for way in estimate.ways_out:
        title = tables.way_title(way, estimate.scenario)
        yield Row(_("Solutions"), title, way.outcome.eur_per_h, _("€ HT / h"))
        yield Row(_("Solutions"), _("%(title)s\u00a0: effet") % {"title": title}, tables.reached(way.outcome))


def _named(one: Candidate) -> str:
    name = words.machine(one.offer.sku.code, one.scenario.instances)
    return f"{name}, {tables.detail(one)}"


def _ranking(estimate: InferenceEstimate) -> Iterator[Row]:
    section = _("Classement")
    for one in estimate.ranking.by_sku:
        name = _named(one)
        found = price_of(one.scenario, one.offer.sku)
        price = one.eur_per_h if one.eur_per_h is not None else _("sur devis")
        yield Row(section, name, price, _("€ HT / h"), word(found[0].rank_kind or Kind.INPUT) if found else "")
        yield Row(
            section,
            _("%(name)s\u00a0: convient") % {"name": name},
            tables.verdict(one.outcome)[0],
            "",
            word(Kind.ESTIMATE),
        )
        if why := tables.reason(one, estimate):
            yield Row(section, _("%(name)s\u00a0: pourquoi") % {"name": name}, why)


def _curve(estimate: InferenceEstimate) -> Iterator[Row]:
    section, kind = _("Courbe"), word(Kind.ESTIMATE)
    for one in estimate.curve:
        name = words.streams(one.concurrency)
        yield Row(
            section, _("%(name)s\u00a0: débit total") % {"name": name}, to_decimal(one.output_tok_per_s), "tok/s", kind
        )
        yield Row(
            section, _("%(name)s\u00a0: temps par token") % {"name": name}, to_decimal(one.point.token_s), "s", kind
        )
        first = to_decimal(one.point.first_token_s)
        yield Row(section, _("%(name)s\u00a0: premier token") % {"name": name}, first, "s", kind)


def _notes(estimate: InferenceEstimate) -> Iterator[Row]:
    for notice in notices(estimate):
        yield Row(_("Réserves"), notice.lead, str(notice.text))
