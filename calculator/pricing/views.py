"""Pages that change something: files in, compared, approved, applied or rejected. Reading never changes anything."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from calculator.models import Audience, PriceUpload
from calculator.presenters import pricelist as words
from calculator.pricelist import publish
from calculator.pricelist.contract import FileKind, PriceFileError
from calculator.pricelist.refusals import Refused
from calculator.pricing import (
    comparing,
    downloads,
    forms,
    impact,
    pagestate,
    queries,
    rights,
    said,
    sheetforms,
    steps,
    working,
)
from calculator.pricing.rights import me, needs
from calculator.views import wants_fragment

ITEM_FORMS: Mapping[str, type[forms.SkuForm | forms.ModelForm | sheetforms.SheetForm]] = {
    "sku": forms.SkuForm,
    "model": forms.ModelForm,
    "gpu_sheet": sheetforms.GpuSheetForm,
    "model_sheet": sheetforms.ModelSheetForm,
}
PRICE_KINDS = (FileKind.GPU.value, FileKind.LLM.value)


def to(name: str, *args: object) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse(name, args=args), status=303)


def upload_of(request: HttpRequest, pk: int) -> PriceUpload:
    """The file, when the person may know of it; else 404, and a step that was tried is kept in the record."""
    found = queries.upload(pk, rights.audiences_of(request.user))
    if found is None:
        rights.record_attempt(request, queries.upload(pk, Audience.values))
        raise Http404(str(pk))
    return found


def shown(request: HttpRequest, upload: PriceUpload, status: int = 200, **more: Any) -> HttpResponse:
    """The page of a file; a refusal stands above its tables."""
    context = {**pagestate.diff_context(upload, me(request), request.GET.get("page", "")), **more}
    return render(request, "pricing/list.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.UPLOAD)
def upload(request: HttpRequest) -> HttpResponse:
    """A file comes in; it is kept as it came and compared."""
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = forms.UploadForm(*sent, may_be_private=request.user.has_perm(rights.VIEW_PRIVATE))
    if not form.is_valid():
        return _upload_page(request, form)
    file = form.cleaned_data["file"]
    try:
        kept = publish.receive(file.read(), file.name, me(request), audience=form.audience_of())
    except PriceFileError as error:
        return _upload_page(request, form, words.refusal(error))
    return compared(request, kept)


def _upload_page(request: HttpRequest, form: forms.UploadForm, refusal: str = "") -> HttpResponse:
    context = {"form": form, "refusal": refusal, "files": pagestate.files()}
    return render(request, "pricing/upload.html", context, status=422 if form.is_bound else 200)


def compared(request: HttpRequest, kept: PriceUpload) -> HttpResponse:
    """Compare a file, now or beside the answer when it is large; one that says too little is asked about."""
    try:
        comparing.start(kept, me(request))
    except PriceFileError as error:
        messages.error(request, words.refusal(error))
        return to("list-columns" if error.code in comparing.ASKED_BACK else "list", kept.pk)
    except Refused as refused:
        return shown(request, kept, 422, refusal=said.refusal(refused))
    return to("list", kept.pk)


@require_safe
@needs(*rights.STAFF)
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """What a file would change; nothing is changed by looking."""
    found = upload_of(request, pk)
    if (work := working.under_way(found)) is not None:
        context = pagestate.waiting_context(found, work)
        return render(
            request, "pricing/reading.html#wait" if wants_fragment(request) else "pricing/reading.html", context
        )
    response = shown(request, found, refusal=comparing.refusal(found))
    if wants_fragment(request):
        response.headers["HX-Redirect"] = request.path
    return response


@require_safe
@needs(*rights.STAFF)
def effects(request: HttpRequest, pk: int) -> HttpResponse:
    """What customers would see of a large file: asked for by its page, or by a link."""
    found = upload_of(request, pk)
    context: dict[str, Any] = {"impact": impact.impact(found) if impact.is_shown(found) else None}
    if wants_fragment(request):
        return render(request, "pricing/list.html#impact", context)
    return shown(request, found, **context)


@require_POST
@needs(rights.UPLOAD)
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Compare with the list in force now."""
    return compared(request, upload_of(request, pk))


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.UPLOAD)
def columns(request: HttpRequest, pk: int) -> HttpResponse:
    """How a file is to be read: what it holds, its encoding, its decimal mark, what each header means."""
    found = upload_of(request, pk)
    asked = comparing.asked(found, me(request))
    data = request.POST if request.method == "POST" else None
    form = forms.ColumnsForm(data, headers=asked.samples, kind=found.kind, initial=asked.initial)
    if form.is_valid():
        return _read_again(request, found, form)
    context = {"upload": found, "form": form, "columns": pagestate.columns(form, asked.samples)}
    return render(
        request, "pricing/columns.html", {**context, "refusal": asked.refusal}, status=422 if form.is_bound else 200
    )


def _read_again(request: HttpRequest, found: PriceUpload, form: forms.ColumnsForm) -> HttpResponse:
    try:
        again = comparing.configure(found, me(request), form)
    except Refused as refused:
        return shown(request, found, 422, refusal=said.refusal(refused))
    return compared(request, again)


@require_safe
@needs(*rights.STAFF)
def file(request: HttpRequest, pk: int) -> HttpResponse:
    """The bytes as they came, to keep."""
    return downloads.original(upload_of(request, pk))


@require_safe
@needs(*rights.STAFF)
def errors(request: HttpRequest, pk: int) -> HttpResponseBase:
    """What must be dealt with, for whoever corrects the file."""
    found = upload_of(request, pk)
    return downloads.table(pagestate.error_header(), pagestate.error_rows(found), f"errors-{pk}.csv")


def check_seen(request: HttpRequest, upload: PriceUpload) -> None:
    """Refuse a decision that does not say which comparison it was taken on, or says another one."""
    if request.POST.get("seen") != upload.diff_hash:
        raise Refused("result_moved")


def _step(request: HttpRequest, pk: int, act: Callable[[PriceUpload], str], *, names_seen: bool = True) -> HttpResponse:
    """One decision about a file: done, it is said; refused, the page says why and nothing was written."""
    found = upload_of(request, pk)
    try:
        if names_seen:
            check_seen(request, found)
        if text := act(found):
            messages.success(request, text)
    except Refused as refused:
        return shown(request, upload_of(request, pk), 422, refusal=said.refusal(refused))
    except PriceFileError as error:
        return shown(request, found, 422, refusal=words.refusal(error))
    return to("list", pk)


@require_POST
@needs(rights.APPROVE)
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """The second person agrees to this very comparison, and says why."""

    def act(found: PriceUpload) -> str:
        publish.approve(found, me(request), request.POST.get("reason", ""))
        return _("Accord donné : le fichier peut être appliqué.")

    return _step(request, pk, act)


@require_POST
@needs(rights.UPLOAD, rights.APPROVE)
def reject(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a file for good."""

    def act(found: PriceUpload) -> str:
        publish.reject(found, me(request), request.POST.get("reason", ""))
        return _("Fichier rejeté : rien n’a changé.")

    return _step(request, pk, act, names_seen=False)


@require_POST
@needs(rights.APPLY)
def apply(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a file into force as the next list."""
    kept = upload_of(request, pk)
    form = forms.ApplyForm(request.POST, asks_rate=steps.asks_rate(kept))
    if not form.is_valid():
        return shown(request, kept, 422, form=form, effective=request.POST.get("effective", ""))

    def act(found: PriceUpload) -> str:
        at, reason = form.cleaned_data["effective"], form.cleaned_data["reason"]
        done = comparing.apply(found, me(request), at, reason)
        return said.applied(done.version.number, already=done.already) if done else ""

    return _step(request, pk, act)


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.UPLOAD)
def price(request: HttpRequest, kind: str) -> HttpResponse:
    """One price typed in: a file of one line."""
    if kind not in PRICE_KINDS:
        raise Http404(kind)
    data = request.POST if request.method == "POST" else None
    may_be_private = request.user.has_perm(rights.VIEW_PRIVATE)
    form = forms.PriceForm(data, kind=FileKind(kind), may_be_private=may_be_private)
    if not form.is_valid():
        return _form_page(request, form, kind, _("Saisir un prix"))
    return _kept(request, form.content(), form.audience_of())


@require_http_methods(["GET", "HEAD", "POST"])
@needs(rights.UPLOAD)
def item(request: HttpRequest, kind: str) -> HttpResponse:
    """A new item or data sheet, or new words of a known one: a file of one line without a price."""
    if kind not in ITEM_FORMS:
        raise Http404(kind)
    form = ITEM_FORMS[kind](request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _form_page(request, form, kind, _("Offre, modèle ou fiche"))
    return _kept(request, form.content())


def _form_page(request: HttpRequest, form: Any, kind: str, title: str) -> HttpResponse:
    context = {"form": form, "title": title, "doors": pagestate.doors(kind)}
    return render(request, "pricing/fields.html", context, status=422 if form.is_bound else 200)


def _kept(request: HttpRequest, content: bytes, audience: str = "public") -> HttpResponse:
    kept = publish.receive(content, _("saisie.json"), me(request), origin="manual", audience=audience)
    return compared(request, kept)


@require_safe
@needs(rights.UPLOAD)
def template(request: HttpRequest, kind: str, suffix: str) -> HttpResponse:
    """An empty file with every column."""
    return downloads.template(kind, suffix, french=get_language() == "fr")


@require_safe
@needs(rights.UPLOAD)
def current(request: HttpRequest, kind: str, suffix: str) -> HttpResponse:
    """The list in force in the format of uploads."""
    return downloads.current(kind, suffix, french=get_language() == "fr")
