"""The formulas of the economics page: what each is called, how it is written, what its symbols stand for."""

from calculator.domain.provenance import Step
from calculator.domain.scenario import EconomicsEstimate
from calculator.language import gettext as _
from calculator.presenters import counted, formulaview, labels
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.stats import reference

OPEN_STEP = "eur_per_mtok"


def formulas(estimate: EconomicsEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    named, meant = titles(estimate), meanings(estimate)
    return tuple(
        formulaview.view(step, expression(step), named[step.code], meant, step.code == OPEN_STEP)
        for step in estimate.steps
    )


def titles(estimate: EconomicsEstimate) -> dict[str, str]:
    """What each formula gives, by step code."""
    row, sku = reference(estimate), estimate.gpu.sku
    api = {"api": row.bill.api.label if row else ""}
    return {
        "instance_rate": _("Débit d’une instance"),
        "capacity": counted.capacity(sku),
        "capacity_with_prompt": counted.capacity_with_prompt(sku),
        "paid_hours": _("Heures payées"),
        "bill_hours_used": _("Facture aux heures utilisées"),
        "instances": counted.whole_count(sku),
        "bill": _("Facture du mois"),
        "total": _("Total du mois"),
        "eur_per_mtok": _("Coût par million de tokens"),
        "full_eur_per_mtok": _("Coût par million à pleine capacité prévue"),
        "implied_utilisation": _("Utilisation réelle"),
        "api_usd": _("Facture de %(api)s en dollars") % api,
        "api_eur": _("Facture de %(api)s en euros") % api,
        "break_even": _("Volume d’équivalence avec %(api)s") % api,
    }


def expression(step: Step) -> str:
    """The formula in the notation of `mathml`, with just the terms that the step has."""
    has = {term.symbol for term in step.terms}
    month = "h × P" if "h" in has else "P"
    fixed = " + F" if "F" in has else ""
    shared = " ÷ (1 − q)" if "q" in has else ""
    whole = "C" if "C" in has else "B"
    return {
        "instance_rate": "d = d_1 × g",
        "capacity": "K = d × 3600 × h × u",
        "capacity_with_prompt": "K = {3600 × h × u × o | i ÷ f + o ÷ d}",
        "paid_hours": "t = ⌈{V | K} × h⌉",
        "bill_hours_used": "B = t × P",
        "instances": "n = ⌈{V | K}⌉",
        "bill": f"B = n × {month}",
        "total": "C = B + F",
        "eur_per_mtok": f"c = {{{whole} | V}}",
        "full_eur_per_mtok": f"c_K = {{n × {month}{fixed} | n × K}}",
        "implied_utilisation": "u_r = {t_p | t}",
        "api_usd": "A = V × p",
        "api_eur": "A_eur = {A | x}",
        "break_even": f"V_min = {{n × {month}{fixed} | p ÷ x}}{shared}",
    }[step.code]


def meanings(estimate: EconomicsEstimate) -> dict[str, str]:
    """What each symbol stands for, in words."""
    sku = estimate.gpu.sku
    return {
        "d": _throughput_meaning(estimate),
        "d_1": _throughput_meaning(estimate),
        "g": _("GPU de l’instance"),
        "h": _("heures d’un mois"),
        "u": _("utilisation\u00a0: part productive des heures payées"),
        "f": _("lecture du prompt, par GPU"),
        "i": _("tokens d’entrée à lire par requête, hors cache de préfixes"),
        "o": _("tokens de sortie par requête"),
        "V": _("tokens de sortie par mois"),
        "K": counted.capacity_a_month(sku),
        "n": counted.whole(sku),
        "P": _("prix de %(name)s, HT") % {"name": estimate.gpu.sku.name},
        "F": _("exploitation, stockage et réseau, par mois"),
        "B": _("facture du mois, HT"),
        "C": _("total du mois, HT"),
        "t": _("heures payées"),
        "t_p": _("heures où le GPU produit"),
        "q": _("réponses servies par le cache"),
        "p": _("prix de l’API, prompts compris, par million de tokens de sortie"),
        "A": _("facture de l’API en dollars"),
        "x": _("dollars pour un euro"),
    }


def _throughput_meaning(estimate: EconomicsEstimate) -> str:
    conditions = labels.throughput_conditions(estimate.gpu.throughput)
    return _("débit de sortie\u00a0: %(conditions)s") % {"conditions": conditions}
