"""Live figures of the explanations of serving: one chat server under a load, and the same in two number formats."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from calculator import formats
from calculator.domain.provenance import Kind
from calculator.domain.serving_answer import InferenceEstimate
from calculator.domain.serving_load import Served
from calculator.presenters import quantities
from calculator.tool import Answer
from sales.learning.figures import Live, answered, marked, page_of

CHAT, BATCH = "chat", "batch"
ALONE, BUSY = 1, 32


def phase_figures() -> Mapping[str, Live]:
    """Prefill and decode of one chat request: how long each takes, and how fast each reads or writes."""
    found = answered("inference", CHAT)
    estimate: InferenceEstimate = found.estimate
    served, speeds = estimate.chosen.served, estimate.speeds
    prompt = found.scenario.prompt_tokens
    prefill_s = served.point.prefill_s if served else None
    shown = {
        "prefill": (quantities.duration(prefill_s), _("pour lire %(tokens)s tokens de prompt (prefill)")),
        "reading": (rate(prompt / prefill_s if prefill_s else None), _("lus par seconde")),
        "token": (quantities.duration(speeds.token_s.value if speeds else None), _("entre deux tokens écrits (TPOT)")),
        "writing": (rate(speeds.user_tok_per_s.value if speeds else None), _("écrits par seconde pour chacun")),
    }
    told = {"tokens": formats.number(prompt)}
    href, badge = page_of("inference", found), marked(Kind.ESTIMATE)
    return {name: Live(value, label % told, href, badge) for name, (value, label) in shown.items()}


def rate(tok_per_s: float | None) -> str:
    """Tokens a second with three digits, or the word for unknown."""
    return formats.number(None) if tok_per_s is None else f"{quantities.digits(tok_per_s)}{formats.NBSP}tok/s"


def precision_figures() -> Mapping[str, Live]:
    """The same server with 16-bit and with 8-bit weights on a card that has fp8 units."""
    wide, narrow = (answered("inference", BATCH, precision=name) for name in ("fp16", "fp8"))
    return {
        "wide_room": _room(wide, _("réponses à la fois, poids en FP16")),
        "narrow_room": _room(narrow, _("réponses à la fois, poids en FP8")),
        "wide_cost": _cost(wide, _("HT le million de tokens de sortie, FP16")),
        "narrow_cost": _cost(narrow, _("HT le million de tokens de sortie, FP8")),
    }


def _room(found: Answer, label: str) -> Live:
    estimate: InferenceEstimate = found.estimate
    value = formats.number(estimate.most_clients)
    return Live(value, label, page_of("inference", found), marked(Kind.ESTIMATE))


def _cost(found: Answer, label: str) -> Live:
    estimate: InferenceEstimate = found.estimate
    value = formats.unit_price(estimate.cost.output.value if estimate.cost else None)
    return Live(value, label, page_of("inference", found), marked(estimate.trust))


def load_figures() -> Mapping[str, Live]:
    """The first token and the whole output of one server, asked by one client and by many."""
    found = answered("inference", CHAT)
    estimate: InferenceEstimate = found.estimate
    href, badge = page_of("inference", found), marked(Kind.ESTIMATE)
    alone, busy = (_point(estimate, count) for count in (ALONE, BUSY))
    shown = {
        "alone": (_first_token(alone), _("avant le premier token, un seul client"), alone),
        "busy": (_first_token(busy), _("avant le premier token, %(clients)s clients"), busy),
        "alone_total": (_total(alone), _("de sortie en tout, un seul client"), alone),
        "busy_total": (_total(busy), _("de sortie en tout, %(clients)s clients"), busy),
    }
    return {
        name: Live(value, label % {"clients": _clients(point)}, href, badge)
        for name, (value, label, point) in shown.items()
    }


def _point(estimate: InferenceEstimate, clients: int) -> Served | None:
    return next((point for point in estimate.curve if point.concurrency == clients), None)


def _clients(point: Served | None) -> str:
    return formats.number(point.concurrency if point else None, 0)


def _first_token(point: Served | None) -> str:
    return quantities.duration(point.point.first_token_s if point else None)


def _total(point: Served | None) -> str:
    return rate(point.output_tok_per_s if point else None)
