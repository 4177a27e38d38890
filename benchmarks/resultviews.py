"""Pages that put results together: runs side by side, and results of other tools."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks import comparepage, foreignwords, importing
from benchmarks.foreign import ForeignError
from benchmarks.foreign.reading import READ_BYTES, too_big
from benchmarks.views import OPERATE, operators_only, to_run
from calculator.uploads import announced_bytes

VERSION_CHARACTERS = 80


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Up to six like runs compared; unlike ones are refused with the conditions that differ."""
    codes = [code for code in request.GET.getlist("run") if "\x00" not in code]
    apart = comparepage.APART in request.GET
    context = comparepage.context(codes, request.user.has_perm(OPERATE), apart=apart)
    return render(request, "benchmarks/compare.html", context)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def run_import(request: HttpRequest) -> HttpResponse:
    """The form for a result of another tool. A body announced too large is not read, not even for its token."""
    if request.method != "POST":
        return shown(request)
    if announced_bytes(request) > importing.BODY_LIMIT_BYTES:
        return shown(request, too_big(), status=413)
    return received(request)


@csrf_protect
def received(request: HttpRequest) -> HttpResponse:
    """303 to the run, or to the list where a file gave several; or the form again with the reason."""
    sent = request.FILES.get("file")
    version = request.POST.get("tool_version", "").replace("\x00", "")[:VERSION_CHARACTERS].strip()
    try:
        if sent is None:
            raise ForeignError("missing")
        runs = importing.import_bytes(sent.read(READ_BYTES), sent.name or "", request.user.pk, version)
    except ForeignError as error:
        return shown(request, error, version, status=422)
    messages.success(request, _("Résultat importé : il se compare, et ne se publie pas."))
    return to_run(runs[0].code) if len(runs) == 1 else HttpResponseRedirect(reverse("runs"), status=303)


def shown(
    request: HttpRequest, error: ForeignError | None = None, version: str = "", status: int = 200
) -> HttpResponse:
    context = {"error": foreignwords.sentence(error) if error else "", "tool_version": version}
    return render(request, "benchmarks/run_import.html", context, status=status)
