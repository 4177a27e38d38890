"""Pages around the calculators: dashboard, SKUs, GPUs, prices and their history, methodology, accuracy."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from calculator import catalog, exports, figures, methodology, published
from calculator.charts.pricehistory import price_histories
from calculator.codes import may_be_a_name
from calculator.context import Site
from calculator.forms import Choices, EconomicsForm
from calculator.listing import accuracy as accuracy_listing
from calculator.listing import gpus, history, home, latencies, prices, ratings, roofs, skus
from calculator.presenters import words
from calculator.snapshots import snapshot
from calculator.tools import economics
from calculator.views import needs_catalogue

HISTORY_KINDS = ("sku", "api", "embedding")


@require_safe
@needs_catalogue
def dashboard(request: HttpRequest) -> HttpResponse:
    """Each SKU against each API at a chosen volume and utilisation; what is new, and what is stale."""
    scenario = catalog.default_scenario()
    version, at = scenario.catalog_version, scenario.at
    offered = Choices(skus=home.on_sale(catalog.sku_choices(version, at)), apis=catalog.api_choices(version, at))
    form = EconomicsForm.from_texts(home.asked(request.GET, scenario, offered.skus), scenario, offered)
    known = figures.current()
    found = economics.answer(form.to_scenario(), known) if form.is_valid() else None
    rate, stale = catalog.latest_rate(version, at), catalog.stale_prices(at, version)
    context = {
        "fields": home.fields(form),
        "shown": home.comparison(found) if found else None,
        "doors": home.doors(found),
        "data": home.data_state(version, snapshot(version).date, rate, stale, at),
        "changes": home.changes(catalog.latest_changes(home.CHANGES_SHOWN, version), at),
        "runs": home.runs(published.latest_measured(at, home.RUNS_SHOWN, known)),
        "in_force": Site(version),
    }
    return render(request, "calculator/home.html", context)


@require_safe
@needs_catalogue
def sku_table(request: HttpRequest) -> HttpResponse:
    """The GPU offers with their prices and ratios, sorted by ?sort=."""
    scenario, known, sheets = catalog.default_scenario(), figures.current(), catalog.gpu_sheets()
    found = economics.answer(scenario, known)
    context = {
        "table": skus.table(found.estimate, {sheet.name: sheet for sheet in sheets}, request.GET.get("sort", "")),
        "terms": skus.terms(found.estimate),
        "roofs": roofs.of_offers(scenario, known, sheets),
    }
    return render(request, "calculator/skus.html", context)


@require_safe
def gpu_table(request: HttpRequest) -> HttpResponse:
    """The GPUs' data sheets, sorted by ?sort=, and what each is good for."""
    sheets = catalog.gpu_sheets()
    context = {"table": gpus.table(sheets, request.GET.get("sort", "")), "ratings": ratings.table()}
    return render(request, "calculator/gpus.html", {**context, "roofs": roofs.table(sheets)})


@require_safe
@needs_catalogue
def price_table(request: HttpRequest) -> HttpResponse:
    """API prices of one service level, and GPU prices; ?mode= and ?retired=1."""
    scenario = catalog.default_scenario()
    version, at = scenario.catalog_version, scenario.at
    every = catalog.api_choices(version, at, include_retired=True)
    mode, today = prices.mode_asked(request.GET.get("mode", "")), timezone.localdate(at)
    split = prices.by_retirement(every, today, with_retired=request.GET.get("retired") == "1")
    rate = catalog.latest_rate(version, at)
    context = {
        "modes": prices.mode_choices(split.shown, mode),
        "mode_name": words.mode_name(mode),
        "apis": prices.api_rows(
            split.shown,
            mode,
            published.aliases(version, at),
            rate,
            today,
            latencies.by_code(published.latencies(at)),
        ),
        "not_sold": prices.not_sold(split.shown, mode),
        "unread": prices.unread(split.shown, mode),
        "split": split,
        "rate": home.data_state(version, today, rate, (), at),
        "gpus": prices.gpu_rows(catalog.sku_choices(version, at), today),
    }
    return render(request, "calculator/prices.html", context)


@require_safe
@needs_catalogue
def price_history(request: HttpRequest, kind: str, code: str) -> HttpResponse:
    """Every price of one item with its start, and the price on the day that ?on= asks for."""
    if kind not in HISTORY_KINDS or not may_be_a_name(code):
        raise Http404(kind)
    scenario = catalog.default_scenario()
    try:
        points = catalog.price_history(kind, code, scenario.catalog_version, scenario.at)
        item = history.item(kind, catalog.canonical_code(kind, code, scenario.catalog_version, scenario.at))
    except catalog.NotFound as error:
        if error.kind == "version":
            raise
        return render(request, "calculator/unknown_item.html", history.missing(kind, error), status=404)
    today = timezone.localdate(scenario.at)
    form = history.DayForm(request.GET if "on" in request.GET else None)
    context = {
        "item": item,
        "form": form,
        "day": history.on_day(points, form.cleaned_data["on"], today) if form.is_bound and form.is_valid() else None,
        "history": history.history(points, today),
        "plots": price_histories(points, scenario.at),
    }
    return render(request, "calculator/price_history.html", context)


@require_safe
def method(request: HttpRequest) -> HttpResponse:
    """Formulas with worked numbers, sources, limits; conventions; glossary."""
    return render(request, "calculator/methodology.html", methodology.context())


@require_safe
def accuracy(request: HttpRequest) -> HttpResponse:
    """Estimates against published measurements; ?metric= chooses the one shown in detail."""
    shown = accuracy_listing.page(request.GET.get("metric", ""))
    return render(request, "calculator/accuracy.html", {"page": shown})


@require_safe
def accuracy_rows(request: HttpRequest) -> HttpResponse:
    """Every row of the accuracy check as a CSV file."""
    found = HttpResponse(accuracy_listing.file_text().encode(), content_type=exports.CSV_TYPE)
    found.headers["Content-Disposition"] = 'attachment; filename="accuracy.csv"'
    return found
