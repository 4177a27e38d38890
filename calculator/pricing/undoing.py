"""Views that take back: a list by another list, a planned price before it begins; and the proposal of the library."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from calculator import catalog
from calculator.pricelist import library, planned, publish, rollback
from calculator.pricelist.refusals import Refused
from calculator.pricing import forms, queries, rights, rows, said, undo
from calculator.pricing.rights import me, needs
from calculator.pricing.views import compared, to

Told = Mapping[str, Any]
Act = Callable[[Told], str]
Page = Callable[[forms.ReasonForm, str, int], HttpResponse]


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.ROLLBACK)
def version(request: HttpRequest, number: int) -> HttpResponse:
    """What taking a list back would do; posted with a reason, it is done by a new list."""
    found = queries.version(number)
    if found is None:
        raise Http404(str(number))

    def act(told: Told) -> str:
        done = rollback.rollback(found, me(request), told["reason"], request.POST.getlist("confirmed"))
        return said.applied(done.version.number, already=done.already)

    def page(form: forms.ReasonForm, refusal: str, status: int) -> HttpResponse:
        context = undo.rollback_context(rollback.plan(found), rights.audiences_of(request.user))
        context |= {"form": form, "refusal": refusal, "confirmed": request.POST.getlist("confirmed")}
        return render(request, "pricing/rollback.html", context, status=status)

    return _taken_back(request, forms.ReasonForm, act, page)


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.ROLLBACK)
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """A price that has not begun; posted with a reason it never will, or from another instant on."""
    row = queries.planned_row(pk, timezone.now(), rights.audiences_of(request.user))
    if row is None:
        raise Http404(str(pk))

    def act(told: Told) -> str:
        start, reason = told["start"], told["reason"]
        version = planned.move(row, start, me(request), reason) if start else planned.void(row, me(request), reason)
        return said.applied(version.number, already=False)

    def page(form: forms.ReasonForm, refusal: str, status: int) -> HttpResponse:
        context = {"row": rows.planned_rows([row])[0], "form": form, "refusal": refusal}
        return render(request, "pricing/cancel.html", context, status=status)

    return _taken_back(request, forms.PlannedForm, act, page)


def _taken_back(request: HttpRequest, of_form: type[forms.ReasonForm], act: Act, page: Page) -> HttpResponse:
    """Show it; or do it for a reason, and say what was done; or say why not."""
    form = of_form(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return page(form, "", 422 if form.is_bound else 200)
    try:
        messages.success(request, act(form.cleaned_data))
    except Refused as refused:
        return page(form, said.refusal(refused), 422)
    return to("lists")


@require_safe
@needs(*rights.STAFF)
def discrepancies(request: HttpRequest) -> HttpResponse:
    """Our API prices beside genai-prices; it only reads."""
    number, now = catalog.latest_version(), timezone.now()
    context = undo.comparison_context(number, now, request.GET.get("verdict", ""))
    return render(request, "pricing/discrepancies.html", context)


@require_POST
@needs(rights.UPLOAD)
def propose(request: HttpRequest) -> HttpResponse:
    """A draft of what genai-prices says otherwise, compared and approved like any file."""
    name, content = library.proposal(catalog.latest_version(), timezone.now())
    kept = publish.receive(content, name, me(request), origin="library")
    messages.info(request, _("La bibliothèque propose ; rien ne change avant « Appliquer »."))
    return compared(request, kept)
