"""What the page of a run says of its latency: the row it would publish, or why it cannot."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks import latency
from benchmarks.flagwords import barred
from benchmarks.models import BenchmarkRun


def context(run: BenchmarkRun) -> dict[str, Any] | None:
    """None for a run that measured no API of the catalogue."""
    api = latency.api_of(run)
    if api is None or run.status != BenchmarkRun.Status.SUCCEEDED:
        return None
    published = run.published_at is not None and run.withdrawn_at is None
    why_not = "" if published else latency.obstacle(run)
    return {
        "model": api.code,
        "region": run.target_region,
        "published": published,
        "publishable": not published and not why_not,
        "why_not": refusal(why_not) if why_not else "",
        "href": reverse("prices"),
    }


def refusal(code: str) -> str:
    """Why a latency cannot be published, and what to do."""
    known = {
        "not_succeeded": _("Seule une mesure terminée se publie."),
        "withdrawn": _("Cette mesure a été retirée : lancez-en une nouvelle pour publier."),
        "latency_not_an_api": _("Ce modèle n’est pas une API du catalogue : son délai n’a pas de place à prendre."),
        "latency_no_region": _("Sans région du serveur, un délai ne dit rien : relancez la mesure en l’indiquant."),
        "latency_few": _("Il faut au moins 20 réponses complètes au palier le plus bas pour un 95ᵉ centile."),
        "latency_partial": _("La mesure est partielle : son délai ne se publie pas."),
    }
    return known.get(code) or barred(code) or _("Cette mesure ne se publie pas.")
