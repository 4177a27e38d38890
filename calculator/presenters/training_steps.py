"""The formulas of the training page: what each is called, how it is written, what its symbols stand for."""

from calculator.domain.provenance import Step
from calculator.domain.training_scenario import TrainingEstimate
from calculator.language import gettext as _
from calculator.presenters import formulaview
from calculator.presenters.formulaview import FormulaView

OPEN_STEP = "train_time"


def formulas(estimate: TrainingEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    named = titles()
    return tuple(
        formulaview.view(step, expression(step), named[step.code], meanings(step), step.code == OPEN_STEP)
        for step in estimate.steps
    )


def titles() -> dict[str, str]:
    """What each formula gives, by step code."""
    return {
        "train_tokens": _("Tokens du travail"),
        "train_tokens_data": _("Tokens des données"),
        "lora_params": _("Paramètres des adaptateurs"),
        "train_flop_token": _("FLOP par token"),
        "train_flop": _("FLOP du travail"),
        "train_rate_mfu": _("Débit que donne ce MFU"),
        "train_mfu": _("MFU de ce débit"),
        "train_time": _("Durée du travail"),
        "train_bill": _("Coût à l’heure"),
        "train_bill_month": _("Coût au mois"),
        "train_energy": _("Énergie des cartes"),
        "train_states": _("Poids et états d’un GPU"),
        "train_memory": _("Mémoire d’un GPU"),
        "checkpoint_size": _("Taille d’une sauvegarde"),
        "checkpoint_storage": _("Stockage des sauvegardes"),
        "saved_on_api": _("Économie par requête, sur l’API"),
        "saved_on_gpu": _("Économie par requête, sur le GPU"),
        "prompt_payback": _("Requêtes pour rembourser l’entraînement"),
    }


def expression(step: Step) -> str:
    """The formula in the notation of `mathml`, with just the terms that the step has."""
    has = {term.symbol for term in step.terms}
    retries = " × (1 + q)" if "q" in has else ""
    again = " + R" if "R" in has else ""
    exchange = " ÷ x" if "x" in has else ""
    summed = " + ".join(term.symbol for term in step.terms)
    return {
        "train_tokens": "D = b × T × a × r × s",
        "train_tokens_data": "D = z × T_m × e",
        "lora_params": "N_t = k × l × c",
        "train_flop_token": f"C = f × N + A{again}",
        "train_flop": "C_D = C × D",
        "train_rate_mfu": "v = {m × F | C_m}",
        "train_mfu": "m = {v × f × N | F}",
        "train_time": f"t = {{D | v × g × 3600}}{retries}",
        "train_bill": "B = t_p × P × n",
        "train_bill_month": "B = j × P × n",
        "train_energy": "E_w = w ÷ 1000 × g × t",
        "train_states": f"Z = {summed}",
        "train_memory": f"M = {summed}",
        "checkpoint_size": "S = N_t × o",
        "checkpoint_storage": "B_s = S ÷ 1000000000 × h × y × P_s",
        "saved_on_api": f"E = u × p ÷ 1000000{exchange}",
        "saved_on_gpu": "E = {u | f_p × 3600} × P",
        "prompt_payback": "n_r = {B | E}",
    }[step.code]


def meanings(step: Step) -> dict[str, str]:
    """What each symbol stands for, in words; a few mean another thing in another formula."""
    own = {
        "checkpoint_storage": {"h": _("sauvegardes gardées")},
        "saved_on_gpu": {"P": _("prix d’une heure d’un GPU, HT")},
    }
    return {**_work_words(), **_time_words(), **_memory_words(), **_payback_words(), **own.get(step.code, {})}


def _work_words() -> dict[str, str]:
    """The work and its computing."""
    return {
        "b": _("séquences par GPU et par passe (micro-batch)"),
        "T": _("tokens par séquence"),
        "a": _("passes accumulées avant un pas"),
        "r": _("copies du modèle qui apprennent ensemble"),
        "s": _("pas de l’optimiseur"),
        "z": _("exemples du jeu de données"),
        "T_m": _("tokens par exemple, coupé à la séquence"),
        "e": _("époques"),
        "k": _("rang des adaptateurs"),
        "l": _("couches"),
        "c": _("entrées plus sorties des matrices adaptées d’une couche"),
        "f": _("FLOP par paramètre et par token\u00a0: 6, ou 4 si la base est gelée"),
        "N": _("paramètres actifs du modèle"),
        "A": _("FLOP de l’attention causale par token"),
        "R": _("FLOP recalculés par token\u00a0: 2N et une attention"),
        "C": _("FLOP par token"),
        "C_m": _("FLOP par token que compte ce MFU"),
        "D": _("tokens du travail"),
    }


def _time_words() -> dict[str, str]:
    """Speed, time and money."""
    return {
        "m": _("part du pic de calcul (MFU)"),
        "F": _("pic de calcul dense de la carte"),
        "v": _("tokens par seconde et GPU"),
        "g": _("GPU"),
        "q": _("marge pour reprises"),
        "t": _("durée, reprises comprises"),
        "t_p": _("heures payées d’une instance"),
        "P": _("prix d’une instance, HT"),
        "n": _("instances"),
        "j": _("mois entiers payés"),
        "w": _("puissance d’une carte (TDP)"),
    }


def _memory_words() -> dict[str, str]:
    """Memory and checkpoints."""
    return {
        "W": _("poids"),
        "W_a": _("adaptateurs"),
        "G": _("gradients"),
        "O": _("états de l’optimiseur"),
        "Z": _("poids, gradients et états"),
        "K": _("activations"),
        "L": _("logits"),
        "X": _("contexte CUDA et bibliothèques"),
        "N_t": _("paramètres entraînés"),
        "o": _("octets gardés par paramètre entraîné"),
        "S": _("taille d’une sauvegarde"),
        "y": _("mois de conservation"),
        "P_s": _("prix d’un Go gardé un mois, HT"),
    }


def _payback_words() -> dict[str, str]:
    """A shorter prompt."""
    return {
        "u": _("tokens en moins par requête"),
        "p": _("prix de l’entrée, par million de tokens"),
        "x": _("dollars pour un euro"),
        "f_p": _("lecture du prompt, par GPU"),
        "B": _("coût de l’entraînement, HT"),
        "E": _("économie par requête, HT"),
    }
