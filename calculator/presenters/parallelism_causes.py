"""What would explain an observed run, in words: each cause alone, and what speaks for it."""

from typing import NamedTuple

from calculator import formats
from calculator.domain.parallel_scenario import Cause, Explanation, ParallelismEstimate, Plausibility
from calculator.language import gettext as _
from calculator.presenters import parallelism_units


class CauseLine(NamedTuple):
    """One cause: what it is, the value it would need, the verdict and why."""

    name: str
    value: str
    verdict: str
    is_plausible: bool
    why: str


def title(found: Explanation) -> str:
    """The finding: what was observed against what is computed."""
    return _("Ce qui expliquerait %(efficiency)s") % {"efficiency": formats.percent(found.efficiency)}


def subtitle(estimate: ParallelismEstimate, found: Explanation) -> str:
    """The observed run, and what the causes mean."""
    stated = estimate.scenario.observed_days is not None
    source = _("Vous avez saisi") if stated else _("L’offre publie")
    return _(
        "%(source)s %(days)s sur %(count)s GPU\u00a0: une accélération de %(speed_up)s. Chaque cause est prise seule."
    ) % {
        "source": source,
        "days": parallelism_units.days(found.observed_days),
        "count": formats.number(estimate.scenario.gpu_count),
        "speed_up": formats.number(found.speed_up, 2),
    }


def lines(found: Explanation) -> tuple[CauseLine, ...]:
    """Every cause."""
    return tuple(line(cause) for cause in found.causes)


def line(cause: Cause) -> CauseLine:
    """One cause in words."""
    return CauseLine(
        name=names()[cause.code],
        value=value_of(cause),
        verdict=verdict(cause.plausibility),
        is_plausible=cause.plausibility is Plausibility.PLAUSIBLE,
        why=why(cause),
    )


def names() -> dict[str, str]:
    """Each cause in words, by code."""
    return {
        "tokens_textbook": _("Peu de tokens entre deux échanges (anneau à 100\u00a0%, rien de masqué)"),
        "tokens_measured": _("Peu de tokens entre deux échanges (rendement mesuré, recouvrement choisi)"),
        "overlap": _("Un autre recouvrement"),
        "link": _("Un lien plus lent que sa fiche"),
        "lost_time": _("Du temps perdu hors des pas"),
        "gpu_speed": _("Chaque GPU plus lent à plusieurs que seul"),
    }


def verdict(plausibility: Plausibility) -> str:
    """How plausible, in words."""
    return {
        Plausibility.PLAUSIBLE: _("plausible"),
        Plausibility.UNLIKELY: _("peu plausible"),
        Plausibility.IMPOSSIBLE: _("exclu"),
    }[plausibility]


def value_of(cause: Cause) -> str:
    """The value that the cause needs."""
    if cause.value is None:
        return _("aucune valeur")
    texts = {
        "tokens_textbook": _("%(number)s tokens par GPU et par pas"),
        "tokens_measured": _("%(number)s tokens par GPU et par pas"),
        "overlap": _("%(percent)s masqués"),
        "link": "%(rate)s",
        "lost_time": "%(days)s",
        "gpu_speed": _("%(percent)s de sa vitesse"),
    }
    return texts[cause.code] % {
        "number": formats.number(cause.value, 0),
        "percent": formats.percent(cause.value),
        "rate": parallelism_units.rate(cause.value),
        "days": parallelism_units.days(cause.value),
    }


def why(cause: Cause) -> str:
    """What speaks for the cause or against it."""
    if cause.code in ("tokens_textbook", "tokens_measured"):
        return _tokens_why(cause)
    if cause.code == "overlap":
        return _overlap_why(cause)
    if cause.code == "link":
        return _link_why(cause)
    if cause.code == "lost_time":
        return _lost_why(cause)
    if cause.plausibility is Plausibility.IMPOSSIBLE:
        return _("il faudrait des GPU plus rapides à plusieurs que seuls")
    return _("noyaux plus petits, horloge réduite, données en retard\u00a0: rien ici ne le contredit")


def _tokens_why(cause: Cause) -> str:
    values = {
        "sequence": formats.number(_float(cause, "sequence"), 0),
        "total": formats.number(_float(cause, "global"), 0),
    }
    if cause.plausibility is Plausibility.UNLIKELY:
        return (
            _("moins d’une séquence de %(sequence)s tokens par GPU, %(total)s en tout\u00a0: rare en pré-entraînement")
            % values
        )
    return _("au moins une séquence de %(sequence)s tokens par GPU, %(total)s en tout") % values


def _overlap_why(cause: Cause) -> str:
    if "worst" in cause.values:
        worst = formats.percent(_float(cause, "worst"), 1)
        return _("même sans rien masquer, il resterait %(worst)s de l’idéal") % {"worst": worst}
    if cause.plausibility is Plausibility.IMPOSSIBLE:
        return _("il faudrait masquer plus que toute la passe arrière")
    return _("entre rien et toute la passe arrière")


def _link_why(cause: Cause) -> str:
    stated = parallelism_units.rate(_float(cause, "stated"))
    if cause.value is None:
        return _("au débit de la fiche (%(stated)s), l’échange coûte déjà davantage") % {"stated": stated}
    ratio = formats.percent(_float(cause, "ratio"))
    if cause.plausibility is Plausibility.UNLIKELY:
        return _("%(ratio)s seulement des %(stated)s de la fiche\u00a0: ce serait un autre lien") % {
            "ratio": ratio,
            "stated": stated,
        }
    return _("%(ratio)s des %(stated)s de la fiche") % {"ratio": ratio, "stated": stated}


def _lost_why(cause: Cause) -> str:
    estimated = parallelism_units.days(_float(cause, "estimated_days"))
    if cause.value is None:
        return _("les pas seuls prendraient déjà %(days)s") % {"days": estimated}
    return _("les pas prendraient %(days)s\u00a0; le reste, %(share)s, irait aux sauvegardes, arrêts et données") % {
        "days": estimated,
        "share": formats.percent(_float(cause, "share")),
    }


def _float(cause: Cause, name: str) -> float:
    value = cause.values[name]
    return float(value) if isinstance(value, int | float) else 0.0
