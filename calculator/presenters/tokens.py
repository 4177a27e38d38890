"""The whole tokens page of one estimate, in words."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString

from calculator import formats
from calculator.charts import tokens as charts
from calculator.domain.offers import Basis
from calculator.domain.provenance import asked_kind
from calculator.domain.scenario import BillingStep
from calculator.domain.tokens_scenario import TokensEstimate, TokensScenario, Work
from calculator.domain.tokens_steps import mean_kind
from calculator.language import gettext as _
from calculator.presenters import quantities, tokens_notices, tokens_steps, tokens_tables, tokens_words, words
from calculator.presenters.badges import Badge, badge, of_kind
from calculator.presenters.formulaview import FormulaView
from calculator.presenters.notices import Notice
from calculator.presenters.page import QUOTE_VALID_DAYS
from calculator.presenters.stats import Stat
from calculator.presenters.tokens_words import sentence, short

__all__ = ["sentence", "short", "tokens"]
SHOWN_FROM_RATIO = 0.0005
"""A share that rounds to 0.0 % is left out."""


@dataclass(frozen=True, slots=True)
class TokensPage:
    """Everything that tokens.html prints of an estimate, already in words."""

    lead: SafeString
    eyebrow: str
    status: str
    total: str
    short: str
    stats: tuple[Stat, ...]
    notices: tuple[Notice, ...]
    sample: str
    embeddings: tuple[tokens_tables.PaidLine, ...]
    embedded: str
    apis: tuple[tokens_tables.PaidLine, ...]
    gpus: tuple[tokens_tables.GpuLine, ...]
    indexing: tuple[tokens_tables.GpuLine, ...]
    indexer: str
    mode: str
    reader: str
    typed: str
    chart: charts.Bars | None
    formulas: tuple[FormulaView, ...]
    trust: Badge | None
    assumptions: tuple[str, ...]
    quote_date: str
    quote_until: str
    badges: Mapping[str, Badge | None]
    placeholders: Mapping[str, str]


@formats.one_language()
def tokens(estimate: TokensEstimate) -> TokensPage:
    """The page of an estimate in the active language."""
    at = estimate.scenario.at
    return TokensPage(
        lead=tokens_words.lead(estimate),
        eyebrow=tokens_words.eyebrow(estimate),
        status=sentence(estimate),
        total=tokens_words.token_count(estimate.total.value),
        short=short(estimate),
        stats=stats(estimate),
        notices=tokens_notices.notices(estimate),
        sample=sample(estimate),
        embeddings=tokens_tables.embeddings(estimate),
        embedded=embedded(estimate),
        apis=tokens_tables.apis(estimate),
        gpus=tokens_tables.gpus(estimate),
        indexing=tokens_tables.indexing(estimate),
        indexer=indexer(estimate),
        mode=words.mode_name(estimate.scenario.mode),
        reader=reader(estimate),
        typed=typed(estimate),
        chart=charts.reading_costs(estimate),
        formulas=tokens_steps.formulas(estimate),
        trust=of_kind(estimate.trust),
        assumptions=assumptions(estimate),
        quote_date=formats.date(at),
        quote_until=formats.date(at + dt.timedelta(days=QUOTE_VALID_DAYS)),
        badges=field_badges(estimate),
        placeholders=placeholders(estimate),
    )


def stats(estimate: TokensEstimate) -> tuple[Stat, ...]:
    """Tokens with their interval, chunks, what indexing costs, the time on the chosen machine."""
    return (
        Stat(
            formats.tokens(estimate.total.value),
            _("tokens dans le corpus"),
            tokens_words.interval(estimate.total) or _("sans intervalle"),
        ),
        Stat(
            formats.tokens(estimate.chunks_count),
            _("morceaux à indexer"),
            chunks_note(estimate),
        ),
        *(read_stats(estimate) if estimate.scenario.work is Work.READ else index_stats(estimate)),
    )


def read_stats(estimate: TokensEstimate) -> tuple[Stat, Stat]:
    """The embedding's price, and the time to read on the chosen machine."""
    gpu = estimate.gpu
    return (
        Stat(
            tokens_words.price(estimate.embedding),
            _("HT pour indexer"),
            _("avec %(model)s") % {"model": estimate.embedding.model.label},
        ),
        Stat(
            tokens_words.duration(gpu),
            _("de lecture sur %(sku)s") % {"sku": gpu.offer.sku.code},
            _("%(amount)s HT") % {"amount": formats.money(gpu.eur)} if gpu.eur is not None else _("prix sur devis"),
        ),
    )


def index_stats(estimate: TokensEstimate) -> tuple[Stat, Stat]:
    """What indexing costs on the chosen machine, and how long it takes."""
    gpu, sku = estimate.gpu, {"sku": estimate.gpu.offer.sku.code}
    model = _("%(model)s, un morceau à la fois") % {"model": estimate.scenario.model}
    return (
        Stat(formats.money(gpu.eur, unknown=_("sur devis")), _("HT pour indexer"), _("sur %(sku)s") % sku),
        Stat(tokens_words.duration(gpu), _("d’indexation sur %(sku)s") % sku, model),
    )


def chunks_note(estimate: TokensEstimate) -> str:
    """Chunks of one document, and the share of tokens that overlaps make read twice."""
    values = {
        "count": formats.number(formats.significant(estimate.chunks_a_document)),
        "ratio": formats.percent(estimate.repeated_ratio, 1),
    }
    if not estimate.repeated_ratio:
        return _("%(count)s par document, aucun token lu deux fois") % values
    if estimate.repeated_ratio < SHOWN_FROM_RATIO:
        return _("%(count)s par document") % values
    return _("%(count)s par document, %(ratio)s de tokens lus deux fois") % values


def sample(estimate: TokensEstimate) -> str:
    """The sample in one line; empty where nothing of it is known."""
    scenario = estimate.scenario
    parts = [
        _("%(count)s documents comptés") % {"count": formats.number(scenario.sample_count)}
        if scenario.sample_count
        else "",
        _("écart-type %(value)s") % {"value": formats.number(scenario.sd_tokens)} if scenario.sd_tokens else "",
        _("P50 %(value)s") % {"value": formats.number(scenario.p50_tokens)} if scenario.p50_tokens else "",
        _("P95 %(value)s") % {"value": formats.number(scenario.p95_tokens)} if scenario.p95_tokens else "",
    ]
    known = " · ".join(part for part in parts if part)
    if not estimate.margin_ratio:
        return known
    confidence = formats.percent(scenario.confidence_ratio)
    return _("%(sample)s. Intervalle de Student à %(confidence)s\u00a0: %(interval)s.") % {
        "sample": known,
        "confidence": confidence,
        "interval": tokens_words.interval(estimate.total),
    }


def indexer(estimate: TokensEstimate) -> str:
    """What the machines are taken to index with, and why that is on the safe side."""
    return _(
        "Sur vos GPU, avec un modèle d’indexation de la taille de %(model)s qui lit chaque morceau une fois. Un "
        "morceau à la fois\u00a0: en lire plusieurs ensemble va plus vite."
    ) % {"model": estimate.scenario.model}


def embedded(estimate: TokensEstimate) -> str:
    """How the chunks come about."""
    return _("%(tokens)s lus en morceaux de %(chunk)s avec %(overlap)s de recouvrement.") % {
        "tokens": tokens_words.token_count(estimate.embedded.value),
        "chunk": formats.number(estimate.scenario.chunk_tokens),
        "overlap": formats.number(estimate.scenario.overlap_tokens),
    }


def reader(estimate: TokensEstimate) -> str:
    """The open model that reads, and how."""
    return _("%(model)s en %(precision)s sous vLLM, un document à la fois sur chaque copie.") % {
        "model": estimate.scenario.model,
        "precision": estimate.scenario.precision,
    }


def typed(estimate: TokensEstimate) -> str:
    """The time at the throughput that was typed; empty without one."""
    if estimate.typed_time_s is None:
        return ""
    return _("Au débit saisi de %(rate)s\u00a0tok/s\u00a0: %(time)s.") % {
        "rate": formats.number(estimate.scenario.read_tok_per_s),
        "time": quantities.duration(estimate.typed_time_s),
    }


def field_badges(estimate: TokensEstimate) -> dict[str, Badge | None]:
    """Where the value behind each field comes from, by the field's name."""
    gpu, rate = estimate.gpu, estimate.usd_per_eur
    return {
        "docs": of_kind(asked_kind(estimate.scenario, "documents_count")),
        "mean": of_kind(mean_kind(estimate.scenario)),
        "embed": badge(estimate.embedding.rate),
        "sku": badge(gpu.price),
        "fx": badge(rate),
    }


def placeholders(estimate: TokensEstimate) -> dict[str, str]:
    """The value that an empty field stands for, by the field's name."""
    price = estimate.gpu.offer.sku.prices.get(Basis.HOUR)
    rate = estimate.gpu.rate
    return {
        "price": formats.number(price.value, 2) if price else _("sur devis"),
        "read": quantities.digits(rate.value) if rate else _("inconnu"),
    }


def _priced(scenario: TokensScenario) -> str:
    by_hour = scenario.billing_step is BillingStep.HOUR
    note = (
        _("Prix HT de la liste n°\u00a0%(number)s\u00a0; machines facturées à l’heure entière.")
        if by_hour
        else _("Prix HT de la liste n°\u00a0%(number)s\u00a0; machines facturées à la seconde.")
    )
    return note % {"number": scenario.catalog_version}


def counted(estimate: TokensEstimate) -> str:
    """Which tokenizer counted the sample; without one, that nothing was counted."""
    if not estimate.scenario.sample_count:
        return _("Moyenne sans échantillon compté.")
    return _("Tokens comptés par %(tokenizer)s\u00a0; un autre modèle en compte un autre nombre.") % {
        "tokenizer": tokens_words.tokenizer(estimate.scenario.tokenizer)
    }


def assumptions(estimate: TokensEstimate) -> tuple[str, ...]:
    """The numbered notes of the printed estimate."""
    scenario = estimate.scenario
    notes = (
        _priced(scenario),
        counted(estimate),
        embedded(estimate),
        reader(estimate) if scenario.work is Work.READ else indexer(estimate),
        sample(estimate),
    )
    return tuple(note for note in notes if note)
