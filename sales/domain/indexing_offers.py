"""The need as documents to index: embedding models paid by the token, and GPUs rented while they read.

Every figure is the tokens calculator's for one scenario; this module only ranks its lines.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from calculator.domain.offers import ApiModel, Sku
from calculator.domain.provenance import Kind, weakest_kind
from calculator.domain.tokens import estimate
from calculator.domain.tokens_scenario import GpuReading, PaidReading, TokensEstimate, TokensFacts, TokensScenario, Work
from calculator.domain.units import MTOK, to_decimal
from sales.domain.constraints import api_refusals
from sales.domain.need import DOCUMENT_TOKENS, DOCUMENTS_COUNT, Need

SHOWN_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class IndexingOption:
    """One way to index the documents once: an embedding model (`api`) or a GPU (`sku`) that takes `seconds`."""

    scenario: TokensScenario
    eur: Decimal | None
    eur_per_mtok: Decimal | None
    trust: Kind | None
    api: ApiModel | None = None
    sku: Sku | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Indexing:
    """The options, best first, of all tokens to embed; `left` are the APIs that a constraint rules out, `scenario` the
    documents as they were asked about."""

    options: tuple[IndexingOption, ...]
    tokens: float
    left: tuple[ApiModel, ...]
    scenario: TokensScenario


def asked(need: Need) -> TokensScenario:
    """The documents as a scenario of the tokens calculator."""
    start = TokensScenario(
        need.catalog_version, need.at, model=need.open_model, usd_per_eur=need.usd_per_eur, calibration=need.calibration
    )
    return replace(
        start,
        documents_count=need.documents_count or DOCUMENTS_COUNT,
        mean_tokens=need.document_tokens or DOCUMENT_TOKENS,
    )


def indexing(need: Need, facts: TokensFacts) -> Indexing:
    """Embedding models unless a constraint rules APIs out, and every GPU that reads the documents."""
    scenario = asked(need)
    answer = estimate(scenario, facts)
    tokens, refused = answer.embedded.value, bool(api_refusals(need))
    paid = () if refused else tuple(_paid(scenario, item, answer) for item in answer.embeddings)
    found = [*paid, *_read(scenario, answer)]
    left = tuple(item.model for item in answer.embeddings) if refused else ()
    return Indexing(shown(found), tokens, left, scenario)


def _paid(scenario: TokensScenario, item: PaidReading, answer: TokensEstimate) -> IndexingOption:
    rate = answer.usd_per_eur
    kinds = (item.rate.rank_kind if item.rate else None, rate.rank_kind if rate else None)
    return IndexingOption(
        scenario=replace(scenario, embedding=item.model.code),
        eur=item.eur,
        eur_per_mtok=per_mtok(item.eur, answer.embedded.value),
        trust=weakest_kind(kinds),
        api=item.model,
    )


def _read(scenario: TokensScenario, answer: TokensEstimate) -> Iterator[IndexingOption]:
    """Every chunk once on each GPU that is for sale: the work that a quote of the option sells."""
    for item in answer.indexing:
        if item.time_s is not None and not item.offer.sku.is_test_host:
            yield _gpu(scenario, item, answer.embedded.value)


def _gpu(scenario: TokensScenario, item: GpuReading, tokens: float) -> IndexingOption:
    price = item.price.rank_kind if item.price else None
    return IndexingOption(
        scenario=replace(scenario, work=Work.INDEX, sku=item.offer.sku.code),
        eur=item.eur,
        eur_per_mtok=per_mtok(item.eur, tokens),
        trust=weakest_kind((item.rate.kind if item.rate else None, price)),
        sku=item.offer.sku,
        seconds=item.time_s.value if item.time_s else None,
    )


def per_mtok(eur: Decimal | None, tokens: float) -> Decimal | None:
    """A cost ÷ the tokens that it embeds, per million.

    >>> per_mtok(Decimal("161.55"), 9.024e9).quantize(Decimal("0.0001"))
    Decimal('0.0179')
    """
    return None if eur is None or not tokens else eur * MTOK / to_decimal(tokens)


def shown(options: list[IndexingOption]) -> tuple[IndexingOption, ...]:
    """At most five, the cheapest first and those on request last; the best GPU stays among them."""
    ranked = sorted(options, key=lambda one: (one.eur is None, one.eur or Decimal(0), one.seconds or 0.0))
    kept = ranked[:SHOWN_AT_MOST]
    best = next((one for one in ranked if one.sku is not None), None)
    if best is not None and best not in kept:
        kept[-1] = best
    return tuple(kept)
