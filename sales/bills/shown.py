"""A priced bill in words: what the template prints, and the rows of its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.http import QueryDict
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from calculator import formats
from calculator.domain.apibill import Usage
from calculator.domain.offers import Mode
from calculator.domain.provenance import Kind
from calculator.domain.scenario import Verdict
from calculator.language import gettext as _
from calculator.language import ngettext
from calculator.pagestate import address
from calculator.presenters import counted, words
from calculator.presenters.badges import word
from calculator.presenters.row import Row
from calculator.presenters.words import Mark
from sales.bills import result as results
from sales.bills.result import BillLine, Machine, Option, Result
from sales.bills.words import EXPLANATIONS, MISSING, REASONS
from sales.comparing import links

NOT_KNOWN = Mark("", "")
COMPARED_AT_MOST = 4
CENT_DECIMALS, SMALL_DECIMALS = 2, 4


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One model and mode of the bill."""

    model: str
    mode: str
    tokens: tuple[str, ...]
    requests: str
    listed: str
    billed: str
    difference: str
    why: str


@dataclass(frozen=True, slots=True)
class ShownOption:
    name: str
    is_yours: bool
    plain: str
    cached: str
    batch: str


@dataclass(frozen=True, slots=True)
class ShownMachine:
    """One GPU offer with its two verdicts and the pages that its scenario leads to."""

    name: str
    label: str
    month: str
    per_mtok: str
    cheapest: Mark
    own: Mark
    reason: str
    links: tuple[tuple[str, str], ...]


def usd(value: Decimal | None) -> str:
    """Dollars to the cent, to a hundredth of one below a dollar: a small bill is not rounded away."""
    small = value is not None and abs(value) < 1
    return formats.money(value, "USD", SMALL_DECIMALS if small else CENT_DECIMALS)


def tokens(usage: Usage) -> tuple[str, ...]:
    """Fresh input, read from a cache, written to it, output."""
    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    counts = (usage.fresh_tokens, usage.cache_read_tokens, written, usage.output_tokens)
    return tuple(formats.tokens(count) for count in counts)


def line(found: BillLine, result: Result) -> ShownLine:
    """One line of the bill in words."""
    billed = results.billed_usd(found, result.usd_per_eur)
    ratio = billed / found.list_usd - 1 if billed is not None and found.list_usd else None
    return ShownLine(
        model=found.traffic.model,
        mode=words.mode_name(found.traffic.mode),
        tokens=tokens(found.traffic.usage),
        requests=formats.number(found.traffic.requests, unknown=_("non précisé")),
        listed=usd(found.list_usd),
        billed=formats.money(found.traffic.amount, found.traffic.currency or "USD", unknown=_("non précisé")),
        difference="" if ratio is None else formats.percent(ratio, 1, signed=True),
        why=why(found, result),
    )


def why(found: BillLine, result: Result) -> str:
    """Why there is no list price, or why the bill differs from it."""
    if found.missing:
        said = ", ".join(dict.fromkeys(str(MISSING[name]) for name in found.missing))
        nearest = _("le plus proche\u00a0: %(name)s") % {"name": found.nearest} if found.nearest else ""
        return "; ".join(filter(None, (said, nearest)))
    said = str(EXPLANATIONS.get(results.explained(found, result.usd_per_eur), ""))
    if found.api and found.api.retired_on and found.api.retired_on <= timezone.localdate(result.at):
        retired = _("modèle retiré le %(day)s") % {"day": formats.date(found.api.retired_on)}
        said = "; ".join(filter(None, (said, retired)))
    if found.over_tokens:
        tier = _("tranche au-delà de %(count)s tokens") % {"count": formats.number(found.over_tokens)}
        return "; ".join(filter(None, (said, tier)))
    return said


def option(found: Option) -> ShownOption:
    """One API in words."""
    amounts = (words.bare(formats.money(each)) for each in (found.plain_eur, found.cached_eur, found.batch_eur))
    return ShownOption(found.api.label, found.is_yours, *amounts)


def machine(found: Machine, result: Result, may_quote: bool) -> ShownMachine:
    """One GPU offer in words; a quote is offered to people who may make one."""
    if found.answer is None or found.gpu is None:
        reason = str(REASONS[found.reason])
        return ShownMachine(found.sku.code, found.sku.label, "", "", NOT_KNOWN, NOT_KNOWN, reason, ())
    gpu, cheapest = found.gpu, results.cheapest(found.answer)
    own = results.against(found.answer, result.reference)
    return ShownMachine(
        name=counted.named(gpu.instances or 1, gpu.sku),
        label=found.sku.label,
        month=words.bare(formats.money(gpu.total_eur)) if gpu.total_eur is not None else "",
        per_mtok=words.bare(formats.unit_price(gpu.eur_per_mtok)) if gpu.eur_per_mtok is not None else "",
        cheapest=_mark(cheapest),
        own=_mark(own),
        reason=str(REASONS.get(found.reason, "")),
        links=leads(found, may_quote),
    )


def _mark(row: Any) -> Mark:
    return NOT_KNOWN if row is None else words.verdict(row.verdict, row.difference_ratio)


def leads(found: Machine, may_quote: bool) -> tuple[tuple[str, str], ...]:
    """The pages that begin where this offer ends: its scenario in economics, compared, questioned, quoted."""
    if found.answer is None:
        return ()
    query = found.answer.query
    pages = (
        (_("Détail"), address("economics", query)),
        (_("Comparer"), f"{reverse('compare')}?add={quote(f'economics?{query}', safe='')}"),
        (_("Et si…"), known_page("outlook", query)),
        (_("Devis"), known_page("quote-new", query, "economics") if may_quote else ""),
    )
    return tuple((label, href) for label, href in pages if href)


def known_page(name: str, query: str, *args: str) -> str:
    """The address of a page of another room, "" where there is none."""
    try:
        return f"{reverse(name, args=args)}?{query}"
    except NoReverseMatch:
        return ""


def side_by_side(result: Result) -> str:
    """The comparison of the GPU offers that have an answer."""
    query = QueryDict("")
    for found in [each for each in result.machines if each.answer][:COMPARED_AT_MOST]:
        if found.answer is not None:
            query = QueryDict(links.added(query, "economics", found.answer.query))
    return f"{reverse('compare')}?{query.urlencode()}" if query else ""


def reference_label(result: Result) -> str:
    """The API that GPUs are held against: the bill's largest model that is still sold, else the calculator's own."""
    labels = {option.api.code: option.api.label for option in result.options}
    return labels.get(result.reference, result.reference)


def reference_eur(result: Result) -> Decimal | None:
    """The month on that API."""
    held = next((option for option in result.options if option.api.code == result.reference), None)
    return None if held is None else result.month_eur(held)


def lead(result: Result) -> str:
    """The finding in one sentence: who wins, with the amounts of a month."""
    best, option_ = results.best_machine(result), result.options[0] if result.options else None
    if best is None or best.gpu is None or option_ is None or result.month_eur(option_) is None:
        return _("Aucune comparaison complète\u00a0: un prix manque d’un côté.")
    values = {
        "api": option_.api.label,
        "api_month": formats.money(result.month_eur(option_)),
        "gpu": counted.named(best.gpu.instances or 1, best.gpu.sku),
        "gpu_month": formats.money(best.gpu.total_eur),
        "own": reference_label(result),
        "own_month": formats.money(reference_eur(result)),
    }
    return SENTENCES[results.outcome(result)]() % values


SENTENCES = {
    "api": lambda: _(
        "L’API gagne\u00a0: ce trafic coûte %(api_month)s HT par mois sur %(api)s, contre %(gpu_month)s sur %(gpu)s, "
        "le GPU le moins cher."
    ),
    "own": lambda: _(
        "%(gpu)s (%(gpu_month)s HT par mois) coûte moins que %(own)s (%(own_month)s), mais l’API gagne encore avec "
        "%(api)s (%(api_month)s)."
    ),
    "gpu": lambda: _(
        "Le GPU gagne\u00a0: %(gpu)s coûte %(gpu_month)s HT par mois, moins que l’API la moins chère, %(api)s "
        "(%(api_month)s)."
    ),
    "tie": lambda: _(
        "À égalité à 5\u00a0%% près\u00a0: %(gpu_month)s HT par mois sur %(gpu)s, %(api_month)s sur %(api)s."
    ),
    "unknown": lambda: _("Aucune comparaison complète\u00a0: un prix manque d’un côté."),
}


def stats(result: Result) -> tuple[tuple[str, str, str], ...]:
    """The figures beside the sentence: value, label, small print."""
    month, period = result.month, result.totals.period
    listed = listed_usd(result)
    days = ngettext("%(days)s jour couvert", "%(days)s jours couverts", int(period.days))
    since = ""
    if period.start and period.end:
        since = _("depuis le %(day)s") % {"day": formats.date(period.start)}
    return (
        (usd(listed), _("votre relevé au tarif public"), days % {"days": formats.number(period.days)}),
        (formats.money(result.own_month_eur), _("le même par mois, HT"), since),
        (formats.tokens(month.output_tokens), _("tokens de sortie par mois"), ""),
        (formats.percent(month.hit_ratio, 1), _("de l’entrée lue du cache"), ""),
    )


def listed_usd(result: Result) -> Decimal | None:
    """The whole bill at list price; None where a line has none."""
    return sum((each.list_usd or Decimal(0) for each in result.lines), Decimal(0)) if result.is_complete else None


def billed_total(result: Result) -> str:
    """What the provider charged in all, where every line says it in one currency."""
    held = {each.traffic.currency for each in result.lines}
    amounts = [each.traffic.amount for each in result.lines]
    if None in amounts or len(held) != 1:
        return ""
    return formats.money(sum((each for each in amounts if each is not None), Decimal(0)), held.pop() or "USD")


def notes(result: Result) -> tuple[str, ...]:
    """The assumptions behind the figures."""
    month, scenario = result.month, result.cached.scenario
    hours = formats.number(scenario.hours_per_month_h)
    found = [
        _("Un mois compte %(hours)s h\u00a0; le trafic couvert y est ramené.") % {"hours": hours},
        _(
            "Un modèle d’API ne se loue pas sur un GPU\u00a0: les GPU servent %(model)s, dont la qualité est à valider "
            "sur vos cas. Débit estimé à 16 flux en même temps, GPU utilisé à %(use)s."
        )
        % {"model": result.model, "use": formats.percent(scenario.utilisation_ratio)},
        _("Les tokens d’un fournisseur ne sont pas ceux d’un autre\u00a0: un même texte n’en fait pas autant partout."),
        _("Une API moins chère peut être un plus petit modèle\u00a0: le prix n’en dit pas la qualité."),
    ]
    usages = [each.traffic.usage for each in result.lines]
    if any(each.cache_write_5m_tokens for each in usages) and any(each.cache_write_1h_tokens for each in usages):
        found.append(
            _("Le cache est écrit pour 5\u00a0min et pour 1\u00a0h\u00a0: les options comptent la plus fréquente.")
        )
    if not month.has_requests:
        length = formats.number(scenario.output_tokens)
        found.append(
            _("Le relevé ne compte pas les requêtes\u00a0: réponses supposées de %(count)s tokens, sans long contexte.")
            % {"count": length}
        )
    else:
        found.append(_("Longueurs moyennes\u00a0: des requêtes très longues peuvent coûter un palier de plus."))
    if result.mode is Mode.BATCH:
        found.append(_("Tout le relevé est en batch\u00a0: les GPU sont comparés aux API au tarif batch."))
    elif month.batch_ratio:
        found.append(
            _("%(share)s des tokens sont en batch\u00a0: les options sont comparées au tarif %(mode)s, batch à part.")
            % {"share": formats.percent(month.batch_ratio, 1), "mode": words.mode_name(scenario.mode)}
        )
    return tuple(found)


def ways(result: Result) -> tuple[tuple[str, str], ...]:
    """The economics pages behind the three amounts of each API."""
    labels = (_("standard, sans cache"), _("avec votre cache"), _("batch"))
    return tuple((label, address("economics", answer.query)) for label, answer in zip(labels, result.ways, strict=True))


def rows(result: Result) -> tuple[Row, ...]:
    """Every figure as rows of a file, unrounded."""
    return (*_bill_rows(result), *_option_rows(result), *_machine_rows(result))


def _bill_rows(result: Result) -> Iterator[Row]:
    for found in result.lines:
        section = f"{found.traffic.model}, {words.mode_name(found.traffic.mode)}"
        usage, unit = found.traffic.usage, _("tokens")
        yield Row(section, _("Entrée, cache compris"), usage.input_tokens, unit, word(Kind.INPUT))
        yield Row(section, _("Lus du cache"), usage.cache_read_tokens, unit, word(Kind.INPUT))
        yield Row(section, _("Écrits au cache, 5\u00a0min"), usage.cache_write_5m_tokens, unit, word(Kind.INPUT))
        yield Row(section, _("Écrits au cache, 1\u00a0h"), usage.cache_write_1h_tokens, unit, word(Kind.INPUT))
        yield Row(section, _("Sortie"), usage.output_tokens, unit, word(Kind.INPUT))
        requests = found.traffic.requests
        yield Row(section, _("Requêtes"), None if requests is None else Decimal(requests), "", word(Kind.INPUT))
        yield Row(section, _("Au tarif public"), found.list_usd, "$ HT", word(Kind.LIST_PRICE))
        yield Row(section, _("Facturé"), found.traffic.amount, found.traffic.currency, word(Kind.INPUT))
        if text := why(found, result):
            yield Row(section, _("Écart"), text)


def _option_rows(result: Result) -> Iterator[Row]:
    unit, kind = _("€ HT / mois"), word(Kind.LIST_PRICE)
    for found in result.options:
        yield Row(found.api.label, _("Standard, sans cache"), found.plain_eur, unit, kind)
        yield Row(found.api.label, _("Avec votre cache"), found.cached_eur, unit, kind)
        yield Row(found.api.label, _("Batch"), found.batch_eur, unit, kind)


def _machine_rows(result: Result) -> Iterator[Row]:
    for found in result.machines:
        section = f"{found.sku.code}, {result.model}"
        if found.gpu is None or found.answer is None:
            yield Row(section, _("Réserve"), str(REASONS[found.reason]))
            continue
        kind = word(found.gpu.trust) if found.gpu.trust else ""
        count = None if found.gpu.instances is None else Decimal(found.gpu.instances)
        yield Row(section, _("Instances"), count, counted.unit(found.sku), kind)
        yield Row(section, _("Total HT"), found.gpu.total_eur, _("€ HT / mois"), kind)
        yield Row(section, _("Coût par million"), found.gpu.eur_per_mtok, _("€ HT / 1M tokens de sortie"), kind)
        row = results.cheapest(found.answer)
        if row is not None and row.verdict is not Verdict.UNKNOWN:
            label = _("Face à %(api)s, le GPU coûte") % {"api": row.bill.api.label}
            yield Row(section, label, words.verdict(row.verdict, row.difference_ratio).text)
