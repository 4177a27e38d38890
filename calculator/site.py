"""What belongs to no calculator: the bare address and the health of the process."""

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request
from django.views.decorators.http import require_safe


@require_safe
def root(request: HttpRequest) -> HttpResponse:
    """Send the visitor to /fr/ or /en/ by the browser's languages; French where it names neither. Keeps the query."""
    query = request.META.get("QUERY_STRING", "")
    target = f"/{get_language_from_request(request)}/"
    response = HttpResponseRedirect(f"{target}?{query}" if query else target)
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers, 503 when it does not; for load balancers, so without text to translate."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return JsonResponse({"status": "unavailable", "reason": "database"}, status=503)
    response = JsonResponse({"status": "ok"})
    response.headers["Cache-Control"] = "no-store"
    return response
