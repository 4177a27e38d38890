"""Live figures of the explanations of training: the published fine-tuning, and the published run on eight GPUs."""

from collections.abc import Mapping
from decimal import Decimal

from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.collectives import Reduction
from calculator.domain.parallel_scenario import ParallelismEstimate
from calculator.domain.provenance import Kind
from calculator.domain.training_scenario import Reads, TrainingEstimate
from calculator.presenters import quantities
from calculator.tool import Answer
from sales.learning.figures import Live, answered, marked, page_of

PUBLISHED = "published_8"
SAVED_TOKENS, MONTHLY_REQUESTS = Decimal(800), Decimal(50_000)
"""The example of a prompt that fine-tuning makes shorter; both stand beside the result and can be changed there."""


def fine_tuning() -> Answer:
    """The published fine-tuning of 12 000 tickets."""
    return answered("training", PUBLISHED)


def loop_figures() -> Mapping[str, Live]:
    """What one step reads, how many there are, and what the whole run takes and costs."""
    found = fine_tuning()
    estimate: TrainingEstimate = found.estimate
    href, trust = page_of("training", found), marked(estimate.trust)
    work, took, bill = estimate.amount, estimate.duration, estimate.bill
    shown = {
        "step": (formats.number(work.step_tokens if work else None), _("tokens lus à chaque pas"), ""),
        "steps": (formats.number(work.steps if work else None, 0), _("pas de l’optimiseur"), ""),
        "time": (quantities.duration(took.with_retries_s if took else None), _("pour tout l’affinage"), trust),
        "cost": (formats.money(bill.eur if bill else None), _("HT, à la seconde"), trust),
    }
    return {name: Live(value, label, href, badge) for name, (value, label, badge) in shown.items()}


def exchange_figures() -> Mapping[str, Live]:
    """What eight GPUs exchange at each step, how long that takes, and what is left of the ideal speed-up."""
    found = answered("parallelism")
    estimate: ParallelismEstimate = found.estimate
    href, claim, estimated = page_of("parallelism", found), marked(Kind.CLAIM), marked(Kind.ESTIMATE)
    explained, chosen = estimate.explanation, estimate.chosen
    ring = next(row for row in estimate.reductions if row.reduction is Reduction.RING)
    shown = {
        "published": (
            formats.number(explained.speed_up if explained else None, 2),
            _("fois plus vite sur 8 GPU"),
            claim,
        ),
        "efficiency": (
            formats.percent(explained.efficiency if explained else None),
            _("de l’accélération idéale"),
            claim,
        ),
        "exchange": (quantities.duration(ring.measured_s), _("pour un all-reduce en anneau"), estimated),
        "step": (quantities.duration(chosen.time.step_s if chosen else None), _("pour un pas entier"), estimated),
    }
    return {name: Live(value, label, href, badge) for name, (value, label, badge) in shown.items()}


def payback_figures() -> Mapping[str, Live]:
    """After how many requests the published fine-tuning is paid by a prompt that it makes shorter."""
    found = answered("training", PUBLISHED, reads=Reads.API, saved_tokens=SAVED_TOKENS, requests_count=MONTHLY_REQUESTS)
    estimate: TrainingEstimate = found.estimate
    href, trust = page_of("training", found), marked(estimate.trust)
    paid, bill = estimate.payback, estimate.bill
    shown = {
        "saved": (
            formats.number(SAVED_TOKENS),
            _("tokens de prompt en moins par requête, pour l’exemple"),
            marked(Kind.ASSUMPTION),
        ),
        "cost": (formats.money(bill.eur if bill else None), _("HT pour l’affinage publié"), trust),
        "requests": (
            formats.number(paid.requests_count if paid else None, 0),
            _("requêtes pour le rembourser, prompts lus par %(api)s") % {"api": found.scenario.reference},
            trust,
        ),
        "saving": (formats.money(paid.saved_eur if paid else None), _("HT économisés par requête"), trust),
    }
    return {name: Live(value, label, href, badge) for name, (value, label, badge) in shown.items()}
