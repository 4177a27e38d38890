"""The formulas of the inference page: what each is called, how it is written, what its symbols stand for."""

from dataclasses import replace

from calculator.domain.provenance import Sourced, Step, Term
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.units import GIB
from calculator.language import gettext as _
from calculator.presenters import formulaview
from calculator.presenters.badges import AnySourced
from calculator.presenters.formulaview import FormulaView

OPEN_STEP = "serve_first_token"
MEMORY_STEPS = frozenset({"serve_weights", "serve_room"})
"""Steps about what fills a card."""


def formulas(estimate: InferenceEstimate) -> tuple[FormulaView, ...]:
    """Every step of the estimate in reading order."""
    named = titles()
    told = (in_gibibytes(step) if step.code in MEMORY_STEPS else step for step in estimate.steps)
    return tuple(
        formulaview.view(step, expression(step), named[step.code], meanings(step.code), step.code == OPEN_STEP)
        for step in told
    )


def gibibytes(item: AnySourced) -> AnySourced:
    """A term in GiB where it counts bytes."""
    if item.unit != "B":
        return item
    size = float(item.value) / GIB
    return Sourced(size, "GiB", item.kind, item.label, item.reference, item.date, item.replaces, item.note)


def in_gibibytes(step: Step) -> Step:
    """A step about a card's memory, its bytes counted as the card is."""
    terms = tuple(Term(term.symbol, gibibytes(term.source)) for term in step.terms)
    if step.unit != "B":
        return replace(step, terms=terms)
    return replace(step, terms=terms, result=float(step.result) / GIB, unit="GiB")


def titles() -> dict[str, str]:
    """What each formula gives, by step code."""
    return {
        "serve_weights": _("Poids du modèle"),
        "kv_bytes": _("Cache KV par token"),
        "serve_latent": _("Cache KV par token (attention latente)"),
        "serve_room": _("Séquences qui tiennent"),
        "prefill_bound": _("Lecture du prompt\u00a0: plafond théorique, jamais une prévision"),
        "serve_decode_bound": _("Débit d’un flux\u00a0: plafond théorique, jamais une prévision"),
        "serve_memory_roof": _("Mémoire recalée sur notre mesure"),
        "serve_compute_roof": _("Part du pic que nos mesures atteignent"),
        "serve_link_roof": _("Lien recalé sur notre mesure"),
        "serve_step": _("Une étape de décodage"),
        "serve_first_token": _("Temps jusqu’au premier token"),
        "serve_output_rate": _("Débit total de sortie"),
        "serve_anchored": _("Débit recalé sur notre mesure"),
        "serve_requests": _("Requêtes par seconde"),
        "serve_little": _("Flux qu’entretient ce débit (loi de Little)"),
        "serve_capacity": _("Tokens de sortie par mois"),
        "serve_bill": _("Facture du mois"),
        "serve_eur_output": _("Coût par million de tokens de sortie"),
        "serve_eur_input": _("Coût par million de tokens d’entrée"),
    }


def expression(step: Step) -> str:
    """The formula in the notation of `mathml`, with just the terms that the step has."""
    has = {term.symbol for term in step.terms}
    month = "h × P" if "h" in has else "P"
    return {
        "serve_weights": "w = {W × b + E × b_e | 8}",
        "kv_bytes": "k = 2 × L × g × s × b",
        "serve_latent": "k = L × (r + p) × b",
        "serve_room": "N = {M − w − r | k} × n",
        "prefill_bound": "t_prefill = {2 × W × T + 4 × L × T² × e | F}",
        "serve_decode_bound": "r_max = {M | w + k}",
        "serve_memory_roof": "a = {M | D × e}",
        "serve_compute_roof": "m = {F | D}",
        "serve_link_roof": "a = {B | p}",
        "serve_step": "s = p + k + f + l + h",
        "serve_first_token": "t_1 = q + f + s",
        "serve_output_rate": "d = {R × O | O × s + R × f} × n",
        "serve_anchored": "d_a = d × a",
        "serve_requests": "r = {d | O}",
        "serve_little": "N = r × t",
        "serve_capacity": "V = d × 3600 × h × u",
        "serve_bill": f"B = n × {month}",
        "serve_eur_output": "c = {B | V}",
        "serve_eur_input": "c_e = {B × y | V × T ÷ O}",
    }[step.code]


def meanings(code: str) -> dict[str, str]:
    """What each symbol of one formula stands for, in words; a symbol means another thing in another formula."""
    return {
        "serve_weights": {
            "W": _("paramètres des couches"),
            "b": _("bits par paramètre, échelles comprises"),
            "E": _("paramètres des embeddings et de la sortie"),
            "b_e": _("bits par paramètre d’embedding"),
        },
        "kv_bytes": {
            "L": _("couches"),
            "g": _("têtes clé-valeur"),
            "s": _("taille d’une tête"),
            "b": _("octets par élément du cache"),
        },
        "serve_latent": {
            "L": _("couches"),
            "r": _("rang latent, gardé une seule fois"),
            "p": _("dimension rotative"),
            "b": _("octets par élément du cache"),
        },
        "serve_room": {
            "M": _("mémoire que le moteur peut prendre, par GPU"),
            "w": _("poids, par GPU"),
            "r": _("moteur, contexte CUDA et activations"),
            "k": _("cache d’une séquence à son contexte moyen, par GPU"),
            "n": _("répliques"),
        },
        "prefill_bound": {
            "W": _("paramètres actifs"),
            "T": _("tokens du prompt"),
            "L": _("couches"),
            "e": _("têtes × taille d’une tête"),
            "F": _("FLOP/s denses, mesurés, sinon de la fiche à 100\u00a0%"),
        },
        "serve_decode_bound": {
            "M": _("bande passante, mesurée, sinon de la fiche à 100\u00a0%"),
            "w": _("poids lus par token"),
            "k": _("cache lu par token"),
        },
        "serve_memory_roof": {
            "M": _("copie mesurée sur ce GPU"),
            "D": _("bande passante de la fiche"),
            "e": _("part que l’étalonnage lit sur cette classe de puces"),
        },
        "serve_compute_roof": {
            "F": _("produit de matrices mesuré sur ce GPU"),
            "D": _("pic dense de la fiche"),
        },
        "serve_link_roof": {
            "B": _("débit de bus mesuré entre ces GPU"),
            "p": _("débit de bus que l’étalonnage prévoit"),
        },
        "serve_step": {
            "p": _("lecture des poids"),
            "k": _("lecture du cache et attention"),
            "f": _("calcul des matrices"),
            "l": _("échanges entre GPU"),
            "h": _("hôte\u00a0: lancement des noyaux, ordonnanceur"),
        },
        "serve_first_token": {
            "q": _("file d’attente et admission"),
            "f": _("lecture du prompt"),
            "s": _("étapes en cours et premier token"),
        },
        "serve_output_rate": {
            "R": _("séquences traitées ensemble, par réplique"),
            "O": _("tokens de la réponse"),
            "s": _("une étape de décodage"),
            "f": _("temps que prend un prompt"),
            "n": _("répliques"),
        },
        "serve_anchored": {"d": _("débit estimé"), "a": _("mesuré ÷ estimé, à la mesure voisine")},
        "serve_requests": {"d": _("débit total de sortie"), "O": _("tokens de la réponse")},
        "serve_little": {"r": _("requêtes par seconde"), "t": _("durée d’une requête")},
        "serve_capacity": {
            "d": _("débit total de sortie"),
            "h": _("heures d’un mois"),
            "u": _("utilisation\u00a0: part productive des heures payées"),
        },
        "serve_bill": {
            "n": _("instances louées"),
            "h": _("heures d’un mois"),
            "P": _("prix d’une instance, HT"),
        },
        "serve_eur_output": {"B": _("facture du mois, HT"), "V": _("tokens de sortie par mois")},
        "serve_eur_input": {
            "B": _("facture du mois, HT"),
            "y": _("part du temps GPU que prennent les prompts"),
            "V": _("tokens de sortie par mois"),
            "T": _("tokens du prompt"),
            "O": _("tokens de la réponse"),
        },
    }[code]
