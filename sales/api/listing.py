"""What the page about the interface lists: its addresses in words, and where a request can be sent."""

from collections.abc import Mapping
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy

from calculator import registry
from calculator.fields import Text
from sales.advising.tool import TOOL as ADVISOR
from sales.api import advice
from sales.api.estimates import OPERATION

WORDS: Mapping[str, Text] = {
    "skus": gettext_lazy("GPU dédiés, avec leurs prix en vigueur"),
    "gpus": gettext_lazy("Fiches techniques des GPU"),
    "language_models": gettext_lazy("Dimensions des modèles ouverts"),
    "api_models": gettext_lazy("Modèles vendus au token, leurs autres noms et leurs prix"),
    "versions": gettext_lazy("Versions du catalogue"),
    "figures": gettext_lazy("Débits publiés et plafonds mesurés"),
    "prices": gettext_lazy("Prix en vigueur à un instant"),
    "price_history": gettext_lazy("Tous les prix d’une offre"),
    "calculators": gettext_lazy("Calculateurs et leurs cas"),
    **{OPERATION.format(name=tool.name): tool.document_title for tool in registry.TOOLS},
    advice.OPERATION: ADVISOR.document_title,
}


class Address(NamedTuple):
    """One address of the interface; one that needs no choice has a link."""

    path: str
    words: Text
    href: str


class Destination(NamedTuple):
    """Where the request can be sent: a model of an API, or a GPU."""

    name: str
    href: str


def address(path: str, operation: str) -> Address:
    """One line of the list."""
    return Address(path, WORDS[operation], "" if "{" in path else path)


def destination(kind: str, code: str, name: str) -> Destination:
    """One link of a list."""
    return Destination(name, reverse("api-request", args=[kind, code]))
