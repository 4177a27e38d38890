"""Words of the outlook: rules as they are published, names of inputs, what speaks against a solved value."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from django.utils.translation import gettext_lazy

from calculator import formats
from calculator.domain.offers import Basis
from calculator.domain.scenario import Message
from calculator.fields import Text
from calculator.language import gettext as _
from calculator.presenters import words
from sales.domain.commitments import Term
from sales.domain.rules import Finding

SAID_WORDS: Mapping[str, Text] = {
    "eu": gettext_lazy("Données à garder en Europe"),
    "weights": gettext_lazy("Poids de modèle à soi"),
    "capacity": gettext_lazy("Capacité fixe, réservée"),
    "no_training": gettext_lazy("Aucun entraînement chez le fournisseur"),
    "daily": gettext_lazy("Affinage quotidien"),
    "sensitive": gettext_lazy("Conformité ou données sensibles sur son matériel"),
    "outside": gettext_lazy("Modèle absent des catalogues d’API"),
    "large": gettext_lazy("Entraînement de plus de 70 milliards de paramètres"),
    "audited": gettext_lazy("HIPAA ou SOC\u00a02 sur son matériel"),
    "mlops": gettext_lazy("Équipe MLOps et budget matériel"),
    "prototype": gettext_lazy("Prototype ou test A/B de modèles"),
    "several": gettext_lazy("Plusieurs modèles à la fois"),
    "small_team": gettext_lazy("Petite équipe, moins de 10 développeurs IA"),
    "saas": gettext_lazy("SaaS à plusieurs clients"),
    "payment": gettext_lazy("Moyens de paiement locaux"),
}
RULES: Mapping[str, Text] = {
    "volume_500": gettext_lazy("GPU dédiés au-delà de 500\u00a0M de tokens par mois"),
    "volume_300": gettext_lazy("GPU dédiés au-delà de 300\u00a0M de tokens par mois"),
    "volume_50": gettext_lazy("GPU dédiés au-delà de 50\u00a0M de tokens par mois"),
    "daily": gettext_lazy("GPU dédiés pour un affinage quotidien"),
    "sensitive": gettext_lazy("GPU dédiés pour la conformité ou des données sensibles sur son propre matériel"),
    "latency_20": gettext_lazy("GPU dédiés sous 20\u00a0ms"),
    "outside": gettext_lazy("GPU dédiés pour des modèles absents des catalogues d’API"),
    "large": gettext_lazy("GPU dédiés pour entraîner plus de 70 milliards de paramètres"),
    "volume_api": gettext_lazy("API de 1 à 100\u00a0M de tokens par mois"),
    "prototype": gettext_lazy("API pour des prototypes et des tests A/B de modèles"),
    "several": gettext_lazy("API pour plusieurs modèles à la fois"),
    "small_team": gettext_lazy("API pour de petites équipes, de moins de 10 développeurs IA"),
    "year_5m": gettext_lazy("API sous 5\u00a0M$ par an d’infrastructure IA"),
    "saas": gettext_lazy("API pour un SaaS à plusieurs clients"),
    "payment": gettext_lazy("API pour payer par des moyens locaux"),
    "latency_50": gettext_lazy("API si 50\u00a0ms sont acceptables"),
    "month_1m": gettext_lazy("GPU dédiés au-delà de 1\u00a0M$ de calcul par mois"),
    "mlops": gettext_lazy("GPU dédiés pour une équipe MLOps qui a un budget matériel"),
    "audited": gettext_lazy("GPU dédiés pour HIPAA ou SOC\u00a02 sur son propre matériel"),
    "latency_10": gettext_lazy("GPU dédiés sous 10\u00a0ms"),
}
"""Published rules of thumb in our words: quoted, never law."""
FINDINGS: Mapping[Finding, tuple[Text, str]] = {
    Finding.AGREES: (gettext_lazy("d’accord"), "tag good"),
    Finding.DISAGREES: (gettext_lazy("pas d’accord"), "tag bad"),
    Finding.EVEN: (gettext_lazy("coûts équivalents"), "tag idle"),
    Finding.ELSEWHERE: (gettext_lazy("ne s’applique pas"), "tag idle"),
    Finding.NOT_PRICE: (gettext_lazy("s’applique\u00a0; aucun prix n’en décide"), "tag"),
    Finding.ASK: (gettext_lazy("à vous de dire"), "tag idle"),
    Finding.UNKNOWN: (gettext_lazy("ne se sait pas ici"), "tag warn"),
}
INPUTS: Mapping[str, Text] = {
    "volume": gettext_lazy("Volume de sortie par mois"),
    "utilisation": gettext_lazy("Utilisation d’une instance"),
    "price": gettext_lazy("Prix d’une instance"),
    "discount": gettext_lazy("Remise sur ce prix"),
    "api_price": gettext_lazy("Prix de l’API"),
    "rate": gettext_lazy("Débit total d’un GPU"),
    "fx": gettext_lazy("Dollars pour 1\u00a0€"),
}
TERMS: Mapping[Term, Text] = {
    Term.HOURS_USED: gettext_lazy("Heures utilisées"),
    Term.HOURS_ON: gettext_lazy("À l’heure, toujours allumé"),
    Term.MONTH: gettext_lazy("Au mois"),
    Term.YEAR: gettext_lazy("Au mois, engagement d’un an"),
}
DOUBTS: Mapping[str, Text] = {
    "full_gpu_dearer": gettext_lazy("même pleines, les instances coûtent plus que l’API"),
    "instances_needed": gettext_lazy("seulement à partir de %(count)s instances"),
    "over_full": gettext_lazy("au-delà de 100\u00a0%%\u00a0: aucune charge ne suffit"),
    "over_range": gettext_lazy("au-delà de votre plage (%(ratio)s)"),
    "api_free": gettext_lazy("cette API ne coûte rien"),
    "gpu_free": gettext_lazy("ce GPU ne coûte rien"),
    "extras_dearer": gettext_lazy("les autres coûts dépassent déjà la facture de l’API"),
    "below_floor": gettext_lazy("sous votre prix plancher (%(floor)s)"),
    "beyond_span": gettext_lazy("hors de votre plage (± %(ratio)s)"),
    "prompt_alone": gettext_lazy("lire les prompts prend déjà trop de temps"),
    "ceiling_unknown": gettext_lazy("plafond de calcul inconnu, faute de modèle nommé"),
    "over_ceiling": gettext_lazy("au-delà de ce que la carte peut calculer (%(rate)s tok/s)"),
    "streams_needed": gettext_lazy("au moins %(count)s requêtes à la fois"),
    "outside_history": gettext_lazy("hors des cours BCE de dix ans (%(low)s à %(high)s)"),
}
NOTES = frozenset({"instances_needed", "ceiling_unknown", "streams_needed"})
"""What is said of a value without making it implausible."""
RATE_DIGITS = 4


def amount(code: str, value: Decimal | None, basis: Basis) -> str:
    """A value of one of INPUTS as a reader writes it."""
    if value is None:
        return _("inconnu")
    match code:
        case "volume":
            return formats.tokens(value)
        case "utilisation" | "discount":
            return formats.percent(value, 1)
        case "price":
            return words.per_period(formats.unit_price(value), basis)
        case "api_price":
            return _("%(amount)s / 1M") % {"amount": formats.unit_price(value, "USD")}
        case "rate":
            return f"{formats.number(formats.significant(value, RATE_DIGITS).normalize())}{formats.NBSP}tok/s"
    return formats.money(value, "USD", 4)


def unit(code: str, basis: Basis) -> str:
    """The unit of a value of INPUTS in the files."""
    return {
        "volume": _("tokens / mois"),
        "utilisation": _("part de 1"),
        "discount": _("part de 1"),
        "price": _("€ HT / mois") if basis is Basis.MONTH else _("€ HT / h"),
        "api_price": _("$ / 1M tokens de sortie"),
        "rate": "tok/s",
        "fx": _("$ pour 1 €"),
    }[code]


def doubt(message: Message) -> str:
    """What speaks against a solved value, or what it takes."""
    return str(DOUBTS[message.code]) % {name: _shown(name, value) for name, value in message.values.items()}


def _shown(name: str, value: object) -> str:
    number = Decimal(str(value))
    if name == "ratio":
        return formats.percent(number)
    if name == "floor":
        return formats.unit_price(number)
    return (
        formats.number(formats.significant(number, RATE_DIGITS).normalize())
        if name == "rate"
        else formats.number(number)
    )


def joined(parts: Iterable[str]) -> str:
    """Parts of a sentence with the semicolon of the language between them."""
    return _("\u00a0; ").join(part for part in parts if part)


def money(value: Decimal | None) -> str:
    """Euros without cents, with a sign word for unknown."""
    return _("inconnu") if value is None else formats.money(value, decimals=0)


def signed_money(value: Decimal | None) -> str:
    """A difference in euros: + or − in front."""
    if value is None:
        return _("inconnu")
    sign = "+" if value > 0 else ""
    return f"{sign}{formats.money(value, decimals=0)}"
