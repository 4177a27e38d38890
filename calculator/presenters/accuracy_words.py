"""Words of the Accuracy page: metrics, engines' reasons to refuse, rows reported apart, how a row was measured."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.accuracy.naming import number
from calculator.accuracy.statistics import Key
from calculator.domain.units import half_up
from calculator.language import gettext as _
from calculator.language import ngettext

MIB = 2**20


class Metric(NamedTuple):
    """One line of the goals: its code in links, the file and column it is measured in, its name and unit."""

    code: str
    key: Key
    name: Promise
    short: Promise
    unit: Promise


METRICS = (
    Metric(
        "throughput",
        ("inference_batched.csv", "total_output_tok_s"),
        gettext_lazy("Débit total d’un serveur"),
        gettext_lazy("Débit total"),
        gettext_lazy("tok/s"),
    ),
    Metric(
        "tpot",
        ("inference_serving_latency.csv", "tpot_ms"),
        gettext_lazy("Temps par token, plusieurs clients"),
        gettext_lazy("Temps par token"),
        gettext_lazy("ms"),
    ),
    Metric(
        "ttft",
        ("inference_serving_latency.csv", "ttft_ms"),
        gettext_lazy("Premier token, plusieurs clients"),
        gettext_lazy("Premier token"),
        gettext_lazy("ms"),
    ),
    Metric(
        "decode",
        ("inference_single_stream.csv", "decode_tok_s"),
        gettext_lazy("Décodage d’un seul flux"),
        gettext_lazy("Un flux"),
        gettext_lazy("tok/s"),
    ),
    Metric(
        "prefill",
        ("inference_single_stream.csv", "prefill_tok_s"),
        gettext_lazy("Lecture d’un prompt seul"),
        gettext_lazy("Prompt"),
        gettext_lazy("tok/s"),
    ),
    Metric(
        "ttft-alone",
        ("inference_single_stream.csv", "ttft_ms"),
        gettext_lazy("Premier token d’un seul flux"),
        gettext_lazy("Premier token, un flux"),
        gettext_lazy("ms"),
    ),
    Metric(
        "training",
        ("training.csv", "tok_s_per_gpu"),
        gettext_lazy("Entraînement, par GPU"),
        gettext_lazy("Entraînement"),
        gettext_lazy("tok/s par GPU"),
    ),
    Metric(
        "allreduce",
        ("allreduce.csv", "busbw_GB_s"),
        gettext_lazy("All-reduce, messages d’au moins 1 Mio"),
        gettext_lazy("All-reduce"),
        gettext_lazy("Go/s"),
    ),
    Metric(
        "memory",
        ("memory.csv", "measured_gb"),
        gettext_lazy("Mémoire occupée par GPU"),
        gettext_lazy("Mémoire"),
        gettext_lazy("Gio"),
    ),
)

REASONS: dict[str, Promise] = {
    "unknown GPU": gettext_lazy("GPU inconnu"),
    "unknown model": gettext_lazy("modèle inconnu"),
    "does not fit": gettext_lazy("ne tient pas en mémoire, compté comme une erreur"),
    "engine not modelled": gettext_lazy("moteur non modélisé"),
    "vendor not calibrated": gettext_lazy("constructeur non calibré"),
    "precision not modelled": gettext_lazy("précision non modélisée"),
    "batch not modelled": gettext_lazy("batch non modélisé"),
    "metric not modelled": gettext_lazy("grandeur non modélisée"),
    "method not modelled": gettext_lazy("méthode non modélisée"),
    "offload not modelled": gettext_lazy("déport en mémoire vive non modélisé"),
    "library not modelled": gettext_lazy("bibliothèque non modélisée"),
    "lengths not stated": gettext_lazy("longueurs non indiquées"),
    "concurrency not stated": gettext_lazy("nombre de clients non indiqué"),
    "micro-batch not stated": gettext_lazy("micro-batch non indiqué"),
    "network not stated": gettext_lazy("réseau non indiqué"),
    "open loop at a rate": gettext_lazy("arrivées à un rythme fixé"),
    "padded sequences of unknown length": gettext_lazy("séquences complétées, de longueur inconnue"),
    "no peak on the data sheet": gettext_lazy("puissance de calcul absente de la fiche technique"),
    "unknown_peak": gettext_lazy("puissance de calcul absente de la fiche technique"),
    "unknown link": gettext_lazy("lien absent de la fiche technique"),
    "unknown_link": gettext_lazy("lien absent de la fiche technique"),
    "GPU count not readable": gettext_lazy("nombre de GPU illisible"),
    "measurement not readable": gettext_lazy("mesure illisible"),
    "nothing measured": gettext_lazy("aucune mesure"),
    "not computable": gettext_lazy("calcul impossible"),
}

APART: dict[str, Promise] = {
    "all requests at once": gettext_lazy("Toutes les requêtes envoyées à la fois"),
    "open loop at a rate": gettext_lazy("Arrivées à un rythme fixé (qps)"),
    "AMD": gettext_lazy("GPU AMD, non calibrés"),
    "T4": gettext_lazy("Un seul flux sur T4"),
    "below 1 MiB": gettext_lazy("All-reduce de moins de 1 Mio"),
    "measurement not readable": gettext_lazy("Mesures illisibles"),
    "nothing measured": gettext_lazy("Lignes sans débit mesuré"),
}


class PublicFigures(NamedTuple):
    """Median and p90 of another predictor's errors on comparable rows; ratios."""

    median: float
    p90: float


PEER = "NVIDIA AISimulate"
PEER_SOURCE = "https://github.com/ai-dynamo/aiconfigurator"
PEER_FIGURES: dict[Key, PublicFigures] = {
    ("inference_batched.csv", "total_output_tok_s"): PublicFigures(0.27, 1.12),
    ("inference_serving_latency.csv", "tpot_ms"): PublicFigures(0.10, 2.14),
    ("inference_serving_latency.csv", "ttft_ms"): PublicFigures(0.48, 0.82),
    ("inference_single_stream.csv", "ttft_ms"): PublicFigures(0.07, 0.16),
}
"""What NVIDIA's simulator reached in November 2026 on rows within its scope: ten data-centre GPUs, 16 bits and fp8."""
OTHER_MEDIANS = {"GenZ": 1.04, "roofline": 1.44}
"""Medians of two other predictors on the total rate of servers."""


def metric_asked(code: str) -> Metric:
    """The metric of that code; the first one for any other."""
    return next((metric for metric in METRICS if metric.code == code), METRICS[0])


def reason(code: str) -> str:
    """A refusal in words; what follows a colon is a name and stays as it is."""
    head, colon, name = code.partition(": ")
    words = REASONS.get(head)
    return code if words is None else f"{words}{colon and f' ({name})'}"


def percent(ratio: float | None, decimals: int = 1) -> str:
    """An error without its sign, for columns headed in percent."""
    return _("aucun chiffre") if ratio is None else formats.number(half_up(ratio * 100, decimals), decimals)


def value(amount: float | None) -> str:
    """A figure to three digits; a row without one says so."""
    return _("aucune") if amount is None else formats.number(formats.significant(amount))


def setup(text: str) -> str:
    """How a row was measured, from its cells as the record keeps them."""
    cells = dict(part.split("=", 1) for part in text.split("; ") if "=" in part)
    told = [cells.get("engine", ""), cells.get("method", ""), cells.get("interconnect", ""), _gpus(cells)]
    told += [_lengths(cells), _batch(cells), _clients(cells.get("concurrency", "")), _message(cells.get("bytes"))]
    return ", ".join(part for part in told if part)


def _count(text: str | None) -> str:
    found = number(text)
    return (text or "") if found is None else formats.number(found)


def _gpus(cells: dict[str, str]) -> str:
    count, tensor = cells.get("n_gpus", ""), cells.get("tp", "")
    if not count:
        return ""
    split = f" (TP {tensor})" if tensor and tensor != "1" else ""
    return f"{_count(count)}\u00a0GPU{split}"


def _lengths(cells: dict[str, str]) -> str:
    prompt = cells.get("isl") or cells.get("prompt_tokens") or cells.get("seq_len")
    output = cells.get("osl") or cells.get("output_tokens")
    if not prompt:
        return ""
    lengths = f"{_count(prompt)} + {_count(output)}" if output else _count(prompt)
    return _("%(lengths)s tokens") % {"lengths": lengths}


def _batch(cells: dict[str, str]) -> str:
    size = cells.get("batch") or cells.get("micro_batch")
    return _("batch de %(size)s") % {"size": _count(size)} if size and size != "1" else ""


def _clients(text: str) -> str:
    if text == "max":
        return _("serveur saturé")
    count = int(number(text) or 0)
    return ngettext("%(count)s client", "%(count)s clients", count) % {"count": _count(text)} if text else ""


def _message(text: str | None) -> str:
    size = number(text)
    return "" if size is None else _("%(size)s Mio") % {"size": formats.number(formats.significant(size / MIB))}
