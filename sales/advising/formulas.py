"""The advisor's formulas with the customer's numbers, in words."""

from calculator.domain.provenance import Step
from calculator.language import gettext as _
from calculator.presenters.formulaview import FormulaView, view
from sales.domain.advice import Advice

EXPRESSIONS = {
    "advice_people": "R = u × q × j",
    "advice_requests": "R = {V | o}",
    "advice_peak": "r = {R × k | H × 3600}",
    "advice_ceiling": "U = {c | k}",
    "advice_hybrid": "M = G + A",
}


def titles() -> dict[str, str]:
    """What each formula gives, by step code."""
    return {
        "advice_people": _("Requêtes par mois"),
        "advice_requests": _("Requêtes par mois"),
        "advice_peak": _("Requêtes à l’heure la plus chargée"),
        "advice_ceiling": _("Utilisation au plus"),
        "advice_hybrid": _("Mois de l’hybride"),
    }


def meanings() -> dict[str, str]:
    """What each symbol stands for."""
    return {
        "u": _("personnes"),
        "q": _("requêtes d’une personne, un jour actif"),
        "j": _("jours actifs du mois"),
        "V": _("tokens de sortie par mois"),
        "o": _("tokens d’une réponse"),
        "R": _("requêtes par mois"),
        "H": _("heures du mois"),
        "k": _("heure la plus chargée, rapportée à la moyenne"),
        "c": _("charge prévue de cette heure"),
        "G": _("GPU, pour la base"),
        "A": _("API, pour les pointes"),
    }


def formulas(advice: Advice) -> tuple[FormulaView, ...]:
    """Every formula of the answer, all folded."""
    names, words = titles(), meanings()
    return tuple(formula(step, names, words) for step in advice.steps)


def formula(step: Step, names: dict[str, str], words: dict[str, str]) -> FormulaView:
    """One formula."""
    return view(step, EXPRESSIONS[step.code], names[step.code], words)
