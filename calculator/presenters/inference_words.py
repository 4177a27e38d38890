"""Words of the inference calculator that its form, page, exports and charts share."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import ceil

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.llm import LOCAL_LAYERS
from calculator.domain.memory import Line
from calculator.domain.roofline import Limit
from calculator.domain.serving_outcome import MS, Miss, Target
from calculator.domain.serving_scenario import InferenceScenario, LoadBy, Ranged
from calculator.domain.units import Number, to_decimal
from calculator.fields import Text
from calculator.language import gettext as _
from calculator.presenters import quantities

PRECISIONS: Mapping[str, Text] = {
    "fp16": "fp16",
    "bf16": "bf16",
    "fp8": "fp8",
    "int8": "int8",
    "awq-int4": gettext_lazy("AWQ, 4\u00a0bits"),
    "gptq-int4": gettext_lazy("GPTQ, 4\u00a0bits"),
    "gptq-int8": gettext_lazy("GPTQ, 8\u00a0bits"),
    "nvfp4": "nvfp4",
    "mxfp4": gettext_lazy("mxfp4 (experts)"),
    "gguf-q8_0": "GGUF Q8_0",
    "gguf-q5_0": "GGUF Q5_0",
    "gguf-q4_k_m": "GGUF Q4_K_M",
    "gguf-q4_0": "GGUF Q4_0",
}
PATTERNS: Mapping[str, Text] = dict(
    zip(
        LOCAL_LAYERS,
        (
            gettext_lazy("toutes"),
            gettext_lazy("une sur deux"),
            gettext_lazy("cinq sur six"),
            gettext_lazy("trois sur quatre"),
        ),
        strict=True,
    )
)
LINES: Mapping[Line, Text] = {
    Line.WEIGHTS: gettext_lazy("poids"),
    Line.RUNTIME: gettext_lazy("moteur"),
    Line.KV_CACHE: gettext_lazy("cache KV"),
}
LIMITS: Mapping[Limit, Text] = {
    Limit.WEIGHTS: gettext_lazy("la lecture des poids"),
    Limit.CACHE: gettext_lazy("la lecture du cache KV"),
    Limit.COMPUTE: gettext_lazy("le calcul"),
    Limit.LINKS: gettext_lazy("les liens entre GPU"),
    Limit.HOST: gettext_lazy("l’hôte (lancement des noyaux, ordonnanceur)"),
}
TARGETS: Mapping[Target, Text] = {
    Target.TTFT: gettext_lazy("premier token"),
    Target.TPOT: gettext_lazy("temps par token"),
    Target.E2E: gettext_lazy("réponse entière"),
    Target.RATE: gettext_lazy("débit de requêtes"),
}


def precision(code: str) -> str:
    """A weight format as a reader knows it."""
    return str(PRECISIONS.get(code, code))


def milliseconds(seconds: Number | None) -> str:
    """A latency: milliseconds below ten seconds, seconds above."""
    if seconds is None:
        return _("inconnu")
    if seconds >= 10:
        return quantities.duration(seconds)
    return f"{quantities.digits(to_decimal(seconds) * 1000)}{formats.NBSP}ms"


def rate(value: Number | None, unit: str = "tok/s") -> str:
    """Tokens or requests a second."""
    return _("inconnu") if value is None else f"{quantities.digits(value)}{formats.NBSP}{unit}"


def bytes_text(value: Number) -> str:
    """Memory in binary gigabytes with three digits, as the cards are counted."""
    return quantities.gibibytes(value)


def clients(value: float) -> str:
    """Streams at once; a closed loop found from a rate may have a fraction."""
    return quantities.digits(value) if value < 100 else formats.number(value, 0)


def streams(value: float) -> str:
    """“1 flux”, “16 flux”."""
    return _("1 flux") if value == 1 else _("%(count)s flux") % {"count": clients(value)}


def band(value: Ranged, unit: str = "s") -> str:
    """“210 à 280 ms”: the ends of the band, empty where none is known."""
    if value.low is None or value.high is None:
        return ""
    low, high = (milliseconds(end) if unit == "s" else rate(end, unit) for end in (value.low, value.high))
    return _("%(low)s à %(high)s") % {"low": low, "high": high}


def price_band(low: Decimal | None, high: Decimal | None) -> str:
    """The ends of a cost, empty where none is known."""
    if low is None or high is None:
        return ""
    return _("%(low)s à %(high)s") % {"low": formats.unit_price(low), "high": formats.unit_price(high)}


def miss(item: Miss) -> str:
    """One missed target: what was reached, what is wanted."""
    if item.target is Target.RATE:
        return _("%(reached)s requêtes/s au plus pour %(wanted)s demandées") % {
            "reached": quantities.digits(item.value),
            "wanted": quantities.digits(item.limit),
        }
    return _("%(target)s %(reached)s pour %(wanted)s") % {
        "target": str(TARGETS[item.target]),
        "reached": milliseconds(item.value),
        "wanted": milliseconds(item.limit),
    }


def joined(parts: Iterable[str]) -> str:
    """Short statements one after the other; those that are empty are left out."""
    separator = f"{formats.NBSP}; " if formats.is_french() else "; "
    return separator.join(part for part in parts if part)


def load(scenario: InferenceScenario) -> str:
    """The load in words."""
    if scenario.load is LoadBy.RATE and scenario.requests_per_s is not None:
        return _("%(rate)s requêtes/s") % {"rate": formats.number(scenario.requests_per_s)}
    return streams(scenario.concurrency)


def machine(code: str, instances: int) -> str:
    """“GPU-PRO”, “4 × GPU-TITAN”."""
    return code if instances == 1 else f"{formats.number(instances)}{formats.NBSP}×{formats.NBSP}{code}"


def together(scenario: InferenceScenario, gpus: int) -> str:
    """The condition under which one replica may lie over several instances of `gpus` GPUs; single ones can meet."""
    count = ceil(scenario.replica_gpus / gpus)
    match gpus > 1, count >= scenario.instances:
        case True, True:
            text = _("si ces %(count)s machines sont reliées aussi vite que leurs GPU entre eux")
        case True, False:
            text = _("si les %(count)s machines de chaque copie sont reliées aussi vite que leurs GPU entre eux")
        case False, True:
            text = _("si ces %(count)s instances sont dans une même machine")
        case _other:
            text = _("si les %(count)s instances de chaque copie sont dans une même machine")
    return text % {"count": formats.number(count)}


def target_ms(value: Decimal) -> str:
    """A target as typed."""
    return milliseconds(float(value) / MS)
