"""Why a server may not be measured, as a sentence beside the field that is meant."""

from django.utils.translation import gettext as _

from benchmarks.load.targets import TargetError
from calculator.fields import printable

FIELDS = {"key_name": "key_variable", "route": "route", "length_field": "dialect"}


def field(code: str) -> str:
    return FIELDS.get(code, "url")


def sentence(refusal: TargetError) -> str:
    """What is wrong and what would be accepted."""
    detail = {"detail": printable(refusal.detail)}
    known = {
        "url_scheme": _("L’adresse commence par https:// ou http://."),
        "url_unreadable": _("Cette adresse ne se lit pas."),
        "url_credentials": _("Pas d’identifiants dans l’adresse : la clé se lit dans une variable."),
        "url_query": _("L’adresse s’arrête avant « ? » et « # »."),
        "address_private": _("L’adresse %(detail)s est privée : l’administrateur l’autorise par BENCHMARK_TARGETS.")
        % detail,
        "address_metadata": _("L’adresse %(detail)s est celle des métadonnées d’un hébergeur : elle ne se mesure pas.")
        % detail,
        "key_name": _("Le nom de la variable commence par BENCHMARK_KEY_, en majuscules, chiffres et « _ »."),
    }
    return known.get(refusal.code, _("Ce choix n’est pas connu."))
