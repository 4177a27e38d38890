"""What the vendor publishes for a case, as claims, beside what this page works out."""

from typing import NamedTuple

from calculator import formats
from calculator.domain.offers import Basis
from calculator.domain.training_published import ReadRun, is_case, read_run
from calculator.domain.training_scenario import PublishedRun, TrainingEstimate, Utilisation
from calculator.domain.units import to_decimal
from calculator.language import gettext as _
from calculator.presenters import quantities, training_words, words
from calculator.presenters.badges import Badge, badge

MINUTE_S = 60


class ReadingRow(NamedTuple):
    """One reading of the published batch."""

    name: str
    tokens: str
    epochs: str
    minutes: str
    eur: str
    agrees: str


class Claimed(NamedTuple):
    """A published figure beside what this page works out."""

    name: str
    published: str
    here: str


class PublishedBlock(NamedTuple):
    """What the vendor prints for this case, beside our own; both readings of a batch that is not stated clearly."""

    figures: tuple[Claimed, ...]
    readings: tuple[ReadingRow, ...]
    badge: Badge | None
    note: str


def published(estimate: TrainingEstimate) -> PublishedBlock | None:
    """The vendor's run of this case, None where there is none or where the work is another one."""
    run = next((run for run in estimate.published if is_case(run, estimate)), None)
    if run is None:
        return None
    price = estimate.sku.prices.get(Basis.HOUR)
    found = (read_run(run, reading, price.value if price else None) for reading in run.readings)
    return PublishedBlock(
        figures=_claims(run, estimate),
        readings=tuple(_reading(item) for item in found),
        badge=badge(run.tok_per_s_per_gpu),
        note=published_note(run.code),
    )


def published_note(code: str) -> str:
    """Why the vendor's figures and ours differ, where it is not the reading of the batch."""
    return {
        "encoder_1": _(
            "92\u00a0jours sur une A100 font un MFU de 26,1\u00a0% à 6N\u00a0: une hypothèse prudente, puisque la "
            "vitesse calibrée est plus haute. Séquence, batch et logiciel ne sont pas publiés."
        ),
        "encoder_8": _(
            "14\u00a0jours font 82\u00a0% de huit fois la vitesse d’une carte. Au même MFU par carte, sans rien perdre "
            "aux échanges de gradients, il en faudrait 11,5\u00a0: le calculateur Multi-GPU cherche ce qui explique "
            "l’écart."
        ),
    }.get(code, "")


def _reading(found: ReadRun) -> ReadingRow:
    return ReadingRow(
        name=_("batch global de %(count)s (%(micro)s × %(passes)s)")
        % {
            "count": formats.number(found.global_batch),
            "micro": formats.number(found.reading.micro_batch),
            "passes": formats.number(found.reading.accumulation),
        },
        tokens=formats.number(found.tokens),
        epochs=quantities.digits(found.epochs),
        minutes=f"{formats.number(found.minutes, 1)}{formats.NBSP}min",
        eur=words.bare(formats.money(found.eur, unknown=_("sur devis"))),
        agrees=_("oui") if found.agrees else _("non"),
    )


def _claims(run: PublishedRun, estimate: TrainingEstimate) -> tuple[Claimed, ...]:
    rate, took, bill = estimate.rate, estimate.duration, estimate.bill
    six = dict(rate.utilisations).get(Utilisation.SIX) if rate else None
    rows = [
        Claimed(
            _("Tokens par seconde et GPU"),
            f"≈{formats.NBSP}{quantities.digits(run.tok_per_s_per_gpu.value)}",
            quantities.digits(rate.per_gpu.value) if rate else formats.number(None),
        ),
        Claimed(
            _("Tokens"),
            f"≈{formats.NBSP}{formats.tokens(run.tokens)}",
            formats.tokens(estimate.amount.tokens if estimate.amount else None),
        ),
    ]
    if run.mfu_ratio is not None:
        rows.append(Claimed("MFU", f"≈{formats.NBSP}{formats.percent(run.mfu_ratio)}", _six(six)))
    if run.minutes is not None:
        shown = quantities.duration(to_decimal(run.minutes) * MINUTE_S)
        rows.append(
            Claimed(_("Durée"), f"≈{formats.NBSP}{shown}", quantities.duration(took.run_s.value if took else None))
        )
    if run.eur is not None:
        own = training_words.eur(bill.eur if bill else None, estimate)
        rows.append(Claimed(_("Coût HT"), f"≈{formats.NBSP}{formats.money(run.eur)}", own))
    return tuple(rows)


def _six(share: float | None) -> str:
    return formats.number(None) if share is None else _("%(share)s à 6N") % {"share": formats.percent(share, 1)}
