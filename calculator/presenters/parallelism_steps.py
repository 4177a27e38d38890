"""The formulas of the multi-GPU answer with the visitor's numbers, in words."""

from calculator.domain.parallel_scenario import ParallelismEstimate
from calculator.domain.provenance import Step
from calculator.language import gettext as _
from calculator.presenters.formulaview import FormulaView, view

OPEN_STEP = "parallel_efficiency"

EXPRESSIONS = {
    "parallel_flop": "C = 6 × P × D",
    "parallel_one_gpu": "J_1 = {C | F × e × 86400}",
    "parallel_compute": "c = {6 × P × T | F × e}",
    "parallel_allreduce_bound": "t_0 = r × {P_g × g | B}",
    "parallel_allreduce": "t_a = {t_0 | k}",
    "parallel_shards": "t_d = m × (t_w + {t_a | 2})",
    "parallel_exposed": "x = max(t_a − o × b ; v × t_a)",
    "parallel_speed_up": "S = N × E",
    "parallel_days": "J = {J_1 | N × E}",
    "parallel_bill": "K = n × J × 24 × p",
}


def expression(step: Step) -> str:
    """The formula in the notation of `mathml`, with just the terms that the step has."""
    if step.code != "parallel_efficiency":
        return EXPRESSIONS[step.code]
    parts = " + ".join(term.symbol for term in step.terms)
    return f"E = {{c | {parts}}}"


def titles() -> dict[str, str]:
    """What each formula gives, by step code."""
    return {
        "parallel_flop": _("Calculs de l’entraînement"),
        "parallel_one_gpu": _("Durée sur un seul GPU"),
        "parallel_compute": _("Calcul d’un pas sur chaque GPU"),
        "parallel_allreduce_bound": _("Échange des gradients, à 100\u00a0% de la fiche"),
        "parallel_allreduce": _("Échange des gradients, rendement mesuré"),
        "parallel_shards": _("Échange des états partagés"),
        "parallel_exposed": _("Échange que le calcul ne masque pas"),
        "parallel_efficiency": _("Part de l’idéal"),
        "parallel_speed_up": _("Accélération"),
        "parallel_days": _("Durée sur tous les GPU"),
        "parallel_bill": _("Coût de l’entraînement"),
    }


def meanings(estimate: ParallelismEstimate) -> dict[str, str]:
    """What each symbol stands for, in words."""
    sharded = estimate.scenario.sharing.value == "sharded"
    return {
        "P": _("paramètres actifs par token"),
        "D": _("tokens d’entraînement"),
        "C": _("calculs de l’entraînement"),
        "F": _("pic 16 bits dense de %(gpu)s") % {"gpu": estimate.gpu.name},
        "e": _("MFU d’un GPU seul"),
        "T": _("tokens par GPU et par pas"),
        "r": _("part du message envoyée sur chaque lien"),
        "P_g": _("paramètres dont un GPU porte les gradients"),
        "g": _("octets par gradient"),
        "B": _("débit par sens, %(name)s") % {"name": slowest(estimate)},
        "t_0": _("échange à 100\u00a0% de la fiche"),
        "k": _("part de la fiche que ce message atteint"),
        "m": _("micro-batchs par pas"),
        "t_w": _("somme de tous les poids en 16 bits"),
        "t_a": _("échange entre les copies"),
        "o": _("recouvrement supposé"),
        "b": _("calcul qui peut masquer l’échange") if sharded else _("passe arrière du dernier micro-batch"),
        "v": _("part toujours visible, ajustée sur des mesures"),
        "c": _("calcul d’un pas"),
        "x": _("échange visible"),
        "t_t": _("tenseurs partagés"),
        "t_p": _("étages du pipeline"),
        "t_b": _("bulle du pipeline"),
        "t_m": _("attente entre machines"),
        "E": _("part de l’idéal"),
        "N": _("nombre de GPU"),
        "J_1": _("durée sur un seul GPU"),
        "J": _("durée sur tous les GPU"),
        "n": _("instances entières"),
        "p": _("prix d’une instance, HT"),
    }


def slowest(estimate: ParallelismEstimate) -> str:
    """The name of the link or network whose rate the exchange is computed with; empty without an exchange."""
    current = next((row for row in estimate.links if row.is_current), None)
    return current.link.name if current else ""


def formulas(estimate: ParallelismEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    named, meant = titles(), meanings(estimate)
    return tuple(
        view(step, expression(step), named[step.code], meant, step.code == OPEN_STEP) for step in estimate.steps
    )
