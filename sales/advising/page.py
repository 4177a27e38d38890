"""The whole page of one piece of advice, in words."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from django.utils.safestring import SafeString

from calculator import formats, permalinks
from calculator.domain.serving_outcome import MS
from calculator.domain.serving_scenario import InferenceScenario
from calculator.language import gettext as _
from calculator.permalinks.inference import ARRIVALS, INSTANCES
from calculator.presenters import inference_words, words
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.labels import rate_source
from calculator.presenters.notices import Notice
from calculator.presenters.page import QUOTE_VALID_DAYS
from calculator.tool import Answer
from sales.advising import formulas, jobs, lead, reasons
from sales.advising.jobs import JobLine
from sales.advising.words import RANGES, SHAPES, TARGETS, TARGETS_CSS, USES
from sales.domain.advice import Advice
from sales.domain.need import (
    CORPUS_TOKENS,
    DOCUMENT_TOKENS,
    DOCUMENTS_COUNT,
    HOURS_A_MONTH,
    PARAMS_COUNT,
    ROW_TOKENS,
    ROWS_COUNT,
    Need,
    output_tokens,
    peak_per_s,
    prompt_tokens,
    requests_a_month,
    token_ms,
    utilisation_ceiling,
)
from sales.domain.need import first_token_ms as wanted_first_token_ms
from sales.domain.options import Excluded, Option, Way
from sales.domain.week import peak_factor

ONE_DECIMAL_BELOW = Decimal("0.1")
WAY_CSS = {Way.GPU: "gpu", Way.API: "api", Way.HYBRID: "gpu"}


@dataclass(frozen=True, slots=True)
class OptionLine:
    """One option as the page lists it. The queries lead to the calculators that answer the same scenario. An option
    without a GPU is not ours to sell, hence not to quote."""

    code: str
    title: str
    way: str
    css: str
    model: str
    month: str
    per_mtok: str
    targets: str
    targets_css: str
    facts: tuple[tuple[str, str], ...]
    losing: tuple[str, ...]
    trust: Badge | None
    economics: str
    rest: str
    inference: str
    is_sold: bool


@dataclass(frozen=True, slots=True)
class ExcludedLine:
    """What was left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class AdvicePage:
    """Everything that the page prints of an answer, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    short: str
    load: str
    options: tuple[OptionLine, ...]
    order: str
    training: tuple[JobLine, ...]
    training_note: str
    indexing: tuple[JobLine, ...]
    indexing_note: str
    jobs_first: bool
    excluded: tuple[ExcludedLine, ...]
    others: int
    notices: tuple[Notice, ...]
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]


@formats.one_language()
def page(found: Answer) -> AdvicePage:
    """The page of an answer in the active language."""
    advice: Advice = found.estimate
    need, serving = advice.scenario, advice.serving
    options = serving.options if serving else ()
    return AdvicePage(
        lead=lead.lead(advice),
        eyebrow=lead.eyebrow(advice),
        status=lead.sentence(advice),
        short=lead.headline_amount(advice),
        load=load(need),
        options=tuple(option_line(option) for option in options),
        order=order(advice),
        training=jobs.training_lines(advice),
        training_note=jobs.training_note(advice),
        indexing=jobs.indexing_lines(advice),
        indexing_note=jobs.indexing_note(advice),
        jobs_first=jobs.is_main(advice),
        excluded=excluded(advice),
        others=len(serving.all_options) - len(options) if serving else 0,
        notices=tuple(reasons.notice(message) for message in advice.warnings),
        formulas=formulas.formulas(advice),
        trust=of_kind(advice.trust),
        assumptions=assumptions(advice),
        quote_date=formats.date(need.at),
        quote_until=formats.date(need.at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        badges={"fx": badge(advice.usd_per_eur)} if advice.usd_per_eur else {},
        placeholders=placeholders(need),
    )


def order(advice: Advice) -> str:
    """In which order the options to serve stand."""
    if advice.headline.code == "none_meets":
        return _("Aucune ne tient tous les délais\u00a0: de la plus proche à la plus éloignée.")
    return _("De la moins chère à la plus chère parmi celles qui ne manquent aucun délai.")


def load(need: Need) -> str:
    """The month's requests and the busiest hour, as one sentence; empty where nothing is served."""
    requests, peak = requests_a_month(need), peak_per_s(need)
    if requests is None or peak is None:
        return ""
    return _(
        "%(requests)s requêtes par mois (%(input)s tokens lus, %(output)s écrits)\u00a0; %(shape)s\u00a0: l’heure la "
        "plus chargée vaut %(factor)s fois la moyenne, %(peak)s requêtes/s."
    ) % {
        "requests": formats.number(requests, 0),
        "input": formats.number(prompt_tokens(need)),
        "output": formats.number(output_tokens(need)),
        "shape": str(SHAPES[need.shape]).lower(),
        "factor": formats.number(float(peak_factor(need.shape)), 1),
        "peak": formats.number(formats.significant(peak, 2).normalize()),
    }


def model(option: Option) -> str:
    """Which models answer: the open one with its weights' format, the API's class."""
    parts = []
    if option.sized is not None:
        scenario = option.sized.scenario
        parts.append(f"{scenario.model}, {inference_words.precision(scenario.precision)}")
    if option.range is not None:
        parts.append(str(RANGES[option.range]).split(" (", maxsplit=1)[0].lower())
    return " + ".join(parts)


def way(option: Option) -> str:
    """The kind of an option."""
    if option.way is Way.GPU:
        return _("GPU dédié")
    mode = {"mode": words.mode_name(option.month.mode)}
    return (_("API, tarif %(mode)s") if option.way is Way.API else _("GPU et API, tarif %(mode)s")) % mode


def option_line(option: Option) -> OptionLine:
    """One option in words."""
    return OptionLine(
        code=option.code,
        title=lead.name(option),
        way=way(option),
        css=WAY_CSS[option.way],
        model=model(option),
        month=lead.month(option),
        per_mtok=jobs.per_mtok(option.eur_per_mtok),
        targets=str(TARGETS[option.targets]),
        targets_css=TARGETS_CSS[option.targets],
        facts=tuple(facts(option)),
        losing=tuple(reasons.losing(message) for message in option.loses),
        trust=of_kind(option.trust),
        economics=permalinks.write(option.month),
        rest="" if option.rest is None else permalinks.write(option.rest),
        inference=peak_query(option.peak),
        is_sold=option.way is not Way.API,
    )


def peak_query(peak: InferenceScenario | None) -> str:
    """The busiest hour as a link of the inference page; empty where it is more than that page takes."""
    if peak is None or peak.requests_per_s is None:
        return ""
    takes = INSTANCES.limits.hold(Decimal(peak.instances)) and ARRIVALS.limits.hold(peak.requests_per_s)
    return permalinks.write(peak) if takes else ""


def facts(option: Option) -> list[tuple[str, str]]:
    """What is known of an option, as pairs of a name and a value."""
    found = []
    if option.sized is not None and not option.sized.meets:
        missed = inference_words.joined(inference_words.miss(item) for item in option.sized.misses)
        found.append((_("Manque, même à un seul flux"), missed))
    if option.busiest is not None and option.busiest.served is not None and option.sized and option.sized.meets:
        point = option.busiest.served.point
        waits = _("premier token %(first)s, puis %(token)s par token") % {
            "first": inference_words.milliseconds(point.first_token_s),
            "token": inference_words.milliseconds(point.token_s),
        }
        found.append((_("À l’heure la plus chargée"), waits))
    if option.utilisation_ratio is not None:
        ceiling = None if option.way is Way.HYBRID else option.month.utilisation_ratio
        found.append((_("Utilisation"), utilisation(option.utilisation_ratio, ceiling)))
    if option.way is Way.HYBRID:
        found.append((_("Part servie par les GPU"), formats.percent(option.share)))
    if option.sized is not None:
        found.append((_("Location"), rental(option)))
    if option.sized is not None and option.sized.scenario.replica_gpus > option.sized.sku.gpu_count:
        rented = replace(option.sized.scenario, instances=option.instances or 1)
        found.append((_("Condition"), inference_words.together(rented, option.sized.sku.gpu_count)))
    return found


def utilisation(used: Decimal, ceiling: Decimal | None) -> str:
    """The share of paid hours that produces, beside the one that the busiest hour allows, where it bounds them."""
    share = formats.percent(used, 1 if used < ONE_DECIMAL_BELOW else 0)
    if ceiling is None:
        return _("%(used)s des heures payées") % {"used": share}
    return _("%(used)s des heures payées, %(ceiling)s au plus") % {"used": share, "ceiling": formats.percent(ceiling)}


def rental(option: Option) -> str:
    """How the GPUs are rented: the price and its period, always on or by the hours used."""
    assert option.bill is not None
    bill, scenario = option.bill, option.month
    if bill.price is None:
        return _("sur devis")
    text = words.per_period(formats.unit_price(bill.price.value / bill.sku.set_of), bill.basis)
    if words.is_hours_used(bill, scenario.rental):
        return _("%(price)s, %(hours)s h utilisées par mois") % {"price": text, "hours": words.hours(bill.paid_h)}
    return _("%(price)s par instance, toujours allumé") % {"price": text}


def excluded_lines(excluded: tuple[Excluded, ...]) -> tuple[ExcludedLine, ...]:
    """What was left out, each with all its reasons."""
    return tuple(
        ExcludedLine(item.name, inference_words.joined(reasons.refusal(reason) for reason in item.reasons))
        for item in excluded
    )


def excluded(advice: Advice) -> tuple[ExcludedLine, ...]:
    """Everything that was left out of every job."""
    serving = excluded_lines(advice.serving.excluded if advice.serving else ())
    others = (ExcludedLine(name, reason) for name, reason in jobs.left_out(advice))
    return (*serving, *others)


def placeholders(need: Need) -> dict[str, str]:
    """What an empty field stands for, by the field's name."""
    usual = need.usual
    return {
        "in": formats.number(usual.prompt_tokens),
        "out": formats.number(usual.output_tokens),
        "ttft": formats.number(usual.first_token_ms),
        "tpot": formats.number(usual.token_ms),
        "docs": formats.tokens(DOCUMENTS_COUNT),
        "doc": formats.number(DOCUMENT_TOKENS),
        "rows": formats.number(ROWS_COUNT),
        "row": formats.number(ROW_TOKENS),
        "params": formats.tokens(PARAMS_COUNT),
        "corpus": formats.tokens(CORPUS_TOKENS),
    }


def assumptions(advice: Advice) -> tuple[str, ...]:
    """The numbered notes of the printed page."""
    need = advice.scenario
    notes = [
        _("Besoin\u00a0: %(use)s. Prix HT de la liste n°\u00a0%(number)s.")
        % {"use": str(USES[need.use]), "number": need.catalog_version}
    ]
    if need.serves:
        notes.append(load(need))
        notes.append(
            _("Délais\u00a0: premier token %(first)s, par token %(token)s (0\u00a0: sans objectif).")
            % {
                "first": inference_words.milliseconds(float(wanted_first_token_ms(need)) / MS),
                "token": inference_words.milliseconds(float(token_ms(need)) / MS),
            }
        )
        notes.append(
            _("GPU dimensionnés pour l’heure la plus chargée\u00a0: %(share)s d’un mois de %(hours)s h au plus.")
            % {"share": formats.percent(utilisation_ceiling(need)), "hours": formats.number(HOURS_A_MONTH)}
        )
    notes += [note for note in (jobs.training_note(advice), jobs.indexing_note(advice)) if note]
    rate = advice.usd_per_eur
    if rate is not None:
        amount = formats.money(rate.value, "USD", 4)
        notes.append(_("1\u00a0€ = %(rate)s (%(source)s).") % {"rate": amount, "source": rate_source(rate)})
    return tuple(notes)
