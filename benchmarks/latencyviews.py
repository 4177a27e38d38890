"""Publishing the latency of an API; for operators. It is withdrawn as every other run is."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from benchmarks import latency, publicationwords, publishing, queries
from benchmarks.views import operators_only, to_run


@require_POST
@operators_only
def latency_publish(request: HttpRequest, code: str) -> HttpResponse:
    """Carry the run's latency over to the price page; a refusal is a sentence on the run's page."""
    try:
        latency.publish(queries.run_id(code))
    except publishing.NotPublishableError as refusal:
        messages.error(request, publicationwords.refusal(refusal.code))
    else:
        messages.success(request, _("Délai publié : la page Tarifs le montre à côté de l’annonce du fournisseur."))
    return to_run(code)
