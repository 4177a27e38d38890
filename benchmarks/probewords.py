"""Words of probes: what each figure is, what a guard that did not pass means, why a figure sets no roof."""

from django.utils.translation import gettext as _

from benchmarks.models import ProbeReading
from benchmarks.probeorders import ProbeOrderError
from benchmarks.wording import three
from calculator import formats
from calculator.formats import NBSP

TERA, GIGA = 1e12, 1e9
UNTOLD = "?"


def probe_name(probe: str) -> str:
    known = {
        "gemm": _("Unités matricielles"),
        "membw": _("Mémoire"),
        "decode": _("Décodage"),
        "prefill": _("Traitement du prompt"),
        "train_step": _("Un pas d’entraînement"),
        "allreduce": _("All-reduce entre GPU"),
    }
    return known.get(probe, probe)


def probe_about(probe: str) -> str:
    known = {
        "gemm": _("Opérations par seconde d’un grand produit de matrices, en bf16, fp16 et fp8 si le GPU en a."),
        "membw": _("Octets par seconde d’une copie et d’une triade, hors du cache."),
        "decode": _("Tokens par seconde d’un modèle aux poids aléatoires, et octets lus que cela suppose."),
        "prefill": _("Tokens de prompt par seconde d’un modèle aux poids aléatoires, et opérations que cela suppose."),
        "train_step": _("Tokens par seconde de pas complets, en entraînement complet et en LoRA ; MFU et HFU."),
        "allreduce": _("Somme entre GPU selon la taille du message : débits de l’algorithme et du bus."),
    }
    return known.get(probe, "")


def metric_name(metric: str) -> str:
    known = {
        "gemm_bf16": _("Produit de matrices, bf16"),
        "gemm_fp16": _("Produit de matrices, fp16"),
        "gemm_fp8": _("Produit de matrices, fp8"),
        "membw_copy": _("Copie (lecture et écriture)"),
        "membw_triad": _("Triade (deux lectures, une écriture)"),
        "decode": _("Décodage"),
        "decode_bandwidth": _("Décodage, octets lus"),
        "prefill": _("Traitement du prompt"),
        "prefill_flop": _("Traitement du prompt, opérations"),
        "train_full": _("Entraînement complet"),
        "train_full_mfu": _("Entraînement complet, MFU"),
        "train_full_hfu": _("Entraînement complet, HFU"),
        "train_lora": _("LoRA"),
        "train_lora_mfu": _("LoRA, MFU"),
        "train_lora_hfu": _("LoRA, HFU"),
        "allreduce_bus": _("All-reduce, débit du bus"),
        "allreduce_alg": _("All-reduce, débit de l’algorithme"),
    }
    return known.get(metric, metric)


def roof_name(metric: str) -> str:
    """What a roof of the calculators governs."""
    known = {
        "copy_bytes_per_s": _("Lecture des poids et du cache"),
        "bus_bytes_per_s": _("Échanges entre les GPU d’une machine"),
        "gemm_bf16_flop_per_s": _("Lecture du prompt en 16 bits"),
        "gemm_fp16_flop_per_s": _("Lecture du prompt en 16 bits"),
        "gemm_fp8_flop_per_s": _("Lecture du prompt en fp8"),
    }
    return known.get(metric, metric)


def value_words(value: float | None, unit: str) -> str:
    """A figure to three significant digits in the unit that people read."""
    if value is None:
        return formats.number(None)
    if unit == "ratio":
        return formats.percent(value, 1)
    if unit == "FLOP/s":
        return f"{three(value / TERA)}{NBSP}TFLOP/s"
    if unit == "B/s":
        return f"{three(value / GIGA)}{NBSP}{_('Go/s')}"
    return f"{three(value)}{NBSP}{unit}"


def refusal_words(name: str) -> str:
    """Why a figure is refused."""
    known = {
        "plausible": _("Au-dessus de 105 % de la fiche technique : non synchronisée, ou lue dans le cache."),
        "complete": _("Interrompue avant la fin."),
        "no_foreign_process": _("Un autre programme employait le GPU."),
        "result_correct": _("Le résultat du calcul est faux."),
    }
    return known.get(name, name)


def flag_words(flag: str) -> str:
    """What a guard that failed, or could not tell, means for the figure."""
    if flag.endswith(UNTOLD):
        return untold_words(flag.removesuffix(UNTOLD))
    known = {
        "whole_gpu": _("Une tranche de GPU (MIG)."),
        "steady_warm_up": _("L’échauffement ne s’est pas stabilisé à 2 % près."),
        "sustained": _("Moins de 30 s de mesure : valeur courte."),
        "beyond_cache": _("Les données ne dépassent pas quatre fois le cache."),
        "no_new_memory": _("La mémoire réservée a crû pendant la mesure."),
        "not_throttled": _("Fréquences bridées pendant plus de 5 % des relevés."),
        "sampled_often": _("Fréquences relevées moins de cinq fois par seconde."),
        "link_trained": _("Lien PCIe en dessous de son maximum."),
        "no_ecc_errors": _("Erreurs de mémoire non corrigées pendant la mesure."),
    }
    return known.get(flag, flag)


def untold_words(name: str) -> str:
    known = {
        "plausible": _("Aucune fiche technique à laquelle comparer."),
        "beyond_cache": _("Taille du cache inconnue."),
        "no_foreign_process": _("Le pilote ne dit pas qui emploie le GPU."),
        "not_throttled": _("Le pilote ne dit pas si les fréquences ont été bridées."),
        "link_trained": _("Le pilote ne dit pas l’état du lien PCIe."),
        "no_ecc_errors": _("Le pilote ne compte pas les erreurs de mémoire."),
    }
    return known.get(name, _("Un contrôle sans réponse : %(name)s.") % {"name": name})


def verdict(reading: ProbeReading) -> tuple[str, str, list[str]]:
    """A figure's verdict: class of its tag, word, and the sentences behind it."""
    remarks = [flag_words(flag) for flag in reading.flags.split(",") if flag]
    if reading.refusal:
        return "bad", _("refusée"), [refusal_words(reading.refusal), *remarks]
    if any(not flag.endswith(UNTOLD) for flag in reading.flags.split(",") if flag):
        return "warn", _("acceptée, avec réserve"), remarks
    return "good", _("acceptée"), remarks


def order_words(error: ProbeOrderError) -> str:
    """Why a probe cannot be asked for."""
    known = {
        "probe": _("Aucune sonde ne s’appelle « %(value)s »."),
        "seconds": _("La durée va de 0,1 à 600 s, et non %(value)s s."),
        "dtypes": _("« %(value)s » n’est pas un format mesuré : bf16, fp16 ou fp8."),
        "config": _("Cette configuration de modèle ne convient pas : %(value)s"),
        "one_gpu": _("Un all-reduce demande au moins deux GPU."),
        "sku": _("Le catalogue ne contient aucune offre « %(value)s »."),
    }
    return known[error.code] % {"value": error.value}
