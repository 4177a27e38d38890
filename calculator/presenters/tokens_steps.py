"""The formulas of the tokens answer with the visitor's numbers, in words."""

from calculator.domain.provenance import Step
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens_scenario import TokensEstimate, Work
from calculator.language import gettext as _
from calculator.presenters.formulaview import FormulaView, view

OPEN_STEP = "tokens_total"

EXPRESSIONS = {
    "tokens_total": "T = N × m",
    "tokens_margin": "e = N × t × {s | √ n} × √ (1 − {n | N})",
    "tokens_chunks": "K = N × k",
    "tokens_embedded": "E = T + N × (k − 1) × o",
    "tokens_embed_bill": "A = {E × p | x}",
    "tokens_read_bill": "B = {T × p | x}",
    "tokens_gpu_time": "t_g = {T | f}",
    "tokens_gpu_bill": "G = t × c × P",
    "tokens_typed_time": "t_s = {T | f}",
}


WHEN_INDEXING = {"tokens_gpu_time": "t_g = {E | f}", "tokens_typed_time": "t_s = {E | f}"}
"""Where the machine embeds chunks instead of reading documents."""


def expression(step: Step, estimate: TokensEstimate) -> str:
    """The formula in the notation of `mathml`; whole hours are rounded up once, on the total."""
    if step.code == "tokens_gpu_bill" and estimate.scenario.billing_step is BillingStep.HOUR:
        return "G = ⌈ t × c ⌉ × P"
    if step.code in WHEN_INDEXING and estimate.scenario.work is Work.INDEX:
        return WHEN_INDEXING[step.code]
    return EXPRESSIONS[step.code]


def titles(estimate: TokensEstimate) -> dict[str, str]:
    """What each formula gives, by step code."""
    api = estimate.apis[0].model.label if estimate.apis else ""
    sku = {"sku": estimate.gpu.offer.sku.code}
    time, bill = _("Durée de lecture sur %(sku)s"), _("Coût de lecture sur %(sku)s")
    if estimate.scenario.work is Work.INDEX:
        time, bill = _("Durée d’indexation sur %(sku)s"), _("Coût d’indexation sur %(sku)s")
    return {
        "tokens_total": _("Tokens du corpus"),
        "tokens_margin": _("Demi-intervalle du total"),
        "tokens_chunks": _("Morceaux à indexer"),
        "tokens_embedded": _("Tokens lus pour indexer"),
        "tokens_embed_bill": _("Indexation avec %(model)s") % {"model": estimate.embedding.model.label},
        "tokens_read_bill": _("Lecture par %(model)s") % {"model": api},
        "tokens_gpu_time": time % sku,
        "tokens_gpu_bill": bill % sku,
        "tokens_typed_time": _("Durée au débit saisi"),
    }


def meanings(estimate: TokensEstimate) -> dict[str, str]:
    """What each symbol stands for, in words."""
    return {
        "N": _("documents du corpus"),
        "m": _("tokens par document, en moyenne"),
        "t": _("quantile de Student"),
        "s": _("écart-type entre documents comptés"),
        "n": _("documents comptés"),
        "k": _chunks_meaning(estimate),
        "T": _("tokens du corpus"),
        "o": _("recouvrement"),
        "E": _("tokens lus pour indexer"),
        "p": _("prix d’un million de tokens en entrée"),
        "x": _("dollars pour un euro"),
        "f": _("tokens lus par seconde"),
        "c": _("machines"),
        "P": _("prix d’une heure, HT"),
    }


def _chunks_meaning(estimate: TokensEstimate) -> str:
    if estimate.scenario.sd_tokens:
        return _("morceaux par document, en moyenne (longueurs supposées log-normales)")
    return _("morceaux par document (tous de la longueur moyenne)")


def formulas(estimate: TokensEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    named, meant = titles(estimate), meanings(estimate)
    hours = {**meant, "t": _("heures de lecture")}
    return tuple(
        view(
            step,
            expression(step, estimate),
            named[step.code],
            hours if step.code == "tokens_gpu_bill" else meant,
            step.code == OPEN_STEP,
        )
        for step in estimate.steps
    )
