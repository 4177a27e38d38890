"""Words for results of other tools: what each of them means by its metrics, and why a file was refused."""

from django.utils.translation import gettext as _

from benchmarks import comparison
from benchmarks.foreign import ForeignError
from benchmarks.models import BenchmarkRun
from calculator import formats


def definition_name(code: str) -> str:
    """The short name of a set of definitions."""
    return _("les nôtres") if code == comparison.METHOD else _("celles de %(tool)s") % {"tool": code}


def definition(code: str) -> str:
    """What a tool measures, where it differs from us; empty for our own."""
    known = {
        "vllm-bench-serve": _(
            "Définitions de vllm bench serve : le TTFT va de l’envoi au premier événement, même sans texte ; le TPOT"
            " divise le temps qui suit le premier token par les tokens restants ; le débit compte montée et fin de"
            " charge."
        ),
        "guidellm": _(
            "Définitions de guidellm : le TTFT va jusqu’au premier texte ou raisonnement ; les centiles de TPOT montrés"
            " ici sont ceux de ses moyennes par requête (son ITL), car son propre TPOT contient le TTFT."
        ),
        "aiperf": _(
            "Définitions d’aiperf : le TTFT va jusqu’au premier texte ou raisonnement ; le TPOT montré ici est son"
            " ITL ; les tokens sont comptés par son propre tokenizer, sauf demande contraire."
        ),
        "llama-bench": _(
            "Définitions de llama-bench : génération seule, un flux, sans serveur ni réseau ; il n’y a pas de TTFT."
        ),
    }
    return known.get(code, "")


def facts(run: BenchmarkRun) -> list[tuple[str, str]]:
    """Where an imported result comes from; unknown as a word."""
    unknown = formats.number(None)
    return [
        (_("Outil"), run.import_tool),
        (_("Version de l’outil"), run.import_tool_version or unknown),
        (_("Matériel"), run.import_hardware or unknown),
        (_("Modèle"), run.model_name or unknown),
        (_("Moteur"), f"{run.engine} {run.engine_version}".strip() or unknown),
        (_("Mesurée le"), formats.instant(run.measured_at)),
        (_("Fichier"), run.import_file_name or unknown),
        (_("Empreinte du fichier"), run.import_file_sha256[:16] or unknown),
    ]


def sentence(error: ForeignError) -> str:
    """Why a file is no result, and what would be one."""
    detail = {"detail": error.detail}
    known = {
        "empty": _("Ce fichier est vide."),
        "too_big": _("Ce fichier dépasse %(detail)s Mo.") % detail,
        "too_deep": _("Ce fichier emboîte plus de %(detail)s niveaux : ce n’est pas un résultat de mesure.") % detail,
        "not_utf8": _("Ce fichier n’est pas en UTF-8."),
        "not_json": _("Ce fichier n’est pas du JSON valide (ligne et colonne %(detail)s).") % detail,
        "unknown_tool": _(
            "Ce JSON n’est pas un résultat connu. Sont lus : vllm bench serve (--save-result), guidellm, aiperf"
            " (profile_export_aiperf.json) et llama-bench (-o json ou jsonl)."
        ),
        "no_rate": _("Ce résultat ne contient aucun débit de sortie."),
        "load_unknown": _("Ce résultat ne dit ni combien de flux ni quel rythme il a mesurés."),
        "too_many_steps": _("Ce résultat a plus de %(detail)s paliers.") % detail,
        "not_a_number": _("« %(detail)s » n’est pas un nombre.") % detail,
        "out_of_range": _("« %(detail)s » est négatif ou hors de toute mesure.") % detail,
        "unit": _("« %(detail)s » n’est pas en millisecondes.") % detail,
        "duplicate": _("Ce fichier est déjà importé : mesure %(detail)s.") % detail,
        "missing": _("Choisissez un fichier."),
    }
    return known.get(error.code, _("Ce fichier ne se lit pas."))
