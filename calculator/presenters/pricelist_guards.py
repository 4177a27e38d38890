"""What the guards say of a change: what is odd about it, and whether a second person must agree."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.fields import Text, decimals, printable
from calculator.language import gettext as _
from calculator.presenters.labels import component_name
from calculator.pricelist.guards import Guard, Level, Value

SENTENCES: Mapping[str, Text] = {
    "changes_over_half": gettext_lazy("Le montant change de %(percent)s\u00a0: c’est plus de la moitié."),
    "changes_over_fifth": gettext_lazy("Le montant change de %(percent)s\u00a0: c’est plus d’un cinquième."),
    "factor_ten": gettext_lazy("Le montant est multiplié ou divisé par %(factor)s\u00a0: une virgule déplacée\u00a0?"),
    "factor_thousand": gettext_lazy(
        "Le montant est multiplié ou divisé par %(factor)s\u00a0: un prix pour mille et non pour un million\u00a0?"
    ),
    "factor_hours_of_a_month": gettext_lazy(
        "Le montant est multiplié ou divisé par %(factor)s, près des heures d’un mois\u00a0: "
        "une heure pour un mois\u00a0?"
    ),
    "looks_inverted": gettext_lazy("%(new)s est l’inverse de %(old)s\u00a0: le rapport est-il à l’endroit\u00a0?"),
    "looks_like_instance_month": gettext_lazy("C’est à peu près le prix du mois (%(amount)s), donné pour une heure."),
    "looks_like_instance_hour": gettext_lazy("C’est à peu près le prix de l’heure (%(amount)s), donné pour un mois."),
    "was_free": gettext_lazy("Ce qui était gratuit devient payant."),
    "becomes_variable": gettext_lazy("Ce prix ne sera plus connu d’avance\u00a0: le modèle quitte les comparaisons."),
    "unusual_amount": gettext_lazy("Un montant au-dessus de %(limit)s est inhabituel, et rien ne permet de comparer."),
    "cache_read_above_input": gettext_lazy(
        "%(item)s\u00a0: l’entrée lue en cache (%(low)s) coûterait plus que l’entrée (%(high)s)."
    ),
    "batch_above_standard": gettext_lazy(
        "%(item)s, %(component)s\u00a0: le mode batch (%(low)s) coûterait plus que le mode standard (%(high)s)."
    ),
    "spot_above_on_demand": gettext_lazy("%(item)s\u00a0: le spot (%(low)s) coûterait plus que la demande (%(high)s)."),
    "long_context_below_base": gettext_lazy(
        "%(item)s, %(component)s\u00a0: le contexte long (%(high)s) coûterait moins que le contexte court (%(low)s)."
    ),
    "machine_too_cheap": gettext_lazy(
        "%(item)s\u00a0: la machine (%(high)s) coûterait moins de la moitié de ses GPU pris un à un (au moins %(low)s)."
    ),
    "machine_too_dear": gettext_lazy(
        "%(item)s\u00a0: la machine (%(low)s) coûterait plus d’une fois et demie ses GPU pris un à un "
        "(au plus %(high)s)."
    ),
    "not_read": gettext_lazy(
        "Les calculs ne lisent que des prix en %(currency)s, de toute région et à toute heure\u00a0: celui-ci reste "
        "dans l’historique, sans y servir."
    ),
    "rate_inverted": gettext_lazy(
        "%(rate)s ressemble à un cours en euros pour un %(quote)s (le cours voisin est de %(before)s %(quote)s pour un "
        "euro)."
    ),
    "rate_jumps": gettext_lazy(
        "Le cours change de %(percent)s par rapport à %(before)s\u00a0: plus de 5\u00a0%% en un jour."
    ),
}


def _shown(name: str, value: Value) -> str:
    if name == "percent":
        return formats.percent(Decimal(str(value)) / 100, 1, signed=True)
    if name == "component":
        return component_name(str(value))
    if isinstance(value, Decimal):
        return formats.number(value, None if name == "factor" else decimals(value.normalize() + 0))
    return printable(str(value))


def sentence(guard: Guard) -> str:
    """One remark as a sentence."""
    return str(SENTENCES[guard.code]) % {name: _shown(name, value) for name, value in guard.values.items()}


def level_name(level: Level) -> str:
    """What a level asks of the reader."""
    return _("à confirmer par une autre personne") if level is Level.BLOCK else _("à vérifier")


def sentences(guards: Iterable[Guard]) -> tuple[str, ...]:
    """Every remark, in the order given."""
    return tuple(sentence(guard) for guard in guards)
