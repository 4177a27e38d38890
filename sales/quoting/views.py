"""Pages of quotes for the people who make and approve them. Each step is a POST; a step refused says why."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from calculator import answers, permalinks
from calculator.pagestate import address
from calculator.tool import Answer
from calculator.views import needs_catalogue, open_calculator
from sales.models import Quote
from sales.quoting import files, forms, offers, pagestate, queries, rights, sheet, words, writing
from sales.quoting.refusals import Refused
from sales.quoting.rights import me, needs

LISTED_CHARACTERS = 200
READ_OR_SEND = ["GET", "HEAD", "POST"]


def to(name: str, *args: object) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse(name, args=args), status=303)


def quote_of(pk: int) -> Quote:
    """The quote; 404 where there is none."""
    found = queries.quote(pk)
    if found is None:
        raise Http404(str(pk))
    return found


@require_safe
@needs(*rights.READERS)
def quotes(request: HttpRequest) -> HttpResponse:
    """The newest quotes that match a search, a state, an owner."""
    asked = [forms.written(request.GET.get(name, ""), LISTED_CHARACTERS) for name in ("q", "state", "owner")]
    return render(request, "sales/quotes.html", pagestate.list_context(me(request), *asked))


@require_http_methods(READ_OR_SEND)
@needs(rights.MAKE)
@needs_catalogue
def new(request: HttpRequest, name: str) -> HttpResponse:
    """A quote of the scenario in the address: who it is for and until when; sent, it is a draft."""
    tool = open_calculator(name)
    outcome = answers.from_link(tool, request.GET)
    if outcome.answer is None:
        return HttpResponseRedirect(address(name, request.GET.urlencode()))
    typed = outcome.answer.scenario
    if obstacle := offers.obstacle(name, outcome.answer.estimate):
        return no_quote(request, name, outcome.answer, obstacle)
    scenario = offers.without_price(typed)
    negotiated = negotiated_for(request, name, scenario)
    initial = {
        "valid_until": forms.usual_validity(),
        "language": get_language(),
        "vat_ratio": offers.default_vat(scenario),
        "agreed_eur": getattr(typed, "price_eur", None),
    }
    data = request.POST if request.method == "POST" else None
    form = forms.QuoteForm(data, initial=initial, negotiated=negotiated)
    if form.is_valid():
        query = permalinks.write(scenario)
        state = {"calculator": name, "query": query, "catalog_version_id": scenario.catalog_version}
        return to("quote", writing.create(me(request), {**form.values(), **state}, form.customer()).pk)
    shown = offers.offer(Quote(calculator=name, query=permalinks.write(scenario), vat_ratio=offers.default_vat(typed)))
    context = pagestate.form_context(name, permalinks.write(typed), shown, form)
    return render(request, "sales/quote_form.html", context, status=422 if form.is_bound else 200)


def no_quote(request: HttpRequest, name: str, found: Answer, obstacle: str) -> HttpResponse:
    """Why a calculation leads to no quote, with the way back to it."""
    context = pagestate.no_quote_context(name, found, obstacle)
    return render(request, "sales/quote_none.html", context, status=422)


def negotiated_for(request: HttpRequest, name: str, scenario: Any) -> Any:
    """The private price of what is quoted, for people who may see it."""
    return offers.negotiated_price(name, scenario) if request.user.has_perm(rights.PRIVATE_PRICES) else None


@require_http_methods(READ_OR_SEND)
@needs(rights.MAKE)
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change one's own draft."""
    found = quote_of(pk)
    try:
        writing.own_draft(found, me(request))
    except Refused as refused:
        return page(request, found, refused)
    scenario = offers.scenario_of(found.calculator, found.query)
    negotiated = negotiated_for(request, found.calculator, scenario)
    data = request.POST if request.method == "POST" else None
    form = forms.QuoteForm(data, initial=forms.initial_of(found, found.customer), negotiated=negotiated)
    if form.is_valid():
        return _step(request, pk, lambda quote: writing.edit(quote, me(request), form.values(), form.customer()))
    context = pagestate.form_context(found.calculator, found.query, _at_list(found), form, found)
    return render(request, "sales/quote_form.html", context, status=422 if form.is_bound else 200)


def _at_list(found: Quote) -> offers.Offer:
    """The draft's scenario at the catalogue's price."""
    return offers.offer(Quote(calculator=found.calculator, query=found.query, vat_ratio=found.vat_ratio))


@require_safe
@needs(*rights.READERS)
def quote(request: HttpRequest, pk: int) -> HttpResponse:
    """A quote with all that was done about it, and today's numbers beside."""
    return page(request, quote_of(pk))


def page(
    request: HttpRequest, found: Quote, refused: Refused | None = None, link: str = "", status: int = 200
) -> HttpResponse:
    """The page of a quote; a refusal stands above it."""
    context = pagestate.quote_context(found, me(request), link)
    context["refusal"] = words.refusal(refused) if refused else ""
    return render(request, "sales/quote.html", context, status=422 if refused else status)


@require_safe
@needs(*rights.READERS)
def quote_file(request: HttpRequest, pk: int, suffix: str) -> HttpResponse:
    """The quote as a file; a draft as it stands now."""
    found = quote_of(pk)
    return files.response(found, sheet.held(found), suffix)


def _step(request: HttpRequest, pk: int, act: Callable[[Quote], object], said: str = "") -> HttpResponse:
    """One step: done, it leads to the quote; refused, the page says why and nothing was written."""
    try:
        act(quote_of(pk))
    except Refused as refused:
        return page(request, quote_of(pk), refused)
    if said:
        messages.success(request, said)
    return to("quote", pk)


def _with_link(request: HttpRequest, pk: int, act: Callable[[Quote], str]) -> HttpResponse:
    """A step that makes a link: the answer itself shows it, for it is kept nowhere. Its address read leads to the
    quote."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("quote", args=[pk]))
    try:
        token = act(quote_of(pk))
    except Refused as refused:
        return page(request, quote_of(pk), refused)
    found = quote_of(pk)
    return page(request, found, link=request.build_absolute_uri(link_path(found, token)))


def link_path(found: Quote, token: str) -> str:
    """The stranger's address, under the quote's language."""
    _slash, _page, rest = reverse("quote-open", args=[token]).split("/", 2)
    return f"/{found.language}/{rest}"


@require_http_methods(READ_OR_SEND)
@needs(rights.MAKE)
def send(request: HttpRequest, pk: int) -> HttpResponse:
    """Number and freeze a draft, and make its link."""
    accepts = "old_rate" in request.POST
    return _with_link(request, pk, lambda found: writing.send(found, me(request), accepts_old_rate=accepts))


@require_http_methods(READ_OR_SEND)
@needs(rights.MAKE)
def link(request: HttpRequest, pk: int) -> HttpResponse:
    """A new link in place of the one before."""
    return _with_link(request, pk, lambda found: writing.new_link(found, me(request)))


@require_http_methods(["POST"])
@needs(rights.MAKE)
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Let no link open the quote."""
    return _step(request, pk, lambda found: writing.revoke(found, me(request)), _("Lien révoqué."))


@require_http_methods(["POST"])
@needs(rights.MAKE)
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """End a quote; its number stays."""
    reason = forms.written(request.POST.get("reason", ""))
    return _step(request, pk, lambda found: writing.withdraw(found, me(request), reason), _("Devis retiré."))


@require_http_methods(["POST"])
@needs(rights.MAKE)
def erase(request: HttpRequest, pk: int) -> HttpResponse:
    """Erase who the quote was for; number and figures stay."""
    return _step(request, pk, lambda found: writing.erase(found, me(request)), _("Client effacé de ce devis."))


@require_http_methods(["POST"])
@needs(rights.MAKE)
def duplicate(request: HttpRequest, pk: int) -> HttpResponse:
    """A draft of one's own with the same question, at the prices of then or of today."""
    found = quote_of(pk)
    query, version = found.query, found.catalog_version_id
    if "today" in request.POST and (now := offers.today(found)) is not None:
        scenario = offers.without_price(now.answer.scenario)
        query, version = permalinks.write(scenario), scenario.catalog_version
    return to("quote-edit", writing.duplicate(found, me(request), query, version, forms.usual_validity()).pk)


@require_http_methods(["POST"])
@needs(rights.APPROVE)
def approve(request: HttpRequest, pk: int) -> HttpResponse:
    """The second person agrees to these very terms, or does not."""
    reason = forms.written(request.POST.get("reason", ""))
    if "refuse" in request.POST:
        return _step(request, pk, lambda found: writing.decline(found, me(request), reason), _("Accord refusé."))
    seen = request.POST.get("terms", "")
    return _step(request, pk, lambda found: writing.approve(found, me(request), reason, seen), _("Accord donné."))


@require_http_methods(READ_OR_SEND)
@needs(rights.COSTS)
@needs_catalogue
def costs(request: HttpRequest) -> HttpResponse:
    """What an hour of each configuration costs the seller, as somebody recorded it and said from where."""
    form = forms.CostForm(request.POST if request.method == "POST" else None, skus=pagestate.sku_options())
    if form.is_valid():
        writing.record_cost(me(request), **form.cleaned_data)
        messages.success(request, _("Coût enregistré."))
        return to("quote-costs")
    return render(
        request, "sales/quote_costs.html", pagestate.costs_context(form), status=422 if form.is_bound else 200
    )
