"""Words and units of runs: states, rates, durations, and a sentence with advice for each way a run can go wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from benchmarks.models import CPU_QUEUE, BenchmarkRun, BenchmarkStep
from benchmarks.queries import RunView
from calculator import formats
from calculator.formats import NBSP

TAGS: Mapping[str, str] = {
    "queued": "idle",
    "running": "gpu",
    "succeeded": "good",
    "failed": "bad",
    "cancelled": "idle",
    "stalled": "warn",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong, what to do, and how serious it is (a class of the notice)."""

    tone: str
    sentence: str
    advice: str


def status_word(status: str) -> str:
    words = {
        "queued": _("en attente"),
        "running": _("en cours"),
        "succeeded": _("terminée"),
        "failed": _("échouée"),
        "cancelled": _("annulée"),
        "stalled": pgettext("state of a run", "bloquée"),
    }
    return words[status]


def tok_per_s(value: float | None) -> str:
    """A rate to three significant figures."""
    return formats.number(None) if value is None else f"{three(value)}{NBSP}tok/s"


def three(value: float | None) -> str:
    """Three significant figures; unknown as a word."""
    if value is None:
        return formats.number(None)
    rounded = formats.significant(value)
    return formats.number(rounded, max(0, 2 - rounded.adjusted()) if rounded else 0)


def milliseconds(value: float | None) -> str:
    return formats.number(None) if value is None else f"{three(value)}{NBSP}ms"


def duration(seconds: float) -> str:
    """Seconds, with minutes from one minute on."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}{NBSP}min {rest}{NBSP}s" if minutes else f"{rest}{NBSP}s"


def streams(count: int) -> str:
    return ngettext("%(count)d flux", "%(count)d flux", count) % {"count": count}


def per_s(value: float | None) -> str:
    return formats.number(None) if value is None else f"{three(value)}{NBSP}req/s"


def load_words(step: BenchmarkStep) -> str:
    """What a step asked of the server: so many streams, or so many requests a second."""
    return streams(step.concurrency) if step.rate_per_s is None else per_s(step.rate_per_s)


def trouble(view: RunView) -> Trouble | None:
    """The sentence of a run that did not succeed, or that nobody takes care of."""
    run = view.run
    if run.status == "queued" and not view.served:
        return Trouble("warn", unserved_sentence(run.queue), how_to_serve(run.queue))
    if run.status == "stalled":
        return Trouble(
            "warn",
            _("Le processus qui menait cette mesure a disparu."),
            _("Rien n’est à nettoyer ; relancez une mesure."),
        )
    if run.status == "cancelled":
        return Trouble("", cancel_sentence(run), _("Les paliers achevés restent lisibles ; ils ne se publient pas."))
    if run.status == "failed":
        return Trouble("bad", *failure_words(run.error_code))
    return None


def unserved_sentence(queue: str) -> str:
    """Why a run waits although nothing is ahead of it."""
    if queue == CPU_QUEUE:
        return _("Aucun worker ne sert cette machine.")
    return _("Aucun worker ne sert %(queue)s.") % {"queue": queue}


def how_to_serve(queue: str) -> str:
    """How to start the worker that a waiting run needs."""
    if queue == CPU_QUEUE:
        return _("Démarrez le service de mesure (make run) ; la mesure partira d’elle-même.")
    start = _("Sur la machine à mesurer, lancez « %(command)s » ; la mesure partira d’elle-même.")
    return start % {"command": worker_command(queue)}


def worker_command(queue: str) -> str:
    """The third of the three commands of docs/operations.md."""
    return f"make worker QUEUE={queue}"


def cancel_sentence(run: BenchmarkRun) -> str:
    if run.error_code == "worker_stopped":
        return _("La mesure a été arrêtée avec le service.")
    return _("La mesure a été annulée.")


def failure_words(code: str) -> tuple[str, str]:
    """What happened and what to do, for each reason the supervisor or the service gives."""
    retry = _("Relancez la mesure ; si elle échoue encore, lisez le détail ci-dessous.")
    known = {
        "engine_start": (_("Le serveur du modèle n’a pas démarré."), _("Le détail ci-dessous en donne la raison.")),
        "engine_deadline": (
            _("Le serveur du modèle n’a pas répondu à temps."),
            _("La machine est peut-être trop chargée : relancez la mesure plus tard."),
        ),
        "engine_died": (
            _("Le serveur du modèle s’est arrêté pendant la mesure."),
            _("Essayez moins de flux ou des textes plus courts."),
        ),
        "engine_port": (
            _("Un autre programme a pris le port du serveur du modèle."),
            _("Relancez la mesure : elle tirera un autre port."),
        ),
        "engine_missing": (
            _("Aucun programme vLLM sur la machine de mesure."),
            _("Indiquez-le par la variable VLLM du service de mesure, ou mettez « vllm » dans son PATH."),
        ),
        "engine_vocabulary": (
            _("Le vocabulaire de ce modèle n’est pas connu : ses prompts ne peuvent pas être tirés."),
            _("Donnez un dossier de la machine de mesure avec son config.json, ou un modèle du catalogue."),
        ),
        "deadline": (
            _("La mesure a dépassé la durée qui lui était accordée."),
            _("Demandez moins de requêtes, moins de paliers ou des réponses plus courtes."),
        ),
        "target_refused": (
            _("Cette adresse ne se mesure pas, ou sa clé manque."),
            _("Le détail ci-dessous en donne la raison ; les adresses privées s’autorisent par BENCHMARK_TARGETS."),
        ),
        "target_unreachable": (
            _("Le serveur à mesurer ne répond pas."),
            _("Vérifiez son adresse et qu’il est démarré, puis relancez la mesure."),
        ),
        "target_key_refused": (
            _("Le serveur à mesurer refuse la clé."),
            _("Vérifiez la variable d’environnement qui la porte, puis redémarrez le service de mesure."),
        ),
        "prompts_refused": (
            _("Le fichier de prompts ne convient pas."),
            _("Il faut une ligne JSON par requête, échauffement compris ; le détail nomme la ligne."),
        ),
        "all_requests_failed": (_("Aucune requête n’a abouti."), _("Le tableau des erreurs dit pourquoi.")),
        "supervisor_lost": (_("Le processus de mesure s’est arrêté sans rien dire."), retry),
        "hard_limit": (
            _("La mesure ne s’est pas arrêtée à temps et a été interrompue de force."),
            _("Rien n’est à nettoyer ; demandez moins de requêtes, moins de paliers ou des réponses plus courtes."),
        ),
        "disk_full": (
            _("Le disque de la machine de mesure est plein."),
            _("Libérez de la place dans son dossier de données, puis relancez la mesure."),
        ),
        "disk_failed": (
            _("Le disque de la machine de mesure n’a pas accepté l’écriture."),
            _("Le détail ci-dessous en donne la raison."),
        ),
        "too_few_gpus": (
            _("La machine a moins de GPU que la mesure n’en demande."),
            _("Demandez moins de GPU, ou une offre qui en a davantage."),
        ),
        "no_gpu_python": (
            _("Aucun Python avec torch n’est réglé sur la machine de mesure."),
            _("Donnez au service de mesure la variable GPU_PYTHON, puis relancez la sonde."),
        ),
        "probe_failed": (_("La sonde a échoué."), _("Le détail ci-dessous donne ce que torch en dit.")),
        "probe_lost": (_("La sonde s’est arrêtée sans rien dire."), retry),
        "probe_unreadable": (
            _("La sonde a écrit des lignes d’une autre version."),
            _("Mettez le service de mesure à jour, puis relancez la sonde."),
        ),
        "no_reading": (_("La sonde n’a donné aucune valeur."), retry),
        "too_long": (
            _("La mesure a dépassé sa durée."),
            _("Ce qu’elle avait mesuré reste lisible ; demandez une durée plus courte ou moins de formats."),
        ),
        "queue_unreachable": (
            _("La file d’attente des mesures est injoignable."),
            _("Vérifiez le service de file d’attente, puis relancez la mesure."),
        ),
    }
    return known.get(code, (_("La mesure a échoué pour une raison imprévue."), retry))
